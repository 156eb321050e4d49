import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { type Figure, megabytes, ms } from "./figure.ts";

/* A tick in which nothing changed, beside `JSON.parse` of the same list. */

interface Case {
  readonly list: number;
  readonly tick: number;
  readonly parse: number;
  readonly peak: number;
}

/** As Dockerfile and deploy/ start the agent. */
const DEPLOYED = "--max-semi-space-size=8";

function measured(running: number, ended: number, flags: readonly string[] = []): Case {
  const script = join(import.meta.dirname, "tick-case.ts");
  return JSON.parse(
    String(execFileSync(process.execPath, [DEPLOYED, script, `${running}`, `${ended}`, ...flags])),
  ) as Case;
}

const empty = measured(0, 0);
const sizes: readonly (readonly [number, number, ("--launched" | "--moving")?])[] = [
  [1_000, 0],
  [10_000, 0],
  [90_000, 0],
  [100, 10_000],
  [100, 90_000],
  [10_000, 0, "--launched"],
  [10_000, 0, "--moving"],
  [90_000, 0, "--moving"],
];
/** Without a flag lists are equal byte for byte, of machines that fleets have found there. */
const MEANING = {
  "--launched": ", launched by fleets",
  "--moving": ", each record with a new number that is not read",
};
const cases = sizes.map(([running, ended, flag]) => ({
  what: `${running} run, ${ended} have ended${flag ? MEANING[flag] : ""}`,
  running,
  ...measured(running, ended, flag ? [flag] : []),
}));
const figures = cases.flatMap(({ what, list, tick, parse, peak }): Figure[] => {
  return [
    {
      what: `a steady tick: ${what}`,
      measured: ms(tick),
      against: `JSON.parse of its list: ${ms(parse)}`,
      ratio: tick / parse,
      toReach: "<= 2.0",
    },
    {
      what: `memory over an empty agent: ${what}`,
      measured: megabytes(peak - empty.peak),
      against: `its list: ${megabytes(list)}`,
      ratio: (peak - empty.peak) / list,
      toReach: "<= 6",
    },
  ];
});
const [, small, large] = cases;
if (small && large) {
  const exponent = Math.log(large.tick / small.tick) / Math.log(large.running / small.running);
  figures.push({
    what: "how a steady tick grows with what runs",
    measured: `${(large.tick / small.tick).toFixed(1)} times`,
    against: `${large.running / small.running} times as many, exponent 1`,
    ratio: exponent,
    toReach: "<= 1.05",
  });
}
process.stdout.write(JSON.stringify(figures));
