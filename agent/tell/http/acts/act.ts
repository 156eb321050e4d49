import type { Context } from "hono";
import { sentence } from "../../../../launch/ends/failure-advice.ts";
import type { Keeper } from "../../../../launch/keeper.ts";
import { here } from "../../../../ledger/instant.ts";
import { CAUSES, FleetkeeperError } from "../../../../service/contract/errors.ts";
import type { Json } from "../../../../service/contract/service.ts";
import { jsonOr } from "../../../../service/text/json.ts";
import { carryOut, type Given, whyNot } from "../../../orders/carry-out.ts";
import { type Foreseen, foresee } from "../../../orders/foresee.ts";
import { fleetVersion } from "../../../orders/version.ts";
import { machineVersion } from "../../../status/machine-version.ts";
import { actNamed } from "../pages/acts.ts";
import { type Basics, basicsOf } from "../pages/basics.ts";
import { linkTo } from "../pages/links.ts";
import { mayOrder, undoLink } from "../pages/offered.ts";
import type { OverPages } from "../reach/agent-services.ts";
import { issuesText } from "../reach/body.ts";
import type { Env } from "../reach/guard.ts";
import type { App } from "../reach/listening.ts";
import type { Rate } from "../reach/rate.ts";
import type { Session } from "../reach/sessions.ts";
import { askOfWhole, orderOfWhole, wholeOf } from "./act-over.ts";
import { type Ahead, actPage, backLink, mustBeSure, type Shown, shownSchema } from "./act-page.ts";
import type { Asked, Chosen } from "./asked.ts";
import { foreignForm, formOf, formPage, isOwnForm, notice } from "./forms.ts";
import { inputsOf } from "./inputs.ts";
import type { SignInOptions } from "./sign-in.ts";

export interface ActsOptions extends SignInOptions {
  /** Of an agent with one service; another one's stand with the request. */
  readonly over?: OverPages;
  /** What orders are written with: by another agent than the account's, too. */
  readonly orders: Keeper;
}

/** A service that does not answer must not keep anybody from stopping. */
const LONGEST_LOOK_MS = 5_000;

/** Answers `/act`: a GET says what an order would do, and its form orders it. */
export function addActs(app: App, options: ActsOptions, rate: Rate): void {
  app.get("/act", (c) =>
    asking(c, options, rate, c.req.query(), undefined, async (session, asked, basics) => {
      const ahead = await lookAhead(options, basics, session, asked, c.req.raw.signal);
      return formPage(
        c,
        actPage(basics, asked, ahead, session.csrf),
        ahead.shown || !ahead.problem ? 200 : 409,
      );
    }),
  );
  app.post("/act", async (c) => {
    const { session } = c.env;
    if (!session) return toSignIn(c, options);
    const form = await formOf(c);
    if (form instanceof Response) return form;
    if (!isOwnForm(form, session)) return foreignForm(c);
    const shown = shownIn(form);
    if (!shown) return notice(c, 400, "Not done", "This is no form of these pages.");
    return asking(c, options, rate, shown.chosen, shown, (_, asked, basics) =>
      order(c, options, session, asked, basics, { ...shown, isSure: form.get("sure") === "yes" }),
    );
  });
}

/** Whatever both steps need: who asks, and about what. The second one goes by what was shown, and not by its address. */
async function asking(
  c: Context<Env>,
  options: ActsOptions,
  rate: Rate,
  chosen: Chosen,
  shown: Shown | undefined,
  answer: (session: Session, asked: Asked, basics: Basics) => Promise<Response>,
): Promise<Response> {
  const { session } = c.env;
  if (!session) return toSignIn(c, options);
  const { actor } = session;
  const waits = rate.take(actor.name, here(options.orders.clock).mono);
  if (waits > 0) {
    c.header("retry-after", `${waits}`);
    return notice(c, 429, "Not done", `${actor.name} asks for too much: again in ${waits} s.`);
  }
  const whole = wholeOf(chosen, options.over ?? c.env.over);
  if (whole)
    return shown ? orderOfWhole(c, options, session, whole, shown) : askOfWhole(c, options, session, whole);
  const asked = askedOf(chosen);
  if (!asked) return notice(c, 404, "Not done", "There is no such order.");
  const basics = await basicsOf(options, { isGuest: false, actor });
  const { act, target } = asked;
  const input = inputIn(basics, asked);
  // Who adopts it is not chosen yet: that it may be one of several is enough.
  const mayChoose = input === undefined && mayOrder(basics, act, target);
  const given = { order: act.order, target, input: input ?? {}, actor };
  const refused = mayChoose ? undefined : whyNot(basics.draft, given, basics.context);
  if (refused?.refused === "gone") return toSignIn(c, options);
  if (refused) return notice(c, refused.refused === "unknown" ? 404 : 403, "Not done", refused.text);
  return answer(session, asked, basics);
}

/** Undefined: not all of it is chosen. */
function inputIn(basics: Basics, { act, target, chosen }: Asked): Readonly<Record<string, Json>> | undefined {
  return inputsOf(act).input(chosen, basics, target);
}

