import type { Draft } from "../ledger/draft.ts";
import type { Claim, DeploymentRow, IntentRow } from "../ledger/rows.ts";
import { place } from "../service/contract.ts";
import type { Context } from "./context.ts";
import { knowledgeOf, learn } from "./context.ts";
import { note } from "./events.ts";
import { overlap, shownBack } from "./groups.ts";
import { holdPrice } from "./price-doubt.ts";

/**
 * Writes down that this intent made this deployment, and closes the intent. What the service does not show is taken from
 * the intent, but for the fields that may tell machines apart: those must come from the service alone.
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
    ...known,
    claim: as,
    owner: intent.owner,
    intent: intent.id,
    claimed: context.now,
    gpus: row.gpus ?? intent.gpus,
    pricePerHour: row.pricePerHour ?? intent.pricePerHour,
  });
  draft.moveIntent("claim", {
    ...intent,
    state: "claimed",
    deployment: row.id,
    resolved: context.now,
    detail: as === "certain" ? "made this deployment" : "seems to have made this deployment",
  });
  note(draft, context, "claimed", howClaimed(intent, row, as), {
    owner: intent.owner,
    deployment: row.id,
    intent: intent.id,
  });
  // Until now nobody knew whose launch the record's price had to be held against.
  if (row.pricePerHour !== null) holdPrice(draft, claimed, row.pricePerHour, context);
}

/**
 * Writes down that this intent certainly made this deployment, because its answer said so: whatever was inferred for it
 * meanwhile was somebody else's. What a person decided about the deployment stays.
 */
export function confirm(draft: Draft, intent: IntentRow, row: DeploymentRow, context: Context): void {
  release(draft, intent, row.id);
  if (row.claim === "certain" || row.claim === "foreign") {
    draft.moveIntent("confirm", {
      ...intent,
      state: "claimed",
      deployment: row.id,
      resolved: context.now,
      detail: "made this deployment",
    });
  } else {
    claim(draft, intent, row, "certain", context);
  }
  proveProfile(draft, intent, row, context);
}

/**
 * True if another intent has this machine by looking alone. Then an answer that names it is no sign of a wrong pointer:
 * a list could not tell the two apart, and took the machine of one for the other's.
 */
export function takenByLooking(draft: Draft, intent: IntentRow, row: DeploymentRow): boolean {
  const other = row.intent === null ? undefined : draft.intents.get(row.intent);
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
 * The answer to an intent names a machine that another one has by looking. It is certainly ours. A disputed one goes to
 * the intent that made it; any other stays where it counts, and this intent goes on being looked for in its place: what
 * it may still explain is then the other's machine. False if the intent is as unknown as before.
 */
export function confirmTaken(draft: Draft, intent: IntentRow, row: DeploymentRow, context: Context): boolean {
  if (row.claim === "disputed") {
    confirm(draft, intent, row, context);
    lookAgain(draft, row, context);
    return true;
  }
  if (row.claim !== "certain") draft.moveDeployment("claim", { ...row, claim: "certain" });
  return false;
}

/**
 * `row` was all that a launch seemed to have made, and turned out to be no machine of it. So its outcome is unknown again,
 * and it is looked for before anything else is launched in its place: its own machine may still come, and both would
 * bill. False: beside an open one of its group it cannot be open, and may only explain what comes late.
 */
export function lookAgain(draft: Draft, row: DeploymentRow, { now }: Context): boolean {
  const intent = row.intent === null ? undefined : draft.intents.get(row.intent);
  if (intent === undefined) return true;
  // Of one whose id was given anew the launch was answered, and its own machine is not to come.
  const seemed =
    row.claim === "inferred" && !row.reused && intent.state === "claimed" && intent.deployment === row.id;
  const disputed = row.claim === "disputed" && intent.state === "disputed";
  const others = [...draft.deployments.values()].some(
    (other) => other.id !== row.id && other.intent === intent.id && other.claim === "disputed",
  );
  if (!seemed && (!disputed || others)) return true;
  const beside = [...draft.intents.values()].some(
    (other) => other.state === "open" && overlap(other, intent),
  );
  const detail = `${row.id} is not what it made: looking again`;
  draft.moveIntent("lookAgain", {
    ...intent,
    state: beside ? "absent" : "open",
    // All of the wait again: what it made may stand in another's place, and that one's machine be still to come.
    stamped: now,
    answer: intent.answer ?? { at: now, id: null, reason: detail },
    settle: null,
    resolved: beside ? now : null,
    deployment: null,
    detail,
  });
  return !beside;
}

/** Takes back what was only inferred for an intent, because its answer came. What is certain stays. */
export function release(draft: Draft, intent: IntentRow, except?: string): void {
  for (const row of draft.deployments.values()) {
    if (row.intent !== intent.id || row.id === except) continue;
    if (row.claim !== "inferred" && row.claim !== "disputed") continue;
    letGo(draft, row);
  }
}

/** The machine is nobody's. */
export function letGo(draft: Draft, row: DeploymentRow): void {
  draft.moveDeployment("letGo", asNobodys(row));
}

export function asNobodys(row: DeploymentRow): DeploymentRow {
  return { ...row, claim: null, owner: null, intent: null, claimed: null };
}

function howClaimed(intent: IntentRow, row: DeploymentRow, as: Claim): string {
  if (intent.answer?.id === row.id) return `${place(intent)} is there as ${row.id}`;
  const found = `found ${row.id}: the launch of ${place(intent)} whose answer is not known made it`;
  return as === "certain" ? found : `${found}, as it seems (others launch in this account too)`;
}

/** An answered launch whose id a list or a GET shows: the profile reads ids right, and maybe tells machines apart. */
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

/** Stops every launch under a profile that seems to read ids from the wrong place: it would burn the balance. */
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
