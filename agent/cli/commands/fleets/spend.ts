import { amountText, usdText } from "../../../../service/contract/money.ts";
import { budgetTexts } from "../../../fleet/money/budget-facts.ts";
import { type Clean, cleanFor, columns, indent, jsonText } from "../../../fleet/text/text.ts";
import type { AccountSpending, LedgerSpending, OwnSpend, WholeSpend } from "../../../json/spend.ts";
import { asking } from "../shared/asked.ts";
import type { CliContext } from "../shared/cli-context.ts";
import type { LedgerFlags } from "../shared/flags.ts";
import { noAccount } from "../shared/ledger.ts";

export interface SpendFlags extends LedgerFlags {
  readonly json?: boolean;
  readonly days: number;
  readonly month?: string;
  readonly by?: string;
  readonly csv?: boolean;
}

/** `fleetkeeper spend`: what each fleet has cost, day by day, estimated from the ledger. */
export async function spendCommand(flags: SpendFlags, cli: CliContext): Promise<number> {
  const { days, month, by } = flags;
  if (flags.csv)
    return asking("spend-rows", { days, month, by }, flags, cli, async (ask) => {
      const rows = await ask();
      cli.print(rows.csv);
      // A file has no place for it: what has no price stands in none of its rows.
      for (const count of rows.unpriced)
        for (const line of unpriced(count)) if (line !== "") cli.tell(line.trim());
      return 0;
    });
  return asking("spend", { days, month, by }, flags, cli, async (ask) => {
    const spent = await ask();
    if (flags.json) cli.print(jsonText(spent));
    else cli.print(textOf(spent, cleanFor(cli)));
    return 0;
  });
}

function textOf({ ledger, wholes, accounts }: LedgerSpending, clean: Clean): string {
  if (accounts.length === 0) return noAccount(ledger);
  const texts = [
    ...wholes.map((each) => formatWhole(each, clean)),
    ...accounts.map((each) => format(each, clean)),
  ];
  return texts.join("\n\n");
}

function format(spent: AccountSpending, clean: Clean): string {
  const { account, baseUrl, days, owners, all, by, currency, billing } = spent;
  const head = `account ${clean(account)} at ${baseUrl}`;
  if (owners.length === 0)
    return [head, "  nothing was launched or adopted by this ledger yet", ...beside(spent)].join("\n");
  const parts = by
    ? by.rows.map((row) => ({
        title: row.value === null ? `no ${by.label}` : `${by.label} ${row.value}`,
        spend: row,
      }))
    : owners.map((owner) => ({ title: `${owner.kind} ${clean(owner.name, 60)}`, spend: owner }));
  const columns = [...parts, ...(parts.length > 1 ? [{ title: "all", spend: all }] : [])];
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
    indent(byDay(days, columns)),
    ...unpriced(all.unpriced),
    ...limits(spent, clean),
    ...beside(spent),
  ].join("\n");
}

/** What a fleet over several services has cost, a column for each of them. */
function formatWhole({ name, currency, days, services, all }: WholeSpend, clean: Clean): string {
  const columns = [
    ...services.map((spend) => ({ title: clean(spend.service, 60), spend })),
    { title: "all", spend: all },
  ];
  return [
    `fleet ${clean(name)} over ${services.length === 1 ? "1 service" : `${services.length} services`}, ${currency}, an estimate`,
    indent(byDay(days, columns)),
    ...unpriced(all.unpriced),
  ].join("\n");
}

interface SpendColumn {
  readonly title: string;
  readonly spend: OwnSpend;
}

function byDay(days: readonly string[], columns: readonly SpendColumn[]): string {
  return numbers(
    ["DAY", ...columns.map(({ title }) => title)],
    [
      ...days.map((day, index) => [day, ...columns.map(({ spend }) => usdText(spend.perDay[index]))]),
      [
        days.length === 1 ? "1 day" : `${days.length} days`,
        ...columns.map(({ spend }) => usdText(spend.sum)),
      ],
      ["ever", ...columns.map(({ spend }) => usdText(spend.ever))],
    ],
  );
}

function limits({ budgets, currency }: AccountSpending, clean: Clean): readonly string[] {
  if (budgets.length === 0) return [];
  return ["", ...budgetTexts(budgets, currency, clean).map((text) => `  limit of ${text}`)];
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

function unpriced(count: number): readonly string[] {
  if (count === 0) return [];
  const which = count === 1 ? "1 machine has no price and is" : `${count} machines have no price and are`;
  return [
    "",
    `  AT LEAST this much: ${which} not in these sums. Prices come from the offers, from deployments (profile), or`,
    "  from pricePerHour of a candidate (fleet file).",
  ];
}
