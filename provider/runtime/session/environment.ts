import type { MachineCommand } from "../../../agent/ask/ask.ts";
import type { Answer, Question } from "../../../agent/fleet/wish/machine-question.ts";
import type { TickReport } from "../../../agent/index.ts";
import type { StackCall } from "../../../agent/tell/http/api/stacks.ts";
import type { Keeper } from "../../../launch/index.ts";
import type { DeploymentRow, Ledger } from "../../../ledger/index.ts";
import type { Offer } from "../../../service/contract/service.ts";
import type { Unread } from "../../../service/contract/unread.ts";
import type { CoalescedRun } from "./coalesced-run.ts";
import type { SharedLists } from "./shared-lists.ts";

/** One opened account, and the lists that all resources of the process share. */
export interface Session {
  readonly keeper: Keeper;
  /** Where the ledger is, or will be: that of a preview may be in memory. */
  readonly location: string;
  readonly lists: SharedLists;
  /** The service's offers, read once. Undefined if the profile maps none. */
  offers(): Promise<readonly (Offer | Unread)[] | undefined>;
  /** Reads the balance into the ledger. */
  readonly balances: CoalescedRun<void>;
  /** Ticks of the agent for one fleet, done in this process where no agent runs. `by`: whose stack it is. */
  ticks(fleet: string, by: string | undefined): CoalescedRun<TickReport>;
}

/** The agent that keeps the resources. */
export interface AgentLink {
  /** Has one method of one kind done there, however often the agent dies meanwhile. `patience`: how long it may be away, in ms. */
  call(
    kind: StackCall["kind"],
    method: string,
    args: readonly unknown[],
    env: Pick<Environment, "say" | "signal" | "held" | "cutAtOnce">,
    patience: number,
  ): Promise<unknown>;
}

/** Everything the resources need from their host. Only the hosts (../host) touch process or disk. */
export interface Environment {
  /** The agent that the settings name. Undefined, or no such function: none. */
  agent?(): AgentLink | undefined;
  /** What is wrong with the configuration, or undefined. Uses no network. */
  problem(): string | undefined;
  /** Names of the free parameters that the profile's launch body sends. Undefined if not known. */
  usedParameters(): readonly string[] | undefined;
  /** Opens the account at the first call; later calls share it. Asks the service whose key it is. */
  session(): Promise<Session>;
  /** Opens the account for a look, such as a preview's. Where there is no ledger yet it makes none: its rows are in memory. */
  glimpse(): Promise<Session>;
  /** The ledger alone, for methods that must not use the network. */
  ledger(): Promise<Ledger>;
  /** The ledger, if its file exists. A preview of a new resource must not create one. */
  ledgerThere(): Promise<Ledger | undefined>;
  /** Slots that the engine's state was seen to hold: the engine asked this process about them. */
  readonly held: Set<string>;
  /** Runs a command about a machine, in the program's folder. Throws, in words that are fit to be kept and shown, unless it ends with 0. */
  run(row: DeploymentRow, command: MachineCommand, signal: AbortSignal): Promise<void>;
  /** Why this machine cannot run a program in the program's folder, and what to do. Undefined: it can. */
  whyNotRun(program: string): string | undefined;
  /** Asks a machine once. Its answer is fit to be kept and shown. A command runs in the program's folder. */
  ask(row: DeploymentRow, question: Question, signal: AbortSignal): Promise<Answer>;
  newId(): string;
  /** This machine's name, for messages. */
  readonly host: string;
  /** Shows people a text, and of which resource it is. Without a name: of no single one. */
  say(text: string, name?: string, level?: "warning"): void;
  /** Milliseconds of a monotonic clock. */
  now(): number;
  /** The text with the credential taken out. */
  hide(text: string): string;
  /** Aborts when the process has to end. */
  readonly signal: AbortSignal;
  /** One Ctrl-C aborts it, too. Not where the host tells of none, as that of dynamic providers. */
  readonly cutAtOnce?: true;
}
