import { machineHoldText } from "../../../../launch/facts/machine-hold.ts";
import { combinationText } from "../../../../service/contract/contract.ts";
import { askText } from "../../../fleet/size/person-ask.ts";
import { ago, duration, moneyText } from "../../../fleet/text/format.ts";
import { savingText } from "../../../fleet/text/saving-text.ts";
import { gpusText } from "../../../fleet/text/text.ts";
import type { SetupFacts } from "../../../json/parts.ts";
import { setupText } from "../../../planning/machines/setup.ts";
import { oldOf } from "./basics.ts";
import type { Column, Content, Html } from "./html.ts";
import { html, table } from "./html.ts";
import { fleetLink, launchLink, linkTo, machineLink } from "./links.ts";
import { actLinks } from "./offered.ts";
import type { FleetPageData, FleetStatus, PageData } from "./page-data.ts";

/** Up to so many machines are shown open, more are folded. */
const MOST_OPEN = 12;
/** So many rows of one table stand on the status page at most, and so many of all fleets. The search shows all, page by page. */
const MOST_ROWS = 50;
const MOST_OF_FLEETS = 90;
/** So many reasons, and so many launches that are not resolved, stand there at most. */
const MOST_REASONS = 10;

/** What each fleet asks for, what runs, what happens now and why. */
export function fleetCards(view: PageData): Html {
  const none = html`<p class="quiet">No fleets: write one into a fleet file, or declare one in a Pulumi program.</p>`;
  return html`<section aria-labelledby="fleets"><h2 id="fleets">Fleets</h2>
${view.fleets.length > 0 && asOf(view)}${view.fleets.length === 0 ? none : view.fleets.map((fleet, index) => card(fleet, `fleet-${index}`, view))}</section>`;
}

/** The machines of Pulumi `Deployment`s, one a row. */
export function deploymentCards(view: PageData): Html {
  const { deployments } = view.status;
  if (deployments.length === 0) return html``;
  const rows = deployments.flatMap(({ name, deployments: machines }) =>
    machines.map((machine) => ({ name, ...machine })),
  );
  return html`<section aria-labelledby="deployments"><h2 id="deployments">Pulumi deployments</h2>
<div class="card">${asOf(view)}${table("Machines of Pulumi deployments", needy(rows, MOST_ROWS), [
    { title: "Name", cell: ({ name, id }) => html`${nameLink(name)} ${machineLink(id)}` },
    STATE,
    COMBINATION,
    anHour(view),
  ])}${andAll(rows.length, MOST_ROWS, linkTo("search", { state: "living" }))}</div></section>`;
}

function nameLink(name: string): Content {
  const link = linkTo("deployment", { name });
  return link === undefined ? name : html`<a href="${link}">${name}</a>`;
}

/** As many as are shown: those first that are on their way, or not as they should be. */
function needy<Row extends { readonly status: string; readonly ready?: boolean | null }>(
  rows: readonly Row[],
  most: number,
): readonly Row[] {
  if (rows.length <= most) return rows;
  const isFine = ({ status, ready }: Row): boolean => status === "running" && ready !== false;
  return [...rows.filter((row) => !isFine(row)), ...rows.filter(isFine)].slice(0, most);
}

/** Where the others are, if not all of them are shown. */
function andAll(count: number, most: number, link: string | undefined): Content {
  if (count <= most) return "";
  const all = `all ${count}`;
  return html`<p class="quiet">The first ${most} of ${count}: those that do not run come first. See ${link === undefined ? all : html`<a href="${link}">${all}</a>`}.</p>`;
}

function asOf(view: PageData): Content {
  const old = oldOf(view);
  return old && html`<p class="old">As of ${old.text}: it may have changed since.</p>`;
}

