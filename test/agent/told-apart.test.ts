import { expect, test } from "vitest";
import { H100, H100_SOUTH } from "../support/stage.ts";
import { candidate, MINUTE, onStage, reasonsOf, SECOND } from "./on-stage.ts";

const ROOMY = [candidate(H100), { ...candidate(H100_SOUTH), pricePerHour: "18.0000" }];

/** A fleet of one machine at each place, so that lists tell the two apart from now on. */
async function toldApart() {
  const on = await onStage({ dialect: "nested", latencyMs: 200 });
  await on.declare({
    north: { gpus: 8, candidates: [candidate(H100)] },
    south: { gpus: 8, candidates: [candidate(H100_SOUTH)] },
  });
  on.start();
  await on.clock.advance(5 * MINUTE);
  expect(on.alive()).toHaveLength(2);
  return on;
}

test("a lost answer holds its own combination, and the fleet goes on with another one at once", async () => {
  const on = await toldApart();
  on.simulator.control.faults.next("launch", { kind: "dropBefore" });
  const before = on.launches();
  await on.declare({
    north: { gpus: 8, candidates: [candidate(H100)] },
    south: { gpus: 8, candidates: [candidate(H100_SOUTH)] },
    training: { gpus: 8 * 4, candidates: ROOMY },
  });
  await on.clock.advance(2 * MINUTE);
  // One is looked for, at the cheaper place. The other three are at the place where nothing is open.
  const sent = on.simulator.truth().launches.slice(before);
  expect(sent.map(({ combination }) => combination?.provider)).toEqual(["north", "south", "south", "south"]);
  expect((sent[1]?.at ?? 0) - (sent[0]?.at ?? 0)).toBeLessThan(2 * SECOND);
  expect(reasonsOf(on)).toContain("a launch of h100-8 @ north/oslo is not resolved yet");
  await on.clock.advance(10 * MINUTE);
  expect(on.alive()).toHaveLength(6);
  expect(on.launches()).toBe(before + 5);
});

test("where nothing else can be told apart, the fleet waits and says for which launch", async () => {
  const on = await toldApart();
  on.simulator.control.faults.next("launch", { kind: "dropBefore" });
  const before = on.launches();
  await on.declare({
    north: { gpus: 8 * 3, candidates: [candidate(H100)] },
    south: { gpus: 8, candidates: [candidate(H100_SOUTH)] },
  });
  await on.clock.advance(3 * MINUTE);
  expect(on.launches()).toBe(before + 1);
  expect(reasonsOf(on, "north")).toContain(
    "another launch is under way that a list could not tell from this one",
  );
  await on.clock.advance(10 * MINUTE);
  expect(on.alive()).toHaveLength(4);
});

test("a round takes one launch of each combination, and the combinations at the same time", async () => {
  const on = await toldApart();
  const before = on.launches();
  await on.declare({
    north: { gpus: 8, candidates: [candidate(H100)] },
    south: { gpus: 8, candidates: [candidate(H100_SOUTH)] },
    training: { gpus: 8 * 8, candidates: ROOMY, placement: { mostPerLocation: 8 * 4 } },
  });
  await on.clock.advance(2 * MINUTE);
  const sent = on.simulator.truth().launches.slice(before);
  const rounds = [...Map.groupBy(sent, ({ at }) => at).values()];
  const both = ["north", "south"];
  expect(rounds.map((round) => round.map(({ combination }) => combination?.provider))).toEqual([
    ["north"],
    both,
    both,
    both,
    ["south"],
  ]);
});
