import { ago, duration, usd } from "../../fleet/format.ts";
import { attention } from "./attention.ts";
import { charts } from "./charts.ts";
import { deploymentCards, fleetCards } from "./fleet-card.ts";
import type { Content, Html } from "./html.ts";
import { html } from "./html.ts";
import { cooldowns, events, losses, strangers } from "./logs.ts";
import type { View } from "./view.ts";
import { oldOf } from "./view.ts";

/** Seconds between two reloads of the page if no script runs. */
const REFRESH_S = 15;

/** The status page. It reads without script and style. The script replaces a `data-part` that changed. */
export function page(view: View): string {
  const running = view.fleets.reduce((sum, { runningGpus }) => sum + runningGpus, 0);
  const desired = view.fleets.reduce((sum, { shownGpus }) => sum + shownGpus, 0);
  const old = oldOf(view);
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>${running} of ${desired} GPUs${old && ` (as of ${old.time})`} · fleetkeeper</title>
<noscript><meta http-equiv="refresh" content="${REFRESH_S}"></noscript>
<link rel="icon" href="icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="page.css">
<script type="module" src="page.js"></script>
</head>
<body>
<a class="skip" href="#main">To the content</a>
<header class="top"><div class="inner">
<h1><svg class="mark" viewBox="0 0 24 24" width="24" height="24" aria-hidden="true" focusable="false"><rect x="2" y="3" width="9" height="8" rx="2"/><rect x="13" y="3" width="9" height="8" rx="2"/><rect x="2" y="13" width="9" height="8" rx="2"/><rect class="late" x="13" y="13" width="9" height="8" rx="2"/></svg>fleetkeeper</h1>
${part("who", who(view))}
<p id="live" class="live" role="status"></p>
</div></header>
<main id="main" tabindex="-1">
${part("attention", attention(view), true)}
${part("summary", summary(view, running, desired))}
${part("fleets", fleetCards(view))}
${part("deployments", deploymentCards(view))}
${part("unaccounted", strangers(view))}
${part("cooldowns", cooldowns(view))}
${part("charts", charts(view))}
${part("losses", losses(view))}
${part("events", events(view))}
</main>
<footer class="bottom"><div class="inner"><p>fleetkeeper ${view.version}. Times are in ${view.moments.zone}.</p>
<nav aria-label="For programs"><ul><li><a href="api/status">Status as JSON</a></li><li><a href="metrics">Metrics</a></li><li><a href="healthz">Health</a></li><li><a href="readyz">Readiness</a></li></ul></nav></div></footer>
</body>
</html>
`.text;
}

/** `live`: screen readers read out what changes in it. */
function part(name: string, content: Html, live = false): Html {
  return html`<div id="part-${name}"${live && html` aria-live="polite"`}><div data-part="${name}">${content}</div></div>`;
}

function who(view: View): Html {
  const { account, baseUrl, tenure, list } = view.status;
  const old = oldOf(view);
  const seen = list === null ? "No list yet" : old ? `As of ${old.text}` : `List of ${ago(list, view.now)}`;
  // The page's script shows it beside the name. "Live" means that the service was read lately.
  const isLive = list !== null && !old;
  return html`<p class="who" data-live="${isLive ? "Live" : seen}" data-look="${isLive ? "on" : "off"}"><span>${account}</span> <span class="at">${baseUrl.replace(/^https?:\/\//, "")}</span> <span class="badge">${tenure}</span>
<span class="seen">${seen}</span>${keeper(view)}</p>`;
}

/** Who keeps the account. Whoever reads a standby's page must not take it for that agent. */
function keeper({ status: { agent }, isStandby, moments }: View): Html | "" {
  const why = isStandby && " This agent stands by.";
  if (!agent) return html` <span>No agent keeps it.${why}</span>`;
  const since = agent.since !== null && ` since ${moments.dayAndTime(agent.since)}`;
  return html` <span>Kept by process ${agent.pid} on ${agent.host}${since}.${why}</span>`;
}

function summary(view: View, running: number, desired: number): Html {
  const { balance, perHour, unpriced } = view.money;
  const starting = view.fleets.reduce((sum, { startingGpus }) => sum + startingGpus, 0);
  const short = desired - running;
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
  usd(perHour),
  unpriced > 0 ? `and ${unpriced} of unknown price` : `${usd(perHour.times(24))} a day`,
)}
${tile("Balance", balance === undefined ? "?" : usd(balance), read ? `read ${ago(read.at, view.now)}` : "not read yet")}
${runwayTile(view)}
</dl></section>`;
}

function runwayTile({ money: { balance, unpriced, runway }, shortRunway, moments, now }: View): Html {
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
