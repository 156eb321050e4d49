import type { Context } from "../../../launch/facts/context.ts";
import type { Draft } from "../../../ledger/draft.ts";
import { DAY_MS } from "../../../ledger/instant.ts";
import { formatUsd, USD } from "../../../service/contract/money.ts";
import type { Days } from "./spend.ts";
import { type LabelledCosts, labelledCosts } from "./spend-by.ts";

/*
 * What was spent, in the columns of FOCUS 1.2 (FinOps Open Cost and Usage Specification): those that it asks of all data, those of
 * the resource, and its tags. Nobody was billed by it. So the four costs are the one estimate, and what nobody knows is empty.
 */

const COLUMNS = [
  "BilledCost",
  "BillingAccountId",
  "BillingAccountName",
  "BillingCurrency",
  "BillingPeriodEnd",
  "BillingPeriodStart",
  "ChargeCategory",
  "ChargeClass",
  "ChargeDescription",
  "ChargePeriodEnd",
  "ChargePeriodStart",
  "ContractedCost",
  "EffectiveCost",
  "InvoiceIssuerName",
  "ListCost",
  "PricingQuantity",
  "PricingUnit",
  "ProviderName",
  "PublisherName",
  "ResourceId",
  "ResourceName",
  "ResourceType",
  "ServiceCategory",
  "ServiceName",
  "Tags",
] as const;
type Cells = Readonly<Record<(typeof COLUMNS)[number], string>>;

/** A heading, and a row for each day on which a payer paid something under a set of labels. `by`: a label with a column of its own. */
export function focusCsv(
  drafts: Iterable<Draft>,
  days: Days,
  by: string | undefined,
  context: Context,
): string {
  const own = by === undefined ? [] : [`x_${by}`];
  const rows = [...drafts].flatMap((draft) =>
    labelledCosts(draft, context).flatMap((costs) =>
      days.flatMap((begin) => {
        const cells = cellsOf(draft, costs, begin);
        const extra = by === undefined ? [] : [Object.hasOwn(costs.labels, by) ? costs.labels[by] : ""];
        return cells ? [[...COLUMNS.map((column) => cells[column]), ...extra]] : [];
      }),
    ),
  );
  return [[...COLUMNS, ...own], ...rows]
    .map((row) => row.map((cell) => csvCell(cell ?? "")).join(","))
    .join("\n");
}

function cellsOf(
  { account }: Draft,
  { kind, name, labels, paid }: LabelledCosts,
  begin: number,
): Cells | undefined {
  const cost = paid(begin, begin + DAY_MS);
  if (cost.eq(0)) return undefined;
  const usd = formatUsd(cost);
  const { host } = new URL(account.baseUrl);
  const day = new Date(begin);
  const month = (more: number) => Date.UTC(day.getUTCFullYear(), day.getUTCMonth() + more, 1);
  return {
    BilledCost: usd,
    BillingAccountId: account.accountId,
    BillingAccountName: account.email,
    BillingCurrency: account.currency ?? USD,
    BillingPeriodEnd: moment(month(1)),
    BillingPeriodStart: moment(month(0)),
    ChargeCategory: "Usage",
    ChargeClass: "",
    ChargeDescription: `machines of the ${kind} ${name}: an estimate`,
    ChargePeriodEnd: moment(begin + DAY_MS),
    ChargePeriodStart: moment(begin),
    ContractedCost: usd,
    EffectiveCost: usd,
    InvoiceIssuerName: host,
    ListCost: usd,
    PricingQuantity: "",
    PricingUnit: "",
    ProviderName: host,
    PublisherName: host,
    ResourceId: `${kind}:${name}`,
    ResourceName: name,
    ResourceType: kind,
    ServiceCategory: "Compute",
    ServiceName: "GPU machines",
    Tags: JSON.stringify(labels),
  };
}

function moment(wall: number): string {
  return new Date(wall).toISOString().replace(".000Z", "Z");
}

/** A spreadsheet takes what begins so for a formula, and the service and Pulumi programs give some of these texts. */
function csvCell(text: string): string {
  const plain = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\n\r]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain;
}
