import type { ActiveState, Combination, TerminalState } from "../service/contract.ts";
import type { Bill } from "./bill.ts";
import type { Failure } from "./failures.ts";
import type { Json } from "./json.ts";

/** The specification's states, and the stopped one, whose wire name is each dialect's own. */
export type MachineState = ActiveState | TerminalState | "stopped";

/** Who launched it: a request by its number in the journal, or a person in the dashboard. */
export type Origin = { readonly by: "request"; readonly number: number } | { readonly by: "hand" };

export interface Machine {
  readonly number: number;
  /** Changes only where control gives it to another machine. */
  id: string;
  /** The account's id. */
  readonly account: string;
  readonly combination: Combination;
  readonly gpus: number;
  readonly gpuModel: string;
  readonly committedAt: number;
  readonly origin: Origin;
  readonly marker: Json | undefined;
  readonly parameters: Readonly<Record<string, Json>>;
  readonly bill: Bill;
  /** Every state with its time; the last one is the present. */
  readonly states: { readonly state: MachineState; readonly at: number }[];
  /** How each of its states looks, made at the first look: a service that forgets nothing has long lists. */
  readonly views: MachineView[];
  failure: Failure | undefined;
  stopReason: string | undefined;
  /** When the provider lost it, though the service may not know yet. */
  lostAt: number | undefined;
  /** Absent from lists, by control. */
  hidden: boolean;
  /** Absent from every answer, by control. */
  forgotten: boolean;
  /** Every answer shows it in this state while it runs, by control. */
  shownAs: MachineState | undefined;
}

/** One machine as the service shows it at some moment, before any dialect puts it into its own words. */
export interface MachineView {
  readonly id: string;
  readonly status: MachineState;
  readonly failure: Failure | undefined;
  readonly stopReason: string | undefined;
  readonly combination: Combination;
  readonly gpus: number;
  readonly gpuModel: string;
  readonly pricePerHour: string;
  readonly marker: Json | undefined;
  readonly createdAt: number;
  readonly connection: { readonly host: string; readonly port: number; readonly user: string } | undefined;
}

export function stateOf(machine: Machine): MachineState {
  return machine.states.at(-1)?.state ?? "initializing";
}

export function beforeRunning(state: MachineState): boolean {
  return state === "initializing" || state === "provisioning" || state === "connecting";
}

export function hasEnded(state: MachineState): boolean {
  return state === "failed" || state === "interrupted" || state === "stopped";
}

/** The one place where a state changes. */
export function enter(machine: Machine, state: MachineState, at: number): void {
  machine.states.push({ state, at });
}

/** What the service showed at this time; undefined before the machine was there. */
export function viewAt(machine: Machine, at: number): MachineView | undefined {
  const index = machine.states.findLastIndex((entry) => entry.at <= at);
  if (index === -1) return undefined;
  if (machine.shownAs !== undefined && machine.states[index]?.state === "running")
    return viewOf(machine, machine.shownAs);
  machine.views[index] ??= viewOf(machine, machine.states[index]?.state ?? "initializing");
  return machine.views[index];
}

function viewOf(machine: Machine, status: MachineState): MachineView {
  const host = `${machine.id.slice(0, 8)}.${machine.combination.location}.example`;
  return Object.freeze({
    id: machine.id,
    status,
    failure: status === "failed" ? machine.failure : undefined,
    stopReason: status === "stopped" || status === "interrupted" ? machine.stopReason : undefined,
    combination: machine.combination,
    gpus: machine.gpus,
    gpuModel: machine.gpuModel,
    pricePerHour: machine.bill.pricePerHour.toFixed(4),
    marker: machine.marker,
    createdAt: machine.committedAt,
    connection: status === "running" ? { host, port: 22, user: "root" } : undefined,
  });
}
