import { readDraft } from "../../../ledger/read-draft.ts";
import { billingText } from "../../../service/contract/billing.ts";
import { amountText, USD, usdText } from "../../../service/contract/money.ts";
import { spending } from "../../fleet/spend.ts";
import { type Clean, cleanFor, columns, indent, jsonText } from "../../fleet/text.ts";
import type { AccountSpending, OwnSpend } from "../../json/spend.ts";
import type { CliContext } from "./cli-context.ts";
import type { LedgerFlags } from "./flags.ts";
import { contextHere, noAccount, withLedger } from "./ledger.ts";

export interface SpendFlags extends LedgerFlags {
  readonly json?: boolean;
  readonly days: number;
}

/** `fleetkeeper spend`: what each fleet has cost, day by day, estimated from the ledger. */
export async function spendCommand(flags: SpendFlags, cli: CliContext): Promise<number> {
  return withLedger(flags, cli, async (ledger) => {
    const accounts: AccountSpending[] = [];
    for (const { key, email, baseUrl } of await ledger.accounts()) {
      const draft = await readDraft({ ledger, account: key });
      const { currency = USD, billing } = draft.account;
      accounts.push({
        account: email,
        baseUrl,
        currency,
        billing: billing ? billingText(billing) : null,
        ...spending(draft, flags.days, contextHere(cli, ledger)),
      });
    }
    const currencies = new Set(accounts.map(({ currency }) => currency));
    const currency = currencies.size > 1 ? null : ([...currencies][0] ?? USD);
    if (flags.json) cli.print(jsonText({ ledger: ledger.location, estimate: true, currency, accounts }));
    else if (accounts.length === 0) cli.print(noAccount(ledger));
    else cli.print(accounts.map((each) => format(each, cleanFor(cli))).join("\n\n"));
    return 0;
  });
}

function format(spent: AccountSpending, clean: Clean): string {
  const { account, baseUrl, days, owners, all, currency, billing } = spent;
  const head = `account ${clean(account)} at ${baseUrl}`;
  if (owners.length === 0)
    return [head, "  nothing was launched or adopted by this ledger yet", ...beside(spent)].join("\n");
  const columns = [
    ...owners.map((owner) => ({ title: `${owner.kind} ${clean(owner.name, 60)}`, spend: owner })),
    ...(owners.length > 1 ? [{ title: "all", spend: all }] : []),
  ];
  const rows = [
    ...days.map((day, index) => [day, ...columns.map(({ spend }) => usdText(spend.perDay[index]))]),
    [days.length === 1 ? "1 day" : `${days.length} days`, ...columns.map(({ spend }) => usdText(spend.sum))],
    ["ever", ...columns.map(({ spend }) => usdText(spend.ever))],
  ];
  return [
    `${head}, ${currency}`,
    ...(billing === null
      ? [
          "  ESTIMATE: the service shows no bill. Hours as they begin, in whole, without what is refunded: launches that failed or",
          "  were stopped before they ran, and the unused time of interrupted machines. Days are those of UTC.",
        ]
      : [
          `  ESTIMATE: the service shows no bill. Billed ${billing}, from the launch on, without launches that failed. Days`,
          "  are those of UTC.",
        ]),
    "",
    indent(numbers(["DAY", ...columns.map(({ title }) => title)], rows)),
    ...unpriced(all),
    ...beside(spent),
  ].join("\n");
}

function beside({ unaccounted, currency }: AccountSpending): readonly string[] {
  const { machines, pricePerHour, unpriced: count } = unaccounted;
  if (machines === 0) return [];
  const which = machines === 1 ? "1 machine runs" : `${machines} machines run`;
  const cost = `${amountText(pricePerHour, currency)} an hour${count > 0 ? " or more" : ""}`;
  return [
    "",
    `  Not in these sums: ${which} that nobody here answers for, at ${cost}. See fleetkeeper status.`,
  ];
}

/** A table of amounts after a first column. Decimal points stand below each other. */
function numbers(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const decimals = (cell: string | undefined): number => cell?.split(".")[1]?.length ?? 0;
  const level = rows.map((row) =>
    row.map((cell, column) => {
      const most = Math.max(...rows.map((other) => decimals(other[column])));
      return column === 0 ? cell : cell + " ".repeat(most - decimals(cell));
    }),
  );
  return columns([headings, ...level], 1);
}

function unpriced({ unpriced: count }: OwnSpend): readonly string[] {
  if (count === 0) return [];
  const which = count === 1 ? "1 machine has no price and is" : `${count} machines have no price and are`;
  return [
    "",
    `  AT LEAST this much: ${which} not in these sums. Prices come from the offers, from deployments (profile), or`,
    "  from pricePerHour of a candidate (fleet file).",
  ];
}
