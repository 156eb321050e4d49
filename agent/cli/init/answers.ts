import type { Tenure } from "../../../ledger/rows.ts";

/** What a person answered. What is undefined stays open in the files, with its purpose. */
export interface Answers {
  /** The service's name, for messages and the profile's file name. */
  readonly name: string;
  readonly baseUrl: string;
  readonly account: Exclude<Tenure, "unstated">;
  /** The path of an existing profile. Undefined if one is to be written. */
  readonly profile: string | undefined;
  /** Undefined if there is a profile, or nobody knows. */
  readonly auth: { readonly header: string; readonly value: string } | undefined;
  /** JSON Pointer to the array in the answer of GET /api/v1/deployments. */
  readonly items: string | undefined;
  /** Whether one answer holds the whole list. */
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

/** A first guess, shown to the person: `gpus.acme.com` gives acme. An IP address or localhost gives local. */
export function nameOfHost(baseUrl: string): string {
  const { hostname } = new URL(baseUrl);
  const label = /[a-z]/i.test(hostname.split(".").at(-1) ?? "") ? hostname.split(".").at(-2) : undefined;
  return label?.replace(/[^a-z0-9-]/gi, "") || "local";
}
