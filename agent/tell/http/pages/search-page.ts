import { combinationText } from "../../../../service/contract/contract.ts";
import { moneyText } from "../../../fleet/text/format.ts";
import { gpusOf } from "../../../planning/count/machine-gpus.ts";
import { shortRow } from "../../../status/short-row.ts";
import { type Basics, basicsOf, type PageOptions, type Reader } from "./basics.ts";
import { combinationHtml, state } from "./fleet-card.ts";
import { type Content, type Html, html, LONGEST_TEXT, options, table } from "./html.ts";
import { launchLink, linkTo, machineLink, ownerLink } from "./links.ts";
import {
  type Asked,
  type Found,
  type Hit,
  LIVING,
  OVER,
  ROWS_A_PAGE,
  search,
  stateOfLaunch,
  stateOfMachine,
} from "./search.ts";
import { accountPage, part } from "./shell.ts";

/** So many states and fleets can be chosen. The field of words finds the others. */
const MOST_CHOICES = 200;

/** Machines and launches by what is known of them, some at a time. It works without a script. */
export async function searchPage(options: PageOptions, asked: Asked, reader: Reader): Promise<string> {
  const basics = await basicsOf(options, reader);
  const found = search(basics.draft, asked);
  return accountPage(basics, {
    title: asked.q === "" ? "Search" : `Search: ${asked.q.slice(0, 60)}`,
    at: "search",
    main: html`<section aria-labelledby="search"><h2 id="search">Search</h2>
${form(basics, asked)}</section>
${part("found", results(basics, asked, found))}`,
  });
}

function form({ draft }: Basics, { q, fleet, state: chosen }: Asked): Html {
  const fleets = [...draft.fleets.keys()].slice(0, MOST_CHOICES);
  return html`<form class="search card" action="search" method="get" role="search">
<p><label for="q">Words</label><input id="q" name="q" type="search" value="${q}" maxlength="200" autocomplete="off" aria-describedby="q-help"></p>
<p><label for="fleet">Fleet</label><select id="fleet" name="fleet">${options([["", "any"], ...fleets.map((name) => [name, name] as const)], fleet)}</select></p>
<p><label for="state">State</label><select id="state" name="state">${options([["", "any"], [LIVING, "what lives"], [OVER, "what is over"], ...statesOf(draft).map((each) => [each, each] as const)], chosen)}</select></p>
<p><button type="submit">Search</button></p>
<p class="quiet" id="q-help">Parts of an id, a marker, an offer, a provider, a location, a name or a state. All words must be found. Machines that ended long ago are archived: they are found by id, marker or fleet.</p>
</form>`;
}

/** The states that rows have now. Those that `html` would cut could not be asked for. */
function statesOf(draft: Basics["draft"]): readonly string[] {
  const states = new Set<string>();
  for (const row of draft.deployments.values()) states.add(stateOfMachine(row));
  for (const row of draft.intents.values()) if (row.state !== "claimed") states.add(stateOfLaunch(row));
  return [...states]
    .filter((each) => each.length < LONGEST_TEXT)
    .sort()
    .slice(0, MOST_CHOICES);
}

function results(basics: Basics, asked: Asked, found: Found): Html {
  const { hits, count, page, pages } = found;
  const from = (page - 1) * ROWS_A_PAGE;
  const which = count > hits.length ? `, ${from + 1} to ${from + hits.length} are shown` : "";
  return html`<section aria-labelledby="found"><h2 id="found">${count === 0 ? "Nothing was found" : `${count} found${which}`}</h2>
${hits.length > 0 && html`<div class="card">${hitTable(basics, hits)}</div>`}
${pages > 1 && pager(asked, page, pages)}</section>`;
}

function hitTable({ draft }: Basics, hits: readonly Hit[]): Html {
  return table("Machines and launches, the newest first", hits, [
    {
      title: "What",
      cell: (hit) =>
        hit.kind === "machine" ? machineLink(hit.row.id) : html`launch ${launchLink(hit.row.id)}`,
    },
    {
      title: "State",
      cell: (hit) => state(hit.kind === "machine" ? stateOfMachine(hit.row) : hit.row.state),
    },
    {
      title: "Whose",
      cell: ({ row }) =>
        row.owner === null ? html`<span class="at">nobody's</span>` : ownerLink(draft, row.owner),
    },
    {
      title: "Place",
      cell: (hit) =>
        hit.kind === "machine" ? combinationHtml(shortRow(draft, hit.row)) : combinationText(hit.row),
    },
    {
      title: "GPUs",
      number: true,
      cell: (hit) => (hit.kind === "machine" ? gpusOf(draft, hit.row) : hit.row.gpus) || "?",
    },
    {
      title: "An hour",
      number: true,
      cell: ({ row }) =>
        row.pricePerHour === null ? "?" : moneyText(row.pricePerHour, draft.account.currency),
    },
  ]);
}

function pager({ q, fleet, state: chosen }: Asked, page: number, pages: number): Html {
  const to = (number: number, text: string, rel: string): Content => {
    const link = linkTo("search", { q, fleet, state: chosen, page: number });
    return (
      link !== undefined &&
      number >= 1 &&
      number <= pages &&
      html`<li><a id="${rel}" rel="${rel}" href="${link}">${text}</a></li>`
    );
  };
  return html`<nav class="pager" aria-label="Pages of what was found"><ul>${to(page - 1, "Newer", "prev")}<li><span aria-current="page">Page ${page} of ${pages}</span></li>${to(page + 1, "Older", "next")}</ul></nav>`;
}
