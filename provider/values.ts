import type { Input } from "@pulumi/pulumi";

/** A value that JSON can carry. */
export type JsonValue =
  | null
  | boolean
  | number
  | string
  | readonly JsonValue[]
  | { readonly [key: string]: JsonValue };

/**
 * How long one method waits: `30m`, `1h30m`, `90s`. Default 30 minutes each. A wait that ends loses nothing:
 * machines stay in the state or in the ledger, and the next pulumi command goes on from there.
 */
export interface Timeouts {
  readonly create?: Input<string> | undefined;
  readonly update?: Input<string> | undefined;
  readonly delete?: Input<string> | undefined;
}