function card(fleet: FleetPageData, id: string, view: PageData): Html {
  const { name, shownGpus, runningGpus, readyGpus, startingGpus, pricePerHour } = fleet;
  const { currency } = view.status;
  const cost =
    pricePerHour === null
      ? "price not known"
      : html`${moneyText(pricePerHour, currency)} <span class="unit">an hour</span>`;
  return html`<article class="card" aria-labelledby="${id}">
<header><h3 id="${id}">${fleetLink(name)}</h3>${badge(fleet, view)}<p class="cost">${cost}</p></header>
${bar(shownGpus, runningGpus, startingGpus)}
<p class="lead"><strong>${runningGpus} of ${gpusText(shownGpus)}</strong> running${readyGpus !== null && ` (${readyGpus} ready)`}${
    startingGpus > 0 && `, ${startingGpus} on the way`
  }${missing(fleet)}${recovering(fleet, view)}${deadline(fleet, view)}</p>
${happening(fleet, view)}
${spent(fleet, currency)}
${actLinks(view, "fleet", name)}
${itsMachines(fleet, id, view)}
</article>
`;
}

/** Of many fleets, where there is room for two rows of each at most, only how many there are. */
function itsMachines({ name, deployments }: FleetPageData, id: string, view: PageData): Content {
  const { length } = deployments;
  if (length === 0) return "";
  const count = length === 1 ? "1 machine" : `${length} machines`;
  const all = linkTo("search", { fleet: name, state: "living" });
  const most = Math.min(MOST_ROWS, Math.floor(MOST_OF_FLEETS / view.fleets.length));
  if (most < 2) return html`<p>${all === undefined ? count : html`<a href="${all}">${count}</a>`}</p>`;
  const open = length <= MOST_OPEN ? html` open` : "";
  return html`<details id="${id}-machines"${open}><summary>${count}</summary>${machines(`Machines of ${name}`, needy(deployments, most), view)}${andAll(length, most, all)}</details>`;
}

function badge({ met, standing, runningGpus, desiredGpus }: FleetStatus, { status }: PageData): Html {
  if (standing.kind === "drained") return html`<span class="badge">${met ? "drained" : "draining"}</span>`;
  if (standing.kind === "paused") return html`<span class="badge">paused</span>`;
  // Green only if the list is fresh.
  const good = status.fresh ? "ok" : "";
  if (met) return html`<span class="badge ${good}">complete</span>`;
  if (runningGpus >= desiredGpus) return html`<span class="badge ${good}">settling</span>`;
  return html`<span class="badge warn">short</span>`;
}

/** For the eye only: the sentence below it says the same. */
export function bar(desired: number, running: number, starting: number): Html {
  const most = Math.max(desired, running + starting, 1);
  const share = (gpus: number): string => `${((gpus / most) * 100).toFixed(2)}%`;
  return html`<svg class="bar" width="100%" height="8" aria-hidden="true" focusable="false"><rect class="rest" width="100%" height="8" rx="4"/><rect class="fill starting" width="${share(running + starting)}" height="8" rx="4"/><rect class="fill running" width="${share(running)}" height="8" rx="4"/></svg>`;
}

function missing({ desiredGpus, runningGpus, startingGpus }: FleetStatus): Content {
  const count = desiredGpus - runningGpus - startingGpus;
  return count > 0 && `, ${count} missing`;
}

function deadline({ until, standing }: FleetStatus, { moments }: PageData): Content {
  return until !== null && standing.kind !== "drained" && `; until ${moments.dayAndTime(Date.parse(until))}`;
}

function spent({ spent: { today, refundedToday, ever, unpriced } }: FleetStatus, currency: string): Content {
  const isRefunded = Number(refundedToday) > 0;
  if (Number(ever) === 0 && !isRefunded) return "";
  const least = unpriced > 0 ? "At least" : "About";
  return html`<p class="quiet">${least} ${moneyText(today, currency)} today${isRefunded && ` (after ${moneyText(refundedToday, currency)} that were refunded)`} and ${moneyText(ever, currency)} in all, estimated.</p>`;
}

