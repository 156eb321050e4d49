import { FleetkeeperError } from "../service/contract/errors.ts";

/** The right to keep an account as its agent, until another one takes it. */
export interface Lease {
  /** Key of the account's row. */
  readonly account: string;
  /** A random id of one process. Hosts may share a name, and processes of two hosts a pid. */
  readonly holder: string;
  /** Grows with each taking, and never goes back: not even after a restore of the ledger. */
  readonly term: number;
}

/** A lease as the ledger has it. */
export interface LeaseState {
  /** Null: it was given back. */
  readonly holder: string | null;
  readonly term: number;
  /** It is over by the ledger's own clock, or was given back. Whoever comes first may take it. */
  readonly isFree: boolean;
}

/** What came of renewing leases. Those in neither list were locked: ask again. */
export interface Renewal {
  readonly renewed: readonly Lease[];
  /** Somebody has taken them, or they were given back. */
  readonly lost: readonly Lease[];
}

/** No lease is asked for longer. One that lasts longer was written before the ledger's clock was set back. */
export const LONGEST_LEASE_MS = 60_000;

/**
 * One agent keeps an account at a time, by a lease that it renews. It is over by the ledger's clock, so the
 * clocks of hosts do not matter. Every method throws LEDGER or LEDGER_BUSY where the ledger cannot be used. `L`:
 * the ledger's type.
 */
export interface Leases<L> {
  /**
   * Takes the lease if it is free, or if this holder has it. Undefined: another one has it. `ms`: how long it
   * lasts. `seen`: the newest term that this process has seen of the account; the new one is later. One that lasts
   * longer than LONGEST_LEASE_MS is cut to `ms` from now: a holder that lives renews it by then.
   */
  take(account: string, holder: string, ms: number, seen: number): Promise<Lease | undefined>;
  /** Has these leases last for `ms` from now. One that somebody else locks delays no other one. */
  renew(leases: readonly Lease[], ms: number): Promise<Renewal>;
  /** Anybody may take it now. Nothing is stored under its term any more. */
  giveBack(lease: Lease): Promise<void>;
  /** The leases of those of these accounts that were ever taken, by account. One that is to be cut is free. */
  look(accounts: readonly string[]): Promise<ReadonlyMap<string, LeaseState>>;
  /**
   * Calls `wake` when a lease was given back, by whatever process, until the signal aborts. A hint beside looks, as
   * `Ledger.onWake`.
   */
  onGivenBack(wake: () => void, signal: AbortSignal): void;
  /**
   * The ledger for the agent itself: nothing that it decides is stored but under the lease that `held`
   * gives then. If another agent has taken the account since, it throws NOT_HOLDER. So no call site can forget
   * to ask. `held` throws if this process holds none.
   */
  asHolder(held: (account: string) => Lease): L;
}

/** Another agent keeps the account, or may do so: this process must not decide as its agent. */
export function notHolder(account: string): FleetkeeperError {
  return new FleetkeeperError(
    "NOT_HOLDER",
    `this agent does not keep ${account} now: another one has taken it, or may take it. Nothing was stored.`,
  );
}
