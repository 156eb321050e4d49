import type { Draft } from "../../../../ledger/draft.ts";
import type { DeploymentRow } from "../../../../ledger/rows.ts";
import { combinationText } from "../../../../service/contract/contract.ts";
import { parsePrice, type Usd, ZERO_USD } from "../../../../service/contract/money.ts";
import { counted } from "../../../../service/text/counted.ts";
import { hourly, moneyOf } from "../../../fleet/money/money.ts";
import { moneyText } from "../../../fleet/text/format.ts";
import { gpusText } from "../../../fleet/text/text.ts";
import type { PlanFacts } from "../../../json/plan.ts";
import type { Foreseen } from "../../../orders/foresee.ts";
import { fleetOfMachine } from "../../../orders/order.ts";
import { otherLedgerTexts, takeTexts } from "../../../planning/told/takes.ts";
import { emergencyStop } from "../../../status/emergency-stop.ts";
import type { Basics } from "../pages/basics.ts";
import { type Content, type Html, html } from "../pages/html.ts";
import { machineLink } from "../pages/links.ts";
import type { Asked } from "./asked.ts";

/** So many lines of one plan are shown. */
const MOST_LINES = 20;

/** What an order would have the agent do, in the words of its plan and in money. */
export function aheadHtml(basics: Basics, asked: Asked, foreseen: Foreseen): Html {
  const { draft } = basics;
  const { warning, believed, fleets } = foreseen;
  const own = fleetAbout(draft, asked);
  const shown = fleets.filter(
    ({ fleet, launches, stops }) => fleet === own || launches.length + stops.length > 0,
  );
  const ended = endedBy(basics, asked, foreseen);
  const isAdopted = asked.act.order.name === "adopt" && ended.length > 0;
  return html`${warning !== null && html`<p class="told warn">${basics.words(warning)}</p>`}
${!believed && html`<p class="told warn">The newest list is not believed: an agent does nothing before another one agrees with it.</p>`}
${isAdopted && html`<p class="told warn">Because of it ${ended.length === 1 ? "this machine is" : `these ${ended.length} machines are`} stopped: ${list(ended)}.</p>`}
${money(draft, shown, ended)}
${shown.map((each) => planHtml(basics, each))}`;
}

/** The fleet whose plan is shown, whatever it says. */
function fleetAbout(draft: Draft, { act: { order }, target, chosen: { by } }: Asked): string | undefined {
  if (order.about !== "deployment") return target;
  return order.name === "adopt" ? by?.replace(/^fleet:/, "") : fleetOfMachine(draft, target);
}

/** The machines that the order itself ends, beside what the plans say. */
function endedBy(
  { draft, context }: Basics,
  { act: { order }, target }: Asked,
  { answer }: Foreseen,
): readonly DeploymentRow[] {
  const rows = (ids: readonly string[]): readonly DeploymentRow[] =>
    ids.flatMap((id) => draft.deployments.ever(id) ?? []).filter(({ end }) => end === null);
  if (order.name === "stop")
    return order.about === "account" ? emergencyStop(draft, context).machines : rows([target]);
  if (order.name !== "adopt") return [];
  return rows((answer as { readonly stops?: readonly string[] }).stops ?? []);
}

function list(rows: readonly DeploymentRow[]): Content {
  const more = rows.length - MOST_LINES;
  return [
    rows.slice(0, MOST_LINES).map(({ id }, index) => [index > 0 && ", ", machineLink(id)]),
    more > 0 && ` and ${more} more`,
  ];
}

function money(draft: Draft, plans: readonly PlanFacts[], ended: readonly DeploymentRow[]): Html {
  const { currency } = draft.account;
  const stopped = new Map(ended.map((row) => [row.id, row]));
  for (const { id } of plans.flatMap(({ stops }) => stops)) {
    const row = draft.deployments.ever(id);
    if (row && row.end === null) stopped.set(id, row);
  }
  const less = hourly(draft, [...stopped.values()]);
  const { launches, more, unpriced } = launchedBy(plans);
  const changed = (count: number, price: Usd, unknown: number, way: string): Html =>
    html`${count === 1 ? "1 machine" : `${count} machines`}, <strong>${anHour(price, unknown, count, currency)}</strong>${unknown < count && ` ${way}`}`;
  const calm = launches.length + stopped.size === 0;
  return html`<dl class="facts">${calm && row("At once", "nothing is launched or stopped")}${
    launches.length > 0 && row("Launched", changed(launches.length, more, unpriced, "more"))
  }${
    stopped.size > 0 && row("Stopped", changed(stopped.size, less.perHour, less.unpriced, "less"))
  }${row("Spent now", `${moneyText(moneyOf(draft).perHour, currency)} an hour in the whole account`)}</dl>`;
}

