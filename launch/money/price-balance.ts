import type { Draft } from "../../ledger/draft.ts";
import { age, elapsed, HOUR_MS, type Instant } from "../../ledger/instant.ts";
import type { IntentRow } from "../../ledger/rows.ts";
import { billingOf } from "../../service/contract/billing.ts";
import { parsePrice, parseUsd } from "../../service/contract/money.ts";
import { type Context, knowledgeOf, learn } from "../facts/context.ts";
import { doubtPrice, isBeyondRounding } from "./price-doubt.ts";

/*
 * On launch the first hour is reserved from the balance (specification, section 1), or what a profile says that a
 * launch takes in advance. So the balance shows what a machine costs, whatever offers and records say. But many things move a balance. It counts only on an
 * exclusive account, between a read right before a launch and one a settle time after it, with no other
 * launch that may have taken something and no other machine that lives or just ended. Once it agreed under a
 * profile, it is asked no more.
 */

/** The newest balance, to be kept with a launch that is written now. Undefined: it cannot show anything. */
export function balanceBefore(
  draft: Draft,
  profile: string,
  { now, settings }: Context,
): IntentRow["before"] {
  const { tenure, balance } = draft.account;
  if (tenure !== "exclusive" || !balance || isAnswered(draft, profile)) return undefined;
  return age(balance.begun, now) <= settings.settle ? balance : undefined;
}

/** True if a balance that is read now shows what the last launch under this profile took. */
export function wantsBalance(draft: Draft, context: Context): boolean {
  const { profileHash } = context.wire;
  if (draft.account.tenure !== "exclusive" || isAnswered(draft, profileHash)) return false;
  return draft.intents.of("balance", "before").some((intent) => isDue(draft, intent, context));
}

/** True if nothing lives, or was launched, that would blur what the next launch takes. */
export function wantsBaseline(draft: Draft, context: Context): boolean {
  const { profileHash } = context.wire;
  if (draft.account.tenure !== "exclusive" || isAnswered(draft, profileHash)) return false;
  const [machine] = draft.deployments.of("life", "living");
  const [open] = draft.intents.of("state", "open");
  const [disputed] = draft.intents.of("state", "disputed");
  return machine === undefined && open === undefined && disputed === undefined;
}

/** Compares what the balance lost with what a launch expected, where the newest read shows it. */
export function holdBalance(draft: Draft, context: Context): void {
  const { profileHash } = context.wire;
  const { tenure, balance, list, billing } = draft.account;
  if (tenure !== "exclusive" || !balance || !list || isAnswered(draft, profileHash)) return;
  const { settle } = context.settings;
  for (const intent of [...draft.intents.of("balance", "before")]) {
    const { before, resolved, deployment } = intent;
    if (!before || !resolved || deployment === null || !isDue(draft, intent, context)) continue;
    if (before.begun.boot !== balance.begun.boot) continue;
    // By then the service has taken the first hour, and a list shows whatever else the launch made.
    if (elapsed(resolved, balance.begun) < settle || elapsed(resolved, list) < settle) continue;
    if (!isAlone(draft, intent, before, context)) continue;
    const [had, has, expected] = [
      parseUsd(before.amount),
      parseUsd(balance.amount),
      parsePrice(intent.pricePerHour),
    ];
    if (!had || !has || !expected) continue;
    const lost = had.minus(has).times(HOUR_MS).div(billingOf(billing).reserved);
    if (isBeyondRounding(lost, expected, intent.gpus)) {
      const moved = { before: before.amount, after: balance.amount };
      doubtPrice(
        draft,
        intent,
        { costs: lost.toFixed(), by: "balance", deployment, balance: moved },
        context,
      );
    } else if (!isBeyondRounding(expected, lost, intent.gpus)) {
      learn(draft, profileHash, {
        prices: { doubts: [], ...knowledgeOf(draft, profileHash).prices, paid: true },
      });
    }
    // Less than expected says nothing: credits were added, or something was refunded.
    return;
  }
}

/**
 * False while the balance may still show what a launch took that was sent before this moment was over: then
 * whatever may have moved the balance must be at hand.
 */
export function isOutOfBalance(draft: Draft, moment: Instant, context: Context): boolean {
  if (isAnswered(draft, context.wire.profileHash)) return true;
  return draft.intents
    .of("balance", "before")
    .every(
      (launch) =>
        !launch.before ||
        !isDue(draft, launch, context) ||
        elapsed(moment, launch.before.begun) >= context.settings.settle,
    );
}

/** Also where a launch takes nothing in advance: then the balance shows nothing of it. */
function isAnswered(draft: Draft, profile: string): boolean {
  if (billingOf(draft.account.billing).reserved === 0) return true;
  const prices = knowledgeOf(draft, profile).prices;
  return prices?.paid === true || (prices?.doubts.some(({ by }) => by === "balance") ?? false);
}

/** True if its machine is in the time that was reserved and the balance before it was kept. */
function isDue(draft: Draft, intent: IntentRow, { wire, now, settings }: Context): boolean {
  const { state, before, deployment, profile, pricePerHour, stamped } = intent;
  if (state !== "claimed" || !before || deployment === null || pricePerHour === null) return false;
  const { reserved } = billingOf(draft.account.billing);
  if (profile !== wire.profileHash || age(stamped, now) > reserved - settings.settle) return false;
  const row = draft.deployments.ever(deployment);
  return row !== undefined && row.end === null && row.stop === null && row.claim === "certain";
}

function isAlone(
  draft: Draft,
  { id, deployment }: IntentRow,
  { begun }: NonNullable<IntentRow["before"]>,
  { now, settings }: Context,
): boolean {
  const wasOver = (moment: IntentRow["resolved"]): boolean =>
    moment !== null && elapsed(moment, begun) >= settings.settle;
  const launches = [...draft.intents.values()].every((other) => {
    if (other.id === id || other.state === "rejected" || other.state === "notSent") return true;
    if (other.state === "absent")
      return other.resolved !== null && elapsed(other.resolved, now) > settings.lateArrival;
    return other.state === "claimed" && wasOver(other.resolved);
  });
  // An hour of another machine may begin at any moment, and costs beside the hours are not shown.
  const machines = [...draft.deployments.values()].every(
    (other) => other.id === deployment || (other.end !== null && wasOver(other.ended)),
  );
  return launches && machines;
}
