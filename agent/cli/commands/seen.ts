import type { Ledger } from "../../../ledger/ledger.ts";
import { readDraft } from "../../../ledger/read-draft.ts";
import { clean } from "../../fleet/text.ts";
import { putAway } from "../../status/seen.ts";
import type { CliContext } from "./cli-context.ts";
import { mistake } from "./cli-context.ts";
import type { LedgerFlags } from "./flags.ts";
import { contextHere, withLedger } from "./ledger.ts";

/** `fleetkeeper seen [ID]`: puts away one failure for the service's support, or all. */
export async function seenCommand(
  id: string | undefined,
  flags: LedgerFlags,
  cli: CliContext,
): Promise<number> {
  return withLedger(flags, cli, async (ledger) => {
    const put: string[] = [];
    for (const account of await accountsOf(ledger, id))
      put.push(...(await ledger.decide(account, (draft) => putAway(draft, id, contextHere(cli, ledger)))));
    cli.print(
      put.length > 0
        ? `Put away: ${put.map((each) => clean(each)).join(", ")}. It stays in fleetkeeper history.`
        : "There was nothing to put away.",
    );
    return 0;
  });
}

async function accountsOf(ledger: Ledger, id: string | undefined): Promise<readonly string[]> {
  return id === undefined
    ? (await ledger.accounts()).map(({ key }) => key)
    : [await accountKnowing(ledger, id)];
}

/** The account that has this deployment. Throws CONFIG if none has. */
export async function accountKnowing(ledger: Ledger, id: string): Promise<string> {
  for (const { key } of await ledger.accounts())
    if ((await readDraft({ ledger, account: key })).deployments.ever(id) !== undefined) return key;
  throw mistake(`${id}: this ledger knows no such deployment.`);
}
