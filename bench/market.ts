import { argv } from "node:process";
import { type WishInput, wishSchema } from "../agent/fleet/wish/wish.ts";
import { keeping } from "../agent/whatif/keeping.ts";
import { type Player, play, type Terms } from "../agent/whatif/play.ts";
import { firstDays, readTape, type Tape } from "../agent/whatif/tape.ts";
import { MINUTE_MS } from "../ledger/instant.ts";
import type { Figure } from "./figure.ts";
import { drawnMarket } from "./market/drawn.ts";
import { naive } from "./market/naive.ts";
import { freeMoves, keptPrices, type Optimum, paidMoves } from "./market/optimum.ts";
import { type Score, scoreOf } from "./market/score.ts";
import { type Steadiness, steadinessOf } from "./market/steadiness.ts";
import { doneBy, untilDone, WORK_SHARES, workOf } from "./market/work.ts";

/*
 * What 64 GPUs cost over weeks of a market, in virtual time: the product, a naive script, and somebody who knows the future.
 *
 *   npm run bench -- market                                 markets that are drawn
 *   npm run bench -- market --market FILE [--days DAYS]     a tape
 *   npm run bench -- market --work                          work by a deadline alone
 *   npm run bench -- market --health                        machines are asked, too, and lists are read every half a minute
 *   npm run bench -- market --improve '{ "saves": "30%" }'  with other moves than those to save 10%
 *   npm run bench -- market --select '{ "patience": ... }'  with more in its select than the model
 *   npm run bench -- market --poll 17                       a list every 17 s, and not every 113 s, for all but the script
 */

const GPUS = 64;
/** What a fleet that moves may launch above its count. */
const SURGE = 8;
const SEEDS = [1, 2, 3];
const SOURCE = "file:fleet.yaml";
const option = (name: string): string | undefined => argv[argv.indexOf(name) + 1 || argv.length];
const improve = JSON.parse(option("--improve") ?? '{ "saves": "10%" }') as NonNullable<WishInput["improve"]>;
const select = JSON.parse(option("--select") ?? "{}") as NonNullable<WishInput["select"]>;
const terms: Terms = argv.includes("--poll") ? { poll: Number(option("--poll")) * 1000 } : {};
/** Where machines are asked: they are after each list. The service asks the provider when it is asked for one machine. */
const ASKING: Terms = { poll: 31_000, ...terms, getAsksProvider: true };
const [file, days] = [option("--market"), Number(option("--days") ?? 5)];
const tapes =
  file === undefined ? SEEDS.map((seed) => drawnMarket(seed, days)) : [firstDays(readTape(file), days)];

interface Measured extends Score {
  /** What else is printed of it. */
  readonly told: string;
}

async function measured(tape: Tape, player: () => Player, above = 0, terms?: Terms): Promise<Measured> {
  const scores: Measured[] = [];
  for (const seed of file === undefined ? [1] : SEEDS) {
    const { runs, launches, refusals, requests, most } = await play(tape, player(), seed, terms);
    if (most > GPUS + above) throw new Error(`${most} GPUs lived at one time`);
    const told = `${steadinessText(steadinessOf(tape, runs, GPUS))}; ${launches} launches, ${refusals} refused, ${requests} requests`;
    scores.push({ ...scoreOf(tape, runs, GPUS), told });
  }
  scores.sort((one, other) => one.usd - other.usd);
  return scores[Math.floor(scores.length / 2)] as Measured;
}

function steadinessText(of: Steadiness): string {
  const recovery = Number.isNaN(of.recovery) ? "" : `, whole again after ${of.recovery.toFixed(1)} min`;
  const moves = `${of.moves} moves (${of.movesPerGpuDay.toFixed(3)} a GPU-day, at most ${of.mostMoves} of a machine in 6 h)`;
  return `${of.interruptions} interruptions${recovery}; ${moves}; ${of.returns} returns within a day, ${of.returnsByMove} by a move`;
}

const hoursText = ({ hours }: Optimum): string => `${(hours * 100).toFixed(2)}% of the hours`;
const usd = (of: Optimum): string => `${of.usd.toFixed(3)} USD, ${hoursText(of)}`;

