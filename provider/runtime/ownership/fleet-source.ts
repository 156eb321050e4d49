import type { Ledger } from "../../../ledger/index.ts";

/** The ledger's name of the resource that declares a fleet. One resource declares one fleet. */
export function sourceOf(id: string): string {
  return `stack:${id}`;
}

/**
 * The account whose rows hold the fleet of this source. Its name is no key: after an interrupted rename,
 * state and ledger name it differently.
 */
export async function accountOfSource(ledger: Ledger, source: string): Promise<string | undefined> {
  for (const { key } of await ledger.accounts()) {
    const { fleets } = await ledger.read(key);
    if (fleets.some((fleet) => fleet.source === source)) return key;
  }
  return undefined;
}
