import { Client } from "pg";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { epochOf } from "../../../ledger/epoch.ts";
import { HOUR_MS, isLater } from "../../../ledger/instant.ts";
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

  it("has no decision of an older epoch after one of a newer, though it waited for the account meanwhile", async () => {
    const database = await server!.database();
    let jumped = 0;
    const [waiting, jumping] = [
      await database.ledger(),
      await database.ledger({ ticks: () => performance.now() + jumped }),
    ];
    const key = await waiting.openAccount(account);
    const other = await jumping.openAccount({ ...account, baseUrl: "https://other.example.com" });
    const [mine, theirs] = [waiting, jumping].map((ledger) => ledger.clockOn(systemClock()));
    const holder = new Client(database.url);
    await holder.connect();
    onTestFinished(() => holder.end());
    await holder.query("BEGIN");
    await holder.query("SELECT FROM fleetkeeper.account WHERE key = $1 FOR UPDATE", [key]);
    let runs = 0;
    const deciding = waiting.decide(key, (draft) => {
      runs += 1;
      draft.putAccount({ ...draft.account, sequence: 1 });
      return mine!.now();
    });
    await database.until("SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock'");
    jumped = HOUR_MS;
    const begun = await jumping.decide(other, () => theirs!.now());
    await holder.query("ROLLBACK");
    const decided = await deciding;
    expect([decided.boot, runs]).toEqual([begun.boot, 2]);
  });

  it("dates a halt, whatever the clock of the host says that was refused", async () => {
    const ledger = await (await server!.database()).ledger();
    const key = await ledger.openAccount(account);
    const wrong = vi.spyOn(Date, "now").mockReturnValue(0);
    try {
      const broken = ledger.decide(key, (draft) => draft.putAccount({ ...draft.account, sequence: -1 }));
      await expect(broken).rejects.toMatchObject({ code: "UNSOUND" });
    } finally {
      wrong.mockRestore();
    }
    const { unsound } = (await ledger.read(key)).account;
    expect(Math.abs(unsound!.at - Date.now())).toBeLessThan(60_000);
    expect(await ledger.events(key, 9)).toMatchObject([{ kind: "halted", at: unsound!.at }]);
  });

  it("is read to the millisecond where the database says that its numbers have ten digits", async () => {
    const database = await server!.database();
    await database.sql(`ALTER DATABASE ${database.name} SET extra_float_digits = -5`);
    const ledger = await database.ledger();
    const clock = ledger.clockOn(systemClock());
    const key = await ledger.openAccount(account);
    const epochs = new Set<string>();
    for (const _ of Array(5)) epochs.add((await ledger.decide(key, () => clock.now())).boot);
    expect(epochs.size).toBe(1);
    expect(Math.abs(clock.now().mono - Date.now())).toBeLessThan(5_000);
  });

  it("begins an epoch where it was set back while no process looked", async () => {
    const database = await server!.database();
    const [first, second] = [await database.ledger(), await database.ledger()];
    const [before, after] = [first, second].map((ledger) => ledger.clockOn(systemClock()));
    const key = await first.openAccount(account);
    const listed = await first.decide(key, (draft) => {
      const list = before!.now();
      // What a process wrote an hour from now, by a clock that is right again since.
      draft.putAccount({
        ...draft.account,
        list: { ...list, wall: list.wall + HOUR_MS, mono: list.mono + HOUR_MS },
      });
      return draft.account.list!;
    });
    const now = await second.decide(key, () => after!.now());
    expect(now.mono).toBeLessThan(listed.mono);
    expect(epochOf(now.boot)!.number).toBeGreaterThan(epochOf(listed.boot)!.number);
    expect(isLater(now, listed)).toBe(true);
    // Nobody begins another one for it.
    const [third] = [await database.ledger()];
    expect((await third!.decide(key, () => third!.clockOn(systemClock()).now())).boot).toBe(now.boot);
  });
});
