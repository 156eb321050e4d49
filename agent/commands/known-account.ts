import type { Configuration } from "../../launch/configuration.ts";
import { DEFAULT_SETTINGS } from "../../launch/context.ts";
import type { Keeper } from "../../launch/keeper.ts";
import { newId, openService } from "../../launch/open.ts";
import { settingsFromEnvironment } from "../../launch/settings-environment.ts";
import type { AccountRow } from "../../ledger/rows.ts";
import type { Edge } from "./edge.ts";
import { ledgerAt } from "./ledger.ts";

/**
 * Runs some work on the account that the ledger knows at this address, before the service is asked whose the key is: an order
 * must not wait for the end of an outage. `work` is given undefined where the ledger knows none there, or several: which of
 * them the key opens only the service can say.
 */
export async function withKnownAccount<T>(
  configuration: Configuration,
  edge: Edge,
  work: (known: { readonly keeper: Keeper; readonly row: AccountRow } | undefined) => Promise<T>,
): Promise<T> {
  const settings = Object.freeze({ ...DEFAULT_SETTINGS, ...settingsFromEnvironment(edge.environment) });
  const { service, clock, close } = openService(configuration, settings);
  const ledger = ledgerAt(configuration.ledger);
  try {
    const here = ((await ledger?.accounts()) ?? []).filter(({ baseUrl }) => baseUrl === service.baseUrl);
    const [row, ...others] = here;
    if (!ledger || !row || others.length > 0) return await work(undefined);
    return await work({ keeper: { ledger, account: row.key, service, clock, settings, newId }, row });
  } finally {
    ledger?.close();
    await close();
  }
}
