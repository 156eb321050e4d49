import type { Draft } from "../../ledger/draft.ts";
import { age, type Instant, type ProcessIdentity } from "../../ledger/instant.ts";
import type { IntentRow } from "../../ledger/rows.ts";
import { combinationText } from "../../service/contract/contract.ts";
import { parsePrice } from "../../service/contract/money.ts";
import { markerOf } from "../claim/groups.ts";
import { groupNow } from "../claim/open-in-group.ts";
import type { Context, ProtocolSettings } from "../facts/context.ts";
import { note } from "../facts/events.ts";
import { type Hold, holdText } from "../facts/hold.ts";
import { labelled, labelsOfOwner } from "../facts/labels.ts";
import { doubtsOf, knownPrice } from "../money/price.ts";
import { balanceBefore } from "../money/price-balance.ts";
import { launchHolds } from "./holds.ts";
import { fingerprintOf, sentOf } from "./parameters.ts";
import type { LaunchWish } from "./rule.ts";
import { forgetRefusals } from "./spent-refusals.ts";

export type Admission = { readonly intent: IntentRow } | { readonly refused: readonly Hold[] };

/**
 * Writes an intent if nothing speaks against it. One transaction checks count, cooldown, money, group and the
 * age of the full list that is its baseline, as holds.ts has them, and stores it (rules 1 and 2 of docs/how/protocol.md).
 */
export function admit(
  draft: Draft,
  asked: LaunchWish,
  context: Context,
  fresh: { readonly id: string; readonly ledger: string; readonly sender: ProcessIdentity },
): Admission {
  const wish = withKnownPrice(draft, asked, context);
  const refused = launchHolds(draft, { ...wish, id: fresh.id }, context, "admit");
  if (refused.length > 0) return { refused };
  // Room is made before each row: a service may refuse for ever.
  forgetRefusals(draft, context);
  const { offer, provider, location, owner, gpus, pricePerHour, worth, model, parameters } = wish;
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
    ...(worth !== undefined && { worth }),
    ...(model !== undefined && { model }),
    ...labelled(labelsOfOwner(draft, owner)),
    parameters: fingerprintOf(sentOf(parameters, wire.abilities)),
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
  note(
    draft,
    context,
    "launch",
    `launching ${combinationText(wish)}${inBrackets(gpus)}${worth === undefined ? "" : `, each worth ${worth}`}`,
    {
      owner,
      intent: intent.id,
    },
  );
  return { intent: draft.moveIntent("admit", intent) };
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
  wish: LaunchWish,
  ended?: string,
): boolean {
  const intent = draft.intents.ever(id);
  if (intent?.state !== "open" || intent.answer !== null) return false;
  const { now } = context;
  const [hold] = launchHolds(draft, { ...wish, id }, context, "send");
  const why = tooLate(draft, intent, context) ?? (hold && holdText(hold)) ?? ended;
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

function tooLate(draft: Draft, intent: IntentRow, { now, settings }: Context): string | undefined {
  const { list } = draft.account;
  if (age(intent.stamped, now) > settings.stampAge) return "too late";
  if (!list || age(list, now) > settings.poll + settings.stampAge) return "the newest full list is too old";
  return undefined;
}
