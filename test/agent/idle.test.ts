import { expect, test } from "vitest";
import { MemoryLedger } from "../../ledger/memory/memory-ledger.ts";
import { DIALECT_NAMES } from "../../simulator/index.ts";
import { H100, H100_SOUTH } from "../support/stage.ts";
import { candidate, MINUTE, onStage, requestsBetween, rowsOf } from "./on-stage.ts";

test.each(DIALECT_NAMES)(
  "nothing to do: one list call, one small write and three decisions a tick, in %s",
  async (dialect) => {
    const ledger = new MemoryLedger("testledger00");
    const on = await onStage({ dialect, ledger });
    const parameters = { image: "ubuntu" };
    await on.declare({ training: { gpus: 16, candidates: [candidate(H100)], parameters } });
    on.start();
    await on.clock.advance(10 * MINUTE);
    const [before, rows] = [on.simulator.truth(), await rowsOf(on)];
    const [ticks, commits, decisions] = [on.reports.length, ledger.commits, ledger.decisions];
    await on.clock.advance(60 * MINUTE);
    expect(requestsBetween(before, on.simulator.truth())).toEqual({ deployments: 240 });
    expect(on.reports.length - ticks).toBe(240);
    // The list's moment and the agent's beat.
    expect(ledger.commits - commits).toBe(240);
    // Whether it still keeps the account, what the list shows, and the plan. On a server each is a transaction.
    expect(ledger.decisions - decisions).toBe(720);
    expect(await rowsOf(on)).toBe(rows);
    expect(on.errors).toEqual([]);
  },
);

test("a fleet that can do nothing writes nothing either, and asks for offers only where it chooses among them", async () => {
  const on = await onStage({ account: "shared" });
  on.simulator.control.launchByHand(H100);
  await on.declare({
    waiting: { gpus: 8, candidates: [candidate(H100_SOUTH)] },
    impossible: { gpus: 9, match: "none", candidates: [candidate(H100)] },
    choosing: { gpus: 8, match: "none", select: { gpuModel: "none such" } },
  });
  on.start();
  await on.clock.advance(10 * MINUTE);
  const [before, rows] = [on.simulator.truth(), await rowsOf(on)];
  await on.clock.advance(10 * MINUTE);
  expect(requestsBetween(before, on.simulator.truth())).toEqual({ deployments: 40, offers: 40 });
  expect(await rowsOf(on)).toBe(rows);
});
