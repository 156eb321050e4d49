import type { Draft } from "../ledger/draft.ts";
import { ownerParts } from "../ledger/owner.ts";
import type { AccountRow, DeploymentRow, Owner, Tenure } from "../ledger/rows.ts";
import { FleetkeeperError } from "../service/errors.ts";
import { isCandidate } from "./candidates.ts";
import { letGo, lookAgain } from "./claim.ts";
import type { Context } from "./context.ts";
import { learn } from "./context.ts";
import { coolingFor } from "./cooling.ts";
import { isPastDeadline } from "./deadline.ts";
import { note } from "./events.ts";
import { claimedBy } from "./occupancy.ts";
import { lookedAt, priceHalt } from "./price-doubt.ts";
import { letGoOn } from "./returned.ts";

/** What only a person can decide: whose a machine is, and that halted launches may go on. */

/** Makes a deployment certainly ours and gives it to an owner. Closes the dispute it was in. */
export function adopt(draft: Draft, id: string, owner: Owner, context: Context): void {
  const row = draft.deployments.get(id);
  if (!row)
    throw new FleetkeeperError("CONFIG", `${id}: no list of this account ever showed such a deployment.`);
  if (row.claim === "certain" && row.owner !== owner) {
    throw new FleetkeeperError("CONFIG", `${id} already belongs to ${row.owner}. Disown it there first.`);
  }
  const problem = whyNotAdopt(draft, id, owner, context);
  if (problem) throw new FleetkeeperError("CONFIG", `${id} cannot be adopted by ${owner}: ${problem}`);
  // Adopted again it is the owner's since the first time, and what it has cost since then too.
  const claimed = row.claim === "certain" ? row.claimed : context.now;
  const { reused: _reused, ...known } = row;
  draft.moveDeployment("adopt", { ...known, claim: "certain", owner, claimed });
  const intent = row.intent === null ? undefined : draft.intents.get(row.intent);
  if (row.owner !== owner) {
    resolveBy(draft, row, owner, context);
    if (!lookAgain(draft, row, context)) throw tryLater(id);
  } else if (intent && intent.state === "disputed") {
    draft.moveIntent("adopt", {
      ...intent,
      state: "claimed",
      deployment: id,
      resolved: context.now,
      detail: "adopted",
    });
    for (const other of draft.deployments.values()) {
      if (other.intent === intent.id && other.claim === "disputed" && other.id !== id) {
        letGo(draft, other);
      }
    }
  }
  note(draft, context, "adopted", `${id} was adopted by ${owner}`, { owner, deployment: id });
}

/**
 * A machine that an owner has no place for would be stopped at once, and one of no owner would be nobody's. One that may be
 * its own already is only confirmed: an owner that wants nothing any more could not let go of it otherwise.
 */
function whyNotAdopt(draft: Draft, id: string, owner: Owner, context: Context): string | undefined {
  const { kind, name } = ownerParts(owner);
  const isItsOwn = draft.deployments.get(id)?.owner === owner;
  if (kind === "fleet") {
    const fleet = draft.fleets.get(name);
    if (!fleet) return "this account has no such fleet.";
    return fleet.removed && !isItsOwn ? "that fleet was removed, and stops what it has." : undefined;
  }
  const slot = draft.slots.get(name);
  if (!slot) return "this account has no such deployment.";
  if (slot.closing) return isItsOwn ? undefined : "it is being deleted, and stops what it has.";
  if (isPastDeadline(slot, context) && !isItsOwn)
    return "its deadline has passed, and it stops what it has. Run pulumi up with a later one (until), or without one, first.";
  const filled = claimedBy(draft, owner).find((row) => row.end === null && row.id !== id);
  return filled && `it has ${filled.id} already, and wants one machine. Disown that one first.`;
}

/** Makes a deployment foreign for good: it keeps running, and nobody here counts, stops or reports it. */
export function disown(draft: Draft, id: string, context: Context): void {
  const row = draft.deployments.get(id);
  if (!row)
    throw new FleetkeeperError("CONFIG", `${id}: no list of this account ever showed such a deployment.`);
  if (!leave(draft, row, context)) throw tryLater(id);
}

