import { PATHS } from "../exhaustive/crash-points.ts";
import { STANDARD } from "../explorer/cases.ts";
import type { Place } from "../planted.ts";
import { huntsOf } from "../planted.ts";
import { PLANTS } from "../plants.ts";
import type { WireName } from "../scenario/wires.ts";
import { WIRE_NAMES } from "../scenario/wires.ts";
import { DIRECTED_NAMES } from "../stories/index.ts";
import { KILLED_AGENT, KILLED_HOST, KILLED_IN } from "./killed.ts";
import type { Part } from "./part.ts";

const SEEDS = 2_000;
const SAMPLE_SEEDS = 40;
const SEEDS_A_PART = 100;
/** Worlds with several services, by part. The first of them are in the sample. */
const SEVERAL = [10, 50, 40];
/** Those of them that are played on PostgreSQL, too. */
const SEVERAL_STORED = 4;
/** Paths whose crash points take as long as all others together: the sample goes without them. */
const LONG_PATHS = ["a move to cheaper machines", "portions moved from a service"];
const STORIES_A_PART = 48;
const PLANTS_A_PART = 20;
const PAIR_SLICES = 4;
const TRIPLE_SLICES = 12;
/** What strangers write, by the targets of proof/fuzz. */
const FUZZED = ["fleet-files,outside", "profiles", "receivers", "answers,api", "worlds", "ledger-files"];
/** Only this wire plays sets of three faults. */
const HARDEST_WIRE: WireName = "nothing";

/** The whole proof. */
export function partsOfTheProof(): readonly Part[] {
  return [
    ...plantedBugs(),
    ...stories(),
    ...crashPoints(),
    ...pairsOfFaults(),
    ...seeds(),
    ...severalServices(),
    ...triplesOfFaults(),
    ...explorer(),
    ...killedProcesses(),
    ...FUZZED.map((only) => part(`fuzzed: ${only}`, ["proof/fuzz/index.ts", "--target", only])),
    part("planted bugs among fuzzed inputs", ["proof/fuzz/index.ts", "--planted"]),
    part("naive clients pay twice", ["proof/naive.ts", "--launches", "1000"]),
  ];
}

function part(name: string, args: readonly string[], inSample = false): Part {
  return { name, args, inSample };
}

function seeds(): readonly Part[] {
  const begins = Array.from({ length: SEEDS / SEEDS_A_PART }, (_, index) => 1 + index * SEEDS_A_PART);
  const firsts = [1, 1 + SAMPLE_SEEDS, ...begins.slice(1)];
  return firsts.map((from, index) => {
    const to = (firsts[index + 1] ?? SEEDS + 1) - 1;
    const args = ["proof/run.ts", "--seeds", `${to - from + 1}`, "--from", `${from}`];
    return part(`seeds ${from} to ${to}`, args, from === 1);
  });
}

function severalServices(): readonly Part[] {
  const stored = ["proof/run.ts", "--several", "--ledger", "postgres", "--seeds", `${SEVERAL_STORED}`];
  const inMemory = SEVERAL.map((worlds, index) => {
    const from = 1 + SEVERAL.slice(0, index).reduce((sum, each) => sum + each, 0);
    const args = ["proof/run.ts", "--several", "--seeds", `${worlds}`, "--from", `${from}`];
    return part(`several services ${from} to ${from + worlds - 1}`, args, index === 0);
  });
  return [...inMemory, part("several services on PostgreSQL", stored)];
}

function stories(): readonly Part[] {
  return chunks(DIRECTED_NAMES, STORIES_A_PART).map((names, index, { length }) =>
    part(`directed stories ${index + 1}/${length}`, ["proof/run.ts", "--directed", names.join()], true),
  );
}

function plantedBugs(): readonly Part[] {
  return [
    ...chunks(huntedIn("stories"), PLANTS_A_PART).map((names, index, { length }) =>
      part(`planted bugs in their stories ${index + 1}/${length}`, planted("stories", names)),
    ),
    ...huntedIn("seeds").map((name) => part(`planted bug in seeds: ${name}`, planted("seeds", [name]))),
    ...huntedIn("explorer").map((name) =>
      part(`planted bug among all states: ${name}`, planted("explorer", [name])),
    ),
  ];
}

function huntedIn(place: Place): readonly string[] {
  return PLANTS.flatMap(huntsOf).flatMap((hunt) => (hunt.place === place ? [hunt.plant.name] : []));
}

function planted(place: Place, names: readonly string[]): readonly string[] {
  return ["proof/planted.ts", "--in", place, "--jobs", "1", "--seeds", "400", "--only", names.join()];
}

function crashPoints(): readonly Part[] {
  return PATHS.map(({ name }) =>
    part(
      `crash points: ${name}`,
      ["proof/explore.ts", "crash-points", "--path", name],
      !LONG_PATHS.some((path) => name.startsWith(path)),
    ),
  );
}

function pairsOfFaults(): readonly Part[] {
  return WIRE_NAMES.flatMap((wire) => {
    const slices = wire === "combination" ? 2 * PAIR_SLICES : PAIR_SLICES;
    return setsOfFaults(wire, [0, 2], slices);
  });
}

function triplesOfFaults(): readonly Part[] {
  return setsOfFaults(HARDEST_WIRE, [3, 3], TRIPLE_SLICES);
}

function setsOfFaults(
  wire: WireName,
  [least, most]: readonly [number, number],
  slices: number,
): readonly Part[] {
  return Array.from({ length: slices }, (_, index) => {
    const slice = `${index + 1}/${slices}`;
    const from = least === 0 ? [] : ["--least", `${least}`];
    const args = ["combinations", "--wire", wire, ...from, "--most", `${most}`];
    const size = least === 0 ? `up to ${most}` : `${most}`;
    return part(`sets of ${size} faults on the wire ${wire} ${slice}`, [
      "proof/explore.ts",
      ...args,
      "--slice",
      slice,
    ]);
  });
}

function explorer(): readonly Part[] {
  return STANDARD.map(({ name }) => part(`all states: ${name}`, ["proof/explorer/index.ts", "--case", name]));
}

/** Real processes. Vitest runs them. */
function killedProcesses(): readonly Part[] {
  const killed = (file: string, what: string, way: string): Part => {
    const args = ["node_modules/vitest/vitest.mjs", "run", "--reporter=verbose", `test/proof/${file}`];
    return { ...part(`${what} killed anywhere in: ${way}`, args), env: { [KILLED_IN]: way } };
  };
  return [
    ...KILLED_AGENT.map((way) => killed("killed-agent.test.ts", "agent", way)),
    ...KILLED_HOST.map((way) => killed("killed-host.test.ts", "Pulumi's host", way)),
  ];
}

function chunks<T>(all: readonly T[], size: number): readonly (readonly T[])[] {
  return Array.from({ length: Math.ceil(all.length / size) }, (_, index) =>
    all.slice(index * size, (index + 1) * size),
  );
}
