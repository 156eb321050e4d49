import { contextOf } from "../../../../launch/keeper.ts";
import { moneyText } from "../../../fleet/text/format.ts";
import type { PlaceFacts } from "../../../json/places.ts";
import { placesOf } from "../../../status/places.ts";
import { lossesSay, lostText, toRunText } from "../../../status/places-text.ts";
import { basicsOf, type PageOptions, type Reader } from "./basics.ts";
import { combinationHtml } from "./fleet-card.ts";
import { type Content, type Html, html, table } from "./html.ts";
import { linkTo } from "./links.ts";
import { accountPage, part } from "./shell.ts";

export const PLACE_DAYS = [7, 30] as const;

/** So many are shown. `fleetkeeper places` has all. */
const MOST_PLACES = 200;

/** How each combination did: what `fleetkeeper places` prints. */
export async function placesPage(
  options: PageOptions,
  days: (typeof PLACE_DAYS)[number],
  reader: Reader,
): Promise<string> {
  const basics = await basicsOf(options, reader);
  const { draft, moments } = basics;
  const { places, currency, since, read } = await placesOf(
    options.history,
    draft,
    days,
    contextOf(options.keeper),
  );
  const ranges = html`<nav aria-label="Days shown"><ul class="ranges">${PLACE_DAYS.map(
    (each) =>
      html`<li><a id="days-${each}" href="${linkTo("places", { days: each }) ?? "places"}"${each === days && html` aria-current="true"`}>${each}<span class="visually-hidden"> days</span><span aria-hidden="true">d</span></a></li>`,
  )}</ul></nav>`;
  const when = (moment: string): Content => moments.dayAndTime(Date.parse(moment));
  const sampled =
    since === null || read === null
      ? "The offers of these days were not sampled: an agent does so where the profile has offers."
      : html`Offers were sampled since ${when(since)}, the last time at ${when(read)}. Prices are of an hour of the machine: now, and the means by the time in which one was known.`;
  return accountPage(basics, {
    title: "Places",
    isLive: true,
    at: "places",
    main: part(
      "places",
      html`<section aria-labelledby="places"><div class="title-row"><h2 id="places">Places</h2>${ranges}</div>
<div class="card"><p class="quiet">${sampled}</p>
${places.length === 0 ? html`<p class="quiet">Nothing was launched in these days.</p>` : placeTable(places, currency)}
<p class="quiet">${lossesSay("Lost a day")}</p></div></section>`,
    ),
  });
}

function placeTable(places: readonly PlaceFacts[], currency: string): Html {
  const price = (amount: string | null): Content => (amount === null ? "?" : moneyText(amount, currency));
  const number = (title: string, cell: (place: PlaceFacts) => Content) => ({ title, number: true, cell });
  const beside = (text: string): Html => html`<br><span class="at">${text}</span>`;
  return html`${places.length > MOST_PLACES && html`<p class="quiet">The first ${MOST_PLACES} of ${places.length}. fleetkeeper places has all.</p>`}${table(
    "Combinations, those where most machines were first",
    places.slice(0, MOST_PLACES),
    [
      { title: "Place", cell: (place) => combinationHtml(place) },
      number("GPUs", ({ gpus }) => gpus || "?"),
      number(
        "Launched",
        ({ launches, refused, failures }) =>
          html`${launches}${beside(`${refused} refused, ${failures} failed`)}`,
      ),
      number(
        "Lost",
        ({ losses, machineDays }) =>
          html`${losses}${beside(`in ${machineDays.toFixed(2)} days of machines`)}`,
      ),
      number("Lost a day", lostText),
      number("To run", toRunText),
      number("Cooled", ({ hoursCooling }) => `${hoursCooling.toFixed(2)} h`),
      number("Room", ({ room }) => room ?? "?"),
      number("Now", ({ pricePerHour }) => price(pricePerHour.now)),
      number("7 days", ({ pricePerHour }) => price(pricePerHour.days7)),
      number("30 days", ({ pricePerHour }) => price(pricePerHour.days30)),
    ],
  )}`;
}
