import { ago } from "../../../fleet/text/format.ts";
import type { AccountHead } from "../../../json/status.ts";
import { type Basics, oldOf } from "./basics.ts";
import { type Content, type Html, html } from "./html.ts";

/** Seconds between two reloads of a page if no script runs. */
const REFRESH_S = 15;

export interface Shell {
  /** In the tab, before the program's name. */
  readonly title: string;
  /** The page loads anew by itself. Not one with a form: it would lose what was typed. */
  readonly isLive?: boolean;
  /** What stands beside the program's name. */
  readonly head?: Content;
  /** The page's place among those that every page leads to. Left out: it leads to none. */
  readonly at?: "status" | "places" | "search" | "other";
  readonly main: Content;
  readonly foot?: Content;
  readonly script?: "page.js" | "share.js";
}

/** One page as a whole. It reads without script and style. The script replaces a `data-part` that changed. */
export function shell({ title, isLive, head, at, main, foot, script }: Shell): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>${title} · fleetkeeper</title>
${isLive && html`<noscript><meta http-equiv="refresh" content="${REFRESH_S}"></noscript>`}
<link rel="icon" href="icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="page.css">
${script && html`<script type="module" src="${script}"></script>`}
</head>
<body>
<a class="skip" href="#main">To the content</a>
<header class="top"><div class="inner">
<h1><svg class="mark" viewBox="0 0 24 24" width="24" height="24" aria-hidden="true" focusable="false"><rect x="2" y="3" width="9" height="8" rx="2"/><rect x="13" y="3" width="9" height="8" rx="2"/><rect x="2" y="13" width="9" height="8" rx="2"/><rect class="late" x="13" y="13" width="9" height="8" rx="2"/></svg>fleetkeeper</h1>
${at && nav(at)}
${head}
${script === "page.js" && html`<p id="live" class="live" role="status"></p>`}
</div></header>
<main id="main" tabindex="-1">
${main}
</main>
${foot && html`<footer class="bottom"><div class="inner">${foot}</div></footer>`}
</body>
</html>
`.text;
}

function nav(at: NonNullable<Shell["at"]>): Html {
  const link = (name: string, href: string, text: string): Html =>
    html`<li><a id="to-${name}" href="${href}"${name === at && html` aria-current="page"`}>${text}</a></li>`;
  return html`<nav class="pages" aria-label="Pages"><ul>${link("status", "./", "Status")}${link("places", "places", "Places")}${link("search", "search", "Search")}</ul></nav>`;
}

/** The page of an account. */
export function accountPage(
  basics: Basics,
  {
    title,
    isLive = false,
    hasForm = false,
    at,
    main,
  }: Pick<Shell, "title" | "isLive" | "main"> & Required<Pick<Shell, "at">> & { readonly hasForm?: boolean },
): string {
  const { version, moments, isGuest } = basics;
  // They hold more than a share link shows.
  const programs =
    !isGuest &&
    html`<nav aria-label="For programs"><ul><li><a href="api/status">Status as JSON</a></li><li><a href="metrics">Metrics</a></li><li><a href="healthz">Health</a></li><li><a href="readyz">Readiness</a></li></ul></nav>`;
  return shell({
    title,
    isLive,
    // It reads the page again and again: one whose form stands for what it shows stays as it is.
    ...(!hasForm && { script: "page.js" }),
    at,
    head: html`${part("who", who(basics))}${acting(basics)}`,
    main: html`${done(basics)}${main}`,
    foot: html`<p>fleetkeeper ${version}. Times are in ${moments.zone}.${isGuest && " You see this by a share link."}</p>
${programs}`,
  });
}

/** A guest is offered nothing. */
function acting({ isGuest, actor }: Basics): Content {
  if (isGuest) return "";
  return html`<p class="acting">${actor && "Acting as "}<a href="sign-in">${actor ? actor.name.replace(/^token:/, "") : "Sign in to act"}</a></p>`;
}

function done({ said }: Basics): Content {
  return (
    said &&
    html`<p class="told ok" role="status">${said.text}${said.undo !== undefined && html` <a href="${said.undo}">Take it back</a>`}</p>`
  );
}

/** `live`: screen readers read out what changes in it. */
export function part(name: string, content: Content, live = false): Html {
  return html`<div id="part-${name}"${live && html` aria-live="polite"`}><div data-part="${name}">${content}</div></div>`;
}

function who(basics: Basics): Html {
  const { head, now, isGuest } = basics;
  const { account, baseUrl, tenure, list } = head;
  const old = oldOf(basics);
  const seen = list === null ? "No list yet" : old ? `As of ${old.text}` : `List of ${ago(list, now)}`;
  // The page's script shows it beside the name. "Live" means that the service was read lately.
  const isLive = list !== null && !old;
  return html`<p class="who" data-live="${isLive ? "Live" : seen}" data-look="${isLive ? "on" : "off"}">${
    !isGuest && html`<span class="account">${account}</span> `
  }<span class="at">${baseUrl.replace(/^https?:\/\//, "")}</span> <span class="badge">${tenure}</span>
<span class="seen">${seen}</span>${keptBy(basics, head)}</p>`;
}

/** Who keeps the account. Whoever reads a standby's page must not take it for that agent. */
function keptBy(basics: Basics, { agent }: AccountHead): Html | "" {
  const why = basics.isStandby && " This agent stands by.";
  if (!agent) return html` <span>No agent keeps it.${why}</span>`;
  return html` <span>Kept ${keeperOf(basics)}.${why}</span>`;
}

/** `by process 7 on HOST since 20 Nov 14:05`. A guest is not told the host's name. */
export function keeperOf({ head: { agent }, moments, isGuest }: Basics): Html {
  const since = agent && agent.since !== null && ` since ${moments.dayAndTime(agent.since)}`;
  return isGuest ? html`by an agent${since}` : html`by process ${agent?.pid} on ${agent?.host}${since}`;
}
