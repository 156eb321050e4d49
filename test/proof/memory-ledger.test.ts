import { expect, test } from "vitest";
import { MemoryLedger } from "../../ledger/memory/memory-ledger.ts";
import { play } from "../../proof/play.ts";
import { scenarioOf } from "../../proof/seeds/seeds.ts";

test("a world in memory and the same world on SQLite are one world", { timeout: 10 * 60_000 }, async () => {
  for (const seed of [1, 2, 3]) {
    // SQLite has no leases.
    const inMemory = await play({ ...scenarioOf(seed, { ledger: "memory" }), hasLeases: false });
    const onDisk = await play({ ...scenarioOf(seed, { ledger: "sqlite" }), hasLeases: false });
    expect(onDisk.trace).toEqual(inMemory.trace);
  }
});

test("what is read cannot be changed", async () => {
  const ledger = new MemoryLedger("memoryledger");
  const account = { id: "a", email: "you@example.com", display_name: "You", created_at: "" };
  const key = await ledger.openAccount({ baseUrl: "https://gpus.example.com", account });
  const rows = await ledger.read(key);
  expect(() => Object.assign(rows.account, { sequence: 7 })).toThrow(TypeError);
});
