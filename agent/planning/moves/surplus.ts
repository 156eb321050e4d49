import type { Context } from "../../../launch/facts/context.ts";
import { priceOf } from "../../../launch/money/price.ts";
import type { Draft } from "../../../ledger/draft.ts";
import { age } from "../../../ledger/instant.ts";
import type { DeploymentRow } from "../../../ledger/rows.ts";
import { gpusAre } from "../../fleet/text/text.ts";
import { rangeOf } from "../../fleet/wish/size-range.ts";
import { localityOf } from "../choices/options.ts";
import { growthOf } from "../choices/placement.ts";
import { isCheap } from "../count/buffer.ts";
import { gpusOf, gpusOfAll } from "../count/machine-gpus.ts";
import { olderOf } from "../machines/older-wish.ts";
import { isReady } from "../machines/readiness.ts";
import { mayBeStopped, paidEndText, surplus, untilPaidEnd } from "../machines/scale-down.ts";
import { isTooDear } from "../work/work.ts";
import type { Move, Planned, Situation } from "./move.ts";
import { byHand, heldTexts, idsOf, waitingFor } from "./stopping.ts";

/** No surplus is stopped by a list that is older than so many polls. */
const POLLS_TO_STOP_BY = 4;

/**
 * Stops what is above the wish, but no machine without which the fleet would have too few GPUs. Where a schedule or a metric says the
 * count, or it has a buffer, a machine that runs goes at the end of the time that is paid for.
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
  const all = mayGo(of);
  const why = `${gpusAre(wish.gpus)} asked for`;
  // To go as soon as less is asked for costs the same as to go at the end of the time that is paid for.
  const waits =
    (rangeOf(wish) ?? wish.buffer)
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
  const doubtful = machines.filter((row) => !mayBeStopped(row, context.now));
  return {
    notes: [
      doubtful.length > 0
        ? `${gpusAre(there)} there and ${why}, but ${idsOf(doubtful)} may be somebody else's: fleetkeeper adopt or disown`
        : `${gpusAre(there)} there and ${why}: to stop any of these machines would leave too few`,
    ],
  };
}

/**
 * What may go now. What works goes only as far as all that is wanted works without it: what is to take its place may never be ready.
 */
function mayGo(of: Situation): readonly DeploymentRow[] {
  const { draft, wish, context } = of;
  const { machines, there } = of.counted;
  const gpus = (rows: readonly DeploymentRow[]): number => gpusOfAll(draft, rows);
  const { works = [], others = [] } = Object.groupBy(machines, (row) =>
    isReady(row, wish) ? "works" : "others",
  );
  const excess = there - wish.gpus;
  const spare = Math.max(0, gpus(works) - wish.gpus);
  const rank = stopRank(of);
  const best = surplus(draft, machines, wish.gpus, context, rank);
  if (gpus(best.filter((row) => works.includes(row))) <= spare) return best;
  const first = surplus(draft, others, gpus(others) - excess, context, rank);
  const rest = Math.min(spare, excess - gpus(first));
  return [...first, ...surplus(draft, works, gpus(works) - rest, context, rank)];
}

/**
 * First what does not work. Then what stands elsewhere than the fleet is to be, or is of an older wish: it would be replaced next. And what
 * is too dear to be a buffer, or dearer than its work waits for.
 */
function stopRank({ draft, fleet, wish, counted, context }: Situation): (row: DeploymentRow) => number {
  const { home } = growthOf(draft, wish, counted);
  const older = wish.update ? olderOf(draft, fleet, context).map(({ row }) => row.id) : [];
  const isDear = (row: DeploymentRow): boolean =>
    wish.buffer !== undefined && !isCheap(wish, priceOf(draft, row), gpusOf(draft, row));
  const isLeast = (row: DeploymentRow): boolean =>
    (home !== undefined && localityOf(draft, row) !== home) ||
    older.includes(row.id) ||
    isDear(row) ||
    isTooDear(draft, fleet, row);
  return (row) => (isReady(row, wish) ? (isLeast(row) ? 1 : 2) : 0);
}

/** A paused process may hold an old list: what is surplus there may have been lost since. */
export function isStale({ account: { list } }: Draft, { now, settings }: Context): boolean {
  return list === null || age(list, now) > POLLS_TO_STOP_BY * settings.poll;
}
