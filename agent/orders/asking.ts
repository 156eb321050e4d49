import type { Context } from "../../launch/facts/context.ts";
import type { Draft } from "../../ledger/draft.ts";
import type { FleetRow } from "../../ledger/rows.ts";
import { fleetNamed } from "../fleet/phase/fleet-orders.ts";
import { type Answered, type Ask, askForCount } from "../fleet/size/ask-for-count.ts";
import { askedNow } from "../fleet/size/asked-size.ts";
import { countInForce, wakeFleet } from "../fleet/size/lowered-count.ts";
import { parseWish } from "../fleet/wish/wish.ts";
import { count } from "../planning/count/count.ts";
import { refusal } from "./refusal.ts";

/** How a program asks, which counts on what follows. */
interface How {
  /** So many are wanted then: what was given back before counts no more. */
  readonly exactly?: boolean | undefined;
  /** At least as many as the fleet has and may have made, so that nothing ends because of it. */
  readonly keeps?: boolean | undefined;
}

/** An order for so many GPUs. Throws CONFIG as `askForCount` does, and where something else would say the size, too. */
export function askFor(
  draft: Draft,
  name: string,
  { exactly, keeps, ...ask }: Ask & How,
  context: Context,
): Answered {
  const fleet = fleetNamed(draft, name);
  if (fleet.part && (exactly || keeps))
    throw refusal(
      `fleet ${name}: several services keep it, and nobody can promise how many of its GPUs there are of them: ask without exactly and keeps.`,
    );
  if (exactly) refuseOthers(fleet);
  const gpus = keeps ? Math.max(ask.gpus, there(draft, fleet, context)) : ask.gpus;
  const answered = askForCount(draft, name, { ...ask, gpus }, context);
  if (exactly && countInForce(fleetNamed(draft, name), context) < gpus) wakeFleet(draft, name, context);
  return answered;
}

/** What of it lives, or may have been made. No more than is asked for anyway: what is too much goes as it would. */
function there(draft: Draft, fleet: FleetRow, context: Context): number {
  return Math.min(count(draft, fleet, context).live, askedNow(fleet, context));
}

/** What else says how many there are. With it nobody could promise a number. */
const OTHERS = ["schedule", "metric", "buffer", "allOrNothing"] as const;

function refuseOthers({ name, wish }: FleetRow): void {
  const other = OTHERS.find((key) => parseWish(wish)[key] !== undefined);
  if (other === undefined) return;
  throw refusal(
    `fleet ${name}: no exact number of its GPUs can be asked for, as ${other} says, too, how many it has. Take ${other} out of its declaration.`,
  );
}
