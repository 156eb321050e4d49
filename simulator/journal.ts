import type { Combination } from "../service/contract/contract.ts";
import type { Fault, Target } from "./faults.ts";
import type { Json } from "./json.ts";

/** One launch request that a client tried, and what truly happened to it. */
export interface LaunchEntry {
  readonly number: number;
  readonly at: number;
  /** The account's id. Undefined without a valid key. */
  readonly account: string | undefined;
  /** Undefined if the body was not understood. */
  readonly combination: Combination | undefined;
  readonly marker: Json | undefined;
  readonly parameters: Readonly<Record<string, Json>>;
  readonly fault: Fault | undefined;
  outcome: LaunchOutcome;
  /** The id that it was accepted with before a machine was looked for: the fault "vanish". */
  promised?: string;
  /** What the client got. */
  answer: { readonly kind: "answer"; readonly status: number } | { readonly kind: "drop" | "refuse" };
}

export type LaunchOutcome =
  | { readonly kind: "committed"; readonly id: string; readonly at: number }
  /** No answer was sent; it will be tried at that time. */
  | { readonly kind: "pending"; readonly due: number }
  /** The service refused; `problem` says why. */
  | { readonly kind: "refused"; readonly problem: string }
  /** A fault kept it from taking effect. */
  | { readonly kind: "lost" };

/** A fault that truly happened. */
export interface FaultEntry {
  readonly at: number;
  readonly target: Target;
  /** Counts the requests of this kind; the first one is 1. */
  readonly number: number;
  readonly fault: Fault;
}

/** What clients asked for. Part of the ground truth. */
export interface Journal {
  readonly launches: LaunchEntry[];
  readonly faults: FaultEntry[];
  /** How many requests of each kind came, faulty ones included. */
  readonly counts: Record<Target, number>;
}

export function createJournal(): Journal {
  return {
    launches: [],
    faults: [],
    counts: { account: 0, balance: 0, launch: 0, deployments: 0, deployment: 0, offers: 0, stop: 0 },
  };
}
