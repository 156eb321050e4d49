import type { DeploymentRow } from "../../../ledger/rows.ts";
import type { Idle } from "../../fleet/wish/idle-wish.ts";
import { rangeOf } from "../../fleet/wish/size-range.ts";
import { gpusOf, gpusOfAll } from "../count/machine-gpus.ts";
import { isIdle } from "../machines/idle.ts";
import { inStopOrder, mayBeStopped, paidEndText, untilPaidEnd } from "../machines/scale-down.ts";
import type { Move, Planned, Situation } from "./move.ts";
import { byHand } from "./stopping.ts";
import { isStale } from "./surplus.ts";

/** What a fleet keeps of machines that nobody uses, where it does not say. */
const KEEP = 1;

/**
 * Gives back idle machines: the count becomes what is left, so nothing is rented in their place. A machine goes at the end
 * of the time that is paid for, as it would cost the same before.
 */
export const giveBackIdle: Move = {
  alone: false,
  plan: (of) => {
    const { idle } = of.wish;
    if (!idle || idle.then === "tell") return undefined;
    return idle.then === "drain" ? allAtOnce(of, idle) : oneByOne(of, idle);
  },
};

function oneByOne(of: Situation, idle: Idle): Planned {
  const { draft, wish, counted, context } = of;
  const rows = counted.machines.filter(
    (row) => mayBeStopped(row, context.now) && isIdle(draft, row, context),
  );
  const keep = Math.max(idle.keep ?? KEEP, rangeOf(wish)?.min ?? 0);
  let { live, running } = counted;
  const given: DeploymentRow[] = [];
  const waits: number[] = [];
  for (const row of inStopOrder(draft, rows, context)) {
    const gpus = gpusOf(draft, row);
    if (Math.min(live, running) - gpus < keep) continue;
    live -= gpus;
    running -= gpus;
    const wait = untilPaidEnd(draft, wish, row, context);
    if (wait > 0) waits.push(wait);
    else given.push(row);
  }
  return planned(of, idle, given, waits);
}

/** All of a fleet is idle: it goes together, once the first of its paid times ends. */
function allAtOnce(of: Situation, idle: Idle): Planned | undefined {
  const { draft, wish, counted, context } = of;
  const { machines, intents } = counted;
  const all = machines.every((row) => mayBeStopped(row, context.now) && isIdle(draft, row, context));
  if (machines.length === 0 || intents.length > 0 || !all) return undefined;
  const wait = Math.min(...machines.map((row) => untilPaidEnd(draft, wish, row, context)));
  return wait > 0 ? planned(of, idle, [], [wait]) : planned(of, idle, machines, []);
}

function planned(
  of: Situation,
  idle: Idle,
  rows: readonly DeploymentRow[],
  waits: readonly number[],
): Planned {
  const { draft, wish, counted, inputs, context } = of;
  const why = `it has been idle for ${idle.for}`;
  const wake = waits.length === 0 ? undefined : Math.min(...waits);
  const notes =
    wake === undefined ? [] : [`idle machines ${paidEndText(wake, context)}, if they are idle then`];
  const gone = gpusOfAll(draft, rows);
  const lowers = wish.gpus - (counted.live - gone);
  // Without any, what goes is a surplus, which another move stops.
  if (rows.length === 0 || lowers <= 0 || isStale(draft, context)) return { notes, wake };
  if (!inputs.can.stop) return { notes: [byHand(rows, why)] };
  return { stops: rows.map(({ id }) => ({ id, why })), lowers, notes, wake };
}
