import {
  atItsLargest,
  checkDoubts,
  declareFleet,
  doubtText,
  type FleetDeclaration,
  type FleetPlan,
  fleetPhase,
  gpusText,
  impossible,
  parseWish,
  plan,
  renameFleet,
  type Wish,
  whyBlind,
} from "../../../agent/index.ts";
import { wishInForce } from "../../../agent/planning/count/wish-in-force.ts";
import { initialAdoptionHold } from "../../../agent/planning/machines/initial-adoption.ts";
import { boundOf } from "../../../agent/planning/told/bound.ts";
import { fleetCosts, launchCosts, sumOfCosts } from "../../../agent/planning/told/costs.ts";
import type { Takes } from "../../../agent/planning/told/takes.ts";
import { billsOf, contextOf, countedBy, holdText, whyUnstated } from "../../../launch/index.ts";
import { type FleetRow, fleetOwner, readDraft, scratchDraft } from "../../../ledger/index.ts";
import { FleetkeeperError, isOfService } from "../../../service/contract/errors.ts";
import { parseUsd } from "../../../service/contract/money.ts";
import type { Money, Offer } from "../../../service/contract/service.ts";
import { readable, unreadText } from "../../../service/contract/unread.ts";
import { nameOf, type WishInputs, wishOf } from "../inputs/inputs.ts";
import type { CheckFailure, Properties } from "../inputs/resource-kind.ts";
import type { Environment, Session } from "../session/environment.ts";
import { type Progress, progressOf } from "../session/progress.ts";
import { tellUnkept } from "../wait/fleet-progress.ts";
import { type Declarable, declarable } from "./declarable.ts";
import { foreseeParts } from "./declare-parts.ts";
import { foreseeTakes, tellTakes } from "./foreseen-takes.ts";
import { launchesText, type Priced, priceTexts } from "./price-parts.ts";
import { type Costed, tellCosts } from "./stack-costs.ts";

interface Foreseen {
  /** What the ledger says of the fleet now; undefined: it is new. */
  readonly stored: FleetRow | undefined;
  /** That a new life begins, where its name was paid for before. */
  readonly life: string | undefined;
  /** Why no wait would bring the fleet about; undefined: it may come about, or that cannot be known now. */
  readonly never: string | undefined;
  /** What is taken without a launch. */
  readonly takes: Takes;
  /** What would be launched now beside that, and once a person has said of each other machine whose it is. */
  readonly plan: FleetPlan | undefined;
  /** Why it waits for that person. */
  readonly waits: string | undefined;
  /** What it costs then. Undefined: it wants nothing. */
  readonly costed: Costed | undefined;
}

/** What follows if this is declared, tried on a copy of the rows. Throws CONFIG if another source has the name. */
export async function foresee(
  session: Session,
  declared: FleetDeclaration,
  tell: Progress,
): Promise<Foreseen> {
  const { keeper } = session;
  const { name, source, wish } = declared;
  const ask = asking(tell);
  if (wish.budget.floor !== undefined) await ask(() => session.balances.next());
  // What runs is taken then: no list of an hour ago may say what.
  if ((await readDraft(keeper)).account.tenure === "exclusive") await ask(() => session.lists.glance());
  const listed = await ask(() => session.offers());
  const [offers, unreadOffers] = [listed && readable(listed), unreadText(listed ?? [], "offers")];
  const draft = await scratchDraft(keeper);
  const context = contextOf(keeper);
  const can = keeper.service.abilities;
  const stored = [...draft.fleets.values()].find((row) => row.source === source && !row.removed);
  renameFleet(draft, { name, previousName: stored?.name, source }, context);
  const life = declareFleet(draft, declared, context);
  const fleet = draft.fleets.get(name);
  const phase = fleet && fleetPhase(draft, fleet, context);
  if (stored === undefined && phase?.kind === "drained") {
    const change = phase.by === "total" ? "Raise budget.total" : "Change until";
    const never = `0 of ${wish.gpus} GPUs wanted: ${phase.why}. ${change}, and it launches`;
    return { stored, life, never, takes: [], plan: undefined, waits: undefined, costed: undefined };
  }
  const { balance, tenure } = draft.account;
  const owner = fleetOwner(name);
  const spent = countedBy(draft, owner, billsOf(draft, owner, context), wish.budget.totalOf);
  const total = stored === undefined ? parseUsd(wish.budget.total ?? "")?.minus(spent) : undefined;
  const left = total === undefined ? wish : { ...wish, budget: { ...wish.budget, total: total.toFixed() } };
  const blind = whyBlind(wish, { can }) ?? whyUnstated(tenure, can);
  const never =
    wish.paused || wish.gpus === 0
      ? undefined
      : ((blind && holdText(blind)) ?? whyImpossible(left, offers, balance?.amount, unreadOffers, can));
  const takes = foreseeTakes(session, draft, name, offers, context);
  const found = draft.fleets.get(name);
  const waits =
    found && !found.born
      ? initialAdoptionHold(draft, wishInForce(draft, found, context), offers, context)
      : undefined;
  if (found) draft.putFleet({ ...found, born: true });
  const planned = plan(draft, { can, offers, unreadOffers }, context).find((each) => each.fleet === name);
  const costed = fleet && {
    costs: fleetCosts(draft, name, planned?.stops, planned?.launches),
    most: boundOf(draft, fleet, context),
  };
  return { stored, life, never, takes, waits, plan: planned, costed };
}

