import { createHash } from "node:crypto";
import type { IntentRow } from "../../ledger/rows.ts";
import type { Abilities, Json } from "../../service/contract/service.ts";
import { canonicalJson } from "../../service/text/json.ts";

type Parameters = Readonly<Record<string, Json>>;
type Names = Pick<Abilities, "parameters">;

/**
 * What an intent keeps of its parameters: enough to tell whether another launch has the same. The values may
 * be secrets of a Pulumi program, and an intent stays for ever.
 */
export function fingerprintOf(parameters: Parameters): string {
  return createHash("sha256").update(canonicalJson(parameters)).digest("hex");
}

/** Those that the wire profile sends: another value of any other one makes no other launch. */
export function sentOf(parameters: Parameters, { parameters: names = [] }: Names): Parameters {
  return Object.fromEntries(Object.entries(parameters).filter(([name]) => names.includes(name)));
}

/** Tells whether an intent was launched with what these would send. Older versions stored the values, or a fingerprint of all. */
export function launchedWith(parameters: Parameters, abilities: Names): (intent: IntentRow) => boolean {
  const prints = [sentOf(parameters, abilities), parameters].map(fingerprintOf);
  return ({ parameters: kept }) => prints.includes(typeof kept === "string" ? kept : fingerprintOf(kept));
}
