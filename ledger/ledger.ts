import type { Billing } from "../service/contract/billing.ts";
import type { Account } from "../service/contract/contract.ts";
import type { History } from "./chart-history.ts";
import type { Draft } from "./draft.ts";
import type { About } from "./events-about.ts";
import type { Clock } from "./instant.ts";
import type { Leases } from "./lease.ts";
import type { Market } from "./market.ts";
import type { AccountRow, StoredEvent, Tenure } from "./rows.ts";
import type { Rows } from "./tables.ts";

export interface OpenAccount {
  readonly baseUrl: string;
  readonly account: Account;
  /** What the configuration states; undefined leaves what is stored. */
  readonly tenure?: Tenure | undefined;
  /** Where it is stated, for messages. */
  readonly tenureBy?: string | undefined;
  /** By the profile: the currency of all amounts, and how time is billed. Undefined: as the specification has it. */
  readonly currency?: string | undefined;
  readonly billing?: Billing | undefined;
}

/**
 * The durable record of what was wanted, sent, seen and claimed, shared by all processes that act on an
 * account. It is small on purpose, so that a second implementation is a week's work. Every method throws a
 * `FleetkeeperError` with code `LEDGER` if the store cannot be used, or `LEDGER_BUSY` if it cannot be used now:
 * then nothing is launched.
 *
 * A SQLite file is for the processes of one host: its rows hold moments by that host's monotonic clock. The
 * processes of a ledger in PostgreSQL may run on any hosts: what they store and compare are moments of `clockOn`,
 * and none takes another host's process for dead.
 */
export interface Ledger {
  /** Random, made with the ledger. The first half of every marker. */
  readonly id: string;
  /** The ledger's name in messages. */
  readonly location: string;
  /**
   * The clock that counts in this ledger: its moments may be compared with those that any process stored. SQLite
   * is on one host, and gives that host's clock as it is.
   */
  clockOn(local: Clock): Clock;
  /** Finds or makes the account's row and returns its key. Throws CONFIG if the tenures differ. */
  openAccount(request: OpenAccount): Promise<string>;
  accounts(): Promise<readonly AccountRow[]>;
  /** The account whose rows hold this slot. */
  accountOfSlot(slot: string): Promise<string | undefined>;
  /** The account whose rows hold this fleet. */
  accountOfFleet(name: string): Promise<string | undefined>;
  /**
   * Runs one decision in one serializable transaction over the account's rows. What it puts is stored
   * together, durably, before the promise resolves. If the decision throws, nothing is stored. It may run more
   * than once, and only what its last run puts is stored: it must do nothing but read and put rows.
   *
   * If the ledger throws, nothing is stored, or (LEDGER_BUSY, a server that was lost in a commit and stayed
   * away) nobody can know whether it is. So what must not be done twice is done after a decision that has
   * resolved, and what must be stored is decided again until one has: see launch/protocol.ts.
   */
  decide<T>(account: string, decision: (draft: Draft) => T): Promise<T>;
  /** The account's rows; changes nothing. */
  read(account: string): Promise<Rows>;
  /** The newest events first; only those after the sequence number `after`, if given. */
  events(account: string, limit: number, after?: number): Promise<readonly StoredEvent[]>;
  /** Those that name one of these, the newest first. It looks through the account's newest 100,000 and no more. */
  eventsAbout(account: string, about: About, limit: number): Promise<readonly StoredEvent[]>;
  /** What the account's service was last seen to offer. Undefined: no agent has written it down. */
  market(account: string): Promise<Market | undefined>;
  /** Takes the place of what was offered before. */
  putMarket(account: string, row: Market): Promise<void>;
  /**
   * By which an agent on any host keeps an account. Undefined: all processes run on one host, where a process
   * that has died is known at once, and the account's row names the agent.
   */
  readonly leases?: Leases<Ledger & History>;
  /**
   * Calls `wake` within a second after the account's `wakes` was raised, by whatever process, until the signal
   * aborts. Resolves once what is raised from then on is noticed. A hint beside other looks at the ledger, and
   * never in their place: it is late while the ledger cannot be read. It throws nothing.
   */
  onWake(account: string, wake: () => void, signal: AbortSignal): Promise<void>;
  close(): void;
}