/** Asks the service for what a preview does without, if it cannot be had just now: then it tells why. */
function asking(tell: Progress) {
  return <T>(work: () => Promise<T>): Promise<T | undefined> =>
    work().catch((error: unknown) => {
      if (!(error instanceof FleetkeeperError)) throw error;
      tell(`what can be had cannot be asked just now: ${error.message}`);
      return undefined;
    });
}

/** A list without any offer says nothing: it may have some in a minute. */
function whyImpossible(
  wish: Wish,
  offers: readonly Offer[] | undefined,
  balance: string | undefined,
  unread: string | undefined,
  money: Money,
) {
  if (offers?.length === 0) return undefined;
  const reasons = impossible(wish, offers, balance === undefined ? undefined : parseUsd(balance), money);
  if (reasons.length === 0) return undefined;
  return (
    `it can never have ${wish.gpus === 1 ? "its GPU" : `its ${wish.gpus} GPUs`}: ${[...reasons, ...(unread === undefined ? [] : [unread])].join("; ")}. Change what it asks for; ` +
    "or set awaitReady: false, and the agent launches what can be had"
  );
}

/** Why `up` leaves all as it is. Lower limits are stored, whatever can be had within them: what runs goes by them. */
export function refusedFor(
  { stored, never }: Pick<Foreseen, "stored" | "never">,
  { gpus, awaitReady }: Pick<WishInputs, "gpus" | "awaitReady">,
): string | undefined {
  const isMore = stored === undefined || gpus > parseWish(stored.part?.whole ?? stored.wish).gpus;
  return awaitReady !== false && isMore ? never : undefined;
}

/** Tells what of this wish can never do what it says. */
export function tellDoubts({ keeper }: Session, wish: Wish, tell: Progress): void {
  for (const doubt of checkDoubts(wish, contextOf(keeper))) tell(doubtText(doubt));
}

/** In a preview of a new or a changed fleet: tells what it would launch now and what follows. What `up` would refuse is a failure here. */
export async function foretell(
  env: Environment,
  session: Session,
  inputs: WishInputs,
  tell: Progress,
): Promise<readonly CheckFailure[]> {
  const wish = wishOf(inputs);
  const where = await declarable(session, inputs, wish);
  tellDoubts(session, wish, tell);
  return inputs.services === undefined
    ? foretellAlone(env, session, inputs, wish, tell)
    : foretellParts(env, session, inputs, where, tell);
}

