import { sentence, supportAdvice } from "../../../launch/failure-advice.ts";
import { HOUR_MS } from "../../../ledger/instant.ts";
import { duration, usd } from "../../fleet/format.ts";
import { lookOf } from "../how-told.ts";
import { placeOf, state } from "./fleet-card.ts";
import type { Content, Html } from "./html.ts";
import { html } from "./html.ts";
import type { Loss } from "./losses.ts";
import { table } from "./table.ts";
import type { View } from "./view.ts";

/** Machines that nobody answers for, with their cost and what to do. */
export function strangers({ status: { unaccounted, fleets } }: View): Html {
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
${table(
  "Machines that nobody here answers for",
  [
    { title: "Machine" },
    { title: "State" },
    { title: "Place" },
    { title: "GPUs", number: true },
    { title: "An hour", number: true },
  ],
  unaccounted.map((row) => [
    html`<span class="id">${row.id}</span>${row.disputed && html` <span class="badge warn">disputed</span>`}${row.unheld !== null && html` <span class="badge warn">${row.unheld}, in no stack's state</span>`}${row.reused !== null && html` <span class="badge warn">its id was ${row.reused}'s</span>`}`,
    state(row.status),
    placeOf(row),
    row.gpus ?? "?",
    row.pricePerHour === null ? "?" : usd(row.pricePerHour),
  ]),
)}
<dl class="remedies"><dt>It is ours</dt><dd><code>fleetkeeper adopt ${first?.id} --fleet ${fleet}</code></dd><dt>It is somebody else's</dt><dd><code>fleetkeeper disown ${first?.id}</code></dd></dl>
</div></section>`;
}

/** Combinations that cool down now. */
export function cooldowns({ status: { cooldowns: rows } }: View): Html {
  if (rows.length === 0) return html``;
  return html`<section aria-labelledby="cooldowns"><h2 id="cooldowns">Cooling down</h2>
<div class="card"><p>The service refuses these combinations for now. Nothing is sent for them before; others are taken meanwhile.</p>
${table(
  "Combinations that cool down",
  [{ title: "Combination" }, { title: "Clears in", number: true }],
  rows.map(({ place, seconds }) => [place, duration(seconds * 1000)]),
)}</div></section>`;
}

const KINDS: Readonly<Record<Loss["kind"], string>> = {
  failed: "Failed",
  interrupted: "Interrupted",
  gone: "Went missing",
};

/** Failures and interruptions. The service shows each once and sends no mail. */
export function losses(view: View): Html {
  const { losses: rows, lossCount, moments } = view;
  const when = (at: number): Html =>
    html`<time datetime="${new Date(at).toISOString()}">${moments.dayAndTime(at)}</time>`;
  return html`<section aria-labelledby="losses"><h2 id="losses">Failures and interruptions</h2>
${
  rows.length === 0
    ? html`<p class="quiet">None so far.</p>`
    : html`<div class="card">${lossCount > rows.length && html`<p class="quiet">The newest ${rows.length} of ${lossCount}.</p>`}${table(
        "Failures and interruptions, the newest first",
        [
          { title: "When" },
          { title: "Machine" },
          { title: "What" },
          { title: "Reason and suggested action", wide: true },
        ],
        rows.map((loss) => [
          when(loss.row.ended?.wall ?? loss.row.firstSeen.wall),
          html`<span class="id">${loss.row.id}</span><br>${placeOf(loss.row)}`,
          html`<span class="state bad">${KINDS[loss.kind]}</span>${loss.code && html` <code>${loss.code}</code>`}`,
          why(loss, view),
        ]),
      )}</div>`
}</section>`;
}

function why({ row, kind, request }: View["losses"][number], { isRetryable }: View): Content {
  const advice = kind === "failed" ? supportAdvice(row, isRetryable) : [];
  const parts: Content[] = [
    row.failureReason && html`<p>${sentence(row.failureReason)}</p>`,
    row.suggestedAction && html`<p><b>Suggested:</b> ${sentence(row.suggestedAction)}</p>`,
    ...advice.map((each) => html`<p class="advice">${each}</p>`),
  ];
  if (request) {
    parts.push(
      html`<details id="support-${row.id}"><summary>Text for support</summary><p>${request}</p></details>`,
    );
  }
  if (kind === "gone") parts.push(html`<p>The service lists it no more, and says nothing of why.</p>`);
  if (kind === "failed" && row.young !== false)
    parts.push(html`<p class="quiet">Its first hour is refunded automatically.</p>`);
  if (kind === "interrupted") parts.push(html`<p class="quiet">Unused time is refunded automatically.</p>`);
  return parts;
}

/** So many are shown open, the others are folded. */
const OPEN_EVENTS = 12;

/** The newest events of the ledger. */
export function events(view: View): Html {
  const { events: rows } = view;
  const list = (some: View["events"]): Html =>
    html`<ol class="events">${some.map((row) => eventItem(row, view))}</ol>`;
  const older = rows.slice(OPEN_EVENTS);
  return html`<section aria-labelledby="events"><h2 id="events">Lately</h2>
${
  rows.length === 0
    ? html`<p class="quiet">Nothing has happened yet.</p>`
    : html`<div class="card log">${list(rows.slice(0, OPEN_EVENTS))}${older.length > 0 && html`<details id="older-events"><summary>${older.length} before that</summary>${list(older)}</details>`}</div>`
}</section>`;
}

function eventItem({ at, kind, text, name }: View["events"][number], { moments, now }: View): Html {
  const time = now - at < 20 * HOUR_MS ? moments.time(at) : moments.dayAndTime(at);
  return html`<li><time datetime="${new Date(at).toISOString()}">${time}</time> <span class="kind ${lookOf(kind)}">${kind}</span> <span class="what">${text}${name && html` <span class="owner">${name}</span>`}</span></li>
`;
}
