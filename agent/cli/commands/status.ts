import { readDraft } from "../../../ledger/read-draft.ts";
import { clean, cleanFor, jsonText, paintIf } from "../../fleet/text.ts";
import type { LedgerStatus } from "../../json/status.ts";
import { newestEvents } from "../../status/newest-events.ts";
import { namePrefix } from "../../status/owner-names.ts";
import { statusText } from "../../status/status-text.ts";
import { wholeText } from "../../status/whole-text.ts";
import { asking } from "./asked.ts";
import type { CliContext } from "./cli-context.ts";
import type { LedgerFlags } from "./flags.ts";
import { noAccount, withLedger } from "./ledger.ts";
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
  return withLedger(flags, cli, async (ledger) => {
    for (const { key, email } of await ledger.accounts()) {
      const events = [...(await newestEvents(ledger, key, flags))].reverse();
      if (flags.json) {
        for (const event of events) cli.print(jsonText({ account: email, ...event }, 0));
        continue;
      }
      cli.print(`account ${clean(email)}`);
      const draft = await readDraft({ ledger, account: key });
      if (events.length === 0) cli.print("  nothing has happened yet");
      for (const { at, kind, owner, text, actor } of events) {
        const what = clean(text, kind === "support" ? LONGEST_REQUEST : undefined);
        const by = actor === undefined ? "" : ` (${clean(actor)})`;
        cli.print(
          `  ${new Date(at).toISOString()} ${clean(namePrefix(draft, owner), 40)}${kind}: ${what}${by}`,
        );
      }
    }
    return 0;
  });
}
