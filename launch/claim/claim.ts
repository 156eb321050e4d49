import type { Draft } from "../../ledger/draft.ts";
import type { Claim, DeploymentRow, IntentRow } from "../../ledger/rows.ts";
import { combinationText } from "../../service/contract/contract.ts";
import { type Context, knowledgeOf, learn } from "../facts/context.ts";
import { note } from "../facts/events.ts";
import { holdPrice } from "../money/price-doubt.ts";
import { overlap, shownBack } from "./groups.ts";
import { tellRefused } from "./refused.ts";

/**
 * Writes down that this intent made this deployment, and closes the intent. What the service does not show is
 * taken from the intent. The fields that tell machines apart are not: those must come from the service.
 */
export function claim(
  draft: Draft,
  intent: IntentRow,
  row: DeploymentRow,
  as: Extract<Claim, "certain" | "inferred">,
  context: Context,
): void {
  const { reused: _reused, ...known } = row;
  const claimed = draft.moveDeployment(as === "certain" ? "claim" : "infer", {
    ...madeBy(intent, known, context),
    claim: as,
  });
  const detail = as === "certain" ? "made this deployment" : "seems to have made this deployment";
  closeAsClaimed(draft, "claim", intent, row.id, detail, context);
  note(draft, context, "claimed", howClaimed(intent, row, as), {
    owner: intent.owner,
    deployment: row.id,
    intent: intent.id,
  });
  if (intent.state === "rejected") tellRefused(draft, intent, context);
  // Until now it was not known with which launch's price to compare the record's.
  if (row.pricePerHour !== null) holdPrice(draft, claimed, row.pricePerHour, context);
}

/**
 * Writes down that this intent certainly made this deployment: its answer said so. What was inferred for it
 * meanwhile was somebody else's. A person's word on the deployment stays.
 */
export function confirm(draft: Draft, intent: IntentRow, row: DeploymentRow, context: Context): void {
  release(draft, intent, row.id);
  if (row.claim === "certain" || row.claim === "foreign") {
    closeAsClaimed(draft, "confirm", intent, row.id, "made this deployment", context);
  } else {
    claim(draft, intent, row, "certain", context);
  }
  proveProfile(draft, intent, row, context);
}

/**
 * True if another intent has this machine by looking alone. An answer that names the machine is then no sign
 * of a wrong pointer: a list could not tell the two launches apart, and mixed up their machines.
 */
export function wasTakenByLooking(draft: Draft, intent: IntentRow, row: DeploymentRow): boolean {
  const other = row.intent === null ? undefined : draft.intents.ever(row.intent);
  return (
    other !== undefined &&
    other.id !== intent.id &&
    row.claim !== null &&
    row.claim !== "foreign" &&
    other.answer?.id !== row.id &&
    row.marker !== other.marker
  );
}

/**
 * The answer to an intent names a machine that another intent has by looking, so the machine is certainly
 * ours. A disputed one goes to the intent that made it. Any other stays with its owner, and this intent is
 * looked for on (`open`): the machine that it finds is the other's.
 */
export function confirmTaken(
  draft: Draft,
  intent: IntentRow,
  row: DeploymentRow,
  context: Context,
): "claimed" | "open" {
  if (row.claim === "disputed") {
    confirm(draft, intent, row, context);
    lookAgain(draft, row, context);
    return "claimed";
  }
  if (row.claim !== "certain") draft.moveDeployment("claim", { ...row, claim: "certain" });
  return "open";
}

/**
 * `row` seemed to be all that a launch had made, and is not its machine. The launch's outcome is unknown
 * again. It is looked for before anything replaces it: its own machine may still come, and both would bill.
 * `blocked`: another intent of its group is open, so this one is only absent and explains what comes late.
 */