function launchedBy(plans: readonly PlanFacts[]) {
  const launches = plans.flatMap((each) => each.launches);
  const prices = launches.flatMap(({ pricePerHour }) => parsePrice(pricePerHour) ?? []);
  const more = prices.reduce<Usd>((all, price) => all.plus(price), ZERO_USD);
  return { launches, more, unpriced: launches.length - prices.length };
}

function row(name: string, says: Content): Html {
  return html`<div><dt>${name}</dt><dd>${says}</dd></div>`;
}

/** What plans of several accounts come to. `now`: what the fleet costs an hour over all of them, where that is known. */
export function moneyOfAll(plans: readonly PlanFacts[], now: string | null | undefined): Html {
  const currency = plans.find((each) => each.currency)?.currency ?? undefined;
  const { launches, more, unpriced } = launchedBy(plans);
  const stops = plans.reduce((all, each) => all + each.stops.length, 0);
  return html`<dl class="facts">${launches.length + stops === 0 && row("At once", "nothing is launched or stopped")}${
    launches.length > 0 &&
    row(
      "Launched",
      `${counted(launches.length, "machine")}, ${anHour(more, unpriced, launches.length, currency)}`,
    )
  }${stops > 0 && row("Stopped", counted(stops, "machine"))}${now && row("Spent now", `${moneyText(now, currency)} an hour in all of its services`)}</dl>`;
}

function anHour(price: Usd, unknown: number, count: number, currency: string | undefined): string {
  if (unknown > 0 && unknown === count) return "of unknown price";
  return `${moneyText(price, currency)} an hour${unknown > 0 ? `, and ${unknown} of unknown price,` : ""}`;
}

/** What these machines cost. */
export function hourText(draft: Draft, rows: readonly DeploymentRow[]): string {
  const { perHour, unpriced } = hourly(draft, rows);
  return anHour(perHour, unpriced, rows.length, draft.account.currency);
}

export function planHtml({ words, draft }: Pick<Basics, "words" | "draft">, plan: PlanFacts): Html {
  const { fleet, desired, running, starting, stopping, currency } = plan;
  const price = (amount: string | null): string =>
    amount === null ? "price not known" : `${moneyText(amount, currency)} an hour`;
  const alike = [...Map.groupBy(plan.launches, (each) => `${combinationText(each)} ${each.why}`).values()];
  const lines: readonly (readonly [step: string, says: Content])[] = [
    ...takeTexts(plan.takes, currency).map((text) => ["take", words(text)] as const),
    ...otherLedgerTexts(plan.takes).map((text) => ["warning", words(text)] as const),
    ...alike.flatMap(([first, ...others]) =>
      first
        ? [
            [
              "launch",
              html`${others.length > 0 && `${others.length + 1} × `}${combinationText(first)} (${gpusText(first.gpus)}${others.length > 0 && " each"}, ${price(first.pricePerHour)}): ${words(first.why)}`,
            ] as const,
          ]
        : [],
    ),
    // Another account's has no page here.
    ...plan.stops.map(
      ({ id, why }) =>
        [
          "stop",
          html`${draft.deployments.ever(id) ? machineLink(id) : html`<span class="id">${id}</span>`}: ${words(why)}`,
        ] as const,
    ),
    ...plan.reasons.map((reason) => ["wait", words(reason)] as const),
  ];
  const more = lines.length - MOST_LINES;
  return html`<h4>${fleet}: ${gpusText(desired)} asked for, ${running} running, ${starting} starting${stopping > 0 && `, ${stopping} stopping`}</h4>
<ul class="steps">${lines.slice(0, MOST_LINES).map(([step, says]) => html`<li><span class="kind">${step}</span> <span>${says}</span></li>`)}${more > 0 && html`<li><span></span><span>and ${more} more</span></li>`}${lines.length === 0 && html`<li><span class="kind">wait</span> <span>nothing to do</span></li>`}</ul>`;
}
