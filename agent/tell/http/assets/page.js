// Keeps the page fresh: at each event from the server it reads the page again and replaces the parts that
// changed. Without this script the page reloads by itself (meta refresh).

const POLL_MS = 15_000;
const live = document.getElementById("live");
/** The markup of each part as the server sent it. So what a person unfolded does not count as a change. */
const known = new Map(
  [...document.querySelectorAll("[data-part]")].map((part) => [part.dataset.part, part.outerHTML]),
);
let busy = false;
let again = false;
let events;
/** When the page was last read. After a long silence of the server it is read again. */
let read = Date.now();
const QUIET_MS = 60_000;
/** By the answer's status. */
const NOT_SHOWN = {
  401: "This page asks for a token now: load it again",
  403: "This share link is over: what you see is old",
  404: "This is not in the ledger any more",
};

function say(text, look) {
  if (!live || live.textContent === text) return;
  live.textContent = text;
  live.className = `live ${look}`;
}

/** Shows "Live" only if the service was read a moment ago. A connection to the agent is not enough. */
function sayHowOld() {
  const { live: text, look } = document.querySelector("[data-live]")?.dataset ?? {};
  say(text ?? "", look ?? "on");
}

function refresh() {
  if (busy) {
    again = true;
    return;
  }
  busy = true;
  // Not fetch and DOMParser: this parses the page without handing markup to the running page.
  const request = new XMLHttpRequest();
  request.open("GET", location.href);
  request.responseType = "document";
  request.timeout = 20_000;
  request.onloadend = () => {
    busy = false;
    if (request.status === 200 && request.responseXML) {
      read = Date.now();
      show(request.responseXML);
      sayHowOld();
    } else {
      say(NOT_SHOWN[request.status] ?? "No connection: what you see may be old", "off");
    }
    if (again) {
      again = false;
      refresh();
    }
  };
  request.send();
}

function show(fresh) {
  document.title = fresh.title;
  for (const part of fresh.querySelectorAll("[data-part]")) {
    const name = part.dataset.part;
    const old = document.querySelector(`[data-part="${name}"]`);
    const markup = part.outerHTML;
    if (!old || known.get(name) === markup) continue;
    known.set(name, markup);
    replace(old, document.adoptNode(part));
  }
}

/** Keeps open what a person unfolded, and keeps the keyboard's focus. */
function replace(old, fresh) {
  const focused = old.contains(document.activeElement) ? document.activeElement : null;
  const summaryOf = focused?.tagName === "SUMMARY" ? focused.parentElement?.id : undefined;
  for (const details of old.querySelectorAll("details[id]")) {
    const same = fresh.querySelector(`#${CSS.escape(details.id)}`);
    if (same) same.open = details.open;
  }
  old.replaceWith(fresh);
  if (!focused) return;
  const again = summaryOf
    ? document.querySelector(`#${CSS.escape(summaryOf)} > summary`)
    : focused.id
      ? document.getElementById(focused.id)
      : focused.getAttribute("href")
        ? fresh.querySelector(`a[href="${CSS.escape(focused.getAttribute("href"))}"]`)
        : null;
  (again ?? document.getElementById("main"))?.focus({ preventScroll: true });
}

function listen() {
  events = new EventSource("events");
  // Events that came while there was no connection are lost: so the page is read.
  events.onopen = refresh;
  events.onmessage = refresh;
  events.onerror = () => {
    // The answer to a page that is read says why there are no events.
    if (events.readyState === EventSource.CLOSED) refresh();
    else say("No connection: what you see may be old", "off");
  };
}

// Where events do not come through (a proxy, too many pages), the page is read without them.
setInterval(() => {
  if (document.hidden) return;
  if (events?.readyState === EventSource.OPEN && Date.now() - read < QUIET_MS) return;
  if (events?.readyState === EventSource.CLOSED) listen();
  refresh();
}, POLL_MS);
document.addEventListener("visibilitychange", () => {
  if (!document.hidden) refresh();
});
// The list of several services has no events of its own.
if (document.querySelector("[data-live]")) listen();
