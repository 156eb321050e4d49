import type { Combination } from "../service/contract.ts";
import type { Usd } from "../service/money.ts";
import type { HttpResponse } from "../service/transport.ts";
import type { AccountState } from "./account.ts";
import type { Json } from "./json.ts";
import type { MachineView } from "./machine.ts";
import type { Listing } from "./market.ts";
import type { RefusalReason } from "./refusal-reason.ts";

/**
 * One way to put on the wire what the specification does not show. It reads a request into an operation and
 * writes a result into an answer; it never sees the model.
 */
export interface Dialect {
  readonly name: string;
  /** The API key that the request carries in the way of this dialect. */
  credential(request: WireRequest): string | undefined;
  read(request: WireRequest): Operation | RefusalReason;
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
  /** `continues`: a page that is not the first one; it goes on in the world that the first page showed. */
  | { readonly kind: "deployments" | "offers"; readonly continues: boolean }
  | { readonly kind: "deployment" | "stop"; readonly id: string }
  | {
      readonly kind: "launch";
      readonly combination: Combination;
      readonly marker: Json | undefined;
      readonly parameters: Readonly<Record<string, Json>>;
    };

export type Result =
  | RefusalReason
  | { readonly kind: "account"; readonly account: AccountState }
  | { readonly kind: "balance"; readonly balance: Usd }
  /** Always whole and oldest first: pages and order are the dialect's. */
  | { readonly kind: "deployments"; readonly machines: readonly MachineView[] }
  | { readonly kind: "offers"; readonly listings: readonly Listing[] }
  | { readonly kind: "deployment" | "launched" | "stopping"; readonly machine: MachineView };
