import { type Draft, type FleetRow, type Ledger, readDraft } from "../../../ledger/index.ts";

/** The ledger's name of the resource that declares a fleet. One resource declares one fleet. */
export function sourceOf(id: string): string {
  return `stack:${id}`;
}

/** A fleet's row, and the rows of the account that has it. */
export interface Seen {
  readonly account: string;
  readonly draft: Draft;
  readonly fleet: FleetRow;
}

/**
 * The rows of this source's fleet, in any account: several of a fleet in several services, with the first part before the others.
 * Its name is no key: after an interrupted rename, state and ledger name it differently.
 */
export async function seenOf(ledger: Ledger, source: string): Promise<readonly Seen[]> {
  const seen: Seen[] = [];
  for (const { key: account } of await ledger.accounts()) {
    const draft = await readDraft({ ledger, account });
    for (const fleet of draft.fleets.values())
      if (fleet.source === source) seen.push({ account, draft, fleet });
  }
  return seen.sort((one, other) => Number(isPartOfOther(one)) - Number(isPartOfOther(other)));
}

function isPartOfOther({ fleet }: Seen): boolean {
  return fleet.part !== undefined && fleet.part.of !== fleet.name;
}
