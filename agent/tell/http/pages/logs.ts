import { sentence, supportAdvice } from "../../../../launch/ends/failure-advice.ts";
import { HOUR_MS } from "../../../../ledger/instant.ts";
import type { StoredEvent } from "../../../../ledger/rows.ts";
import { duration } from "../../../fleet/text/format.ts";
import { calledName } from "../../../status/owner-names.ts";
import { cssClassOf } from "../../log/how-told.ts";
import type { Loss } from "../measures/losses.ts";
import type { Basics } from "./basics.ts";
import { anHour, COMBINATION, combinationHtml, GPUS, STATE } from "./fleet-card.ts";
import { eventForGuests } from "./for-guests.ts";
import { type Content, type Html, html, table } from "./html.ts";
import { launchLink, machineLink } from "./links.ts";
import { actLinks } from "./offered.ts";
import type { PageData } from "./page-data.ts";

/** So many rows of a table are shown at most. */
const MOST_STRANGERS = 50;
const MOST_COOLDOWNS = 50;

/** Machines that nobody answers for, with their cost and what to do. */
export function strangers(view: PageData): Html {
  const { unaccounted, fleets } = view.status;
  if (unaccounted.length === 0) return html``;
  const [only, ...others] = fleets.filter(({ removed }) => !removed);
  const fleet = only && others.length === 0 ? only.name : "NAME";
  const [first] = unaccounted;
  return html`<section aria-labelledby="unaccounted"><h2 id="unaccounted">Machines that nobody here answers for</h2>
<div class="card">
<p>They run and cost money, and are never stopped before somebody says whose they are. ${
    unaccounted.some(({ disputed }) => disputed) &&
    "Of the disputed ones, at least one came from a launch of ours whose answer was lost."
  }</p>
${table("Machines that nobody here answers for", unaccounted.slice(0, MOST_STRANGERS), [
  {
    title: "Machine",
    cell: ({ id, disputed, unheld, reused }) =>
      html`${machineLink(id)}${disputed && mark("disputed")}${unheld && mark(`${unheld}, in no stack's state`)}${reused && mark(`its id was ${reused}'s`)}`,
  },
  STATE,
  COMBINATION,
  GPUS,
  anHour(view),
  ...(view.actor
    ? [
        {
          title: "Whose is it?",
          cell: ({ id }: { id: string }) => actLinks(view, "deployment", id, { only: ["adopt", "disown"] }),
        },
      ]
    : []),
])}
${unaccounted.length > MOST_STRANGERS && html`<p class="quiet">And ${unaccounted.length - MOST_STRANGERS} more: see <code>fleetkeeper status</code>.</p>`}
<dl class="remedies"><dt>It is ours</dt><dd><code>fleetkeeper adopt ${first?.id} --fleet ${fleet}</code></dd><dt>It is somebody else's</dt><dd><code>fleetkeeper disown ${first?.id}</code></dd></dl>
</div></section>`;
}

function mark(text: string): Html {
  return html` <span class="badge warn">${text}</span>`;
}

/** Combinations that cool down now. */
export function cooldowns({ status: { cooldowns: rows } }: PageData): Html {
  if (rows.length === 0) return html``;
  return html`<section aria-labelledby="cooldowns"><h2 id="cooldowns">Cooling down</h2>
<div class="card"><p>The service refuses these combinations for now. Nothing is sent for them before; others are taken meanwhile.</p>
${table("Combinations that cool down", rows.slice(0, MOST_COOLDOWNS), [
  { title: "Combination", cell: ({ place }) => place },
  { title: "Clears in", number: true, cell: ({ seconds }) => duration(seconds * 1000) },
])}${rows.length > MOST_COOLDOWNS && html`<p class="quiet">And ${rows.length - MOST_COOLDOWNS} more.</p>`}</div></section>`;
}

const KINDS: Readonly<Record<Loss["kind"], string>> = {
  failed: "Failed",
  interrupted: "Interrupted",
  gone: "Went missing",
};

