import { createHash } from "node:crypto";
import type { IntentRow } from "../../ledger/rows.ts";
import type { Json } from "../../service/contract/service.ts";
import { canonicalJson } from "../../service/text/json.ts";

/**
 * What an intent keeps of its parameters: enough to tell whether another launch has the same. The values may
 * be secrets of a Pulumi program, and an intent stays for ever.
 */
export function fingerprintOf(parameters: Readonly<Record<string, Json>>): string {
  return createHash("sha256").update(canonicalJson(parameters)).digest("hex");
}

/** True if the intent's parameters have this fingerprint. Older versions stored the values. */
export function isLaunchedWith({ parameters }: IntentRow, fingerprint: string): boolean {
  return (typeof parameters === "string" ? parameters : fingerprintOf(parameters)) === fingerprint;
}
