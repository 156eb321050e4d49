import type { Draft } from "../../ledger/draft.ts";
import { ownerParts } from "../../ledger/owner.ts";
import type { AccountRow, DeploymentRow, Owner, Tenure } from "../../ledger/rows.ts";
import { unsoundText } from "../../ledger/unsound.ts";
import { FleetkeeperError } from "../../service/contract/errors.ts";
import { isCandidate } from "../claim/candidates.ts";
import { closeAsClaimed, letGo, lookAgain } from "../claim/claim.ts";
import { refusalHalts } from "../claim/refused.ts";
import { letGoOn } from "../ends/returned.ts";
import { unservingHalt } from "../ends/unserving.ts";
import { type Context, learn } from "../facts/context.ts";
import { coolingFor } from "../facts/cooling.ts";
import { isPastDeadline } from "../facts/deadline.ts";
import { note } from "../facts/events.ts";
import { labelsOfOwner } from "../facts/labels.ts";
import { livingOf } from "../facts/occupancy.ts";
import { confirmedByPerson, priceHalt } from "../money/price-doubt.ts";
import { settleVanished } from "../resolve/vanished.ts";

/** What only a person can decide: whose a machine is, and that halted launches may go on. */

/**
 * Makes a deployment certainly an owner's, and closes its dispute. `purpose`: an owner whose deadline has
 * passed takes a machine only to stop it. Throws CONFIG if that cannot be.
 */
export function adopt(
  draft: Draft,
  id: string,
  owner: Owner,
  context: Context,
  purpose: "keep" | "stop" = "keep",
): void {
  const row = draft.deployments.ever(id);
  if (!row)
    throw new FleetkeeperError("CONFIG", `${id}: no list of this account ever showed such a deployment.`);
  if (row.claim === "certain" && row.owner !== owner) {
    throw new FleetkeeperError("CONFIG", `${id} already belongs to ${row.owner}. Disown it there first.`);
  }
  const problem = whyNotAdopt(draft, id, owner, context, purpose);
  if (problem) throw new FleetkeeperError("CONFIG", `${id} cannot be adopted by ${owner}: ${problem}`);
  // Adopted again, it stays the owner's since the first time, with its costs since then.
  const claimed = row.claim === "certain" ? row.claimed : context.now;
  const { reused: _reused, ...known } = row;
  // What it has cost since then stays under the labels of then, too.
  const taken = row.claim === "certain" ? {} : { labels: labelsOfOwner(draft, owner) };
  draft.moveDeployment("adopt", { ...known, ...taken, claim: "certain", owner, claimed });
  const intent = row.intent === null ? undefined : draft.intents.ever(row.intent);
  if (row.owner !== owner) {
    resolveBy(draft, row, owner, context);
    if (lookAgain(draft, row, context) === "blocked") throw tryLater(id);
  } else if (intent && intent.state === "disputed") {
    closeAsClaimed(draft, "adopt", intent, id, "adopted", context);
    for (const other of draft.deployments.values()) {
      if (other.intent === intent.id && other.claim === "disputed" && other.id !== id) {
        letGo(draft, other);
      }
    }
  }
  note(draft, context, "adopted", `${id} was adopted by ${owner}`, { owner, deployment: id });
}

/**
 * Why this owner cannot take it. A machine without a place would be stopped at once. A machine that is the
 * owner's already is only confirmed: an owner that wants nothing any more could not let go of it otherwise.
 */
function whyNotAdopt(
  draft: Draft,
  id: string,
  owner: Owner,
  context: Context,
  purpose: "keep" | "stop",
): string | undefined {
  const { kind, name } = ownerParts(owner);
  const isItsOwn = draft.deployments.ever(id)?.owner === owner;
  if (kind === "fleet") {
    const fleet = draft.fleets.get(name);
    if (!fleet) return "this account has no such fleet.";
    return fleet.removed && !isItsOwn ? "that fleet was removed, and stops what it has." : undefined;
  }
  const slot = draft.slots.get(name);
  if (!slot) return "this account has no such deployment.";
  if (slot.closing) return isItsOwn ? undefined : "it is being deleted, and stops what it has.";
  if (purpose === "keep" && isPastDeadline(slot, context) && !isItsOwn)
    return "its deadline has passed, and it stops what it has. Run pulumi up with a later one (until), or without one, first.";
  const filled = livingOf(draft, owner).find((row) => row.id !== id);
  if (filled === undefined) return undefined;
  return purpose === "stop"
    ? `${filled.id} is still in it. Run this again once that one has ended.`
    : `it has ${filled.id} already, and wants one machine. Disown that one first.`;
}

/** Makes a deployment foreign for good: it runs on, and nobody counts, stops or reports it. Throws CONFIG. */
export function disown(draft: Draft, id: string, context: Context): void {
  const row = draft.deployments.ever(id);
  if (!row)
    throw new FleetkeeperError("CONFIG", `${id}: no list of this account ever showed such a deployment.`);
  if (leave(draft, row, context) === "blocked") throw tryLater(id);
}

