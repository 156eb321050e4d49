import { DAY_MS } from "../../ledger/instant.ts";
import { fleetOwner, ownerParts } from "../../ledger/owner.ts";
import type { Billing } from "../../service/contract/billing.ts";
import type { Outcome, PlayedFile } from "../json/whatif.ts";
import { median } from "../status/median.ts";
import { type Kept, keeping } from "./keeping.ts";
import { type Played, play, type Run, type Terms } from "./play.ts";
import { type Asked, costOf, gpuHours, quantile, recoveries } from "./runs.ts";
import type { Tape } from "./tape.ts";

/** One play of a file. */
export interface Game {
  readonly tape: Tape;
  readonly billing?: Billing | undefined;
  readonly played: Played;
  /** By fleet. */
  readonly asked: ReadonlyMap<string, Asked>;
  /** What its plans said last, by fleet. */
  readonly reasons: ReadonlyMap<string, readonly string[]>;
}

export async function playOnce(kept: Kept, tape: Tape, seed: number, terms: Terms): Promise<Game> {
  const asked = new Map(
    kept.fleets.map(({ name, wish }) => [name, [{ at: Number.NEGATIVE_INFINITY, gpus: wish.gpus }]]),
  );
  const reasons = new Map<string, readonly string[]>();
  const working = new Set(kept.fleets.filter(({ wish }) => wish.work).map(({ name }) => name));
  const player = keeping(kept, ({ plans }, wall) => {
    for (const { fleet, desired, running, reasons: why } of plans) {
      const steps = asked.get(fleet);
      reasons.set(fleet, why);
      // Each GPU that runs does its work, also those that a larger machine has more.
      const gpus = desired > 0 && working.has(fleet) ? Math.max(desired, running) : desired;
      if (steps && steps.at(-1)?.gpus !== gpus) steps.push({ at: wall, gpus });
    }
  });
  const played = await play(tape, player, seed, terms);
  const inTape = ([name, steps]: [string, { at: number; gpus: number }[]]) =>
    [name, steps.map(({ at, gpus }) => ({ at: Math.max(0, at - played.origin), gpus }))] as const;
  return { tape, billing: terms.billing, played, asked: new Map([...asked].map(inTape)), reasons };
}

/** What all plays of a file came to. */
export function outcomeOf(file: string, games: readonly Game[], notPlayed: readonly string[]): PlayedFile {
  const names = [...(games[0]?.asked.keys() ?? [])];
  const sums = new Map(names.map((name) => [name, games.map((game) => sumsOf(game, name))]));
  const all = games.map((_, index) => together([...sums.values()].flatMap((each) => each[index] ?? [])));
  const of = (value: (played: Played) => number) => spreadOf(games.map(({ played }) => value(played)));
  return {
    file,
    fleets: [...sums].map(([fleet, each]) => ({
      fleet,
      ...outcome(each),
      reasons: games[0]?.reasons.get(fleet) ?? [],
    })),
    all: outcome(all),
    launches: of(({ launches }) => launches),
    refused: of(({ refusals }) => refusals),
    requests: of(({ requests }) => requests),
    machines: games.map(machinesOf),
    notPlayed,
    trouble: [...new Set(games.flatMap(({ played }) => played.errors))].slice(0, 5),
  };
}

function machinesOf({
  tape: { offers, days },
  played: { runs, origin },
}: Game): PlayedFile["machines"][number] {
  const moment = (at: number): string => new Date(origin + Math.min(at, days * DAY_MS)).toISOString();
  return runs.flatMap(({ owner, offer, gpus, from, to, lost }) => {
    const found = offers[offer];
    if (owner === null || !found || from >= days * DAY_MS) return [];
    const { provider, location } = found;
    const place = { offer: found.offer, provider, location };
    return [{ fleet: ownerParts(owner).name, ...place, gpus, from: moment(from), to: moment(to), lost }];
  });
}

/** What one fleet came to in one play. */
interface Sums {
  readonly asked: number;
  readonly had: number;
  readonly cost: number;
  readonly floating: number;
  readonly interruptions: number;
  readonly left: number;
  readonly minutes: readonly number[];
}

function sumsOf({ tape, billing, played, asked }: Game, fleet: string): Sums {
  const end = tape.days * DAY_MS;
  const runs = runsOf(played.runs, fleet);
  const wanted = asked.get(fleet) ?? [];
  const over = runs.filter(({ from, to }) => to < end && to > from);
  const lost = over.filter((run) => run.lost).length;
  return {
    ...gpuHours(runs, wanted, end),
    cost: costOf(tape, runs, { billing }),
    floating: costOf(tape, runs, { billing, floats: true }),
    interruptions: lost,
    left: over.length - lost,
    minutes: recoveries(runs, wanted, end),
  };
}

function runsOf(runs: readonly Run[], fleet: string): readonly Run[] {
  return runs.filter(({ owner }) => owner === fleetOwner(fleet));
}

function together(each: readonly Sums[]): Sums {
  const sum = (value: (one: Sums) => number): number => each.reduce((all, one) => all + value(one), 0);
  return {
    asked: sum(({ asked }) => asked),
    had: sum(({ had }) => had),
    cost: sum(({ cost }) => cost),
    floating: sum(({ floating }) => floating),
    interruptions: sum(({ interruptions }) => interruptions),
    left: sum(({ left }) => left),
    minutes: each.flatMap(({ minutes }) => minutes),
  };
}

function outcome(each: readonly Sums[]): Outcome {
  const of = (value: (one: Sums) => number) => spreadOf(each.map(value));
  const money = (value: (one: Sums) => number) => {
    const { low, median, high } = of(value);
    return { low: low.toFixed(4), median: median.toFixed(4), high: high.toFixed(4) };
  };
  const minutes = each.flatMap((one) => one.minutes);
  return {
    gpuHours: {
      asked: of(({ asked }) => asked),
      had: of(({ had }) => had),
      missing: of(({ asked, had }) => asked - had),
    },
    cost: money(({ cost }) => cost),
    costIfPricesFloat: money(({ floating }) => floating),
    costPerGpuHour: each.some(({ had }) => had === 0) ? null : money(({ cost, had }) => cost / had),
    interruptions: of(({ interruptions }) => interruptions),
    left: of(({ left }) => left),
    minutesToRecover: minutes.length === 0 ? null : spreadOf(minutes),
  };
}

function spreadOf(values: readonly number[]): { low: number; median: number; high: number } {
  const round = (value: number): number => Math.round(value * 10_000) / 10_000;
  const [low, high] = [quantile(values, 0.1), quantile(values, 0.9)];
  return { low: round(low), median: round(median(values)), high: round(high) };
}
