import type { Tenure } from "../../../ledger/rows.ts";

/** What a person knows, and no more: what is undefined is left open in the files, with what it is for. */
export interface Answers {
  /** Of the service: for messages and the profile's file name. */
  readonly name: string;
  readonly baseUrl: string;
  readonly account: Exclude<Tenure, "unstated">;
  /** The path of a profile that is there already; undefined: one is written. */
  readonly profile: string | undefined;
  /** Undefined where a profile is there already, or nobody knows. */
  readonly auth: { readonly header: string; readonly value: string } | undefined;
  /** Where GET /api/v1/deployments carries its array. */
  readonly items: string | undefined;
  /** One answer holds the whole list. */
  readonly whole: boolean;
  readonly fleet: FleetAnswer | undefined;
}

export interface FleetAnswer {
  readonly name: string;
  readonly gpus: number;
  readonly source:
    | { readonly gpuModel: string }
    | { readonly offer: string; readonly provider: string; readonly location: string; readonly gpus: number };
}

/** A first guess that the person sees: `gpus.acme.com` is acme's; an address of this machine is local. */
export function nameOfHost(baseUrl: string): string {
  const { hostname } = new URL(baseUrl);
  const label = /[a-z]/i.test(hostname.split(".").at(-1) ?? "") ? hostname.split(".").at(-2) : undefined;
  return label?.replace(/[^a-z0-9-]/gi, "") || "local";
}
