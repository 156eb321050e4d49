import { stopCallsText } from "../../../../launch/ends/not-stopping.ts";
import { supportRequest } from "../../../../launch/ends/support-request.ts";
import { coolingFor } from "../../../../launch/facts/cooling.ts";
import { isHeld, machineHoldText } from "../../../../launch/facts/machine-hold.ts";
import { hookUntil } from "../../../../launch/facts/stop-hook.ts";
import { billOf, costOf } from "../../../../launch/money/spend.ts";
import type { Instant } from "../../../../ledger/instant.ts";
import type { DeploymentRow, IntentRow, StopHookRow, StoredEvent } from "../../../../ledger/rows.ts";
import { billingText } from "../../../../service/contract/billing.ts";
import { type Combination, combinationText } from "../../../../service/contract/contract.ts";
import { formatUsd } from "../../../../service/contract/money.ts";
import { epochOf } from "../../../fleet/text/epoch.ts";
import { duration, moneyText } from "../../../fleet/text/format.ts";
import { gpusText } from "../../../fleet/text/text.ts";
import { shortRow } from "../../../status/short-row.ts";
import { type Basics, basicsOf, type PageOptions, type Reader } from "./basics.ts";
import { combinationHtml, state } from "./fleet-card.ts";
import { type Content, type Html, html } from "./html.ts";
import { launchLink, linkTo, machineLink, ownerLink } from "./links.ts";
import { eventItem } from "./logs.ts";
import { actLinks } from "./offered.ts";
import { accountPage, keeperOf, part } from "./shell.ts";

/** So many of its events are shown, the newest. */
const MOST_EVENTS = 200;

/** What is known of one machine, of one launch, or of both. */
interface Story extends Basics {
  readonly row: DeploymentRow | undefined;
  readonly intent: IntentRow | undefined;
  /** The oldest first. */
  readonly events: readonly StoredEvent[];
  readonly isRetryable: (code: string) => boolean | undefined;
}

/** The page of a machine, archived or not. Undefined: the ledger knows none with this id. */
export async function machinePage(
  options: PageOptions,
  id: string,
  reader: Reader,
): Promise<string | undefined> {
  const basics = await basicsOf(options, reader);
  const row = basics.draft.deployments.ever(id);
  if (!row) return undefined;
  const intent = row.intent === null ? undefined : basics.draft.intents.ever(row.intent);
  return storyPage(await storyOf(options, basics, row, intent));
}

/** The page of a launch. Its machine's story is part of it, once it is known which one it made. */
export async function launchPage(
  options: PageOptions,
  id: string,
  reader: Reader,
): Promise<string | undefined> {
  const basics = await basicsOf(options, reader);
  const intent = basics.draft.intents.ever(id);
  if (!intent) return undefined;
  const made = intent.deployment === null ? undefined : basics.draft.deployments.ever(intent.deployment);
  const row = made?.intent === id ? made : undefined;
  return storyPage(await storyOf(options, basics, row, intent));
}

async function storyOf(
  { keeper: { ledger, account, service } }: PageOptions,
  basics: Basics,
  row: DeploymentRow | undefined,
  intent: IntentRow | undefined,
): Promise<Story> {
  const about = { deployment: row?.id, intent: intent?.id };
  const events = (await ledger.eventsAbout(account, about, MOST_EVENTS)).toReversed();
  return { ...basics, row, intent, events, isRetryable: (code) => service.isRetryable(code) };
}

function storyPage(story: Story): string {
  const { row, intent } = story;
  const title = row ? `Machine ${row.id}` : `Launch ${intent?.id}`;
  return accountPage(story, {
    title,
    isLive: true,
    at: "other",
    main: part(
      "story",
      html`<section aria-labelledby="story"><h2 id="story">${row ? "Machine" : "Launch"} <span class="id">${row?.id ?? intent?.id}</span></h2>
${row && html`<div class="card">${facts(machineFacts(story, row))}${actLinks(story, "deployment", row.id, { isOwnPage: true })}</div>`}</section>
${intent && section("asked", "What was asked, and what was answered", facts(launchFacts(story, intent)))}
${row && section("lists", "What the service shows", facts(listFacts(story, row)))}
${row && section("end", "How it ends, and why", facts(endFacts(story, row)))}
${whatHappened(story)}`,
    ),
  });
}

