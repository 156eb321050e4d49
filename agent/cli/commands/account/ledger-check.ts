import { locationOf, openAllRows } from "../../../../account/open-ledger.ts";
import { checkLedger } from "../../../../ledger/check.ts";
import { sealedError } from "../../../../ledger/copy.ts";
import { cleanFor } from "../../../fleet/text/text.ts";
import type { CliContext } from "../shared/cli-context.ts";
import { closing } from "../shared/closing.ts";
import type { LedgerFlags } from "../shared/flags.ts";
import { ledgerOf } from "../shared/ledger.ts";
import { countsText } from "./ledger-copy.ts";

/** `fleetkeeper ledger check`: reads every row of the ledger. 1 if something is wrong with it. */
export async function ledgerCheckCommand(flags: LedgerFlags, cli: CliContext): Promise<number> {
  const { place } = await ledgerOf(flags, cli);
  const clean = cleanFor(cli);
  return closing(await openAllRows(place, { purpose: "look" }), async (ledger) => {
    cli.print(
      `${clean(locationOf(place))}: ledger ${clean(ledger.id)}, made ${new Date(ledger.created).toISOString()}, ` +
        `version ${ledger.version}`,
    );
    if (ledger.seal) throw sealedError(ledger.location, ledger.seal);
    const { counts, problems, refused } = await checkLedger(ledger);
    cli.print(countsText(counts));
    for (const problem of problems) cli.print(`  wrong: ${clean(problem)}`);
    for (const each of refused)
      cli.print(`  halted: a decision was refused by a rule of money: ${clean(each)}`);
    if (refused.length > 0) cli.print("Please report this. Then: fleetkeeper resume");
    cli.print(
      problems.length === 0
        ? "Every row can be read, and machines and launches name each other."
        : "Restore it from a backup: docs/reference/ledgers.md says how, and what follows from it.",
    );
    return problems.length === 0 ? 0 : 1;
  });
}
