import type { Draft } from "../ledger/draft.ts";
import type { Claim, DeploymentRow, IntentRow } from "../ledger/rows.ts";
import type { Context } from "./context.ts";
import { knowledgeOf, learn } from "./context.ts";
import { note } from "./events.ts";
import { shownBack } from "./groups.ts";

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
  draft.putDeployment({
    ...row,
    claim: as,
    owner: intent.owner,
    intent: intent.id,
    claimed: context.now,
    gpus: row.gpus ?? intent.gpus,
    pricePerHour: row.pricePerHour ?? intent.pricePerHour,
  });
  draft.putIntent({
    ...intent,
    state: "claimed",
    deployment: row.id,
    resolved: context.now,
    detail: as === "certain" ? "made this deployment" : "seems to have made this deployment",
  });
  note(draft, context, "claimed", `${row.id} is ours (${as})`, { owner: intent.owner, deployment: row.id });
}

/** An answered launch whose id a list or a GET shows: the profile reads ids right, and maybe tells machines apart. */
export function proveProfile(draft: Draft, intent: IntentRow, row: DeploymentRow, context: Context): void {
  if (intent.profile !== context.wire.profileHash || row.lastSeen === null) return;
  const known = knowledgeOf(draft, intent.profile);
  const news = shownBack(intent, row).filter((field) => !known.shown.includes(field));
  if (known.proven && news.length === 0) return;
  const halted = known.halted?.id === row.id ? null : known.halted;
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
  note(draft, context, "halted", reason, { owner: intent.owner });
}
