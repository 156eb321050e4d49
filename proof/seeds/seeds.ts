import { drawScenario, onTwoHosts } from "../draw/draw.ts";
import { drawSeveral } from "../draw/draw-several.ts";
import { CRASHED } from "../oracles/evidence.ts";
import type { Verdict } from "../play.ts";
import { play } from "../play.ts";
import type { Scenario } from "../scenario/scenario.ts";

/** One seed of ten runs on the real SQLite ledger, and one on the real ledger in PostgreSQL. */
const LEDGERS: Readonly<Record<number, Scenario["ledger"]>> = { 0: "sqlite", 5: "postgres" };

/** How the worlds of a run differ from those of their numbers alone. */
export interface Kind {
  readonly ledger?: Scenario["ledger"] | undefined;
  /** Each has a fleet over several services, and the ledger in memory, if no other is said. */
  readonly several?: boolean;
}

export function scenarioOf(seed: number, { ledger, several = false }: Kind = {}): Scenario {
  if (several) return { ...drawSeveral(seed), ...(ledger && { ledger }) };
  const drawn = drawScenario(seed);
  const scenario = seed % 10 === 3 ? onTwoHosts(drawn) : drawn;
  return { ...scenario, ledger: ledger ?? LEDGERS[seed % 10] ?? "memory" };
}

/** The sums of many runs: plain data, so that worker processes can pass it on. */
export interface Totals {
  seeds: number;
  simulatedMs: number;
  requests: number;
  launches: number;
  faults: Record<string, number>;
  outcomes: Record<string, number>;
  counts: Record<string, number>;
  /** In how many plays each state was reached. */
  reached: Record<string, number>;
  /** Steps of the model that their traces are, by name; in brackets what is beside it. */
  steps: Record<string, number>;
  readonly failed: { readonly seed: string; readonly violations: Verdict["violations"] }[];
}

export function noTotals(): Totals {
  return {
    seeds: 0,
    simulatedMs: 0,
    requests: 0,
    launches: 0,
    faults: {},
    outcomes: {},
    counts: {},
    reached: {},
    steps: {},
    failed: [],
  };
}

/** What one play adds to the sums. */
function totalsOf({ scenario: { seed }, violations, reached, ...sums }: Verdict): Totals {
  const failed = violations.length > 0 ? [{ seed, violations: firstOfEachRule(violations) }] : [];
  const once = Object.fromEntries([...reached].map((state) => [state, 1]));
  return { ...sums, reached: once, seeds: 1, failed };
}

function firstOfEachRule(violations: Verdict["violations"]): Verdict["violations"] {
  return violations.filter(({ rule }, index) => violations.findIndex((each) => each.rule === rule) === index);
}

export function addTotals(totals: Totals, more: Totals): void {
  totals.seeds += more.seeds;
  totals.simulatedMs += more.simulatedMs;
  totals.requests += more.requests;
  totals.launches += more.launches;
  addCounts(totals.faults, more.faults);
  addCounts(totals.outcomes, more.outcomes);
  addCounts(totals.counts, more.counts);
  addCounts(totals.reached, more.reached);
  addCounts(totals.steps, more.steps);
  totals.failed.push(...more.failed);
}

/** Plays the seeds one after the other; with `untilFailure`, only up to the first that breaks a rule. */
export function playSeeds(
  seeds: readonly number[],
  options: Kind & { readonly untilFailure?: boolean } = {},
): Promise<Totals> {
  return playAll(
    seeds.map((seed) => () => scenarioOf(seed, options)),
    options,
  );
}

/** Scenarios are drawn at their turn: a hundred thousand would not fit into memory. */
export async function playAll(
  scenarios: readonly (Scenario | (() => Scenario))[],
  { untilFailure = false }: { readonly untilFailure?: boolean } = {},
): Promise<Totals> {
  const totals = noTotals();
  for (const scenario of scenarios) {
    addTotals(totals, totalsOf(await play(typeof scenario === "function" ? scenario() : scenario)));
    const isBroken = totals.failed.some(({ violations }) => violations.some(({ rule }) => rule !== CRASHED));
    if (untilFailure && isBroken) break;
  }
  return totals;
}

function addCounts(into: Record<string, number>, more: Readonly<Record<string, number>>): void {
  for (const [key, count] of Object.entries(more)) into[key] = (into[key] ?? 0) + count;
}
