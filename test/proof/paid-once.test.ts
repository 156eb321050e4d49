// @module-tag repeats
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { RULES } from "../../proof/model/paid-once.ts";
import { brokenWithout, neverPossible, openSolver } from "../../proof/model/smt.ts";

const PATIENCE = 600_000;

describe("paid once, for any number of places, accounts, hosts, launches, machines and steps", () => {
  let solver: Awaited<ReturnType<typeof openSolver>>;
  beforeAll(async () => {
    solver = await openSolver();
  }, PATIENCE);
  afterAll(() => solver.close());

  it("holds at the beginning, and each action keeps it", { timeout: PATIENCE }, async () => {
    expect(await brokenWithout(solver.ask, [])).toEqual([]);
  });

  it("forbids no action", { timeout: PATIENCE }, async () => {
    expect(await neverPossible(solver.ask)).toEqual([]);
  });

  it.each(RULES)("is broken without %s", { timeout: PATIENCE }, async (rule) => {
    expect(await brokenWithout(solver.ask, [rule], true)).toContainEqual(
      expect.objectContaining({ says: "yes" }),
    );
  });
});
