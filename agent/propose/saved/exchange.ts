import type { Json } from "../../../service/contract/service.ts";
import type { CallName } from "../../../service/profile/calls.ts";

/** What an answer or a request is about. Each may be said: `--from launch=FILE`. */
export const KINDS = [
  "account",
  "balance",
  "deployments",
  "deployment",
  "offers",
  "launch",
  "stop",
  "error",
] as const;
export type Kind = (typeof KINDS)[number];

/** What the answer to a call is about. */
export function kindOf(name: CallName): Kind {
  return name === "list" ? "deployments" : name === "get" ? "deployment" : name;
}

/** A request and its answer as a file shows them. One of the two may not be in it. */
export interface Exchange {
  readonly request: SavedRequest | undefined;
  readonly answer: SavedAnswer | undefined;
}

export interface SavedRequest {
  readonly method: string;
  /** As written: it may hold variables of a shell, and need not begin with `https://`. */
  readonly url: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: string | undefined;
}

export interface SavedAnswer {
  /** Undefined if the file has the body alone. */
  readonly status: number | undefined;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Undefined if the body is no JSON: `trouble` says why, and quotes nothing of it. */
  readonly json: Json | undefined;
  readonly trouble?: string | undefined;
}
