import { setImmediate as nextRound } from "node:timers/promises";
import type { Ledger } from "../../ledger/ledger.ts";
import { openPostgresLedger } from "../../ledger/postgres/postgres-ledger.ts";
import type { VirtualClock } from "../../simulator/virtual-clock.ts";
import { sharedServer } from "./server.ts";

/** A world's ledger in PostgreSQL, and what to do once the world is over. */
export interface WorldLedger {
  readonly on: (clock: VirtualClock) => Ledger;
  readonly drop: () => Promise<void>;
}

/** A new database for one world. Throws if no server can be had here. */
export async function worldLedger(id: string, now: number): Promise<WorldLedger> {
  const server = await sharedServer();
  const database = await server.create();
  let decisions = 0;
  const newId = (): string => (decisions++ === 0 ? id : `decision${String(decisions).padStart(8, "0")}`);
  const ledger = await openPostgresLedger({ url: server.urlOf(database), newId, now });
  return {
    on: (clock) => heldBy(clock, ledger),
    drop: () => server.drop(database),
  };
}

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
    // A world has its own time, and one computer: the server's clock would tell nothing of it.
    clockOn: (local) => local,
    openAccount: (request) => held(() => ledger.openAccount(request)),
    accounts: () => held(() => ledger.accounts()),
    accountOfSlot: (slot) => held(() => ledger.accountOfSlot(slot)),
    accountOfFleet: (name) => held(() => ledger.accountOfFleet(name)),
    decide: (account, decision) => held(() => ledger.decide(account, decision)),
    read: (account) => held(() => ledger.read(account)),
    events: (account, limit, after) => held(() => ledger.events(account, limit, after)),
    eventsAbout: (account, about, limit) => held(() => ledger.eventsAbout(account, about, limit)),
    market: (account) => held(() => ledger.market(account)),
    putMarket: (account, row) => held(() => ledger.putMarket(account, row)),
    // Nobody in a world waits for anything but its clock.
    onWake: async () => undefined,
    close: () => ledger.close(),
  };
}
