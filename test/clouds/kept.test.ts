import { expect, test } from "vitest";
import { shippedNames } from "../../service/profile/shipped.ts";
import { REPEATS } from "../support/repeats.ts";
import { digitalocean } from "./digitalocean.ts";
import type { StandIn } from "./estate.ts";
import { hyperstack } from "./hyperstack.ts";
import { lambda } from "./lambda.ts";
import { play } from "./played.ts";
import { prime } from "./prime.ts";
import { runpod } from "./runpod.ts";
import { shadeform } from "./shadeform.ts";
import { tensordock } from "./tensordock.ts";
import { thunder } from "./thunder.ts";
import { vast } from "./vast.ts";
import { verda } from "./verda.ts";
import { vultr } from "./vultr.ts";

/*
 * The shipped profiles, at services that were written from the vendors' documents and share no line with the
 * simulator: lost answers, refusals, machines that halt or are lost, agents that die with a launch under way.
 */
const STAND_INS: Readonly<Record<string, StandIn>> = {
  lambda,
  hyperstack,
  runpod,
  vast,
  verda,
  tensordock,
  thunder,
  shadeform,
  prime,
  digitalocean,
  vultr,
};
const SEEDS = Number(process.env.CLOUD_SEEDS ?? 3);
const cases = Object.entries(STAND_INS)
  .filter(([name]) => shippedNames().includes(name))
  .flatMap(([name, standIn]) =>
    Array.from({ length: SEEDS }, (_, index) => [name, index + 1, standIn] as const),
  );

async function isKept(name: string, seed: number, standIn: StandIn): Promise<void> {
  const { most, ours, strangers, told, fates, untold, unknown } = await play(name, standIn, seed);
  const facts = `${JSON.stringify(fates)}\n${JSON.stringify(ours)}\n${told}`;
  expect(unknown, facts).toEqual([]);
  expect(most, facts).toBeLessThanOrEqual(8);
  expect(new Set(ours.map(({ state }) => state)), facts).toEqual(new Set(["serving"]));
  expect(
    ours.reduce((sum, { gpus }) => sum + gpus, 0),
    facts,
  ).toBe(8);
  expect(untold, facts).toEqual([]);
  expect(strangers, facts).toHaveLength(standIn.isExclusive ? 0 : 1);
}

const TITLE = "%s, seed %i: nothing extra, nothing missing, and what halts is stopped";
/** One of each way: by pages, a cursor, an offset, a token, without a combination, and without a marker. The others are like one of these. */
const DIFFER: readonly string[] = ["digitalocean", "vast", "prime", "verda", "thunder"];
const isFirst = ([name, seed]: (typeof cases)[number]): boolean => seed === 1 && DIFFER.includes(name);
test.each(cases.filter(isFirst))(TITLE, isKept);
test.each(cases.filter((one) => !isFirst(one)))(TITLE, REPEATS, isKept);
