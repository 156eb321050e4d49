import type { Account } from "../service/contract.ts";
import type { Draft, Rows } from "./draft.ts";
import type { AccountRow, StoredEvent, Tenure } from "./rows.ts";

export interface OpenAccount {
  readonly baseUrl: string;
  readonly account: Account;
  /** What the configuration states; undefined leaves what is stored. */
  readonly tenure?: Tenure | undefined;
  /** Where it is stated, for messages. */
  readonly tenureBy?: string | undefined;
}

/**
 * The durable record of what was wanted, sent, seen and claimed, shared by every process that acts on an account.
 * Small on purpose: a second implementation is a week of work, not a rewrite. Every method throws a
 * `FleetkeeperError` with code `LEDGER` when the store cannot be used: then nothing is launched.
 */
export interface Ledger {
  /** Random, made with the ledger; the first half of every marker. */
  readonly id: string;
  /** How messages name it. */
  readonly location: string;
  /** Finds or creates the account's row and returns its key. Throws CONFIG if what is stated contradicts what is stored. */
  openAccount(request: OpenAccount): Promise<string>;
  accounts(): Promise<readonly AccountRow[]>;
  /** The account whose rows hold this slot. */
  accountOfSlot(slot: string): Promise<string | undefined>;
  /** The account whose rows hold this fleet. */
  accountOfFleet(name: string): Promise<string | undefined>;
  /**
   * Runs one decision in one serializable transaction: it sees the account's rows, and all that it puts is
   * stored together, durably, before the promise resolves; or nothing is, if it throws.
   */
  decide<T>(account: string, decision: (draft: Draft) => T): Promise<T>;
  /** The account's rows; changes nothing. */
  read(account: string): Promise<Rows>;
  /** The newest events first; only those after the sequence number `after`, if it is given. */
  events(account: string, limit: number, after?: number): Promise<readonly StoredEvent[]>;
  close(): void;
}
