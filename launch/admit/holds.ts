import type { Draft } from "../../ledger/draft.ts";
import type { AccountRow, Tenure } from "../../ledger/rows.ts";
import { unsoundText } from "../../ledger/unsound.ts";
import { combinationText } from "../../service/contract/contract.ts";
import type { Abilities } from "../../service/contract/service.ts";
import { isLateFor, refusedLately } from "../claim/candidates.ts";
import { overlap } from "../claim/groups.ts";
import { groupNow, openInGroup } from "../claim/open-in-group.ts";
import { whyRefusalsHold } from "../claim/refused.ts";
import { whyHeld } from "../ends/returned.ts";
import { whyUnservingHalts } from "../ends/unserving.ts";
import type { Context } from "../facts/context.ts";
import { coolingFor, whyPaced, whyTooMany } from "../facts/cooling.ts";
import { type Hold, hold } from "../facts/hold.ts";
import { whyRestored } from "../facts/restored.ts";
import { whyStale } from "../list/slow-list.ts";
import { whyNoBaseline } from "../machine/unread.ts";
import { overBudget } from "../money/budget.ts";
import { whyHalted, whyPricesHold } from "../money/price-doubt.ts";
import { budgetsOver, overSharedBudget } from "../money/shared-budget.ts";
import { whyVanishedHolds } from "../resolve/vanished.ts";
import type { Launch, Owned, Rule } from "./rule.ts";
import { trialUnderWay } from "./trial-launch.ts";

/*
 * The rules that hold launches, in the order in which they matter. Whoever launches asks all of them: the plan of a
 * fleet and the next try of a slot (`planHolds`); the transaction that writes the intent, and the last look before
 * the POST (`launchHolds`). A new rule is one entry here, in `SLOT_RULES` or in `FLEET_RULES`.
 */

const ACCOUNT_RULES: readonly Rule[] = [
  { from: "plan", to: "send", ask: ({ account }) => whyUnsound(account) },
  { from: "plan", to: "send", ask: (draft, _, context) => whyHalted(draft, context) },
  { from: "plan", to: "send", ask: whyUnproven },
  { from: "plan", to: "send", ask: (draft, _, context) => whyUnservingHalts(draft, context) },
  {
    from: "plan",
    to: "send",
    ask: ({ account }, _, { wire }) => whyUnstated(account.tenure, wire.abilities),
  },
  { from: "plan", to: "send", ask: ({ account }, _, context) => whyRestored(account, context) },
  { from: "plan", to: "send", ask: (draft, _, context) => whyTooMany(draft, context) },
  { from: "plan", to: "send", ask: (draft, { owner }) => whyHeld(draft, owner) },
  // It counts this launch as the newest.
  { from: "plan", to: "admit", ask: (draft, _, context) => whyPaced(draft, context) },
  // It counts this launch as the probe.
  { from: "plan", to: "admit", ask: (draft, { owner }, context) => whyVanishedHolds(draft, owner, context) },
];

const LAUNCH_RULES: readonly Rule[] = [
  { from: "admit", to: "send", ask: whyCooling },
  { from: "admit", to: "send", ask: whyRefusalsHold },
  { from: "admit", to: "admit", ask: (_, launch, { wire }) => whyLacking(launch, wire.abilities) },
  // The last look has a limit of its own for the age of the list.
  { from: "admit", to: "admit", ask: ({ account }, _, context) => whyStale(account, context) },
  { from: "admit", to: "admit", ask: whyProbeFirst },
  { from: "admit", to: "send", ask: whyNoBaseline },
  { from: "admit", to: "admit", ask: whyBeside },
  { from: "admit", to: "admit", ask: whyLateFirst },
  { from: "admit", to: "admit", ask: overBudget },
  { from: "admit", to: "admit", ask: overSharedBudget },
];

/** All that holds an owner's next launch, whatever is chosen; the hold that matters most first. */
export function planHolds(draft: Draft, of: Owned, context: Context): readonly Hold[] {
  return rulesFor(of).flatMap(({ from, ask }) => (from === "plan" ? (ask(draft, of, context) ?? []) : []));
}

/** All that holds this launch, as it is written (`admit`) or in the last look at it (`send`). */
export function launchHolds(
  draft: Draft,
  launch: Launch,
  context: Context,
  at: "admit" | "send",
): readonly Hold[] {
  return rulesFor(launch).flatMap(({ to, ask }) =>
    at === "send" && to === "admit" ? [] : (ask(draft, launch, context) ?? []),
  );
}

function rulesFor({ rules }: Owned): readonly Rule[] {
  return [...ACCOUNT_RULES, ...rules, ...LAUNCH_RULES];
}

/** A decision was refused, as it would have broken a rule of money. */
function whyUnsound(account: AccountRow): Hold | undefined {
  const why = unsoundText(account);
  return why === undefined ? undefined : hold("unsound", { why });
}

/** A price does not hold, and a limit on money would be judged by it. */
function whyUnproven(draft: Draft, { owner, limits }: Owned, context: Context): Hold | undefined {
  const isLimited = Object.values(limits).some((limit) => limit !== undefined);
  return isLimited || budgetsOver(draft, owner).length > 0 ? whyPricesHold(draft, context) : undefined;
}

/** Nobody has said whose the account is. */
export function whyUnstated(tenure: Tenure, { marker }: Pick<Abilities, "marker">): Hold | undefined {
  return tenure !== "unstated" || marker ? undefined : hold("tenure", {});
}

/** What is sent of an offer beside its combination must be known: nothing is made up for it. */
export function whyLacking(
  launch: Pick<Launch, "offer" | "provider" | "location" | "extra">,
  { extra = [] }: Pick<Abilities, "extra">,
): Hold | undefined {
  const lacking = extra.filter((name) => launch.extra?.[name] === undefined);
  if (lacking.length === 0) return undefined;
  const names = lacking.map((name) => `offers.fields.extra.${name}`).join(", ");
  return hold("lacking", { place: combinationText(launch), names });
}

function whyCooling(draft: Draft, launch: Launch, context: Context): Hold | undefined {
  const ms = coolingFor(draft.cooldown(launch), context);
  return ms > 0 ? hold("cooling", { place: combinationText(launch) }, context.now.wall + ms) : undefined;
}

function whyProbeFirst(draft: Draft, launch: Launch, context: Context): Hold | undefined {
  return trialUnderWay(draft, launch, context) && hold("probe", { place: combinationText(launch) });
}

function whyBeside(draft: Draft, launch: Launch, context: Context): Hold | undefined {
  const open = openInGroup(draft, groupNow(draft, launch, context));
  return open && hold("group", { open: combinationText(open) });
}

function whyLateFirst(draft: Draft, launch: Launch, context: Context): Hold | undefined {
  const ours = groupNow(draft, launch, context);
  const late = [...draft.intents.of("state", "absent"), ...refusedLately(draft, context)].find(
    (other) => overlap(other, ours) && isLateFor(draft, other, context),
  );
  return late && hold("late", { place: combinationText(late) });
}
