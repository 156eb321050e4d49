import type { Instant } from "../../ledger/instant.ts";
import type { Rows } from "../../ledger/tables.ts";
import type { Combination } from "../../service/contract/contract.ts";
import type { Deployment } from "../../service/contract/service.ts";

/** One machine as it truly is. */
export interface Machine {
  readonly id: string;
  /** The slot whose POST made it; null: a stranger's. */
  readonly slot: string | null;
  readonly intent: string | null;
  readonly marker: string | null;
  readonly place: Combination;
  readonly status: "running" | "failed" | "stopped";
  /** True if lists and GETs show it. */
  readonly listed: boolean;
  /** When its POST left. */
  readonly sent: number;
}

/** A POST that has left its process, and that the service has not decided on yet. */
export interface Request {
  readonly intent: string;
  readonly slot: string;
  readonly sent: number;
  /** False: nothing waits for it properly, and it may make its machine whenever the case allows. */
  readonly prompt: boolean;
}

/** The effects of one launch, in their order: what a process does next for a slot. */
type Stage =
  | { readonly at: "admitted" }
  | { readonly at: "stamped" }
  | { readonly at: "sent" }
  /** The answer has reached the process, and is not stored yet. */
  | { readonly at: "answered"; readonly answer: Answer; readonly machine: string | null };

export type Answer = "accepted" | "unknown" | "rejected" | "cooling" | "notSent";

export interface Task {
  readonly process: number;
  readonly slot: string;
  readonly intent: string;
  readonly stage: Stage;
  readonly sent: number;
  /** True: its answer may take as long as a POST may. False: the answer comes at once. */
  readonly slow: boolean;
}

/** A list that was asked for and is not stored yet. */
interface SlowList {
  readonly process: number;
  readonly begun: Instant;
  readonly deployments: readonly Deployment[];
}

export interface Process {
  readonly pid: number;
  readonly paused: boolean;
}

/** What Pulumi wants of a slot. `looked`: a list came after its closing. `deleted`: its delete returned. */
type Wish = "wanted" | "retiring" | "closing" | "looked" | "deleted";

export interface Slot {
  readonly id: string;
  readonly place: Combination;
  readonly wish: Wish;
  /** The slot that replaces it. This one is closed once that slot is filled. */
  readonly successor: string | null;
}

/** What may still happen from outside. */
interface Budget {
  readonly faults: number;
  readonly strangers: number;
  readonly destroys: number;
  readonly replaces: number;
}

/** All there is at one moment: the ledger's rows, the service's truth, and where each process stands. */
export interface State {
  readonly now: number;
  readonly boot: number;
  readonly rows: Rows;
  readonly machines: readonly Machine[];
  readonly requests: readonly Request[];
  readonly tasks: readonly Task[];
  readonly lists: readonly SlowList[];
  readonly processes: readonly Process[];
  readonly slots: readonly Slot[];
  readonly budget: Budget;
  /** What the last step did wrong, judged from the truth. */
  readonly wrong: string | null;
}

/**
 * One thing that can happen next. `free`: it happens by itself, without a fault or anybody from outside. By
 * free steps alone everything must end well.
 */
export interface Step {
  readonly words: string;
  readonly free: boolean;
  readonly next: State;
}

export function isAlive(machine: Machine): boolean {
  return machine.status === "running";
}

export function withMachine(state: State, machine: Machine, changes: Partial<Machine>): State {
  const machines = state.machines.map((each) => (each === machine ? { ...each, ...changes } : each));
  return { ...state, machines };
}
