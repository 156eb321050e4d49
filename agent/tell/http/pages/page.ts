import { ago, duration, moneyText } from "../../../fleet/text/format.ts";
import { attention } from "./attention.ts";
import { oldOf } from "./basics.ts";
import { budgetCard } from "./budget-card.ts";
import { charts } from "./charts.ts";
import { deploymentCards, fleetCards } from "./fleet-card.ts";
import { type Content, type Html, html } from "./html.ts";
import { cooldowns, events, losses, strangers } from "./logs.ts";
import { actLinks } from "./offered.ts";
import type { PageData } from "./page-data.ts";
import { accountPage, part } from "./shell.ts";
import { wholeCards } from "./whole-card.ts";

/** The status page. */
export function page(view: PageData): string {
  const running = view.fleets.reduce((sum, { runningGpus }) => sum + runningGpus, 0);
  const desired = view.fleets.reduce((sum, { shownGpus }) => sum + shownGpus, 0);
  const old = oldOf(view);
  return accountPage(view, {
    title: `${running} of ${desired} GPUs${old ? ` (as of ${old.time})` : ""}`,
    isLive: true,
    at: "status",
    main: html`${part("attention", attention(view), true)}
${part("summary", summary(view, running, desired))}
${part("budgets", budgetCard(view))}
${part("wholes", wholeCards(view.isGuest ? [] : view.wholes))}
${part("fleets", fleetCards(view))}
${part("deployments", deploymentCards(view))}
${part("unaccounted", strangers(view))}
${part("cooldowns", cooldowns(view))}
${part("charts", charts(view))}
${part("losses", losses(view))}
${part("events", events(view))}
${part("account", whole(view))}`,
  });
}

/** A stop of all is found at the end of the page, and not between what is done every day. */
function whole(view: PageData): Content {
  const links = actLinks(view, "account", "", { only: ["stop"] });
  return (
    links &&
    html`<section aria-labelledby="account"><h2 id="account">The whole account</h2>${links}</section>`
  );
}

function summary(view: PageData, running: number, desired: number): Html {
  const { balance, perHour, unpriced } = view.money;
  const { currency } = view.status;
  const starting = view.fleets.reduce((sum, { startingGpus }) => sum + startingGpus, 0);
  // What one has too many, another one lacks all the same.
  const short = view.fleets.reduce(
    (sum, { shownGpus, runningGpus }) => sum + Math.max(0, shownGpus - runningGpus),
    0,
  );
  const old = oldOf(view);
  const read = view.status.balance;
  return html`<section aria-label="Summary"><dl class="tiles">
${tile(
  "GPUs running",
  html`${running}<span class="unit"> of ${desired}</span>`,
  old
    ? `as of ${old.text}`
    : short <= 0
      ? "All that were asked for"
      : starting > 0
        ? `${starting} on the way`
        : `${short} missing`,
  short > 0 || old ? "warn" : "",
)}
${tile(
  "Spent an hour",
  moneyText(perHour, currency),
  unpriced > 0 ? `and ${unpriced} of unknown price` : `${moneyText(perHour.times(24), currency)} a day`,
)}
${tile("Balance", balance === undefined ? "?" : moneyText(balance, currency), read ? `read ${ago(read.at, view.now)}` : "not read yet")}
${runwayTile(view)}
</dl></section>`;
}

function runwayTile({ money: { balance, unpriced, runway }, shortRunway, moments, now }: PageData): Html {
  const title = "Runway";
  if (runway === undefined) {
    if (balance === undefined) return tile(title, "?", "the balance is not known");
    return unpriced > 0 ? tile(title, "?", "a price is not known") : tile(title, "∞", "nothing is spent");
  }
  const until = `until ${moments.dayAndTime(now + runway)}`;
  return tile(
    title,
    unpriced > 0 ? `≤ ${duration(runway)}` : duration(runway),
    unpriced > 0 ? `${until} at most: a price is not known` : until,
    runway < shortRunway ? "warn" : "",
  );
}

function tile(title: string, value: Content, note: Content, look = ""): Html {
  return html`<div class="tile ${look}"><dt>${title}</dt><dd class="value">${value}</dd><dd class="note">${note}</dd></div>`;
}
