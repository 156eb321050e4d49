import type { TickReport } from "../../agent/index.ts";
import type { Keeper } from "../../launch/index.ts";
import type { Ledger } from "../../ledger/index.ts";
import type { Offer } from "../../service/service.ts";
import type { CoalescedRun } from "./coalesced-run.ts";
import type { Rounds } from "./rounds.ts";

/** One account, opened, and the lists that all resources of the process share. */
export interface Session {
  readonly keeper: Keeper;
  readonly rounds: Rounds;
  /** The service's offers, read once; undefined where the profile maps none. */
  offers(): Promise<readonly Offer[] | undefined>;
  /** The balance, read into the ledger. */
  readonly balances: CoalescedRun<void>;
  /** Rounds of the agent's work for one fleet, where no agent lives. */
  ticks(fleet: string): CoalescedRun<TickReport>;
}

/** Everything the resources need from whoever runs them. Nothing in this folder but the hosts touches process or disk. */
export interface Environment {
  /** What is wrong with the configuration, or undefined. Touches no network. */
  problem(): string | undefined;
  /** Names of the free parameters that the profile's launch body sends; undefined where that is not known. */
  usedParameters(): readonly string[] | undefined;
  /** Opens the account at the first call; later calls share it. Asks the service whose key it is. */
  session(): Promise<Session>;
  /** The ledger alone, for what must not touch the network. */
  ledger(): Promise<Ledger>;
  /** The ledger, where there is one already: a preview of what does not exist yet makes none. */
  ledgerThere(): Promise<Ledger | undefined>;
  /** The same as a session's, asked without a ledger: the preview of what does not exist yet writes nothing down. */
  offers(): Promise<readonly Offer[] | undefined>;
  /** Slots that the engine's state was seen to hold, by what it has asked this process. */
  readonly held: Set<string>;
  /** A new random id. */
  newId(): string;
  /** Of this machine, for messages. */
  readonly host: string;
  /** One line for people. */
  say(line: string): void;
  /** Milliseconds of a clock that nobody sets. */
  now(): number;
  /** The text without the credential, should it be in there. */
  hide(text: string): string;
  /** Aborts when the process has to end. */
  readonly signal: AbortSignal;
}
