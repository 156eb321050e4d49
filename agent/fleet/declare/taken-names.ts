import type { Ledger } from "../../../ledger/ledger.ts";
import { readDraft } from "../../../ledger/read-draft.ts";
import type { AccountRow } from "../../../ledger/rows.ts";
import { checkBaseUrl } from "../../../service/http/base-url.ts";
import { type FleetDeclaration, isOver } from "./fleets.ts";

/** A fleet of a file whose name the ledger gives to another one. */
export interface TakenName {
  readonly fleet: FleetDeclaration;
  readonly why: string;
}

/** The names that an agent would be refused for, if it declared these fleets from this source at this service. */
export async function takenNames(
  ledger: Pick<Ledger, "accountOfFleet" | "read" | "accounts">,
  fleets: readonly FleetDeclaration[],
  { source, baseUrl }: { readonly source: string; readonly baseUrl: string },
): Promise<readonly TakenName[]> {
  const found: TakenName[] = [];
  for (const fleet of fleets) {
    const account = await ledger.accountOfFleet(fleet.name);
    if (account === undefined) continue;
    const draft = await readDraft({ ledger, account });
    const row = draft.fleets.get(fleet.name);
    if (row && row.source !== source && !isOver(draft, row))
      found.push({ fleet, why: `${row.source} has declared this name in the same ledger` });
    else if (fleet.part === undefined && !isAt(draft.account, baseUrl))
      found.push({
        fleet,
        why: `its name is kept at ${draft.account.baseUrl} in this ledger, and is one account's for good`,
      });
  }
  return found;
}

function isAt(account: Pick<AccountRow, "baseUrl">, baseUrl: string): boolean {
  try {
    return checkBaseUrl(baseUrl) === account.baseUrl;
  } catch {
    // A check of its own says what is wrong with it.
    return true;
  }
}