/** A name and what is to be said of it. Left out if there is nothing. */
type Fact = readonly [name: string, says: Content];

function facts(all: readonly Fact[]): Html | undefined {
  const known = all.filter(
    ([, says]) => says !== undefined && says !== null && says !== "" && says !== false,
  );
  if (known.length === 0) return undefined;
  return html`<dl class="facts">${known.map(
    ([name, says]) => html`<div><dt>${name}</dt><dd>${says}</dd></div>
`,
  )}</dl>`;
}

function section(id: string, title: string, content: Html | undefined): Content {
  return (
    content &&
    html`<section aria-labelledby="${id}"><h2 id="${id}">${title}</h2><div class="card">${content}</div></section>`
  );
}

/** `20 Nov 14:05, 3 h ago` */
function moment({ moments, now }: Basics, at: Pick<Instant, "wall"> | null | undefined): Content {
  if (!at) return undefined;
  const passed = now - at.wall;
  return html`<time datetime="${new Date(at.wall).toISOString()}">${moments.dayAndTime(at.wall)}</time> <span class="at">${passed < 0 ? `in ${duration(-passed)}` : `${duration(passed)} ago`}</span>`;
}

const HOW_SURE: Readonly<Record<NonNullable<DeploymentRow["claim"]>, string>> = {
  certain: "for certain",
  inferred: "inferred: a list showed it while its launch was looked for",
  disputed: "disputed: it is one of several that one launch may have made",
  foreign: "disowned: it is not ours, for good",
};

function machineFacts(story: Story, row: DeploymentRow): readonly Fact[] {
  const { draft, words, isGuest, context } = story;
  const { gpus, offer, provider, location } = shortRow(draft, row);
  const { claim, owner, end, setup, ready, health, stop } = row;
  const place_ = offer !== null && provider !== null && location !== null && { offer, provider, location };
  return [
    [
      "State",
      html`${state(row.status)} since ${moment(story, row.statusSince)}${stop && end === null && html` <span class="badge warn">to be stopped</span>`}`,
    ],
    ["Place", html`${combinationHtml(shortRow(draft, row))}${gpus !== null && `, ${gpusText(gpus)}`}`],
    [
      "Price",
      row.pricePerHour === null
        ? "the service shows none"
        : `${moneyText(row.pricePerHour, draft.account.currency)} an hour`,
    ],
    ["Cost so far", cost(story, row)],
    [
      "Kept for",
      owner === null
        ? claim === "foreign"
          ? "nobody here"
          : html`nobody yet. To say whose it is: <code>fleetkeeper adopt ${row.id} --fleet NAME</code> or <code>fleetkeeper disown ${row.id}</code>`
        : ownerLink(draft, owner),
    ],
    ["How surely", claim && HOW_SURE[claim]],
    ["Kept by", end === null && (story.head.agent ? keeperOf(story) : "no agent now")],
    ["Launch", !story.intent && row.intent !== null && launchLink(row.intent)],
    ["Marker", row.marker && html`<span class="id">${row.marker}</span>`],
    [
      "Its setup",
      setup &&
        html`${setup.state} since ${moment(story, setup.since)}, try ${setup.tries}${!isGuest && setup.said && html`: ${words(setup.said)}`}`,
    ],
    [
      "The user's check",
      ready &&
        html`${ready.ok ? "ready" : "not ready"} since ${moment(story, ready.since)}${!isGuest && ready.why && html`: ${words(ready.why)}`}`,
    ],
    [
      "Health",
      health &&
        end === null &&
        html`${health.ok ? "good" : "bad"} since ${moment(story, health.since)}${!isGuest && health.bad && html`: ${words(health.bad.why)}`}`,
    ],
    [
      "To be replaced",
      row.renew !== undefined && end === null && "its fleet asks for a new one in its place",
    ],
    [
      "Held",
      end === null &&
        isHeld(row, context.now) &&
        (isGuest ? "by a person" : words(machineHoldText(row, context.now) ?? "")),
    ],
    ["Its place", place_ && cooling(story, place_)],
    ["Archived", draft.archive.has(row.id) && "yes: it ended long ago, and no rule looks at it any more"],
  ];
}

