import { expect, test } from "vitest";
import { REPEATS } from "../support/repeats.ts";
import { prove } from "./support.ts";

type Case = readonly [script: string, args: readonly string[], message: string];

/** One of each script. */
const FIRST: readonly Case[] = [
  ["run.ts", ["--seeds", "100k"], "--seeds: expected a whole number of 1 or more, such as 2000, got 100k"],
  ["planted.ts", ["--only", "nosuchbug"], "--only: there is no nosuchbug; known are server-error"],
  ["explore.ts", ["combinations", "--wire", "markers"], "--wire: there is no markers; known are marker,"],
  ["prove/index.ts", ["--shard", "0/4"], "--shard: expected a share, such as 2/4"],
  ["naive.ts", ["--launches", "1e3"], "--launches: expected a whole number"],
];

const OTHERS: readonly Case[] = [
  ["run.ts", ["--seeds", "0"], "got 0"],
  ["run.ts", ["--seeds", "1", "--from", "x"], "--from: expected a whole number"],
  ["run.ts", ["--directed", "nosuch"], "--directed: there is no nosuch; known are "],
  ["explore.ts", ["combinations", "--most", "many"], "--most: expected a whole number"],
  ["explore.ts", ["crash-points", "--path", "nosuch"], "--path: there is no nosuch"],
  ["explore.ts", ["combinations", "--slice", "3/2"], "--slice: expected a share, such as 2/4"],
  ["prove/index.ts", ["--only", "nosuch"], "--only: there is no nosuch; known are sample, rest"],
  ["planted.ts", ["--in", "nosuch"], "--in: there is no nosuch; known are stories"],
];

/** A typing error must not look like a proof: each of these once ended well, with nothing played. */
const TITLE = "%s %j is refused";
const isRefused = async (script: string, args: readonly string[], message: string): Promise<void> => {
  const { code, problems } = await prove(script, ...args);
  expect(problems).toContain(message);
  expect(code).not.toBe(0);
};
test.each(FIRST)(TITLE, isRefused);
test.each(OTHERS)(TITLE, REPEATS, isRefused);
