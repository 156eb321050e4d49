import type { ActiveState, Combination, TerminalState } from "../service/contract/contract.ts";
import type { Bill } from "./bill.ts";
import type { Failure } from "./failures.ts";
import type { Json } from "./json.ts";

/** The specification's states, and "stopped" and "halted" (billed on, and not serving), for which each dialect has its own words. */
export type MachineState = ActiveState | TerminalState | "stopped" | "halted";

/** Who launched it: a request by its number in the journal, or a person in the dashboard. */
export type Origin = { readonly by: "request"; readonly number: number } | { readonly by: "hand" };

export interface Machine {
  readonly number: number;
  /** Changes only when the control `giveAnew` gives it to another machine. */
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
  /** Every state with its time. The last one is the present state. */
  readonly states: { readonly state: MachineState; readonly at: number }[];
  /** How each of its states looks, made when first asked for: lists are long, nothing is forgotten. */
  readonly views: MachineView[];
  failure: Failure | undefined;
  stopReason: string | undefined;
  /** When the provider lost it. The service may not know yet. */
  lostAt: number | undefined;
  /** Set by control: lists leave it out. */
  hidden: boolean;
  /** Set by control: every answer leaves it out. */
  forgotten: boolean;
  /** Set by control: every answer shows it in this state while it runs. */
  shownAs: MachineState | undefined;
}

/** One machine as the service shows it at some moment, before a dialect puts it into words. */
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

/** True while its hours pass. */
export function isInUse(state: MachineState): boolean {
  return state === "running" || state === "halted";
}

export function hasEnded(state: MachineState): boolean {
  return state === "failed" || state === "interrupted" || state === "stopped";
}

/** Every change of state goes through here. */
export function enter(machine: Machine, state: MachineState, at: number): void {
  machine.states.push({ state, at });
}

/** What the service showed at this time. Undefined before the machine existed. */
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