function recovering({ name }: FleetStatus, { short, now }: PageData): Content {
  const since = short.get(name);
  return since !== undefined && `; below its count for ${duration(now - since)} after a loss`;
}

/** What is awaited or done now, and why. */
function happening(
  { name, met, reasons, launches, metric, ask }: FleetPageData,
  { status, words, isGuest, now }: PageData,
): Content {
  const unresolved = launches.map(
    (intent) =>
      html`${intent.state === "disputed" ? "A launch is disputed" : "A launch is not resolved"}: ${combinationText(intent)}${!isGuest && intent.detail !== "" && html` (${words(intent.detail)})`}. It counts as a machine until it is. ${launchLink(intent.id)}`,
  );
  const rest = unresolved.length - MOST_REASONS;
  const measured =
    isGuest || metric?.at == null ? [] : [`Its metric says ${metric.value}, read ${ago(metric.at, now)}.`];
  const asked = isGuest || !ask ? [] : [words(askText(name, ask))];
  const all = [
    ...asked,
    ...measured,
    ...reasons.slice(0, MOST_REASONS).map(words),
    ...unresolved.slice(0, MOST_REASONS),
    ...(rest > 0 ? [`${rest} more launches are not resolved.`] : []),
  ];
  if (all.length === 0) {
    if (!status.fresh) return "";
    if (met) return html`<p class="quiet">Nothing to do.</p>`;
    return html`<p class="quiet">Under way; nothing is in the way.</p>`;
  }
  return html`<h4>Now, and why</h4><ul class="reasons">${all.map((each) => html`<li>${each}</li>`)}</ul>`;
}

function machines(
  caption: string,
  rows: readonly FleetStatus["deployments"][number][],
  view: PageData,
): Html {
  const unready = html` <span class="badge warn">not ready</span>`;
  const sick = html` <span class="badge warn">unhealthy</span>`;
  const held = html` <span class="badge">held</span>`;
  const saving = html` <span class="badge">before its stop</span>`;
  return table(caption, rows, [
    { title: "Machine", cell: ({ id }) => machineLink(id) },
    {
      title: "State",
      cell: ({ status, ready, setup, health, hold, idleSince, beforeStop }) =>
        html`${state(status)}${savingText({ beforeStop }, view.now) !== undefined && saving}${ready === false && (setupBadge(setup) ?? unready)}${health?.good === false && sick}${idleSince !== null && html` <span class="badge">idle for ${duration(view.now - idleSince)}</span>`}${machineHoldText({ hold }, { wall: view.now }) !== undefined && held}`,
    },
    COMBINATION,
    GPUS,
    anHour(view),
  ]);
}

function setupBadge(setup: SetupFacts | null): Html | undefined {
  const text = setupText(setup);
  return text === undefined ? undefined : html` <span class="badge warn">${text}</span>`;
}

interface ShownCombination {
  readonly offer: string | null;
  readonly provider: string | null;
  readonly location: string | null;
}

export function combinationHtml({ offer, provider, location }: ShownCombination): Html {
  return html`${offer ?? "?"} <span class="at">${provider ?? "?"}/${location ?? "?"}</span>`;
}

export function state(status: string): Html {
  const look = { running: "ok", stopping: "" }[status] ?? "warn";
  return html`<span class="state ${look}">${status}</span>`;
}

/** Columns of machines. */
export const STATE: Column<{ readonly status: string }> = {
  title: "State",
  cell: ({ status }) => state(status),
};
export const COMBINATION: Column<ShownCombination> = { title: "Place", cell: combinationHtml };
export const GPUS: Column<{ readonly gpus: number | null }> = {
  title: "GPUs",
  number: true,
  cell: ({ gpus }) => gpus ?? "?",
};
export function anHour({
  status: { currency },
}: Pick<PageData, "status">): Column<{ readonly pricePerHour: string | null }> {
  return {
    title: "An hour",
    number: true,
    cell: ({ pricePerHour }) => (pricePerHour === null ? "?" : moneyText(pricePerHour, currency)),
  };
}
