import { argv } from "node:process";
import type { WishInput } from "../agent/fleet/wish.ts";
import type { Figure } from "./figure.ts";
import { naive } from "./market/naive.ts";
import { freeMoves, paidMoves } from "./market/optimum.ts";
import { type Player, play } from "./market/play.ts";
import { product } from "./market/product.ts";
import { type Score, scoreOf } from "./market/score.ts";
import { drawnMarket, firstDays, readTape, type Tape } from "./market/tape.ts";

/*
 * What 64 GPUs cost over weeks of a market, in virtual time: the product, a naive script, and somebody who knows the future.
 *
 *   npm run bench -- market                                 markets that are drawn
 *   npm run bench -- market --market FILE [--days DAYS]     a tape
 */

const GPUS = 64;
/** What a fleet that moves may launch above its count. */
const SURGE = 8;
const SEEDS = [1, 2, 3];

const option = (name: string): string | undefined => argv[argv.indexOf(name) + 1 || argv.length];
const [file, days] = [option("--market"), Number(option("--days") ?? 5)];
const tapes =
  file === undefined ? SEEDS.map((seed) => drawnMarket(seed, days)) : [firstDays(readTape(file), days)];

interface Measured extends Score {
  readonly told: string;
}

async function measured(tape: Tape, player: () => Player, above = 0): Promise<Measured> {
  const scores: Measured[] = [];
  for (const seed of file === undefined ? [1] : SEEDS) {
    const { runs, launches, refusals, requests, most } = await play(tape, player(), seed);
    if (most > GPUS + above) throw new Error(`${most} GPUs lived at one time`);
    const told = `${launches} launches, ${refusals} refused, ${requests} requests`;
    scores.push({ ...scoreOf(tape, runs, GPUS), told });
  }
  scores.sort((one, other) => one.usd - other.usd);
  return scores[Math.floor(scores.length / 2)] as Measured;
}

const usd = ({ usd: each, hours }: { readonly usd: number; readonly hours: number }): string =>
  `${each.toFixed(3)} USD, ${(hours * 100).toFixed(2)}% of the hours`;

const figures: Figure[] = [];
for (const tape of tapes) {
  const ours = await measured(tape, () => product({ gpus: GPUS, select: { gpuModel: modelOf(tape) } }));
  const moved = await measured(tape, () => product(movingWish(tape)), SURGE);
  const script = await measured(tape, () => naive(GPUS));
  const [free, paid] = [freeMoves(tape, GPUS), paidMoves(tape, GPUS)];
  const what = `${tape.name}, ${tape.days} days: a useful GPU-hour`;
  const row = (
    against: string,
    than: { readonly usd: number; readonly hours: number },
    toReach: string,
    by: Measured = ours,
  ) =>
    figures.push({
      what: by === moved ? `${what}, with improve` : what,
      measured: `${usd(by)}, ${by.told}`,
      against: `${against}: ${usd(than)}`,
      ratio: by.usd / than.usd,
      toReach,
    });
  row(`a naive script (${script.told})`, script, "<= 1");
  row("the optimum that pays for restarts", paid, "no limit");
  row("the optimum by the hour, moves free", free, "no limit");
  row("without", ours, "<= 1", moved);
  row("the optimum that pays for restarts", paid, "no limit", moved);
}
process.stdout.write(JSON.stringify(figures));
// What the naive script waits for never comes.
process.exit(0);

function movingWish(tape: Tape): WishInput {
  return { gpus: GPUS, surge: SURGE, select: { gpuModel: modelOf(tape) }, improve: { saves: "10%" } };
}

function modelOf({ offers }: Tape): string {
  return offers[0]?.gpuModel ?? "";
}