/**
 * Disowns where nobody can be told to try again. `blocked`: its launch should be looked for again, but is only
 * absent, because another one is open that a list could not tell from it.
 */
export function leave(draft: Draft, row: DeploymentRow, context: Context): ReturnType<typeof lookAgain> {
  const { id, owner } = row;
  draft.moveDeployment("disown", { ...row, claim: "foreign", owner: null, stop: null });
  const looked = lookAgain(draft, row, context);
  note(draft, context, "disowned", `${id} was disowned: it keeps running, and is nobody's here`, {
    owner,
    deployment: id,
  });
  return looked;
}

/**
 * Gives the adopted machine to an open launch of its owner that may have made it: that would take the next
 * machine, maybe a stranger's. On an exclusive account all are ours, and this need not be believed.
 */
function resolveBy(draft: Draft, row: DeploymentRow, owner: Owner, context: Context): void {
  if (draft.account.tenure === "exclusive") return;
  const intent = [...draft.intents.values()].find(
    (open) =>
      open.state === "open" &&
      open.owner === owner &&
      isCandidate(draft, { ...row, claim: null }, open, context),
  );
  const adopted = draft.deployments.ever(row.id);
  if (intent === undefined || adopted === undefined) return;
  draft.moveDeployment("adopt", { ...adopted, intent: intent.id });
  closeAsClaimed(draft, "adopt", intent, row.id, "adopted", context);
}

/** The machine's launch must be looked for again, and only one launch of a group can be at a time. */
function tryLater(id: string): FleetkeeperError {
  return new FleetkeeperError(
    "BUSY",
    `${id} seemed to come from a launch that has to be looked for again then, and another one is under way that a ` +
      "list could not tell from it. That one is resolved in a few minutes at most: run this again then.",
  );
}

/** Says anew who else launches in the account. Claims stay. */
export function changeTenure(draft: Draft, tenure: Exclude<Tenure, "unstated">, context: Context): void {
  const { account } = draft;
  if (account.tenure === tenure) return;
  draft.putAccount({ ...account, tenure, tenureBy: "fleetkeeper account --change-to" });
  note(draft, context, "tenure", `the account is ${tenure} from now on; it was ${account.tenure}`);
}

/** Why launches are halted: under the profile of the account's agent, or any if no agent ever kept it. */
export function haltsOf({ profile, profiles, vanished, ...money }: AccountRow): readonly string[] {
  const inUse = profile === undefined ? Object.values(profiles) : [profiles[profile]];
  return [
    unsoundText(money),
    vanished?.why,
    ...inUse.flatMap((known) => [known?.halted?.reason, priceHalt(known, money), unservingHalt(known)]),
  ].filter((why) => why !== undefined);
}

/**
 * Lets launches go on after a decision that was refused, under every halted profile, and for every Pulumi `Deployment` whose machine came back
 * from its end. A fleet is resumed by its name instead. What vanished is gone. Forgets all cooldowns. Returns the
 * number of profiles, whether there were such a decision and such machines, and the numbers of combinations where refusals had made
 * machines, and that were cooling.
 */
export function resume(
  draft: Draft,
  context: Context,
): {
  readonly halted: number;
  readonly unsound: boolean;
  readonly vanished: boolean;
  readonly returned: boolean;
  readonly refusals: number;
  readonly cooling: number;
} {
  const cooling = [...draft.cooldowns.values()].filter((row) => coolingFor(row, context) > 0);
  for (const row of cooling) draft.putCooldown({ ...row, seconds: 0 });
  const refusals = refusalHalts(draft, context).length;
  const refused = unsoundText(draft.account) !== undefined && draft.account.unsound;
  const looked = refused && { unsound: { ...refused, looked: true as const } };
  draft.putAccount({ ...draft.account, forgiven: context.now, ...looked });
  if (looked)
    note(draft, context, "resumed", "launches go on: an operator looked at the decision that was refused");
  const halted = Object.entries(draft.account.profiles).filter(
    ([, known]) => known.halted || priceHalt(known, draft.account) || unservingHalt(known),
  );
  for (const [hash, known] of halted) {
    const unserving = known.unserving && { unserving: [] };
    learn(draft, hash, { halted: null, ...confirmedByPerson(known), ...unserving });
  }
  if (halted.length > 0) note(draft, context, "resumed", "launches go on: an operator looked at the profile");
  const vanished = settleVanished(draft, context);
  const returned = letGoOn(draft, (owner) => ownerParts(owner).kind === "slot");
  if (returned)
    note(draft, context, "resumed", "Deployments launch again: an operator looked at what came back");
  if (refusals > 0)
    note(draft, context, "resumed", "launches go on where refusals made machines: an operator looked");
  return {
    halted: halted.length,
    unsound: Boolean(looked),
    vanished,
    returned,
    refusals,
    cooling: cooling.length,
  };
}
