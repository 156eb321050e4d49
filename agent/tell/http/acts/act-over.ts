import type { Context } from "hono";
import { sentence } from "../../../../launch/ends/failure-advice.ts";
import type { Keeper } from "../../../../launch/keeper.ts";
import { CAUSES, FleetkeeperError } from "../../../../service/contract/errors.ts";
import type { ForeseenOver } from "../../../json/agent.ts";
import type { Refused } from "../../../orders/carry-out.ts";
import { foreseeOver } from "../../../orders/foresee-over.ts";
import type { LedgerOrder } from "../../../orders/ledger-order.ts";
import { LEDGER_ORDERS, partsOfFleet } from "../../../orders/ledger-orders.ts";
import { carryOutOver, versionOver } from "../../../orders/over-parts.ts";
import { accountsOf } from "../api/over.ts";
import { type Act, actNamed } from "../pages/acts.ts";
import { type Basics, basicsOf } from "../pages/basics.ts";
import { type Content, type Html, html } from "../pages/html.ts";
import { linkTo } from "../pages/links.ts";
import { isOfWhole } from "../pages/offered.ts";
import { accountPage } from "../pages/shell.ts";
import type { OverPages } from "../reach/agent-services.ts";
import type { Env } from "../reach/guard.ts";
import type { Session } from "../reach/sessions.ts";
import { type Shown, secondStep } from "./act-page.ts";
import { moneyOfAll, planHtml } from "./ahead.ts";
import type { Chosen } from "./asked.ts";
import { formPage, notice } from "./forms.ts";
import type { SignInOptions } from "./sign-in.ts";

interface Options extends SignInOptions {
  readonly orders: Keeper;
}

interface Whole {
  readonly act: Act;
  readonly order: LedgerOrder;
  readonly target: string;
  readonly chosen: Chosen;
  readonly over: OverPages;
}

/** A service that does not answer must not keep anybody from stopping. */
const LONGEST_LOOK_MS = 5_000;

/** Undefined: there is no such order of a fleet in several services. */
export function wholeOf(chosen: Chosen, over: OverPages | undefined): Whole | undefined {
  const { order: name = "", whole } = chosen;
  const order = LEDGER_ORDERS.find((each) => each.about === "fleet" && each.name === name);
  const act = actNamed("fleet", name);
  if (whole === undefined || !over || !order || !act || !isOfWhole(name)) return undefined;
  return { act, order, target: whole, chosen, over };
}

/** The first step. `problem`: why the second one did nothing. */
export async function askOfWhole(
  c: Context<Env>,
  options: Options,
  { actor, csrf }: Session,
  whole: Whole,
  problem?: { readonly text: string; readonly status: 409 | 503 },
): Promise<Response> {
  const { target, order, over } = whole;
  const basics = await basicsOf(options, { isGuest: false, actor });
  const parts = await partsOfFleet(options.orders.ledger, target);
  const version = await versionOver(parts, options.orders.ledger);
  const services = await over.services();
  const accounts = accountsOf(services, options.orders, actor, over.isOne);
  const signal = AbortSignal.any([c.req.raw.signal, AbortSignal.timeout(LONGEST_LOOK_MS)]);
  const shown = { chosen: whole.chosen, version, key: `page-${crypto.randomUUID()}` };
  const said = (foreseen: ForeseenOver | undefined, text = problem?.text): Response => {
    const page = wholePage(basics, whole, { foreseen, shown, csrf, problem: text });
    return formPage(c, page, problem?.status);
  };
  try {
    const given = { order, target, input: {}, actor, version };
    const foreseen = await foreseeOver(given, accounts, services, signal);
    return "refused" in foreseen ? refused(c, foreseen) : said(foreseen);
  } catch (error) {
    if (c.req.raw.signal.aborted) throw error;
    const isKnown = error instanceof FleetkeeperError;
    if (isKnown && CAUSES[error.code].of !== "service") return notice(c, 409, "Not done", error.message);
    const why = isKnown ? error.message : `no answer in ${LONGEST_LOOK_MS / 1000} s.`;
    return said(
      undefined,
      `What would follow cannot be said: ${sentence(why)} It can be ordered all the same.`,
    );
  }
}

/** The second step: what was shown, and nothing else. */
export async function orderOfWhole(
  c: Context<Env>,
  options: Options,
  session: Session,
  whole: Whole,
  { version, key }: Shown,
): Promise<Response> {
  const { act, target, order, over } = whole;
  const { actor } = session;
  const accounts = accountsOf(await over.services(), options.orders, actor, over.isOne);
  try {
    const outcome = await carryOutOver({ order, target, input: {}, actor, key, version }, accounts);
    if (!("refused" in outcome)) {
      const undo = act.undo && linkTo("act", { order: act.undo, whole: target });
      options.sessions.say(session, `${target}, in all of its services, ${act.done}`, undo);
      return c.redirect("./", 303);
    }
    if (outcome.refused !== "otherVersion") return refused(c, outcome);
    const text = `${outcome.text} See what would follow now.`;
    return askOfWhole(c, options, session, whole, { text, status: 409 });
  } catch (error) {
    if (!(error instanceof FleetkeeperError)) throw error;
    const status = CAUSES[error.code].of === "given" ? 409 : 503;
    return askOfWhole(c, options, session, whole, { text: error.message, status });
  }
}

function refused(c: Context<Env>, { refused, text }: Refused): Response {
  return notice(
    c,
    { gone: 401, unknown: 404, forbidden: 403, otherOrder: 422, otherVersion: 409 }[refused] as 401,
    "Not done",
    text,
  );
}

function wholePage(
  basics: Basics,
  { act, target, order, over }: Whole,
  {
    foreseen,
    shown,
    csrf,
    problem,
  }: {
    readonly foreseen: ForeseenOver | undefined;
    readonly shown: Shown;
    readonly csrf: string;
    readonly problem: string | undefined;
  },
): string {
  const words = (text: string): Content => basics.words(over.hide(text));
  const name = `${target}, in all of its services`;
  return accountPage(basics, {
    title: `${problem === undefined ? "" : "Not done: "}${act.verb} all of ${target}`,
    at: "other",
    hasForm: true,
    main: html`<section class="act" aria-labelledby="act"><h2 id="act" tabindex="-1" autofocus>${act.verb} <span class="of">${name}</span>?</h2>
${problem !== undefined && html`<p class="told bad" role="alert">${words(problem)}</p>`}
<p>${order.says}</p>
${foreseen && html`<div class="card"><h3>What would follow</h3>${follows({ draft: basics.draft, words }, foreseen)}</div>`}
${secondStep({ csrf, shown, isGrave: act.isGrave, says: `${act.verb} all of ${target}`, back: "./" })}</section>`,
  });
}

function follows(
  { draft, words }: Pick<Basics, "draft" | "words">,
  { answer, wholes, fleets, believed, errors }: ForeseenOver,
): Html {
  const its = new Set(answer.parts.map(({ fleet }) => fleet));
  const plans = fleets.filter(
    ({ fleet, launches, stops }) => its.has(fleet) || launches.length + stops.length > 0,
  );
  const whole = wholes.find(({ name }) => answer.parts.some(({ of }) => of === name));
  return html`${!believed && html`<p class="told warn">The newest list of one of them is not believed: its agent does nothing before another one agrees with it.</p>`}
${errors.map(({ service, error }) => html`<p class="told warn">${service} cannot be asked, so what would follow there is not known: ${words(error)}</p>`)}
${moneyOfAll(plans, whole?.pricePerHour)}
${plans.map((each) => planHtml({ words, draft }, each))}`;
}
