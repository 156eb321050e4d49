import { parseArgs } from "node:util";
import { countOf, oneOf, shareOf } from "./arguments.ts";
import type { Trouble } from "./exhaustive/combinations.ts";
import { planningsOn, scenarioOf, waysOn } from "./exhaustive/combinations.ts";
import { coverPath, PATHS } from "./exhaustive/crash-points.ts";
import type { Played } from "./exhaustive/fallen.ts";
import { playPatiently } from "./exhaustive/fallen.ts";
import { WIRE_NAMES } from "./scenario/wires.ts";

/**
 * Walks exhaustively: a process killed at every effect of every path, and every set of faults up to a size on
 * a fleet of two machines.
 * - `node proof/explore.ts crash-points [--path stop]`
 * - `node proof/explore.ts combinations [--least 0] [--most 3] [--wire nothing] [--slice 1/4]`
 */
const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    least: { type: "string" },
    most: { type: "string", default: "3" },
    wire: { type: "string" },
    slice: { type: "string", default: "1/1" },
    path: { type: "string" },
  },
});
/** This many failures are told in full. */
const TOLD = 10;

if (positionals[0] === "crash-points") await crashPoints();
else if (positionals[0] === "combinations") await allCombinations();
else throw new Error(`expected crash-points or combinations, got ${positionals[0] ?? "nothing"}`);

async function crashPoints(): Promise<void> {
  const names = PATHS.map(({ name }) => name);
  const only = values.path === undefined ? undefined : oneOf("--path", values.path, names);
  let points = 0;
  let died = 0;
  let broken = 0;
  for (const path of PATHS.filter(({ name }) => only === undefined || name === only)) {
    const covered = await coverPath(path);
    points += covered.points;
    died += covered.died;
    broken += covered.broken.length;
    const kinds = Object.entries(covered.byKind).map(([kind, count]) => `${count} ${kind}`);
    const kills = `${covered.died} of ${covered.points} kills, ${covered.broken.length} broken`;
    print(`${covered.path}: ${covered.effects} effects (${kinds.join(", ")}), ${kills}`);
    for (const { effect, when, violation } of covered.broken.slice(0, 5)) {
      print(`  killed ${when} effect ${effect}: ${violation.rule}: ${violation.what}`);
    }
  }
  print(`crash points: ${died} of ${points} covered, ${broken} broken`);
  process.exitCode = broken === 0 && points > 0 && died === points ? 0 : 1;
}

/** How many sets were played, and how they ended. */
interface Sums {
  played: number;
  broken: number;
  /** Sets with a fault that had no place to fall: another fault changed the course. */
  partly: number;
  /** Sets with a fault that did not fall at its place: the proof itself is broken. */
  missed: number;
  /** How often each fault had no place. */
  readonly unreached: Map<string, number>;
}

async function allCombinations(): Promise<void> {
  const only = values.wire === undefined ? undefined : oneOf("--wire", values.wire, WIRE_NAMES);
  const most = countOf("--most", values.most);
  const least = values.least === undefined ? 0 : countOf("--least", values.least);
  const slice = shareOf("--slice", values.slice);
  const sums: Sums = { played: 0, broken: 0, partly: 0, missed: 0, unreached: new Map() };
  for (const wire of WIRE_NAMES.filter((name) => only === undefined || name === only)) {
    const ways = await waysOn(wire);
    const played = new Map(ways.map((way) => [way, 0]));
    for (const { way, set } of planningsOn(ways, { least, most, slice })) {
      const scenario = scenarioOf(way, wire, set);
      addPlayed(sums, scenario.name, set, await playPatiently(scenario, set));
      played.set(way, (played.get(way) ?? 0) + 1);
    }
    for (const [{ name, troubles }, sets] of played) {
      const faults = `${troubles.length} faults at ${placesOf(troubles)} places`;
      print(`${wire}, ${name}: ${sets} sets of ${least} to ${most} of ${faults}`);
    }
  }
  printSums(sums);
  process.exitCode = sums.broken === 0 && sums.missed === 0 && sums.played > 0 ? 0 : 1;
}

function addPlayed(sums: Sums, name: string, set: readonly Trouble[], played: Played): void {
  const { unreached, missed, verdict } = played;
  sums.played += 1;
  if (unreached.length > 0) sums.partly += 1;
  for (const each of unreached) sums.unreached.set(each.name, (sums.unreached.get(each.name) ?? 0) + 1);
  // One fault alone: no other fault could have changed the course.
  const lost = set.length > 1 ? missed : [...missed, ...unreached];
  if (lost.length > 0) {
    sums.missed += 1;
    if (sums.missed <= TOLD) print(`${name}\n  did not fall: ${namesOf(lost)}`);
  }
  const [violation] = verdict.violations;
  if (!violation) return;
  sums.broken += 1;
  if (sums.broken <= TOLD) print(`${name}\n  ${violation.rule}: ${violation.what}`);
}

function printSums({ played, broken, partly, missed, unreached }: Sums): void {
  const share = ((100 * partly) / Math.max(1, played)).toFixed(2);
  const whole = played - partly - missed;
  print(`combinations: ${played} played, ${whole} of them with every fault at its place, ${broken} broken`);
  print(
    `${partly} (${share}%) did not come past one of their places, because another fault changed the course`,
  );
  for (const [name, times] of unreached) print(`  ${name}: ${times}`);
  if (missed > 0) print(`${missed} came to a place where nothing fell: the proof itself is broken`);
}

function namesOf(troubles: readonly Trouble[]): string {
  return troubles.map(({ name }) => name).join(", ");
}

function placesOf(troubles: readonly Trouble[]): number {
  return new Set(troubles.map(({ place }) => place)).size;
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
