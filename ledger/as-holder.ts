import type { History } from "./chart-history.ts";
import type { Ledger } from "./ledger.ts";

/** An agent's ledger, see `Leases.asHolder`: what the agent writes goes another way, and all else is the same. */
export function asHolder(
  ledger: Ledger & History,
  writes: Pick<Ledger & History, "decide" | "putMarket" | "putSamples" | "putStretch">,
): Ledger & History {
  const { id, created, location, leases } = ledger;
  return {
    ...{ id, created, location, ...(leases && { leases }) },
    clockOn: (local) => ledger.clockOn(local),
    openAccount: (request) => ledger.openAccount(request),
    accounts: () => ledger.accounts(),
    accountOfSlot: (slot) => ledger.accountOfSlot(slot),
    accountOfFleet: (name) => ledger.accountOfFleet(name),
    read: (account) => ledger.read(account),
    events: (account, limit, after) => ledger.events(account, limit, after),
    eventsAbout: (account, about, limit) => ledger.eventsAbout(account, about, limit),
    market: (account) => ledger.market(account),
    stretches: (account, since) => ledger.stretches(account, since),
    samples: (account, from, to) => ledger.samples(account, from, to),
    onWake: (account, wake, signal) => ledger.onWake(account, wake, signal),
    close: () => ledger.close(),
    ...writes,
  };
}
