import { setImmediate as nextRound } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import type { Ledger } from "../../ledger/ledger.ts";
import { play, type Verdict } from "../../proof/play.ts";
import { scenarioOf } from "../../proof/seeds.ts";
import type { VirtualClock } from "../../simulator/virtual-clock.ts";
import { sharedServer } from "../support/postgres.ts";

const server = await sharedServer();

/**
 * The clock of a world does not see that a server is waited for, nor what its answer leads to at once. What is
 * asked at one moment is answered in that order, as by a ledger in memory.
 */
function heldBy(clock: VirtualClock, ledger: Ledger): Ledger {
  let last: Promise<unknown> = Promise.resolve();
  const rest = async (): Promise<void> => {
    await nextRound();
    await nextRound();
  };
  const held = <T>(ask: () => Promise<T>): Promise<T> => {
    const answer = last.then(ask);
    last = answer.catch(() => undefined);
    void clock.hold(answer.then(rest, rest));
    return answer;
  };
  return {
    id: ledger.id,
    location: ledger.location,
    openAccount: (request) => held(() => ledger.openAccount(request)),
    accounts: () => held(() => ledger.accounts()),
    accountOfSlot: (slot) => held(() => ledger.accountOfSlot(slot)),
    accountOfFleet: (name) => held(() => ledger.accountOfFleet(name)),
    decide: (account, decision) => held(() => ledger.decide(account, decision)),
    read: (account) => held(() => ledger.read(account)),
    events: (account, limit, after) => held(() => ledger.events(account, limit, after)),
    close: () => ledger.close(),
  };
}

/**
 * What happened, and when. What happens at one moment comes to rest in another order where a server is waited
 * for, and processes that begin then are numbered so.
 */
function told({ trace }: Verdict): readonly string[] {
  return trace.map(({ at, who, what }) => `${at} ${who.replace(/#\d+/, "")} ${what}`).toSorted();
}

describe.skipIf(!server)("a world of the proof on a ledger in PostgreSQL", () => {
  test.each([10, 20, 30])(
    "is the same world as in memory (seed %i)",
    { timeout: 10 * 60_000 },
    async (seed) => {
      let ids = 0;
      const newId = (): string => `proofledger${String(ids++).padStart(5, "0")}`;
      const ledger = await (await server!.database()).ledger({ newId });
      const scenario = scenarioOf(seed, "memory");
      const stored = await play(scenario, undefined, (clock) => heldBy(clock, ledger));
      expect(stored.violations).toEqual([]);
      expect(told(stored)).toEqual(told(await play(scenario)));
    },
  );
});
