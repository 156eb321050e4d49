import { expect, test } from "vitest";
import { NOTHING } from "../../agent/fleet/phase/part.ts";
import { chooseParts } from "../../agent/planning/parts/choose-parts.ts";
import type { PartFacts } from "../../agent/planning/parts/part-facts.ts";
import { ZERO_USD } from "../../service/contract/money.ts";

function part(name: string, gpus: number, total: string, used: string, perHour: string): PartFacts {
  const usd = (text: string) => ZERO_USD.plus(text);
  const money = { perHour: usd(perHour), perDay: ZERO_USD, total: usd(used), churn: ZERO_USD };
  return {
    ...{ name, portion: { ...NOTHING, gpus, total }, held: { gpus, money }, offered: undefined, goes: [] },
    ...{ isLeaving: false, isRemoved: false, isPatient: false, ahead: 0, stopping: 0, serves: gpus },
  };
}

function moved(parts: readonly PartFacts[], total: string): readonly string[] {
  const gpus = parts.reduce((sum, { portion }) => sum + portion.gpus, 0);
  const whole = {
    amount: { ...NOTHING, gpus, total },
    limits: ["total"] as const,
    atLeast: 1,
    together: false,
  };
  const { moves } = chooseParts({ ...whole, isEnding: false, fell: 0 }, parts);
  return moves.map(({ from, to, amount }) => `${from} ${to} ${amount.total}`);
}

test("a part whose share of the total pays no next hour gets what others do not need", () => {
  expect(moved([part("north", 8, "100", "85", "20"), part("south", 0, "80", "40", "0")], "180")).toEqual([
    "south north 40",
  ]);
});

test("a share that pays the next hour stays, and so does one that nobody can make pay it", () => {
  expect(moved([part("north", 8, "105", "85", "20"), part("south", 0, "80", "40", "0")], "185")).toEqual([]);
  expect(moved([part("north", 8, "95", "85", "20"), part("south", 0, "45", "40", "0")], "140")).toEqual([]);
});