export function lookAgain(draft: Draft, row: DeploymentRow, { now }: Context): "done" | "blocked" {
  const intent = row.intent === null ? undefined : draft.intents.ever(row.intent);
  if (intent === undefined) return "done";
  // A launch whose id was given anew was answered: its own machine is not still to come.
  const seemed =
    row.claim === "inferred" && !row.reused && intent.state === "claimed" && intent.deployment === row.id;
  const disputed = row.claim === "disputed" && intent.state === "disputed";
  const others = draft.deployments
    .of("doubt", intent.id)
    .some((other) => other.id !== row.id && other.claim === "disputed");
  if (!seemed && (!disputed || others)) return "done";
  const beside = draft.intents.of("state", "open").some((other) => overlap(other, intent));
  const detail = `${row.id} is not what it made: looking again`;
  if (intent.refusal) {
    draft.moveIntent("refuse", { ...intent, state: "rejected", resolved: now, deployment: null, detail });
    return "done";
  }
  draft.moveIntent("lookAgain", {
    ...intent,
    state: beside ? "absent" : "open",
    // The whole wait begins again: its machine may stand in another's place, and the other's still come.
    stamped: now,
    answer: intent.answer ?? { at: now, id: null, reason: detail },
    settle: null,
    resolved: beside ? now : null,
    deployment: null,
    detail,
  });
  return beside ? "blocked" : "done";
}

/** Takes back what was only inferred for an intent, because its answer came. Certain claims stay. */
export function release(draft: Draft, intent: IntentRow, except?: string): void {
  for (const row of draft.deployments.of("doubt", intent.id)) if (row.id !== except) letGo(draft, row);
}

/** The machine as this launch made it. What the service does not show is as the launch asked for it. */
export function madeBy(intent: IntentRow, row: DeploymentRow, { now }: Context): DeploymentRow {
  return {
    ...row,
    owner: intent.owner,
    intent: intent.id,
    claimed: now,
    gpus: row.gpus ?? (intent.gpus || null),
    pricePerHour: row.pricePerHour ?? intent.pricePerHour,
  };
}

/** The launch made this machine, and is not looked for any more. */
export function closeAsClaimed(
  draft: Draft,
  move: "claim" | "confirm" | "adopt",
  intent: IntentRow,
  deployment: string,
  detail: string,
  { now }: Context,
): void {
  draft.moveIntent(move, { ...intent, state: "claimed", deployment, resolved: now, detail });
}

/** The machine is nobody's from now on. */
export function letGo(draft: Draft, row: DeploymentRow): void {
  draft.moveDeployment("letGo", asNobodys(row));
}

export function asNobodys(row: DeploymentRow): DeploymentRow {
  return { ...row, claim: null, owner: null, intent: null, claimed: null };
}

function howClaimed(intent: IntentRow, row: DeploymentRow, as: Claim): string {
  if (intent.answer?.id === row.id) return `${combinationText(intent)} is there as ${row.id}`;
  if (intent.state === "rejected")
    return `found ${row.id}: the launch of ${combinationText(intent)} made it, though it was refused (${intent.detail})`;
  const found = `found ${row.id}: the launch of ${combinationText(intent)} whose answer is not known made it`;
  return as === "certain" ? found : `${found}, as it seems (others launch in this account too)`;
}

/** A list or a GET shows the id of an answered launch: the profile reads ids right. */
export function proveProfile(draft: Draft, intent: IntentRow, row: DeploymentRow, context: Context): void {
  if (intent.profile !== context.wire.profileHash || row.lastSeen === null) return;
  const known = knowledgeOf(draft, intent.profile);
  const news = shownBack(intent, row, context.wire.abilities).filter((field) => !known.shown.includes(field));
  const shows = known.halted?.id === row.id;
  if (known.proven && news.length === 0 && !shows) return;
  const halted = shows ? null : known.halted;
  if (shows) note(draft, context, "resumed", `launches go on: ${row.id} is shown after all`);
  learn(draft, intent.profile, { proven: true, shown: [...known.shown, ...news], halted });
}

/** Halts launches under a profile that seems to read ids from the wrong place: it would burn the balance. */
export function halt(
  draft: Draft,
  intent: IntentRow,
  id: string | null,
  reason: string,
  context: Context,
): void {
  if (knowledgeOf(draft, intent.profile).halted) return;
  learn(draft, intent.profile, { halted: { reason, id } });
  note(draft, context, "halted", reason, { owner: intent.owner, intent: intent.id });
}