async function foretellAlone(
  env: Environment,
  session: Session,
  inputs: WishInputs,
  wish: Wish,
  tell: Progress,
): Promise<readonly CheckFailure[]> {
  const { name, source, triggers } = inputs;
  const foreseen = await foresee(session, { name, source, wish, triggers }, tell);
  const refused = refusedFor(foreseen, inputs);
  if (refused !== undefined) return [{ property: "", reason: refused }];
  const { life, never, takes, waits, plan, costed } = foreseen;
  const reasons = [
    ...(waits === undefined ? [] : [waits]),
    ...(never === undefined ? (plan?.reasons ?? []) : [never]),
  ];
  const { launches = [] } = plan ?? {};
  const costs = launches.length === 0 ? undefined : launchesText(launches, session.keeper.service.abilities);
  if (life !== undefined) tell(life);
  tellTakes(env, session, inputs.name, takes, tell);
  for (const text of [sizeText(wish, plan), costs, ...reasons]) if (text !== undefined) tell(text);
  if (costed) await tellCosts(env, session, { kind: "fleet", label: inputs.label }, costed, tell);
  await tellUnkept(session, inputs, tell);
  return [];
}

/** What a size that follows a clock, a metric or its work is now, and at most. */
function sizeText(wish: Wish, plan: FleetPlan | undefined): string | undefined {
  if (!(wish.schedule ?? wish.metric ?? wish.work) || !plan) return undefined;
  return `it asks for ${gpusText(plan.desired)} now, and for ${atItsLargest(wish).gpus} at most`;
}

/**
 * What follows for a fleet in several services. The stack has the key of one of them, and reads its offers. Those of the others are what
 * their agents left in the ledger.
 */
async function foretellParts(
  env: Environment,
  session: Session,
  inputs: WishInputs,
  { wanted, seen, accounts }: Declarable,
  tell: Progress,
): Promise<readonly CheckFailure[]> {
  const { keeper } = session;
  const { name, source, triggers } = inputs;
  if (inputs.budget?.floor !== undefined) await asking(tell)(() => session.balances.next());
  const foreseen = await foreseeParts(session, { source, triggers }, wanted, seen);
  const refused = refusedFor(foreseen, inputs);
  if (refused !== undefined) return [{ property: "", reason: refused }];
  const { life, never, drafts } = foreseen;
  for (const text of [life, never]) if (text !== undefined) tell(text);
  const { texts, takes, launches } = await priceParts(session, name, foreseen, tell);
  tellTakes(env, session, name, takes, tell);
  for (const text of texts) tell(text);
  const parts = [...drafts.values()].flatMap((draft) =>
    [...draft.fleets.values()]
      .filter(({ part, removed }) => part?.of === name && !removed)
      .map((fleet) => ({ draft, fleet })),
  );
  const [first] = parts;
  if (first) {
    const most = boundOf(first.draft, first.fleet, contextOf(keeper), parts);
    const all = parts.map(({ draft, fleet }) => fleetCosts(draft, fleet.name));
    const costs = sumOfCosts([...all, launchCosts(launches)]);
    await tellCosts(env, session, { kind: "fleet", label: inputs.label }, { costs, most }, tell);
  }
  await tellUnkept(session, inputs, tell, accounts);
  return [];
}

/** What its services together would take and launch of what it lacks. */
export async function priceParts(
  session: Session,
  name: string,
  { never, short, drafts }: Awaited<ReturnType<typeof foreseeParts>>,
  tell: Progress,
): Promise<Priced> {
  if (short <= 0 || never !== undefined) return { texts: [], takes: [], launches: [] };
  const { keeper } = session;
  const listed = drafts.has(keeper.account) ? await asking(tell)(() => session.offers()) : undefined;
  const offers = listed && readable(listed);
  const own = { can: keeper.service.abilities, offers, unreadOffers: unreadText(listed ?? [], "offers") };
  return priceTexts(session, { name, drafts }, own);
}

/** Looks at the account for a preview. What cannot be asked just now is told; what `up` would refuse, too, is a failure. */
export async function foretold(
  env: Environment,
  props: Properties,
  look: (session: Session, tell: Progress) => Promise<readonly CheckFailure[]>,
): Promise<readonly CheckFailure[]> {
  const tell = progressOf(env, nameOf(props));
  try {
    const failures = await look(await env.glimpse(), tell);
    return failures.map((each) => ({ ...each, reason: env.hide(each.reason) }));
  } catch (error) {
    if (!(error instanceof FleetkeeperError)) throw error;
    const message = env.hide(error.message);
    if (!isOfService(error)) return [{ property: "", reason: message }];
    tell(`what it costs cannot be asked just now: ${message}`);
    return [];
  }
}