/** There is none, or its token is over. A link from another site comes without the cookie: that ends nothing. */
function toSignIn(c: Context<Env>, { sessions }: ActsOptions): Response {
  if (c.env.session) c.header("set-cookie", sessions.end(c));
  const isOrder = c.req.method === "POST";
  const way = isOrder ? { over: "yes" } : { then: `act${new URL(c.req.url).search}` };
  return c.redirect(linkTo("sign-in", way) ?? "sign-in", 303);
}

/** Undefined: there is no such order. */
function askedOf(chosen: Chosen): Asked | undefined {
  const { order = "", from, fleet, deployment, whole } = chosen;
  if (whole !== undefined) return undefined;
  const [about, target] =
    fleet !== undefined
      ? (["fleet", fleet] as const)
      : deployment !== undefined
        ? (["deployment", deployment] as const)
        : (["account", ""] as const);
  const act = actNamed(about, order);
  return act && { act, target, chosen, isOwnPage: from === "own" };
}

/** Tries it. */
async function lookAhead(
  options: ActsOptions,
  basics: Basics,
  { actor }: Session,
  asked: Asked,
  signal: AbortSignal,
): Promise<Ahead> {
  const { act, target, chosen } = asked;
  const { order } = act;
  const input = inputIn(basics, asked);
  if (input === undefined) return {};
  const read = order.input.safeParse(input);
  if (!read.success) return { problem: issuesText(read.error) };
  const fleet = order.about === "fleet" ? basics.draft.fleets.get(target) : undefined;
  const machine = order.about === "deployment" ? basics.draft.deployments.ever(target) : undefined;
  const version = fleet ? fleetVersion(fleet) : machine && machineVersion(machine);
  const given: Given = { order, target, input: read.data as Json, actor, version };
  const shown = { chosen, version, key: `page-${crypto.randomUUID()}` };
  try {
    const late = AbortSignal.timeout(LONGEST_LOOK_MS);
    const foreseen = await foresee(options.keeper, given, AbortSignal.any([signal, late]));
    if ("refused" in foreseen) return { problem: foreseen.text };
    return { foreseen, shown: { ...shown, stops: stopsIn(foreseen) } };
  } catch (error) {
    if (signal.aborted) throw error;
    if (error instanceof FleetkeeperError && CAUSES[error.code].of !== "service")
      return { problem: error.message };
    const why =
      error instanceof FleetkeeperError ? error.message : `no answer in ${LONGEST_LOOK_MS / 1000} s.`;
    return {
      problem: `What would follow cannot be said: ${sentence(why)} It can be ordered all the same.`,
      shown,
    };
  }
}

/** What an adoption stops was shown: it may stop these. */
function stopsIn({ answer }: Foreseen): readonly string[] | undefined {
  return (answer as { readonly stops?: readonly string[] } | null)?.stops;
}

/** Undefined: it is not what a form of ours had. */
function shownIn(form: URLSearchParams): Shown | undefined {
  const text = Buffer.from(form.get("shown") ?? "", "base64url").toString("utf8");
  return shownSchema.safeParse(jsonOr(text)).data;
}

/** The second step. Where it is not as it was shown, nothing is done, and it is shown anew. */
async function order(
  c: Context<Env>,
  options: ActsOptions,
  session: Session,
  asked: Asked,
  basics: Basics,
  { version, key, stops, isSure }: Shown & { readonly isSure: boolean },
): Promise<Response> {
  const { act, target } = asked;
  const { actor, csrf } = session;
  const again = async (status: 409 | 422 | 503, problem: string): Promise<Response> => {
    const now = await basicsOf(options, { isGuest: false, actor });
    const ahead = await lookAhead(options, now, session, asked, c.req.raw.signal);
    return formPage(c, actPage(now, asked, { ...ahead, problem }, csrf), status);
  };
  if (mustBeSure(act) && !isSure)
    return again(422, "Nothing was done: tick the box to say that all is meant.");
  const input = act.order.input.safeParse({ ...inputIn(basics, asked), ...(stops && { stops }) });
  if (!input.success) return again(422, `Nothing was done: ${issuesText(input.error)}`);
  try {
    const given: Given = { order: act.order, target, input: input.data as Json, actor, key, version };
    const outcome = await carryOut(options.orders, given);
    if ("refused" in outcome) {
      if (outcome.refused === "otherVersion")
        return again(
          409,
          `Nothing was done: ${target} was changed since you looked. See what would follow now.`,
        );
      return outcome.refused === "gone" ? toSignIn(c, options) : notice(c, 403, "Not done", outcome.text);
    }
    const what = act.order.about === "account" ? basics.head.account : target;
    options.sessions.say(session, `${what} ${act.done}`, undoLink(basics, act, target));
    return c.redirect(backLink(asked), 303);
  } catch (error) {
    if (!(error instanceof FleetkeeperError)) throw error;
    return again(CAUSES[error.code].of === "given" ? 409 : 503, `Nothing was done: ${error.message}`);
  }
}
