import type { Draft } from "../../ledger/draft.ts";
import { elapsed } from "../../ledger/instant.ts";
import type { IntentRow } from "../../ledger/rows.ts";
import { type Combination, combinationKey, combinationText } from "../../service/contract/contract.ts";
import type { Context } from "../facts/context.ts";
import { isForgiven } from "../facts/cooling.ts";
import { note } from "../facts/events.ts";
import { type Hold, hold, holdText } from "../facts/hold.ts";

/*
 * A refusal that made a machine. A refused launch is over, and its place is filled anew: a service that made the
 * machine all the same would have one paid for at each try. The second such machine of a combination ends launches
 * there until a person has looked.
 */
const NO_ACCIDENT = 2;
const KINDS = ["cooling", "other", "tooMany", "soldOut"] as const;

/** Why nothing is launched in this combination before a person has looked; else undefined. */
export function whyRefusalsHold(draft: Draft, where: Combination, context: Context): Hold | undefined {
  // All launches of a combination may be a hundred thousand, and those that were refused are few.
  const refused = KINDS.flatMap((kind) => [...draft.intents.of("refusal", kind)]);
  if (refused.length === 0) return undefined;
  const key = combinationKey(where);
  const made = refused
    .filter((intent) => combinationKey(intent) === key)
    .flatMap((intent) => madeAllTheSame(draft, intent, context) ?? []);
  if (made.length < NO_ACCIDENT) return undefined;
  return hold("refusals", { place: combinationText(where), made: made.join(", ") });
}

/** Why nothing is launched in each combination whose refused launches made machines. */
export function refusalHalts(draft: Draft, context: Context): readonly string[] {
  const refused = KINDS.flatMap((kind) => [...draft.intents.of("refusal", kind)]);
  const made = refused.filter((intent) => madeAllTheSame(draft, intent, context) !== undefined);
  const holds = made.flatMap((intent) => whyRefusalsHold(draft, intent, context) ?? []);
  return [...new Set(holds.map((each) => holdText(each)))];
}

/** Tells people if this refused launch was just seen to have made a machine, and is not the first. */
export function tellRefused(draft: Draft, { id }: IntentRow, context: Context): void {
  const intent = draft.intents.ever(id);
  const deployment = intent && madeAllTheSame(draft, intent, context);
  const why = deployment && whyRefusalsHold(draft, intent, context);
  if (why) note(draft, context, "halted", holdText(why), { owner: intent.owner, deployment, intent: id });
}

/**
 * The machine that this refused launch made; undefined: none, or a person has looked since. One that was only
 * reported may be a stranger's: it counts if it came soon after the refusal.
 */
export function madeAllTheSame(draft: Draft, intent: IntentRow, context: Context): string | undefined {
  const { state, refusal, deployment, reported, resolved } = intent;
  const id = state === "claimed" ? deployment : reported;
  const row = id && refusal && resolved !== null ? draft.deployments.ever(id) : undefined;
  if (!row || row.claim === "foreign" || isForgiven(draft, row.firstSeen, context.now)) return undefined;
  const isSoon = resolved !== null && elapsed(resolved, row.firstSeen) < context.settings.settle;
  return state === "claimed" || isSoon ? row.id : undefined;
}
