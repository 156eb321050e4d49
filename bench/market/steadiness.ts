import type { Run } from "../../agent/whatif/play.ts";
import { pricesOf } from "../../agent/whatif/prices.ts";
import { quantile, recoveries } from "../../agent/whatif/runs.ts";
import type { Tape } from "../../agent/whatif/tape.ts";
import { DAY_MS, HOUR_MS } from "../../ledger/instant.ts";

/* How often machines were left and lost, by what the simulator knows: a machine that was stopped by choice was moved. */

export interface Steadiness {
  /** Machines that were left by choice. */
  readonly moves: number;
  readonly movesPerGpuDay: number;
  readonly interruptions: number;
  /** From a loss until the count was there again, in minutes: the median; NaN: nothing was lost. */
  readonly recovery: number;
  /** Launches where a machine was left within a day for no more than what the launch cost. */
  readonly returns: number;
  /** Those of them that took the place of what was left by choice. */
  readonly returnsByMove: number;
  /** The most moves of one machine, and of those that came in its place, within six hours. */
  readonly mostMoves: number;
}

const CLOSE_MS = 6 * HOUR_MS;

export function steadinessOf(tape: Tape, all: readonly Run[], wanted: number): Steadiness {
  const end = tape.days * DAY_MS;
  const runs = all.filter(({ from, to }) => from < end && to > from).sort((one, two) => one.from - two.from);
  const left = runs.filter((run) => isLeft(run, end));
  const origins = originsOf(runs, end, wanted);
  const prices = pricesOf(tape);
  const paid = ({ offer, from, to }: Run): number => prices.at(offer, tape.floats ? to : from);
  const returned = runs.filter((run) =>
    left.some(
      (old) =>
        old.offer === run.offer &&
        old.to <= run.from &&
        run.from - old.to < DAY_MS &&
        prices.at(run.offer, run.from) >= paid(old),
    ),
  );
  const movesSince = (run: Run, since: number): number =>
    1 +
    Math.max(
      0,
      ...[...(origins.get(run) ?? [])]
        .filter((old) => isLeft(old, end) && old.to > since)
        .map((old) => movesSince(old, since)),
    );
  return {
    moves: left.length,
    movesPerGpuDay: left.length / (wanted * tape.days),
    interruptions: runs.filter(({ lost, to }) => lost && to < end).length,
    recovery: quantile(recoveries(runs, [{ at: 0, gpus: wanted }], end), 0.5),
    returns: returned.length,
    returnsByMove: returned.filter((run) => [...(origins.get(run) ?? [])].some((old) => isLeft(old, end)))
      .length,
    mostMoves: Math.max(0, ...left.map((run) => movesSince(run, run.to - CLOSE_MS))),
  };
}

function isLeft({ lost, to }: Run, end: number): boolean {
  return !lost && to < end;
}

/** Whose place each machine took: what ended first is replaced first, and what came ahead waits for who leaves for it. */
function originsOf(runs: readonly Run[], end: number, wanted: number): ReadonlyMap<Run, ReadonlySet<Run>> {
  const origins = new Map<Run, Set<Run>>();
  const gone: { readonly run: Run; gpus: number }[] = [];
  const ahead: { readonly run: Run; gpus: number }[] = [];
  let living = 0;
  /** Gives the GPUs for which nobody waits. */
  const pair = (gpus: number, queue: typeof gone, note: (other: Run) => void): number => {
    let rest = gpus;
    while (rest > 0 && queue[0]) {
      const taken = Math.min(rest, queue[0].gpus);
      note(queue[0].run);
      [rest, queue[0].gpus] = [rest - taken, queue[0].gpus - taken];
      if (queue[0].gpus === 0) queue.shift();
    }
    return rest;
  };
  const replaced = (run: Run, by: Run): void => {
    origins.set(by, (origins.get(by) ?? new Set()).add(run));
  };
  const changes = runs.flatMap((run) => [
    { at: run.from, run, begins: true },
    ...(run.to < end ? [{ at: run.to, run, begins: false }] : []),
  ]);
  for (const { run, begins } of changes.sort((one, two) => one.at - two.at)) {
    living += begins ? run.gpus : -run.gpus;
    if (begins) {
      const rest = pair(run.gpus, gone, (old) => replaced(old, run));
      if (rest > 0 && living > wanted) ahead.push({ run, gpus: rest });
      continue;
    }
    const itself = ahead.findIndex((each) => each.run === run);
    if (itself !== -1) ahead.splice(itself, 1);
    else {
      const rest = run.lost ? run.gpus : pair(run.gpus, ahead, (by) => replaced(run, by));
      if (rest > 0) gone.push({ run, gpus: rest });
    }
  }
  return origins;
}
