import type { Context } from "../../../launch/facts/context.ts";
import type { Draft } from "../../../ledger/draft.ts";
import { age } from "../../../ledger/instant.ts";
import type { DeploymentRow } from "../../../ledger/rows.ts";
import { rangeOf } from "../../fleet/asked-size.ts";
import { gpusAre } from "../../fleet/text.ts";
import { olderOf } from "../older-wish.ts";
import { localityOf } from "../options.ts";
import { growthOf } from "../placement.ts";
import { paidEndText, stoppable, surplus, untilPaidEnd } from "../scale-down.ts";
import type { Move, Planned, Situation } from "./move.ts";
import { byHand, heldTexts, idsOf, waitingFor } from "./stopping.ts";

/** No surplus is stopped by a list that is older than so many polls. */
const POLLS_TO_STOP_BY = 4;

/**
 * Stops what is above the wish, but no machine without which the fleet would have too few GPUs. Where a schedule or a metric says the
 * count, a machine that runs goes at the end of the time that is paid for.
 */
export const stopSurplus: Move = {
  alone: false,
  plan: (of) => {
    if (of.counted.missing > 0) return undefined;
    const starting = of.counted.starting > 0 ? [waitingFor(of.counted)] : [];
    const { stops = [], notes = [], wake } = aboveTheWish(of);
    return { stops, notes: [...starting, ...notes], wake };
  },
};

function aboveTheWish(of: Situation): Planned {
  const { draft, wish, counted, context } = of;
  const { can } = of.inputs;
  const { machines, there } = counted;
  if (there <= wish.gpus) return {};
  const all = surplus(draft, machines, wish.gpus, context, leastWanted(of));
  const why = `${gpusAre(wish.gpus)} asked for`;
  // To go as soon as less is asked for costs the same as to go at the end of the time that is paid for.
  const waits = rangeOf(wish)
    ? all.filter((row) => row.status === "running" && untilPaidEnd(draft, wish, row, context) > 0)
    : [];
  const rows = all.filter((row) => !waits.includes(row));
  if (rows.length === 0 && waits.length > 0) {
    const wake = Math.min(...waits.map((row) => untilPaidEnd(draft, wish, row, context)));
    return { notes: [`${why}: machines above that (${idsOf(waits)}) ${paidEndText(wake, context)}`], wake };
  }
  if (rows.length > 0 && isStale(draft, context))
    return { notes: ["the newest list is too old to stop a surplus by"] };
  if (rows.length > 0)
    return can.stop ? { stops: rows.map(({ id }) => ({ id, why })) } : { notes: [byHand(rows, why)] };
  const held = heldTexts(machines, context.now);
  if (held.length > 0) return { notes: held.map((text) => `${why}, and ${text}`) };
  if (there <= wish.gpus + wish.overshoot) return {};
  const doubtful = machines.filter((row) => !stoppable(row, context.now));
  return {
    notes: [
      doubtful.length > 0
        ? `${gpusAre(there)} there and ${why}, but ${idsOf(doubtful)} may be somebody else's: fleetkeeper adopt or disown`
        : `${gpusAre(there)} there and ${why}: to stop any of these machines would leave too few`,
    ],
  };
}

/** Where the fleet is to be elsewhere, or is being updated: else what is stopped now is replaced next. */
function leastWanted({ draft, fleet, wish, counted, context }: Situation): (row: DeploymentRow) => boolean {
  const { home } = growthOf(draft, wish, counted);
  const older = wish.update ? olderOf(draft, fleet, context).map(({ row }) => row.id) : [];
  return (row) => (home !== undefined && localityOf(draft, row) !== home) || older.includes(row.id);
}

/** A paused process may hold an old list: what is surplus there may have been lost since. */
export function isStale({ account: { list } }: Draft, { now, settings }: Context): boolean {
  return list === null || age(list, now) > POLLS_TO_STOP_BY * settings.poll;
}