/** By the ledger alone, as `fleetkeeper spend` counts it. */
function cost({ draft, context, now }: Story, row: DeploymentRow): Content {
  const { owner, claim } = row;
  if (owner === null || claim === "foreign") return undefined;
  const bill = billOf(draft, row, context);
  if (bill.refund === "all")
    return `${moneyText("0", draft.account.currency)}, estimated: all of it is refunded`;
  if (bill.price === undefined) return "not known: it shows no price";
  const refund = bill.refund === "unused" ? ", without its unused time, which is refunded" : "";
  const until = bill.ended?.wall ?? now;
  return `${moneyText(formatUsd(costOf(bill)), draft.account.currency)}, estimated${refund}: ${draft.account.billing ? billingText(draft.account.billing) : "whole hours"} from ${new Date(bill.from).toISOString().slice(0, 16)}Z on, for ${duration(until - bill.from)} at ${moneyText(formatUsd(bill.price), draft.account.currency)}`;
}

function cooling({ draft, context }: Basics, combination: Combination): Content {
  const ms = coolingFor(draft.cooldown(combination), context);
  return ms > 0 && `${combinationText(combination)} cools down for ${duration(ms)} more`;
}

const OUTCOMES: Readonly<Record<IntentRow["state"], string>> = {
  open: "not known yet: it counts as a machine until it is",
  claimed: "it made a machine",
  rejected: "the service refused it, and made nothing",
  notSent: "nothing was sent",
  absent: "looked for long enough, and not found",
  disputed: "it made one of several machines. They count as one until a person decides",
};

function launchFacts(story: Story, intent: IntentRow): readonly Fact[] {
  const { draft, words, isGuest } = story;
  const { settle, answer, refusal, deployment } = intent;
  const own = isGuest ? undefined : intent.detail;
  return [
    ["Launch", launchLink(intent.id)],
    ["For", ownerLink(draft, intent.owner)],
    ["Written down", moment(story, intent.stamped)],
    ["Asked for", `${combinationText(intent)}${intent.gpus === 0 ? "" : `, ${gpusText(intent.gpus)}`}`],
    [
      "Expected price",
      intent.pricePerHour === null
        ? "not known"
        : `${moneyText(intent.pricePerHour, draft.account.currency)} an hour`,
    ],
    ["Marker", html`<span class="id">${intent.marker}</span>`],
    [
      "Sent by",
      isGuest ? undefined : `process ${intent.sender.pid}, with ${duration(intent.timeout)} for an answer`,
    ],
    [
      "Answer",
      answer &&
        html`${answer.lost ? "lost" : answer.id === null ? "none that says what was made" : html`accepted${!isGuest && html` as ${machineLink(answer.id)}`}`}, ${moment(story, answer.at)}${!isGuest && answer.reason !== "" && html`: ${words(answer.reason)}`}`,
    ],
    [
      "Refused",
      refusal && `HTTP ${refusal.status}${isGuest || refusal.code === undefined ? "" : `, ${refusal.code}`}`,
    ],
    [
      "Looked for",
      settle &&
        `${settle.lists} full ${settle.lists === 1 ? "list" : "lists"} without a candidate, over ${duration(settle.covered)}`,
    ],
    [
      "Outcome",
      html`${OUTCOMES[intent.state]}${intent.resolved && html`, ${moment(story, intent.resolved)}`}`,
    ],
    ["In short", own && words(own)],
    ["Machine", deployment !== null && machineLink(deployment)],
    ["Its place", !story.row && cooling(story, intent)],
    // Values of parameters may be secrets: they stand nowhere but in the fleet file.
    [
      "Parameters",
      typeof intent.parameters === "string" &&
        html`<span class="id">${intent.parameters.slice(0, 12)}</span> (a digest)`,
    ],
    ["Wire profile", html`<span class="id">${intent.profile.slice(0, 12)}</span> (a digest)`],
  ];
}

