import type { Draft } from "../ledger/draft.ts";
import type { Instant, ProcessIdentity } from "../ledger/instant.ts";
import { age } from "../ledger/instant.ts";
import { ownerParts } from "../ledger/owner.ts";
import type { IntentRow, Owner, SlotRow, Tenure } from "../ledger/rows.ts";
import type { Combination } from "../service/contract.ts";
import { place } from "../service/contract.ts";
import { parsePrice } from "../service/money.ts";
import type { Abilities, Json } from "../service/service.ts";
import { groupNow, openBeside } from "./beside.ts";
import type { SpendLimits } from "./budget.ts";
import { overBudget } from "./budget.ts";
import { isLateFor, refusedLately } from "./candidates.ts";
import type { Context, ProtocolSettings } from "./context.ts";
import { knowledgeOf } from "./context.ts";
import { coolingFor } from "./cooling.ts";
import { isPastDeadline } from "./deadline.ts";
import { note } from "./events.ts";
import { markerOf, overlap } from "./groups.ts";
import { fingerprintOf } from "./parameters.ts";
import { doubtsOf, knownPrice } from "./price.ts";
import { balanceBefore } from "./price-balance.ts";
import { launchHalt } from "./price-doubt.ts";
import { probeUnderWay } from "./probe.ts";
import { whyRefusalsHold } from "./refused.ts";
import { whyRestored } from "./restored.ts";
import { whyHeld } from "./returned.ts";
import { whyStale } from "./slow-list.ts";
import { forgetRefusals } from "./spent-refusals.ts";
import { whyNoBaseline } from "./unread.ts";
import { whyProbed } from "./vanished.ts";

export interface LaunchWish extends Combination {
  readonly owner: Owner;
  readonly gpus: number;
  readonly pricePerHour: string | null;
  readonly parameters: Readonly<Record<string, Json>>;
  readonly limits: SpendLimits;
  /** Says why the owner has no room for one more, by the rows of this transaction. */
  readonly full: (draft: Draft) => string | undefined;
  /** Called once the launch is admitted. It is sent unless the last look finds a reason against it. */
  readonly admitted?: () => void;
  /** Says why the owner wants nothing launched any more. Asked right before the POST, by those rows. */
  readonly closed?: (draft: Draft) => string | undefined;
}

/** Why a launch has to wait, as a kind for decisions and a text for people; `cooling` knows for how long. */
export type Refusal =
  | { readonly kind: "cooling"; readonly ms: number; readonly text: string }
  | {
      readonly kind:
        | "full"
        | "budget"
        | "halted"
        | "held"
        | "tenure"
        | "group"
        | "probe"
        | "refusals"
        | "late"
        | "stale"
        | "restored"
        | "baseline"
        | "ending";
      readonly text: string;
    };

export type Admission = { readonly intent: IntentRow } | { readonly refused: Refusal };

/**
 * Writes an intent if nothing speaks against it. One transaction checks count, cooldown, money, group and the
 * age of the full list that is its baseline, and stores it (rules 1 and 2 of docs/how/protocol.md).
 */
export function admit(
  draft: Draft,
  asked: LaunchWish,
  context: Context,
  fresh: { readonly id: string; readonly ledger: string; readonly sender: ProcessIdentity },
): Admission {
  const wish = withKnownPrice(draft, asked, context);
  const refused = refusal(draft, wish, context, fresh.id);
  if (refused) return { refused };
  // Room is made before each row: a service may refuse for ever.
  forgetRefusals(draft, context);
  const { offer, provider, location, owner, gpus, pricePerHour, parameters } = wish;
  const { wire, now, settings } = context;
  const before = balanceBefore(draft, wire.profileHash, context);
  const intent: IntentRow = {
    id: fresh.id,
    owner,
    offer,
    provider,
    location,
    gpus,
    pricePerHour,
    parameters: fingerprintOf(parameters),
    marker: markerOf(fresh.ledger, fresh.id),
    ...(before && pricePerHour !== null ? { before } : {}),
    profile: wire.profileHash,
    group: groupNow(draft, { id: fresh.id, offer, provider, location }, context).group,
    baseline: draft.account.sequence,
    nameless: draft.account.nameless?.count ?? 0,
    state: "open",
    sender: fresh.sender,
    stamped: now,
    timeout: settings.postTimeout,
    answer: null,
    settle: null,
    resolved: null,
    deployment: null,
    detail: "written",
  };
  note(draft, context, "launch", `launching ${place(wish)}${inBrackets(gpus)}`, {
    owner,
    intent: intent.id,
  });
  return { intent: draft.moveIntent("admit", intent) };
}

/** Why nothing is launched in an account of which nobody has said whose it is. */
export function whyUnstated(tenure: Tenure, { marker }: Pick<Abilities, "marker">): string | undefined {
  if (tenure !== "unstated" || marker) return undefined;
  return (
    "nobody has said whether this account is exclusive (nobody else launches or stops there) or shared, " +
    "and the profile maps no marker. State it: account: exclusive, or account: shared"
  );
}

function inBrackets(gpus: number): string {
  return gpus === 0 ? "" : ` (${gpus} GPU${gpus === 1 ? "" : "s"})`;
}

