import { randomBytes } from "node:crypto";
import type { Draft } from "../../../../ledger/draft.ts";
import type { Ledger } from "../../../../ledger/ledger.ts";
import type { AccountRow } from "../../../../ledger/rows.ts";
import { milliseconds } from "../../../../service/text/duration.ts";
import { duration } from "../../../fleet/text/format.ts";
import { clean, table } from "../../../fleet/text/text.ts";
import { leftOf } from "../../../orders/held-secret.ts";
import {
  endShares,
  LONGEST_SHARE_MS,
  makeShare,
  newShareSecret,
  sharesOf,
} from "../../../tell/http/reach/share.ts";
import { baseOf } from "../../../tell/http/services.ts";
import { type CliContext, mistake } from "../shared/cli-context.ts";
import { type LedgerFlags, readFleetFile } from "../shared/flags.ts";
import { contextHere, noAccount, withLedger } from "../shared/ledger.ts";

export interface ShareFlags extends LedgerFlags {
  readonly service?: string;
  /** Where people reach the page. */
  readonly url?: string;
  /** A duration such as `72h`. */
  readonly for: string;
  readonly list?: boolean;
  /** The id of a link, or `all`. */
  readonly end?: string;
}

/** `fleetkeeper share`: makes a link that shows the status page to others for some time, and can do nothing. */
export async function shareCommand(flags: ShareFlags, cli: CliContext): Promise<number> {
  const making = flags.list || flags.end !== undefined ? undefined : wanted(flags);
  return withLedger(flags, cli, async (ledger) => {
    const account = await accountOf(ledger, flags);
    if (flags.list) cli.print(listText(account, ledger, cli));
    else if (flags.end !== undefined) await end(flags.end, account, ledger, cli);
    else if (making) await make(making, account, ledger, cli);
    return 0;
  });
}

interface Wanted {
  readonly lasts: number;
  readonly page: URL;
}

function wanted({ url, for: asked, service }: ShareFlags): Wanted {
  const lasts = milliseconds(asked);
  if (!(lasts > 0 && lasts <= LONGEST_SHARE_MS))
    throw mistake(`--for ${asked}: expected a duration such as 30m, 8h or 7d, at most 30d.`);
  if (url === undefined)
    throw mistake("say where people reach the page: --url https://fleet.example.com (or http://HOST:9470).");
  const base = URL.canParse(url) ? new URL(url) : undefined;
  if (
    !base ||
    !/^https?:$/.test(base.protocol) ||
    base.username !== "" ||
    base.password !== "" ||
    base.search !== "" ||
    base.hash !== ""
  )
    throw mistake(`--url ${clean(url)}: expected the address of the page, such as https://fleet.example.com`);
  const folder = base.pathname.replace(/\/+$/, "");
  const page = new URL(`${folder}${service === undefined ? "" : baseOf(service)}/share`, base);
  return { lasts, page };
}

/** The account that the page shows. */
async function accountOf(ledger: Ledger, flags: ShareFlags): Promise<AccountRow> {
  const all = await ledger.accounts();
  if (all.length === 0) throw mistake(noAccount(ledger.location));
  const baseUrl = flags.service === undefined ? undefined : (await readFleetFile(flags))?.service?.baseUrl;
  const accounts = baseUrl === undefined ? all : all.filter((each) => each.baseUrl === baseUrl);
  const [account] = accounts;
  if (account && accounts.length === 1) return account;
  const names = accounts.map(({ email, baseUrl: at }) => `${clean(email)} at ${at}`).join(", ");
  if (baseUrl === undefined)
    throw mistake(
      `a link shows one account, and this ledger has several: ${names}. Say which with --service NAME, a service of the fleet file.`,
    );
  throw mistake(
    accounts.length === 0
      ? `--service ${flags.service}: this ledger has seen no account at ${baseUrl} yet. Start: fleetkeeper agent`
      : `--service ${flags.service}: the ledger cannot tell which account is meant, as several are at one address: ${names}.`,
  );
}

async function make(
  { lasts, page }: Wanted,
  { key }: AccountRow,
  ledger: Ledger,
  cli: CliContext,
): Promise<void> {
  const secret = newShareSecret();
  const id = randomBytes(4).toString("hex");
  await ledger.decide(key, (draft) => makeShare(draft, { id, secret, lasts }, contextHere(cli, ledger)));
  // Behind the #: no browser sends it, so it stands in no log of a proxy.
  cli.print(`${page.href}#${secret}`);
  cli.tell(
    `Whoever has this link reads the page for ${duration(lasts)}, and can do nothing. It is shown only now. It works where the agent has a ` +
      `FLEETKEEPER_HTTP_TOKEN. To end it: fleetkeeper share --end ${id}`,
  );
}

function listText(account: AccountRow, ledger: Ledger, cli: CliContext): string {
  const { now } = contextHere(cli, ledger);
  const open = sharesOf(account, now);
  if (open.length === 0) return "No share link is open.";
  const rows = open.map((share) => [
    share.id,
    new Date(share.made.wall).toISOString(),
    duration(leftOf(share, now)),
  ]);
  return table(["ID", "MADE", "LEFT"], rows);
}

async function end(asked: string, { key }: AccountRow, ledger: Ledger, cli: CliContext): Promise<void> {
  const id = asked === "all" ? undefined : asked;
  const ended = await ledger.decide(key, (draft: Draft) => endShares(draft, id, contextHere(cli, ledger)));
  if (ended.length > 0) cli.print(`Share links that lead nowhere any more: ${ended.join(", ")}.`);
  else if (id === undefined) cli.print("No share link was open.");
  else
    throw mistake(`--end ${clean(id)}: no open share link has this id. fleetkeeper share --list shows them.`);
}
