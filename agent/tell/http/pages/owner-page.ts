import { livingOf } from "../../../../launch/facts/occupancy.ts";
import { fleetOwner, slotOwner } from "../../../../ledger/owner.ts";
import type { Owner, StoredEvent } from "../../../../ledger/rows.ts";
import { billingText } from "../../../../service/contract/billing.ts";
import { USD } from "../../../../service/contract/money.ts";
import { spendingOf } from "../../../fleet/money/spend.ts";
import { fleetPhase } from "../../../fleet/phase/fleet-phase.ts";
import { moneyText } from "../../../fleet/text/format.ts";
import { type Basics, basicsOf, type PageOptions, type Reader } from "./basics.ts";
import { type Content, type Html, html, table } from "./html.ts";
import { linkTo } from "./links.ts";
import { eventItem } from "./logs.ts";
import { actLinks } from "./offered.ts";
import { accountPage, part } from "./shell.ts";

export const DAYS = [7, 30, 90] as const;
export type Days = (typeof DAYS)[number];

const MOST_EVENTS = 100;
const SHORTEST_DAYS = 7;

export interface AskedOwner {
  readonly kind: "fleet" | "deployment";
  readonly name: string;
  readonly days: Days;
}

/** What a fleet or a Pulumi deployment has cost by day, and what happened to it. Undefined: there is none. */
export async function ownerPage(
  options: PageOptions,
  asked: AskedOwner,
  reader: Reader,
): Promise<string | undefined> {
  const basics = await basicsOf(options, reader);
  const { kind, name } = asked;
  const { draft } = basics;
  const owners =
    kind === "fleet"
      ? draft.fleets.has(name)
        ? [fleetOwner(name)]
        : []
      : [...draft.slots.values()].filter((slot) => slot.name === name).map(({ id }) => slotOwner(id));
  const [owner] = owners;
  if (owner === undefined) return undefined;
  const { ledger, account } = options.keeper;
  // Each replacement has a slot of its own: the newest one's events.
  const events = await ledger.eventsAbout(account, { owner: owners.at(-1) }, MOST_EVENTS);
  const living = owners.reduce((sum, each) => sum + livingOf(draft, each).length, 0);
  const what = kind === "fleet" ? "Fleet" : "Pulumi deployment";
  const all = linkTo("search", {
    fleet: kind === "fleet" ? name : undefined,
    q: kind === "fleet" ? undefined : name,
  });
  return accountPage(basics, {
    title: `${what} ${name}`,
    isLive: true,
    at: "other",
    main: html`${part(
      "owner",
      html`<section aria-labelledby="owner"><h2 id="owner">${what} ${name}</h2>
<p>${standing(basics, asked)}${living === 1 ? "1 machine lives" : `${living} machines live`}.${all && html` <a href="${all}">All of its machines, those that have ended, too</a>`}</p>
${kind === "fleet" && actLinks(basics, "fleet", name, { isOwnPage: true })}</section>
${money(basics, asked, owners)}
${lately(events, basics)}`,
    )}`,
  });
}

function standing({ draft, context }: Basics, { kind, name }: AskedOwner): Content {
  const fleet = kind === "fleet" ? draft.fleets.get(name) : undefined;
  if (!fleet) return "";
  const phase = fleetPhase(draft, fleet, context);
  return phase.kind === "kept" ? "It is kept. " : `It is ${phase.kind}: ${phase.why}. `;
}

/** The sums of `fleetkeeper spend`, one bar a day. */
function money({ draft, context }: Basics, { kind, name, days }: AskedOwner, owners: readonly Owner[]): Html {
  const { currency = USD, billing } = draft.account;
  const { days: names, machines, ...found } = spendingOf(draft, owners, days, context);
  const ranges = html`<nav aria-label="Days shown"><ul class="ranges">${DAYS.map(
    (each) =>
      html`<li><a id="days-${each}" href="${linkTo(kind, { name, days: each }) ?? "#money"}"${each === days && html` aria-current="true"`}>${each}<span class="visually-hidden"> days</span><span aria-hidden="true">d</span></a></li>`,
  )}</ul></nav>`;
  const head = html`<div class="title-row"><h2 id="money">Money by day</h2>${ranges}</div>`;
  if (machines === 0)
    return html`<section aria-labelledby="money">${head}<p class="quiet">Nothing was launched or adopted for it yet.</p></section>`;
  const most = Math.max(...found.perDay.map(Number), 0.0001);
  const all = names.map((day, index) => ({ day, spent: found.perDay[index] ?? "0" }));
  // Days before anything was spent are not shown, beyond the last week.
  const first = all.findIndex(({ spent }) => Number(spent) !== 0);
  const rows = all.slice(Math.max(0, Math.min(first, all.length - SHORTEST_DAYS))).reverse();
  return html`<section aria-labelledby="money">${head}
<div class="card money-by-day">
<p class="quiet">Estimated, as <code>fleetkeeper spend</code> counts: ${billing ? `billed ${billingText(billing)}, without launches that failed` : "hours as they begin, in whole, without what is refunded"}. Days are those of UTC. ${moneyText(found.sum, currency)} in these ${days} days, ${moneyText(found.ever, currency)} in all.${found.unpriced > 0 && ` At least: ${found.unpriced} of its machines show no price and are not in these sums.`}</p>
${table("Money by day, the newest day first", rows, [
  { title: "Day", cell: ({ day }) => html`<time datetime="${day}">${day}</time>` },
  { title: currency, number: true, cell: ({ spent }) => moneyText(spent, currency) },
  {
    title: "Share",
    wide: true,
    cell: ({ spent }) =>
      html`<svg class="bar" width="100%" height="8" aria-hidden="true" focusable="false"><rect class="fill money" width="${((Math.max(0, Number(spent)) / most) * 100).toFixed(2)}%" height="8" rx="2"/></svg>`,
  },
])}</div></section>`;
}

function lately(events: readonly StoredEvent[], basics: Basics): Html {
  return html`<section aria-labelledby="events"><h2 id="events">Lately</h2>
${
  events.length === 0
    ? html`<p class="quiet">Nothing has happened yet.</p>`
    : html`<div class="card log"><ol class="events">${events.map((each) => eventItem(each, basics))}</ol></div>`
}</section>`;
}
