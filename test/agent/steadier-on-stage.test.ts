import { expect, test } from "vitest";
import { staysByCombination } from "../../agent/planning/choices/loss-rate.ts";
import { DAY_MS, HOUR_MS } from "../../ledger/instant.ts";
import { combinationKey } from "../../service/contract/contract.ts";
import { H100, H100_SOUTH, type Stage } from "../support/stage.ts";
import { candidate, draftOf, MINUTE, onStage } from "./on-stage.ts";

const ROME = { ...H100_SOUTH, pricePerHour: "17.0000" };
const POLL = { poll: 10 * MINUTE, gone: 30 * MINUTE, archive: DAY_MS, archiveKept: 0 };

/** Machines that run in Oslo by the simulator's truth. */
const inOslo = (on: Stage) =>
  on.alive().filter(({ place, state }) => place.includes("oslo") && state === "running");

/** Three days in which Oslo loses a machine each three hours, and Rome none. A second fleet has always stood in Rome. */
async function threeDays(steadier: string | undefined) {
  const on = await onStage({ offers: [H100, ROME], protocol: POLL, balance: "100000.0000" });
  await on.declare({
    training: { gpus: 24, select: {}, avoid: "0%", ...(steadier !== undefined && { steadier }) },
    beside: { gpus: 8, candidates: [candidate(ROME)] },
  });
  on.start();
  let lost = 0;
  for (let hours = 0; hours < 72; hours += 3) {
    await on.clock.advance(3 * HOUR_MS);
    const [machine] = inOslo(on);
    if (!machine) continue;
    on.simulator.control.interrupt(machine.id, { now: true });
    lost += 1;
  }
  await on.clock.advance(HOUR_MS);
  return { on, lost };
}

test("has fewer interruptions", async () => {
  const plain = await threeDays(undefined);
  const steady = await threeDays("10%");
  expect(plain.lost).toBe(24);
  expect(steady.lost).toBeLessThan(plain.lost / 2);
  for (const { on } of [plain, steady]) expect(on.alive()).toHaveLength(4);
  expect(inOslo(plain.on)).toHaveLength(3);
});

test("what became of machines is known after they are archived, as it was before", async () => {
  const { on, lost } = await threeDays(undefined);
  const draft = await draftOf(on);
  expect(draft.archive.size).toBeGreaterThan(5);
  expect([...draft.deployments.values()].filter(({ end }) => end === "interrupted").length).toBeLessThan(
    lost,
  );
  const records = staysByCombination(draft, 30, on.keeper.clock.now());
  const oslo = records.get(combinationKey(H100));
  expect(oslo).toMatchObject({ launches: lost + 3, losses: lost, failures: 0 });
  expect(oslo?.toRun).toHaveLength(lost + 3);
  expect(oslo!.ms / DAY_MS).toBeGreaterThan(8.5);
  expect(oslo!.ms / DAY_MS).toBeLessThan(9.2);
  expect(records.get(combinationKey(ROME))).toMatchObject({ launches: 1, losses: 0 });
});