/** Failures and interruptions. The service shows each once and sends no mail. */
export function losses(view: PageData): Html {
  const { losses: rows, lossCount, moments } = view;
  const when = (at: number): Html =>
    html`<time datetime="${new Date(at).toISOString()}">${moments.dayAndTime(at)}</time>`;
  return html`<section aria-labelledby="losses"><h2 id="losses">Failures and interruptions</h2>
${
  rows.length === 0
    ? html`<p class="quiet">None so far.</p>`
    : html`<div class="card">${lossCount > rows.length && html`<p class="quiet">The newest ${rows.length} of ${lossCount}.</p>`}${table(
        "Failures and interruptions, the newest first",
        rows,
        [
          { title: "When", cell: ({ row }) => when(row.ended?.wall ?? row.firstSeen.wall) },
          { title: "Machine", cell: ({ row }) => html`${machineLink(row.id)}<br>${combinationHtml(row)}` },
          {
            title: "What",
            cell: ({ kind, code }) =>
              html`<span class="state bad">${KINDS[kind]}</span>${code && html` <code>${code}</code>`}`,
          },
          { title: "Reason and suggested action", wide: true, cell: (loss) => why(loss, view) },
        ],
      )}</div>`
}</section>`;
}

function why({ row, kind, request }: PageData["losses"][number], { isRetryable, words }: PageData): Content {
  const advice = kind === "failed" ? supportAdvice(row, isRetryable) : [];
  return [
    row.failureReason && html`<p>${words(sentence(row.failureReason))}</p>`,
    row.suggestedAction && html`<p><b>Suggested:</b> ${words(sentence(row.suggestedAction))}</p>`,
    ...advice.map((each) => html`<p class="advice">${words(each)}</p>`),
    request &&
      html`<details id="support-${row.id}"><summary>Text for support</summary><p>${words(request)}</p></details>`,
    kind === "gone" && html`<p>The service lists it no more, and says nothing of why.</p>`,
    kind === "failed" &&
      row.young !== false &&
      html`<p class="quiet">Its first hour is refunded automatically.</p>`,
    kind === "interrupted" && html`<p class="quiet">Unused time is refunded automatically.</p>`,
  ];
}

/** So many are shown open, the others are folded. */
const OPEN_EVENTS = 12;

/** The newest events of the ledger. */
export function events(view: PageData): Html {
  const { events: rows } = view;
  const list = (some: PageData["events"]): Html =>
    html`<ol class="events">${some.map((row) => eventItem(row, view))}</ol>`;
  const older = rows.slice(OPEN_EVENTS);
  return html`<section aria-labelledby="events"><h2 id="events">Lately</h2>
${
  rows.length === 0
    ? html`<p class="quiet">Nothing has happened yet.</p>`
    : html`<div class="card log">${list(rows.slice(0, OPEN_EVENTS))}${older.length > 0 && html`<details id="older-events"><summary>${older.length} before that</summary>${list(older)}</details>`}</div>`
}</section>`;
}

/** One event. A launch or a machine that its text does not name is linked behind it. */
export function eventItem(event: StoredEvent, { draft, moments, now, words, isGuest }: Basics): Html {
  const { at, kind, owner, deployment, intent } = event;
  const text = isGuest ? eventForGuests(event) : event.text;
  const about =
    deployment !== null && !text.includes(deployment)
      ? machineLink(deployment)
      : deployment === null && intent !== undefined && !text.includes(intent)
        ? launchLink(intent)
        : undefined;
  const time = now - at < 20 * HOUR_MS ? moments.time(at) : moments.dayAndTime(at);
  return html`<li><time datetime="${new Date(at).toISOString()}">${time}</time> <span class="kind ${cssClassOf(kind)}">${kind}</span> <span class="what">${words(text)}${about && [" ", about]}${owner !== null && html` <span class="owner">${calledName(draft, owner)}</span>`}</span></li>
`;
}