/** A price that was seen contradicted judges no limit: the higher known one counts. */
function withKnownPrice(draft: Draft, wish: LaunchWish, { wire }: Context): LaunchWish {
  const offered = parsePrice(wish.pricePerHour);
  const known = knownPrice(doubtsOf(draft, wire.profileHash), wish, offered);
  return known === undefined || known === offered ? wish : { ...wish, pricePerHour: known.toFixed() };
}

/**
 * The last look before the POST. False if the intent is not open any more or is too old, as after a pause of
 * the process: a launch that was given up is not sent. Else the baseline and the moment are renewed.
 */
export function stampForSend(
  draft: Draft,
  id: string,
  context: Context,
  closed: LaunchWish["closed"] = () => undefined,
): boolean {
  const intent = draft.intents.ever(id);
  if (intent?.state !== "open" || intent.answer !== null) return false;
  const { now } = context;
  const why = whyNotSend(draft, intent, context) ?? closed(draft);
  if (why !== undefined) {
    draft.moveIntent("giveUp", {
      ...intent,
      state: "notSent",
      resolved: now,
      detail: `given up before sending: ${why}`,
    });
    return false;
  }
  const { sequence, nameless } = draft.account;
  draft.putIntent({
    ...intent,
    stamped: now,
    baseline: sequence,
    nameless: nameless?.count ?? 0,
    detail: "sending",
  });
  return true;
}

/**
 * Asked again when the connection stands and the first byte is about to leave. A process may stand still
 * after its last look, as while a laptop sleeps. It would then send a launch that others gave up and
 * repeated, or stop a machine that was disowned meanwhile. Both moments are by this computer's own clock: one that
 * slept finds its wall clock set, and the ledger's clock is not asked again.
 */
export function mayLeave(stamped: Instant, now: Instant, { stampAge }: ProtocolSettings): boolean {
  return age(stamped, now) <= STAMPS_TO_LEAVE * stampAge;
}

/** A look may be three times as old here: a connection may take 10 s to be made. */
const STAMPS_TO_LEAVE = 3;

function whyNotSend(draft: Draft, intent: IntentRow, context: Context): string | undefined {
  const { now, settings } = context;
  const { list } = draft.account;
  if (age(intent.stamped, now) > settings.stampAge) return "too late";
  if (!list || age(list, now) > settings.poll + settings.stampAge) return "the newest full list is too old";
  // Learned since the intent was written, by this process or another one.
  if (knowledgeOf(draft, intent.profile).halted) return "launches were halted";
  if (whyHeld(draft, intent.owner)) return "launches of its owner are held";
  if (coolingFor(draft.cooldown(intent), context) > 0) return "the combination cools";
  if (whyRefusalsHold(draft, intent, context)) return "refused launches of it made machines";
  const slot = slotOf(draft, intent.owner);
  if (slot?.closing) return "its deployment is being deleted";
  if (slot && isPastDeadline(slot, context)) return "its deadline has passed";
  return undefined;
}

function slotOf(draft: Draft, owner: Owner): SlotRow | undefined {
  const { kind, name } = ownerParts(owner);
  return kind === "slot" ? draft.slots.get(name) : undefined;
}

function refusal(draft: Draft, wish: LaunchWish, context: Context, id: string): Refusal | undefined {
  const { account } = draft;
  const { wire } = context;
  const halt = launchHalt(draft, wire.profileHash, wish.limits);
  if (halt) return { kind: "halted", text: halt };
  const unstated = whyUnstated(account.tenure, wire.abilities);
  if (unstated) return { kind: "tenure", text: unstated };
  const held = whyHeld(draft, wish.owner) ?? whyProbed(draft, wish.owner, context);
  if (held) return { kind: "held", text: held };
  const full = wish.full(draft);
  if (full) return { kind: "full", text: full };
  const ms = coolingFor(draft.cooldown(wish), context);
  if (ms > 0) return { kind: "cooling", ms, text: `${place(wish)} cools for ${Math.ceil(ms / 1000)} s more` };
  const refusals = whyRefusalsHold(draft, wish, context);
  if (refusals) return { kind: "refusals", text: refusals };
  const stale = whyStale(account, context);
  if (stale) return { kind: "stale", text: stale };
  const restored = whyRestored(account, context);
  if (restored) return { kind: "restored", text: restored };
  const probe = probeUnderWay(draft, wish, context);
  if (probe) {
    return {
      kind: "probe",
      text: `${place(wish)} was refused or failed the last time, and another launch tries it first`,
    };
  }
  const ours = groupNow(draft, { ...wish, id }, context);
  const noBaseline = whyNoBaseline(account, ours.group);
  if (noBaseline) return { kind: "baseline", text: noBaseline };
  const open = openBeside(draft, ours);
  if (open) {
    return {
      kind: "group",
      text: `another launch is under way that a list could not tell from this one (${place(open)})`,
    };
  }
  const late = [...draft.intents.of("state", "absent"), ...refusedLately(draft, context)].find(
    (other) => overlap(other, ours) && isLateFor(draft, other, context),
  );
  if (late)
    return { kind: "late", text: `a machine that may be a late answer to ${place(late)} is looked at first` };
  const budget = overBudget(draft, context, wish);
  return budget ? { kind: "budget", text: budget } : undefined;
}
