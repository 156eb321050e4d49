import { randomBytes } from "node:crypto";
import { DAY_MS } from "../../../../ledger/instant.ts";
import type { Ledger } from "../../../../ledger/ledger.ts";
import type { Right } from "../../../../ledger/rows.ts";
import { milliseconds } from "../../../../service/text/duration.ts";
import { FLEETS } from "../../../fleet/file/trusted-issuers.ts";
import { duration } from "../../../fleet/text/format.ts";
import { clean, table } from "../../../fleet/text/text.ts";
import { leftOf } from "../../../orders/held-secret.ts";
import { makeToken, newTokenSecret, revokeToken, scopeText, tokensOf } from "../../../orders/tokens.ts";
import { type CliContext, mistake } from "../shared/cli-context.ts";
import type { LedgerFlags } from "../shared/flags.ts";
import { contextHere, noAccount, withLedger } from "../shared/ledger.ts";

export interface TokenFlags extends LedgerFlags {
  readonly name: string;
  readonly may: Right;
  readonly fleets?: readonly string[];
  /** A duration such as `90d`. */
  readonly for: string;
}

const LONGEST_MS = 365 * DAY_MS;

/** `fleetkeeper token create`: lets a program or a person order something of the agent. Its secret is shown once. */
export async function tokenCreateCommand(flags: TokenFlags, cli: CliContext): Promise<number> {
  const { name, may, fleets } = flags;
  const lasts = milliseconds(flags.for);
  if (!(lasts > 0 && lasts <= LONGEST_MS))
    throw mistake(`--for ${clean(flags.for)}: expected a duration such as 12h or 90d, at most 365d.`);
  for (const pattern of fleets ?? [])
    if (!FLEETS.test(pattern))
      throw mistake(
        `--fleets ${clean(pattern)}: expected a fleet's name, in which * stands for anything, such as 'train-*'.`,
      );
  if (may === "admin" && fleets)
    throw mistake(
      "--may admin: it may stop everything of the account, so --fleets says nothing. Leave one of them out.",
    );
  return withLedger(flags, cli, async (ledger) => {
    const accounts = await accountsOf(ledger);
    const secret = newTokenSecret();
    const id = randomBytes(4).toString("hex");
    const token = { id, name, may, lasts, secret, ...(fleets && { fleets }) };
    for (const account of accounts)
      await ledger.decide(account, (draft) => makeToken(draft, token, contextHere(cli, ledger)));
    cli.print(secret);
    cli.tell(
      `Whoever has it may ${may}${scopeText(token)}, for ${duration(lasts)}. It is shown only now. ` +
        `The agent takes it as a bearer token at /api/v1, and on its page at /sign-in. To end it: fleetkeeper token revoke ${name}`,
    );
    return 0;
  });
}

/** `fleetkeeper token list`: the tokens that are open. */
export async function tokenListCommand(flags: LedgerFlags, cli: CliContext): Promise<number> {
  return withLedger(flags, cli, async (ledger) => {
    const { now } = contextHere(cli, ledger);
    const all = new Map<string, readonly string[]>();
    for (const key of await accountsOf(ledger))
      for (const token of tokensOf((await ledger.read(key)).account, now))
        all.set(token.id, [
          clean(token.name),
          token.may,
          clean(token.fleets?.join(", ") ?? "all"),
          new Date(token.made.wall).toISOString(),
          duration(leftOf(token, now)),
        ]);
    cli.print(
      all.size === 0
        ? "No token is open."
        : table(["NAME", "MAY", "FLEETS", "MADE", "LEFT"], [...all.values()]),
    );
    return 0;
  });
}

/** `fleetkeeper token revoke NAME`: it opens nothing any more, from now on. */
export async function tokenRevokeCommand(name: string, flags: LedgerFlags, cli: CliContext): Promise<number> {
  return withLedger(flags, cli, async (ledger) => {
    let isEnded = false;
    for (const account of await accountsOf(ledger))
      isEnded =
        (await ledger.decide(account, (draft) => revokeToken(draft, name, contextHere(cli, ledger)))) ||
        isEnded;
    if (!isEnded)
      throw mistake(`${clean(name)}: no open token has this name. fleetkeeper token list shows them.`);
    cli.print(`${clean(name)} opens nothing any more.`);
    return 0;
  });
}

/** A token is of all accounts of the ledger: an agent with several services has one of each. Throws CONFIG if there is none. */
async function accountsOf(ledger: Ledger): Promise<readonly string[]> {
  const keys = (await ledger.accounts()).map(({ key }) => key);
  if (keys.length === 0) throw mistake(noAccount(ledger.location));
  return keys;
}
