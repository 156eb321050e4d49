import { clean, cleanFor, jsonText, paintIf } from "../../../fleet/text/text.ts";
import type { LedgerStatus } from "../../../json/status.ts";
import { statusText } from "../../../status/status-text.ts";
import { wholeText } from "../../../status/whole-text.ts";
import { asking } from "../shared/asked.ts";
import type { CliContext } from "../shared/cli-context.ts";
import type { LedgerFlags } from "../shared/flags.ts";
import { noAccount } from "../shared/ledger.ts";
import { watchScreen } from "./watch-screen.ts";

export interface StatusFlags extends LedgerFlags {
  readonly json?: boolean;
  readonly watch?: boolean;
}

/** `fleetkeeper status`: what the ledger knows, without the service. `--watch`: again when it changes. */
export async function statusCommand(flags: StatusFlags, cli: CliContext): Promise<number> {
  return asking("status", {}, flags, cli, async (ask) => {
    if (flags.watch) await watchScreen(async () => textOf(await ask(), cli), cli);
    else if (flags.json) cli.print(jsonText(await ask()));
    else cli.print(textOf(await ask(), cli));
    return 0;
  });
}

function textOf({ ledger, wholes, accounts }: LedgerStatus, cli: CliContext): string {
  if (accounts.length === 0) return noAccount(ledger);
  const paint = paintIf(cli.color);
  const texts = [
    ...wholes.map((each) => wholeText(each, paint, cleanFor(cli))),
    ...accounts.map((each) => statusText(each, Date.now(), paint, cleanFor(cli))),
  ];
  return `ledger ${clean(ledger, 500)}\n${texts.join("\n\n")}`;
}

/** A text for the service's support is to be copied whole. */
const LONGEST_REQUEST = 4000;

/** `fleetkeeper history`: what happened, the newest last. */
export async function historyCommand(
  flags: StatusFlags & { readonly limit: number; readonly by?: string },
  cli: CliContext,
): Promise<number> {
  const clean = cleanFor(cli);
  const { limit, by } = flags;
  return asking("history", { limit, by }, flags, cli, async (ask) => {
    const { accounts } = await ask();
    for (const { account, events } of accounts) {
      if (flags.json) {
        for (const event of events) cli.print(jsonText(event, 0));
        continue;
      }
      cli.print(`account ${clean(account)}`);
      if (events.length === 0) cli.print("  nothing has happened yet");
      for (const { at, kind, name, text, actor } of events) {
        const what = clean(text, kind === "support" ? LONGEST_REQUEST : undefined);
        const by = actor === undefined ? "" : ` (${clean(actor)})`;
        const whose = name === null ? "" : `${clean(name, 40)} `;
        cli.print(`  ${new Date(at).toISOString()} ${whose}${kind}: ${what}${by}`);
      }
    }
    return 0;
  });
}
