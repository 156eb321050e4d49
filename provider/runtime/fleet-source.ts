import type { Ledger } from "../../ledger/index.ts";

/** How the ledger names the resource that declares a fleet. One resource declares one fleet. */
export function sourceOf(id: string): string {
  return `stack:${id}`;
}

/**
 * The account whose rows hold what this source has declared, under whatever name: a rename that did not come to its end
 * leaves another one in the state than in the ledger.
 */
export async function accountOfSource(ledger: Ledger, source: string): Promise<string | undefined> {
  for (const { key } of await ledger.accounts()) {
    const { fleets } = await ledger.read(key);
    if (fleets.some((fleet) => fleet.source === source)) return key;
  }
  return undefined;
}
