import type { Combination } from "../service/contract/contract.ts";
import type { Usd } from "../service/contract/money.ts";
import type { HttpResponse } from "../service/contract/transport.ts";
import type { AccountState } from "./account.ts";
import type { Terms } from "./bill.ts";
import type { Json } from "./json.ts";
import type { MachineView } from "./machine.ts";
import type { Listing } from "./market.ts";
import type { RefusalReason } from "./refusal-reason.ts";

/**
 * One way to write what the specification does not show. It reads a request into an operation, and writes a
 * result into an answer. It never sees the model.
 */
export interface Dialect {
  readonly name: string;
  /** How the service bills time. Undefined: as the specification has it. */
  readonly terms?: Terms | undefined;
  /** The API key that the request carries, read as this dialect sends it. */
  credential(request: WireRequest): string | undefined;
  /** The answer to a request for a token, where this dialect gives tokens. `isKey`: true for a key that it knows. */
  token?(request: WireRequest, isKey: (key: string) => boolean): HttpResponse | undefined;
  read(request: WireRequest): Operation | RefusalReason;
  /** True for a request to launch, understood or not. Absent: the one of the specification is. */
  isLaunch?(request: WireRequest): boolean;
  write(result: Result, request: WireRequest): HttpResponse;
}

/** A request as every dialect sees it. Header names are in lower case. */
export interface WireRequest {
  readonly method: string;
  readonly origin: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  /** The service's time. */
  readonly now: number;
}

export type Operation =
  | { readonly kind: "account" | "balance" }
  /** `continues`: not the first page. It shows the same state of the service as the first page did. */
  | { readonly kind: "deployments" | "offers"; readonly continues: boolean }
  | { readonly kind: "deployment" | "stop"; readonly id: string }
  | {
      readonly kind: "launch";
      readonly combination: Combination;
      readonly marker: Json | undefined;
      /** Where the client chooses the id. */
      readonly id?: string | undefined;
      readonly parameters: Readonly<Record<string, Json>>;
    };

export type Result =
  | RefusalReason
  | { readonly kind: "account"; readonly account: AccountState; readonly balance: Usd }
  | { readonly kind: "balance"; readonly balance: Usd }
  /** Always all of them, oldest first. The dialect makes pages and chooses the order. */
  | { readonly kind: "deployments"; readonly machines: readonly MachineView[] }
  | { readonly kind: "offers"; readonly listings: readonly Listing[] }
  | { readonly kind: "deployment" | "launched" | "stopping"; readonly machine: MachineView };
