import type { Context } from "../../../launch/facts/context.ts";
import { type Hold, hold } from "../../../launch/facts/hold.ts";
import { occupancy } from "../../../launch/facts/occupancy.ts";
import { onceForMachines } from "../../../launch/facts/once-for-machines.ts";
import type { Draft } from "../../../ledger/draft.ts";
import { fleetOwner } from "../../../ledger/owner.ts";
import type { DeploymentRow, FleetRow, IntentRow } from "../../../ledger/rows.ts";
import { parsePrice } from "../../../service/contract/money.ts";
import { andMore, gpusAre } from "../../fleet/text/text.ts";
import { isCheap, mostBuffered } from "./buffer.ts";
import { aheadOf } from "./improving.ts";
import { gpusOf, isStopping } from "./machine-gpus.ts";
import { askedInForce, wishInForce } from "./wish-in-force.ts";

/** What a fleet has, in GPUs. */
export interface Count {
  /** Machines that live and are not being stopped. */
  readonly machines: readonly DeploymentRow[];
  /** Their GPUs. */
  readonly there: number;
  /** Those of them whose number of GPUs is not known. A fleet with one of them must not rent more. */
  readonly uncounted: readonly DeploymentRow[];
  /** Launches whose outcome is not known. Each counts as capacity until it is. */
  readonly intents: readonly IntentRow[];
  readonly running: number;
  /** On their way, or maybe made by a launch without an answer. */
  readonly starting: number;
  readonly stopping: number;
  /** running + starting. */
  readonly live: number;
  readonly missing: number;
}

export function count(draft: Draft, fleet: FleetRow, context: Context): Count {
  const { machines, intents } = occupancy(draft, fleetOwner(fleet.name), context);
  const sums = sumsOf(draft, machines);
  const { there, running } = sums;
  const starting = there - running + intents.reduce((total, intent) => total + intent.gpus, 0);
  const live = running + starting;
  const { gpus: desired } = wishInForce(draft, fleet, context);
  return { ...sums, intents, starting, live, missing: desired - live };
}

type Sums = Pick<Count, "machines" | "there" | "uncounted" | "running" | "stopping">;

const sumsOf = onceForMachines((launches, all): Sums => {
  const machines: DeploymentRow[] = [];
  const uncounted: DeploymentRow[] = [];
  let [there, running, stopping] = [0, 0, 0];
  for (const row of all) {
    const gpus = gpusOf(launches, row);
    if (isStopping(row)) {
      stopping += gpus;
      continue;
    }
    machines.push(row);
    there += gpus;
    if (row.status === "running") running += gpus;
    if (gpus === 0) uncounted.push(row);
  }
  return { machines, there, uncounted, running, stopping };
});

/** Why so many more have no room; undefined: they do. */
export function roomFor(
  draft: Draft,
  fleet: FleetRow,
  { gpus, pricePerHour = null }: { readonly gpus: number; readonly pricePerHour?: string | null },
  context: Context,
): Hold | undefined {
  const wish = wishInForce(draft, fleet, context);
  const { live, stopping } = count(draft, fleet, context);
  if (gpus <= bufferRoom(draft, fleet, context) && isCheap(wish, parsePrice(pricePerHour), gpus))
    return undefined;
  // What comes first in a move to cheaper machines comes out of the surge.
  const most = wish.gpus + wish.overshoot + aheadOf(fleet, wish);
  const withStopping = wish.gpus + wish.overshoot + wish.surge;
  const are = (count: number): string => `${count} ${count === 1 ? "is" : "are"}`;
  if (live + gpus > most) return hold("full", { live: gpusAre(live), stopping: "", most: are(most) });
  if (live + stopping + gpus <= withStopping) return undefined;
  const still = `, ${stopping} are still stopping`;
  return hold("full", { live: gpusAre(live), stopping: still, most: are(withStopping) });
}

/** GPUs that its buffer lacks, and has room for. What is stopping is paid for, and takes room. */
export function bufferRoom(draft: Draft, fleet: FleetRow, context: Context): number {
  const asked = askedInForce(draft, fleet, context);
  const { live, stopping } = count(draft, fleet, context);
  const most = mostBuffered(wishInForce(draft, fleet, context), asked);
  return most === 0 ? 0 : asked + most - live - stopping;
}

/** Machines of a number of GPUs that nobody knows. */
export function whyUncounted(draft: Draft, fleet: FleetRow, context: Context): Hold | undefined {
  const { uncounted } = count(draft, fleet, context);
  if (uncounted.length === 0) return undefined;
  const ids = andMore(uncounted.map(({ id }) => id));
  return hold("uncounted", { ids, each: uncounted.length === 1 ? ids : "each", fleet: fleet.name });
}
