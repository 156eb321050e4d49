import type { Context } from "../../../launch/facts/context.ts";
import { occupancy } from "../../../launch/facts/occupancy.ts";
import { hourOf } from "../../../launch/money/price.ts";
import type { Draft } from "../../../ledger/draft.ts";
import { fleetOwner } from "../../../ledger/owner.ts";
import type { DeploymentRow, FleetRow, IntentRow } from "../../../ledger/rows.ts";
import { parseUsd, type Usd } from "../../../service/contract/money.ts";
import { rangeOf } from "../../fleet/wish/size-range.ts";
import type { Wish } from "../../fleet/wish/wish.ts";
import { mostWithin } from "../mix/most-within.ts";
import { cameSince } from "./came-since.ts";
import { gpusOf, gpusOfAll, isStopping } from "./machine-gpus.ts";

/*
 * GPUs more than asked for. No machine is marked as one of the buffer: what is there above what is asked for is kept, as far as the
 * fleet has so many GPUs that cost no more than the buffer may. See docs/how/size.md.
 */

/** The most GPUs that the buffer of a fleet may have beside so many that are asked for. */
export function mostBuffered(wish: Wish, asked: number): number {
  if (!wish.buffer || asked === 0) return 0;
  const { max = Number.POSITIVE_INFINITY } = rangeOf(wish) ?? {};
  return Math.max(0, Math.min(wish.buffer.gpus, max - asked));
}

/** The GPUs that are there above what is asked for, and stay. */
export function bufferedGpus(
  draft: Draft,
  fleet: FleetRow,
  wish: Wish,
  asked: number,
  context: Context,
): number {
  const most = mostBuffered(wish, asked);
  if (most === 0) return 0;
  const { machines, intents } = occupancy(draft, fleetOwner(fleet.name), context);
  const there = machines.filter((row) => !isStopping(row));
  const cheap = [...there, ...intents].filter((each) =>
    isCheap(wish, hourOf(draft, each), gpusIn(draft, each)),
  );
  const sum = (all: readonly (DeploymentRow | IntentRow)[]): number =>
    all.reduce((total, each) => total + gpusIn(draft, each), 0);
  const ahead = aheadOfMove(draft, fleet, context);
  const above = sum([...there, ...intents]) - ahead - asked;
  const kept = Math.max(0, Math.min(most, above, sum(cheap)));
  if (above <= most || ahead > 0) return kept;
  // No machine may be small enough to be stopped for what is above all of it. Then some of the buffer goes with that.
  const fits = sum(mostWithin([...there, ...intents], (each) => gpusIn(draft, each), asked + most)) - asked;
  return fits < 0 ? kept : Math.min(kept, fits);
}

/** True if a machine of so many GPUs may be one of the buffer. What nobody knows the price of is none. */
export function isCheap({ buffer }: Wish, pricePerHour: Usd | undefined, gpus: number): boolean {
  const most = buffer && parseUsd(buffer.maxPricePerGpuHour);
  return most !== undefined && (pricePerHour?.lte(most.times(gpus)) ?? false);
}

function gpusIn(draft: Draft, each: DeploymentRow | IntentRow): number {
  return "baseline" in each ? each.gpus : gpusOf(draft, each);
}

/** What a move or an update has launched beside what it replaces is no buffer. */
function aheadOfMove(draft: Draft, fleet: FleetRow, context: Context): number {
  const under = fleet.improving ?? fleet.updating;
  if (!under || under.ahead === 0) return 0;
  const { machines, unknown } = cameSince(draft, fleet, under, context);
  return gpusOfAll(draft, machines) + unknown;
}
