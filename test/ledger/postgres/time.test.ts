import { describe, expect, it } from "vitest";
import { epochOf } from "../../../ledger/epoch.ts";
import { systemClock } from "../../../ledger/system-clock.ts";
import { sharedServer } from "../../support/postgres.ts";

const account = {
  baseUrl: "https://gpus.example.com",
  account: { id: "acc", email: "a@b.c", display_name: "A", created_at: "2026-01-01T00:00:00Z" },
};

const server = await sharedServer();

describe.skipIf(!server)("the clock of a ledger in PostgreSQL", () => {
  it("is the database's for every host, and a clock that jumps begins an epoch before anything is decided", async () => {
    const database = await server!.database();
    let jumped = 0;
    const sleeper = await database.ledger({ ticks: () => performance.now() - jumped });
    const other = await database.ledger({ ticks: () => 1.01 * performance.now() + 300_000 });
    const clocks = [sleeper, other].map((ledger) => ledger.clockOn(systemClock()));
    const key = await sleeper.openAccount(account);
    await other.openAccount(account);
    const moments = await Promise.all(
      [sleeper, other].map((ledger, host) => ledger.decide(key, () => clocks[host]!.now())),
    );
    for (const { mono, error = 0, boot } of moments) {
      expect(Math.abs(mono - Date.now())).toBeLessThan(60_000);
      expect(error).toBeGreaterThan(0);
      expect(boot).toBe(moments[0]!.boot);
    }

    jumped = 3_600_000;
    const [before] = moments;
    const after = await sleeper.decide(key, () => clocks[0]!.now());
    const numbers = [before!, after].map(({ boot }) => epochOf(boot)?.number ?? 0);
    expect(numbers[1]).toBeGreaterThan(numbers[0]!);
    expect(Math.abs(after.mono - Date.now())).toBeLessThan(60_000);
    // The other host goes with it, though its own clock saw nothing.
    expect((await other.decide(key, () => clocks[1]!.now())).boot).toBe(after.boot);
    // So does a server that is not the one on which the epoch began.
    await database.sql("UPDATE fleetkeeper.ledger SET server = 'another'");
    const third = await other.decide(key, () => clocks[1]!.now());
    expect(epochOf(third.boot)!.number).toBeGreaterThan(numbers[1]!);
  });
});
