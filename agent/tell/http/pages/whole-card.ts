import { moneyText } from "../../../fleet/text/format.ts";
import { gpusText } from "../../../fleet/text/text.ts";
import type { WholePart, WholeStatus } from "../../../json/whole.ts";
import { runwayText } from "../../../status/whole-text.ts";
import { bar } from "./fleet-card.ts";
import { type Content, type Html, html, table } from "./html.ts";
import { WORDS } from "./whole-shown.ts";

/** Fleets that several services keep, as one, with a row for each service. */
export function wholeCards(wholes: readonly WholeStatus[]): Html {
  if (wholes.length === 0) return html``;
  return html`<section aria-labelledby="wholes"><h2 id="wholes">Fleets over several services</h2>
${wholes.map((whole, index) => card(whole, `whole-${index}`))}</section>`;
}

function card(whole: WholeStatus, id: string): Html {
  const { name, desiredGpus, runningGpus, startingGpus, readyGpus, movingGpus, services, limits } = whole;
  const currency = whole.currency ?? undefined;
  const most = limits.perHour !== null && ` of ${moneyText(limits.perHour, currency)}`;
  const cost =
    whole.pricePerHour === null
      ? whole.currency === null
        ? "several currencies"
        : "price not known"
      : html`${moneyText(whole.pricePerHour, currency)}${most} <span class="unit">an hour</span>`;
  const missing = desiredGpus - runningGpus - startingGpus;
  return html`<article class="card" aria-labelledby="${id}">
<header><h3 id="${id}">${name}</h3>${badge(whole)}<p class="cost">${cost}</p></header>
${bar(desiredGpus, runningGpus, startingGpus)}
<p class="lead"><strong>${runningGpus} of ${gpusText(desiredGpus)}</strong> running${readyGpus !== null && ` (${readyGpus} ready)`}${
    startingGpus > 0 && `, ${startingGpus} on the way`
  }${missing > 0 && `, ${missing} missing`}${movingGpus > 0 && `; ${gpusText(movingGpus)} of its count on the way from one service to another`}</p>
${money(whole)}
${table(`Services of ${name}`, services, [
  { title: "Service", cell: ({ service }) => service },
  { title: "Running", number: true, cell: ({ runningGpus: running }) => running },
  { title: "On the way", number: true, cell: ({ startingGpus: starting }) => starting },
  { title: "Portion", number: true, cell: ({ portion }) => portion },
  {
    title: "An hour",
    number: true,
    cell: (part) => (part.pricePerHour === null ? "?" : moneyText(part.pricePerHour, part.currency)),
  },
  { title: "Spent", number: true, cell: (part) => moneyText(part.spent.ever, part.currency) },
  { title: "State", wide: true, cell: stateOf },
])}
</article>
`;
}

function badge({ met, desiredGpus, runningGpus, services }: WholeStatus): Html {
  if (services.every(({ state }) => state === "drained"))
    return html`<span class="badge">${met ? "drained" : "draining"}</span>`;
  const good = services.some(({ state }) => state === "away") ? "" : "ok";
  if (met) return html`<span class="badge ${good}">complete</span>`;
  if (runningGpus >= desiredGpus) return html`<span class="badge ${good}">settling</span>`;
  return html`<span class="badge warn">short</span>`;
}

function money(whole: WholeStatus): Content {
  const { spent, limits } = whole;
  const currency = whole.currency ?? undefined;
  const runway = runwayText(whole);
  if (!spent || (Number(spent.ever) === 0 && runway === undefined)) return "";
  const of = (limit: string | null): Content => limit !== null && ` of ${moneyText(limit, currency)}`;
  return html`<p class="quiet">${spent.unpriced > 0 ? "At least" : "About"} ${moneyText(spent.today, currency)}${of(limits.perDay)} today and ${moneyText(spent.ever, currency)}${of(limits.total)} in all, estimated.${runway !== undefined && ` It ${runway}.`}</p>`;
}

function stateOf({ state, why, stoppingGpus, unknownLaunches }: WholePart): Content {
  const more = [
    stoppingGpus > 0 ? `${stoppingGpus} stopping` : "",
    unknownLaunches > 0 ? `${unknownLaunches} of unknown outcome` : "",
  ].filter((each) => each !== "");
  return [WORDS[state], why !== null && `: ${why}`, more.length > 0 && `; ${more.join(", ")}`];
}
