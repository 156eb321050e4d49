import { describe, expect, test } from "vitest";
import { play, type Verdict } from "../../proof/play.ts";
import { scenarioOf } from "../../proof/seeds/seeds.ts";
import { sharedServer } from "../support/postgres.ts";
import { REPEATS } from "../support/repeats.ts";

const server = await sharedServer();

/**
 * What happened, and when. What happens at one moment comes to rest in another order where a server is waited
 * for, and processes that begin then are numbered so.
 */
function told({ trace }: Verdict): readonly string[] {
  return trace.map(({ at, who, what }) => `${at} ${who.replace(/#\d+/, "")} ${what}`).toSorted();
}

describe.skipIf(!server)("a world of the proof on a ledger in PostgreSQL", () => {
  const title = "is the same world as in memory (seed %i)";
  const timeout = 10 * 60_000;
  const isTheSame = async (seed: number): Promise<void> => {
    const stored = await play(scenarioOf(seed, { ledger: "postgres" }));
    expect(stored.violations).toEqual([]);
    expect(told(stored)).toEqual(told(await play(scenarioOf(seed, { ledger: "memory" }))));
  };
  test.each([20])(title, { timeout }, isTheSame);
  test.each([10, 30])(title, { ...REPEATS, timeout }, isTheSame);
});