/**
 * The same where nobody can be told to try again. False: the launch that it seemed to come from should be looked for
 * again, and only explains what comes late, because another one is open that a list could not tell from it.
 */
export function leave(draft: Draft, row: DeploymentRow, context: Context): boolean {
  const { id, owner } = row;
  draft.moveDeployment("disown", { ...row, claim: "foreign", owner: null, stop: null });
  const alone = lookAgain(draft, row, context);
  note(draft, context, "disowned", `${id} was disowned: it keeps running, and is nobody's here`, {
    owner,
    deployment: id,
  });
  return alone;
}

/**
 * Its owner's launch that is still looked for made it: otherwise that would take the next machine that appears, a
 * stranger's maybe, or another launch's. Where all are ours there is no need to believe it.
 */
function resolveBy(draft: Draft, row: DeploymentRow, owner: Owner, context: Context): void {
  if (draft.account.tenure === "exclusive") return;
  const intent = [...draft.intents.values()].find(
    (open) =>
      open.state === "open" &&
      open.owner === owner &&
      isCandidate(draft, { ...row, claim: null }, open, context),
  );
  const adopted = draft.deployments.get(row.id);
  if (intent === undefined || adopted === undefined) return;
  draft.moveDeployment("adopt", { ...adopted, intent: intent.id });
  draft.moveIntent("adopt", {
    ...intent,
    state: "claimed",
    deployment: row.id,
    resolved: context.now,
    detail: "adopted",
  });
}

/** What a machine explained is looked for again, one launch of a group at a time. */
function tryLater(id: string): FleetkeeperError {
  return new FleetkeeperError(
    "BUSY",
    `${id} seemed to come from a launch that has to be looked for again then, and another one is under way that a ` +
      "list could not tell from it. That one is resolved in a few minutes at most: run this again then.",
  );
}

/** Says anew who else launches in the account. What is claimed stays claimed. False: it was so already. */
export function changeTenure(draft: Draft, tenure: Exclude<Tenure, "unstated">, context: Context): boolean {
  const { account } = draft;
  if (account.tenure === tenure) return false;
  draft.putAccount({ ...account, tenure, tenureBy: "fleetkeeper account --change-to" });
  note(draft, context, "tenure", `the account is ${tenure} from now on; it was ${account.tenure}`);
  return true;
}

/** Why launches are halted: under the profile with which an agent keeps the account, or under any where none ever did. */
export function haltsOf({ profile, profiles }: AccountRow): readonly string[] {
  const inUse = profile === undefined ? Object.values(profiles) : [profiles[profile]];
  return inUse.flatMap((known) =>
    [known?.halted?.reason, priceHalt(known)].filter((why) => why !== undefined),
  );
}

/**
 * Lets launches go on under every profile that was halted, and for every Pulumi `Deployment` whose machine came back from its
 * end: a fleet has a name to be resumed by. Forgets for how long the service asked to wait. How many profiles those were,
 * whether there was such a machine, and how many combinations were cooling.
 */
export function resume(
  draft: Draft,
  context: Context,
): { readonly halted: number; readonly returned: boolean; readonly cooling: number } {
  const cooling = [...draft.cooldowns.values()].filter((row) => coolingFor(row, context) > 0);
  for (const row of cooling) draft.putCooldown({ ...row, seconds: 0 });
  draft.putAccount({ ...draft.account, forgiven: context.now });
  const halted = Object.entries(draft.account.profiles).filter(
    ([, known]) => known.halted || priceHalt(known),
  );
  for (const [hash, known] of halted) learn(draft, hash, { halted: null, ...lookedAt(known) });
  if (halted.length > 0) note(draft, context, "resumed", "launches go on: an operator looked at the profile");
  const returned = letGoOn(draft, (owner) => ownerParts(owner).kind === "slot");
  if (returned)
    note(draft, context, "resumed", "Deployments launch again: an operator looked at what came back");
  return { halted: halted.length, returned, cooling: cooling.length };
}
