import { parseArgs } from "node:util";
import { combinations, troubles } from "./combinations.ts";
import { coverPath, PATHS } from "./crash-points.ts";
import { play } from "./play.ts";
import { WIRE_NAMES } from "./wires.ts";

/**
 * What is walked exhaustively: `node proof/explore.ts crash-points`, and `node proof/explore.ts combinations --most 3`:
 * a process killed at every effect of every path, and every set of up to so many faults on a fleet of two machines.
 */
const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { most: { type: "string", default: "3" }, wire: { type: "string" } },
});

if (positionals[0] === "crash-points") await crashPoints();
else if (positionals[0] === "combinations") await allCombinations();
else throw new Error("expected crash-points or combinations");

async function crashPoints(): Promise<void> {
  let kills = 0;
  let broken = 0;
  for (const path of PATHS) {
    const covered = await coverPath(path);
    kills += covered.kills;
    broken += covered.broken.length;
    const kinds = Object.entries(covered.byKind).map(([kind, count]) => `${count} ${kind}`);
    print(
      `${covered.path}: ${covered.effects} effects (${kinds.join(", ")}), ${covered.kills} kills, ${covered.broken.length} broken`,
    );
    for (const { effect, when, violation } of covered.broken.slice(0, 5)) {
      print(`  killed ${when} effect ${effect}: ${violation.rule}: ${violation.what}`);
    }
  }
  print(`crash points: ${kills} of ${kills} covered, ${broken} broken`);
  process.exitCode = broken === 0 ? 0 : 1;
}

async function allCombinations(): Promise<void> {
  const wires = WIRE_NAMES.filter((name) => values.wire === undefined || name === values.wire);
  let played = 0;
  let broken = 0;
  for (const wire of wires) {
    for (const scenario of combinations(Number(values.most), wire)) {
      const { violations } = await play(scenario);
      played += 1;
      if (!violations[0]) continue;
      broken += 1;
      if (broken <= 10) print(`${scenario.name}\n  ${violations[0].rule}: ${violations[0].what}`);
    }
  }
  print(
    `combinations of up to ${values.most} of ${troubles().length} faults on ${wires.join(", ")}: ${played} played, ${broken} broken`,
  );
  process.exitCode = broken === 0 ? 0 : 1;
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
