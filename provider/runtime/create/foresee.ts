import type { FleetDeclaration, FleetPlan, Wish } from "../../../agent/index.ts";
import {
  checkDoubts,
  declareFleet,
  doubtText,
  fleetPhase,
  impossible,
  parseWish,
  plan,
  renameFleet,
  whyBlind,
} from "../../../agent/index.ts";
import { billsOf, contextOf, countedBy, holdText, whyUnstated } from "../../../launch/index.ts";
import type { FleetRow } from "../../../ledger/index.ts";
import { fleetOwner, scratchDraft } from "../../../ledger/index.ts";
import { atOnceText } from "../../../service/contract/billing.ts";
import { combinationText } from "../../../service/contract/contract.ts";
import { FleetkeeperError, isOfService } from "../../../service/contract/errors.ts";
import { amountText, parseUsd } from "../../../service/contract/money.ts";
import type { Money, Offer } from "../../../service/contract/service.ts";
import { readable, unreadText } from "../../../service/contract/unread.ts";
import type { WishInputs } from "../inputs/inputs.ts";
import { nameOf, wishOf } from "../inputs/inputs.ts";
import type { CheckFailure, Properties } from "../inputs/resource-kind.ts";
import type { Environment, Session } from "../session/environment.ts";
import type { Progress } from "../session/progress.ts";
import { progressOf } from "../session/progress.ts";
import { tellUnkept } from "../wait/fleet-progress.ts";
import type { Declarable } from "./declarable.ts";
import { declarable } from "./declarable.ts";
import { foreseeParts } from "./declare-parts.ts";

interface Foreseen {
  /** What the ledger says of the fleet now; undefined: it is new. */
  readonly stored: FleetRow | undefined;
  /** That a new life begins, where its name was paid for before. */
  readonly life: string | undefined;
  /** Why no wait would bring the fleet about; undefined: it may come about, or that cannot be known now. */
  readonly never: string | undefined;
  /** What would be launched now, whatever runs already. */
  readonly plan: FleetPlan | undefined;
}

/** What follows if this is declared, tried on a copy of the rows. Throws CONFIG if another source has the name. */
export async function foresee(
  session: Session,
  declared: FleetDeclaration,
  tell: Progress,
): Promise<Foreseen> {
  const { keeper } = session;
  const { name, source, wish } = declared;
  const ask = <T>(work: () => Promise<T>): Promise<T | undefined> =>
    work().catch((error: unknown) => {
      if (!(error instanceof FleetkeeperError)) throw error;
      tell(`what can be had cannot be asked just now: ${error.message}`);
      return undefined;
    });
  if (wish.budget.floor !== undefined) await ask(() => session.balances.next());
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
    return { stored, life, never, plan: undefined };
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
  if (fleet) draft.putFleet({ ...fleet, born: true });
  const planned = plan(draft, { can, offers, unreadOffers }, context).find((each) => each.fleet === name);
  return { stored, life, never, plan: planned };
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
  const isMore = stored === undefined || gpus > parseWish(stored.wish).gpus;
  return awaitReady !== false && isMore ? never : undefined;
}

/** Tells what of this wish can never do what it says. */
export function tellDoubts({ keeper }: Session, wish: Wish, tell: Progress): void {
  for (const doubt of checkDoubts(wish, contextOf(keeper))) tell(doubtText(doubt));
}

/** In a preview of a new or a changed fleet: tells what it would launch now and what follows. What `up` would refuse is a failure here. */
export async function foretell(
  session: Session,
  inputs: WishInputs,
  tell: Progress,
): Promise<readonly CheckFailure[]> {
  const wish = wishOf(inputs);
  const where = await declarable(session, inputs, wish);
  tellDoubts(session, wish, tell);
  return inputs.services === undefined
    ? foretellAlone(session, inputs, wish, tell)
    : foretellParts(session, inputs, where, tell);
}

async function foretellAlone(
  session: Session,
  inputs: WishInputs,
  wish: Wish,
  tell: Progress,
): Promise<readonly CheckFailure[]> {
  const { name, source, triggers } = inputs;
  const foreseen = await foresee(session, { name, source, wish, triggers }, tell);
  const refused = refusedFor(foreseen, inputs);
  if (refused !== undefined) return [{ property: "", reason: refused }];
  const { life, never, plan } = foreseen;
  const reasons = never === undefined ? (plan?.reasons ?? []) : [never];
  for (const text of [life, launchesText(plan, session.keeper.service.abilities), ...reasons])
    if (text !== undefined) tell(text);
  await tellUnkept(session, inputs, tell);
  return [];
}

/** The same of one in several services. The stack has the key of one of them: it reads the offers of no other. */
async function foretellParts(
  session: Session,
  inputs: WishInputs,
  { wanted, seen, accounts }: Declarable,
  tell: Progress,
): Promise<readonly CheckFailure[]> {
  const { keeper } = session;
  const { name, source, triggers } = inputs;
  const foreseen = await foreseeParts(session, { source, triggers }, wanted, seen);
  const refused = refusedFor(foreseen, inputs);
  if (refused !== undefined) return [{ property: "", reason: refused }];
  const { stored, life, never, short, lacks } = foreseen;
  for (const text of [life, never, lacks]) if (text !== undefined) tell(text);
  if (short > 0 && lacks === undefined)
    tell(
      `the price of the ${short} GPUs that it lacks is not known yet: the agents of its services ask for it once it is declared`,
    );
  if (stored === undefined) {
    const here = wanted.find(({ account }) => account === keeper.account);
    const { plan } = here ? await foresee(session, { source, name, wish: here.wish }, tell) : {};
    const alone = launchesText(plan, keeper.service.abilities);
    if (alone !== undefined) tell(`all of it here, at ${await serviceOf(keeper)}, would be ${alone}`);
  }
  await tellUnkept(session, inputs, tell, accounts);
  return [];
}

async function serviceOf({ ledger, account }: Session["keeper"]): Promise<string | undefined> {
  return (await ledger.read(account)).account.service?.name;
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

function launchesText(
  { launches }: Pick<FleetPlan, "launches"> = { launches: [] },
  { currency, billing }: Money,
): string | undefined {
  if (launches.length === 0) return undefined;
  const prices = launches.map(({ option }) => option.pricePerHour);
  const kinds = [...Map.groupBy(launches, ({ option }) => combinationText(option))].map(
    ([what, of]) =>
      `${of.length} x ${what} (${amountText(of[0]?.option.pricePerHour, currency)} an hour each)`,
  );
  const sum = prices.every((price) => price !== undefined)
    ? prices.reduce((one, other) => one.plus(other))
    : null;
  return `${kinds.join(" and ")}: ${amountText(sum, currency)} an hour together; ${atOnceText(billing)}`;
}