function listFacts(story: Story, row: DeploymentRow): readonly Fact[] {
  const { words, isGuest } = story;
  const { missing, flaw, returned } = row;
  const made = epochOf(row.createdAt);
  return [
    ["Made, by the service", made === undefined ? row.createdAt : moment(story, { wall: made })],
    ["First shown", moment(story, row.firstSeen)],
    ["Last shown", row.lastSeen === null ? "only its launch's answer named it" : moment(story, row.lastSeen)],
    [
      "Missing",
      missing &&
        html`from full lists since ${moment(story, missing.since)}${missing.notFound && ", and not found by its id"}`,
    ],
    ["Came back", returned && returned.times > 0 && `${returned.times} times after its end`],
    ["Not readable", flaw && (isGuest ? "not all of its record" : words(flaw.why))],
  ];
}

const ENDS: Readonly<Record<NonNullable<DeploymentRow["end"]>, string>> = {
  failed: "it failed",
  interrupted: "the service interrupted it",
  stopped: "it was stopped",
  gone: "lists show it no more, and the service says nothing of why",
};

const HOOKS: Readonly<Record<StopHookRow["state"], string>> = {
  waiting: "its command waits",
  running: "its command runs",
  done: "its command ended well",
  failed: "its command failed",
};

function endFacts(story: Story, row: DeploymentRow): readonly Fact[] {
  const { draft, words, isGuest, isRetryable } = story;
  const { end, stop, failureCode, failureReason, suggestedAction, stopReason } = row;
  const request = supportRequest(draft, row, isRetryable);
  return [
    ["End", end && html`${ENDS[end]}, ${moment(story, row.ended)}`],
    ["Failure code", failureCode],
    ["Reason", failureReason && words(failureReason)],
    ["Suggested", suggestedAction && words(suggestedAction)],
    ["Stop reason", stopReason],
    ["Stop asked for", stop && html`${!isGuest && [words(stop.why), ", "]}${moment(story, stop.asked)}`],
    [
      "Stop calls",
      stop &&
        (stop.held
          ? "none: it waits while its fleet is paused"
          : stop.calls && !isGuest
            ? words(stopCallsText({ stop }))
            : `${stop.attempts === 0 ? "not sent yet" : `sent ${stop.attempts === 1 ? "once" : `${stop.attempts} times`}`}${stop.accepted ? ", accepted" : ""}`),
    ],
    [
      "Before the stop",
      stop?.hook &&
        html`${HOOKS[stop.hook.state]}${!isGuest && stop.hook.said !== undefined && [": ", words(stop.hook.said)]}, until ${moment(story, { ...stop.hook.since, wall: hookUntil(stop.hook) })} at most`,
    ],
    // A row of an older version.
    ["Last answer", !isGuest && stop?.error && !stop.calls ? words(stop.error) : undefined],
    ["Text for support", request && words(request)],
  ];
}

function whatHappened(story: Story): Html {
  const { events } = story;
  return html`<section aria-labelledby="events"><h2 id="events">What happened</h2>
${
  events.length === 0
    ? html`<p class="quiet">No event of it is kept.</p>`
    : html`<div class="card log"><ol class="events">${events.map((each) => eventItem(each, story))}</ol></div>`
}</section>`;
}

/** Nothing is known under this id. */
export async function unknownPage(options: PageOptions, what: string, reader: Reader): Promise<string> {
  const link = linkTo("search", { q: what });
  return accountPage(await basicsOf(options, reader), {
    title: "Not found",
    at: "other",
    main: html`<section aria-labelledby="none"><h2 id="none">The ledger knows nothing of this name</h2>
<p><span class="id">${what}</span> is not in this account. ${link && html`<a href="${link}">Search for it</a>`}</p></section>`,
  });
}
