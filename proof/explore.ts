import { parseArgs } from "node:util";
import { countOf, oneOf } from "./arguments.ts";
import type { Trouble } from "./combinations.ts";
import { scenarioOf, setsOf, waysOn } from "./combinations.ts";
import { coverPath, PATHS } from "./crash-points.ts";
import { playPatiently } from "./fallen.ts";
import { WIRE_NAMES } from "./wires.ts";

/**
 * What is walked exhaustively: `node proof/explore.ts crash-points`, and `node proof/explore.ts combinations --most 3`:
 * a process killed at every effect of every path, and every set of up to so many faults on a fleet of two machines.
 */
const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { most: { type: "string", default: "3" }, wire: { type: "string" }, path: { type: "string" } },
});

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
    print(
      `${covered.path}: ${covered.effects} effects (${kinds.join(", ")}), ${covered.died} of ${covered.points} kills, ${covered.broken.length} broken`,
    );
    for (const { effect, when, violation } of covered.broken.slice(0, 5)) {
      print(`  killed ${when} effect ${effect}: ${violation.rule}: ${violation.what}`);
    }
  }
  print(`crash points: ${died} of ${points} covered, ${broken} broken`);
  process.exitCode = broken === 0 && points > 0 && died === points ? 0 : 1;
}

async function allCombinations(): Promise<void> {
  const only = values.wire === undefined ? undefined : oneOf("--wire", values.wire, WIRE_NAMES);
  const most = countOf("--most", values.most);
  let played = 0;
  let broken = 0;
  let partly = 0;
  let missed = 0;
  const unreached = new Map<string, number>();
  for (const wire of WIRE_NAMES.filter((name) => only === undefined || name === only)) {
    for (const way of await waysOn(wire)) {
      let sets = 0;
      for (const set of setsOf(way, most)) {
        const scenario = scenarioOf(way, wire, set);
        const one = await playPatiently(scenario, set);
        sets += 1;
        if (one.unreached.length > 0) partly += 1;
        for (const { name } of one.unreached) unreached.set(name, (unreached.get(name) ?? 0) + 1);
        // Alone, nothing can have changed the course before it.
        const lost = set.length > 1 ? one.missed : [...one.missed, ...one.unreached];
        if (lost.length > 0) {
          missed += 1;
          if (missed <= 10) print(`${scenario.name}\n  did not fall: ${namesOf(lost)}`);
        }
        const [violation] = one.verdict.violations;
        if (!violation) continue;
        broken += 1;
        if (broken <= 10) print(`${scenario.name}\n  ${violation.rule}: ${violation.what}`);
      }
      played += sets;
      print(
        `${wire}, ${way.name}: ${sets} sets of up to ${most} of ${way.troubles.length} faults at ${placesOf(way.troubles)} places`,
      );
    }
  }
  const share = ((100 * partly) / Math.max(1, played)).toFixed(2);
  print(
    `combinations: ${played} played, ${played - partly - missed} of them with every fault at its place, ${broken} broken`,
  );
  print(
    `${partly} (${share}%) came past one of their places no more, because another fault changed the course`,
  );
  for (const [name, times] of unreached) print(`  ${name}: ${times}`);
  if (missed > 0) print(`${missed} came to a place where nothing fell: the proof itself is broken`);
  process.exitCode = broken === 0 && missed === 0 && played > 0 ? 0 : 1;
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