/** U, (e), (f) and (L) are the words of docs/how/performance.md. */
const figures: Figure[] = [];
for (const tape of tapes) figures.push(...(await workFigures(tape)));
for (const tape of argv.includes("--work") ? [] : tapes) {
  const still = await measured(
    tape,
    () => product({ gpus: GPUS, select: { gpuModel: modelOf(tape) } }),
    0,
    terms,
  );
  const moving = await measured(tape, () => product(movingWish(tape)), SURGE, terms);
  const script = await measured(tape, () => naive(GPUS));
  const asked = argv.includes("--health")
    ? [
        await measured(
          tape,
          () => product({ ...movingWish(tape), health: { address: "host", tcp: 22 } }),
          SURGE,
          ASKING,
        ),
      ]
    : [];
  const [free, paid] = [freeMoves(tape, GPUS), paidMoves(tape, GPUS)];
  const optima: readonly (readonly [string, Optimum])[] = [
    ["(f), the optimum that pays for restarts", paid],
    ["(f) by ten minutes", paidMoves(tape, GPUS, 10 * MINUTE_MS)],
    ["(e), the optimum by the hour, moves free", free],
    // Where prices float, nobody keeps one.
    ...(tape.floats ? [] : [["(L), the optimum that keeps launch prices", keptPrices(tape, GPUS)] as const]),
  ];
  const what = `${tape.name}, ${tape.days} days`;
  const rows: readonly (readonly [string, Measured])[] = [
    [what, still],
    [`${what}, with improve`, moving],
    ...asked.map((by) => [`${what}, with improve and health`, by] as const),
  ];
  for (const [name, by] of rows) {
    const row = (against: string, than: Optimum, toReach: string): void => {
      const ratio = by.usd / than.usd;
      figures.push({
        what: `${name}: U`,
        measured: usd(by),
        against: `${against}: ${usd(than)}`,
        ratio,
        toReach,
      });
    };
    row(`a naive script (${script.told})`, script, "<= 1");
    for (const [against, than] of optima) row(against, than, "no limit");
    figures.push({
      what: `${name}: hours had`,
      measured: `${hoursText(by)}; ${by.told}`,
      against: `(e): ${hoursText(free)}`,
      ratio: by.hours / free.hours,
      toReach: ">= 0.998",
    });
  }
}
process.stdout.write(JSON.stringify(figures));
// What the naive script waits for never comes.
process.exit(0);

/** The product's own agent, with this wish. */
function product(wish: WishInput): Player {
  return keeping({
    source: SOURCE,
    fleets: [{ name: "training", source: SOURCE, wish: wishSchema.parse(wish) }],
  });
}

/** Work by the end of the tape, against a script that runs all GPUs at once until it is done. */
async function workFigures(tape: Tape): Promise<readonly Figure[]> {
  const all = (await play(tape, naive(GPUS), 1)).runs;
  const rows: Figure[] = [];
  for (const share of WORK_SHARES) {
    const work = workOf(tape, GPUS, share);
    const { gpuHours } = work;
    const { runs, most } = await play(
      tape,
      product({ gpus: GPUS, select: { gpuModel: modelOf(tape) }, work }),
      1,
    );
    if (most > GPUS) throw new Error(`${most} GPUs lived at one time`);
    const [by, script] = [
      doneBy(tape, runs, gpuHours, GPUS),
      doneBy(tape, untilDone(tape, all, gpuHours), gpuHours, GPUS),
    ];
    const said = ({ usd, done }: typeof by): string =>
      `${usd.toFixed(3)} USD a GPU-hour, ${(100 * done).toFixed(1)}% done`;
    rows.push({
      what: `${tape.name}, ${tape.days} days: work of ${gpuHours} GPU-hours`,
      measured: said(by),
      against: `all ${GPUS} at once: ${said(script)}`,
      ratio: by.usd / script.usd,
      toReach: "<= 1",
    });
  }
  return rows;
}

function movingWish(tape: Tape): WishInput {
  return { gpus: GPUS, surge: SURGE, select: { gpuModel: modelOf(tape), ...select }, improve };
}

function modelOf({ offers }: Tape): string {
  return offers[0]?.gpuModel ?? "";
}
