import type { Draft } from "../../ledger/draft.ts";
import type { EventKind } from "../../ledger/event-kind.ts";
import type { IntentRow, RefusalRow } from "../../ledger/rows.ts";
import { COOLING_DOWN_STATUS, combinationText, OFFER_COOLING_DOWN } from "../../service/contract/contract.ts";
import { unhandled } from "../../service/contract/errors.ts";
import type { LaunchAnswer } from "../../service/contract/service.ts";
import { confirm, confirmTaken, halt, release, wasTakenByLooking } from "../claim/claim.ts";
import { type Context, knowledgeOf } from "../facts/context.ts";
import { believedWait } from "../facts/cooling.ts";
import { note } from "../facts/events.ts";
import { storeObservation } from "../machine/store-observation.ts";

/** Where an intent stands after its answer. */
export type Outcome =
  | { readonly kind: "claimed"; readonly id: string }
  /** An accepted id that must first be shown, or no known outcome. The next full list is wanted at once. */
  | { readonly kind: "open"; readonly reason: string; readonly refused?: true }
  | { readonly kind: "cooling"; readonly seconds: number; readonly reason: string }
  /** `tooMany`: too many requests (HTTP 429), and the service says how long to wait. */
  | { readonly kind: "rejected"; readonly reason: string; readonly tooMany?: true }
  /** `permanent`: another try would come to the same. */
  | { readonly kind: "notSent"; readonly reason: string; readonly permanent?: true };

/** In seconds, for a cooldown without a wait: the specification's "about a minute". */
const COOLDOWN_WITHOUT_RETRY_AFTER = 60;

/**
 * Stores what a POST came to. A late answer may find that others have judged the intent already. If it is stored
 * already, it stays as it is: an answer is recorded again if nobody knows whether it was.
 */
export function storeAnswer(draft: Draft, id: string, answer: LaunchAnswer, context: Context): Outcome {
  draft.recallLaunch(id);
  if (answer.kind === "accepted") draft.recall(answer.id);
  const intent = draft.intents.ever(id);
  if (!intent) throw new Error(`no intent ${id} in the ledger`);
  switch (answer.kind) {
    case "accepted":
      return accepted(draft, intent, answer, context);
    case "rejected":
      return rejected(draft, intent, answer, context);
    case "notSent":
      if (intent.state !== "notSent")
        close(draft, intent, "notSent", answer.reason, context, answer.permanent ? { permanent: true } : {});
      return { ...answer };
    case "unknown":
      if (answer.cools !== undefined && intent.answer === null) cool(draft, intent, answer.cools, context);
      return {
        ...unknown(draft, intent, answer.reason, context, {
          ...(answer.lost ? { lost: true } : {}),
          ...(answer.cools === undefined ? {} : { cooled: true }),
        }),
        ...(answer.refused ? { refused: true } : {}),
      };
    default:
      return unhandled(answer);
  }
}

function accepted(
  draft: Draft,
  intent: IntentRow,
  { id, deployment: shown, though }: Extract<LaunchAnswer, { kind: "accepted" }>,
  context: Context,
): Outcome {
  const how = though === undefined ? "" : `, by an error that carries this id (HTTP ${though})`;
  const where = though === undefined ? "launch.id" : "launch.createdAt";
  const row = draft.deployments.ever(id);
  const answered: IntentRow = { ...intent, answer: { at: context.now, id, reason: `accepted${how}` } };
  if (though !== undefined && intent.answer === null)
    tell(draft, intent, "refused", `HTTP ${though}; by its own answer it made ${id} all the same`, context);
  if (row?.intent === intent.id) {
    // A list or a look gave it to this intent first. The claim is certain now.
    confirm(draft, answered, row, context);
    return { kind: "claimed", id };
  }
  if (row && row.sequence > intent.baseline && wasTakenByLooking(draft, intent, row)) {
    if (confirmTaken(draft, answered, row, context) === "claimed") return { kind: "claimed", id };
    return unknown(draft, intent, `accepted as ${id}, which was taken for another launch's machine`, context);
  }
  // A row without a launch was adopted or disowned while the answer was on its way.
  if (row && (row.sequence <= intent.baseline || (row.claim !== null && row.intent !== null))) {
    const reason = `the launch was answered with the id ${id}, which was there before it`;
    halt(draft, intent, null, `${reason}. Check ${where} in the profile, then: fleetkeeper resume`, context);
    return unknown(draft, intent, reason, context);
  }
  if (intent.state === "open" && row?.lastSeen == null && !knowledgeOf(draft, intent.profile).proven) {
    const reason = `accepted as ${id}${how}, the first launch under this profile: waiting until a list or a GET shows it`;
    draft.putIntent({ ...intent, answer: { at: context.now, id, reason }, detail: reason });
    return { kind: "open", reason };
  }
  const fresh =
    row ??
    storeObservation(
      draft,
      { ...shown, id, status: shown.status ?? "initializing" },
      { by: "launch", asked: null },
      context,
    );
  confirm(draft, answered, fresh, context);
  return { kind: "claimed", id };
}

/** HTTP blames the request for these. The reason must say where the request is written. */
const WRONG_REQUEST: readonly number[] = [400, 422];
const TOO_MANY_REQUESTS = 429;

function rejected(
  draft: Draft,
  intent: IntentRow,
  answer: Extract<LaunchAnswer, { kind: "rejected" }>,
  context: Context,
): Outcome {
  const said = [answer.code, answer.message].filter(Boolean).join(": ");
  const where = WRONG_REQUEST.includes(answer.status)
    ? `; what is sent stands in launch.body of the profile`
    : "";
  const reason = `HTTP ${answer.status}${said ? ` ${said}` : ""}${where}`;
  const { retryAfter } = answer;
  const refusal = refusalOf(answer);
  const cools = refusal.kind === "cooling" || refusal.kind === "soldOut";
  const isNew = intent.state !== "rejected";
  if (isNew) {
    close(draft, intent, "rejected", reason, context, {
      refusal,
      ...(cools || retryAfter === undefined ? {} : { retryAfter }),
    });
  }
  if (cools) {
    const asked = answer.cools ?? retryAfter ?? COOLDOWN_WITHOUT_RETRY_AFTER;
    if (isNew) cool(draft, intent, asked, context);
    return { kind: "cooling", seconds: believedWait(asked) / 1000, reason };
  }
  if (isNew) tell(draft, intent, "refused", reason, context);
  const tooMany = refusal.kind === "tooMany" && retryAfter !== undefined;
  return { kind: "rejected", reason, ...(tooMany ? { tooMany } : {}) };
}

/** Nothing is sent there before that, for nobody. */
function cool(draft: Draft, intent: IntentRow, asked: number, context: Context): void {
  const { offer, provider, location } = intent;
  const seconds = believedWait(asked) / 1000;
  draft.putCooldown({ offer, provider, location, since: context.now, seconds });
  const about = { owner: intent.owner, intent: intent.id };
  note(draft, context, "cooldown", `${combinationText(intent)} cools for ${seconds} s`, about);
}

function tell(draft: Draft, intent: IntentRow, kind: EventKind, what: string, context: Context): void {
  note(draft, context, kind, `${combinationText(intent)}: ${what}`, {
    owner: intent.owner,
    intent: intent.id,
  });
}

function refusalOf({ status, code, cools }: Extract<LaunchAnswer, { kind: "rejected" }>): RefusalRow {
  const isShown = status === COOLING_DOWN_STATUS && code === OFFER_COOLING_DOWN;
  const other = status === TOO_MANY_REQUESTS ? "tooMany" : "other";
  const kind = isShown ? "cooling" : cools === undefined ? other : "soldOut";
  return { kind, status, ...(code === undefined ? {} : { code }) };
}

function unknown(
  draft: Draft,
  intent: IntentRow,
  reason: string,
  context: Context,
  more: Pick<NonNullable<IntentRow["answer"]>, "lost" | "cooled"> = {},
): Extract<Outcome, { kind: "open" }> {
  if (intent.state === "open" && intent.answer?.reason !== reason) {
    draft.putIntent({ ...intent, answer: { at: context.now, id: null, reason, ...more }, detail: reason });
    tell(draft, intent, "unknown", `${reason}; it is looked for before anything is sent again`, context);
  }
  return { kind: "open", reason };
}

/** A definite answer overrules what was inferred. The inferred machine was somebody else's. */
function close(
  draft: Draft,
  intent: IntentRow,
  state: "rejected" | "notSent",
  detail: string,
  context: Context,
  more: Pick<IntentRow, "permanent" | "refusal" | "retryAfter"> = {},
): void {
  release(draft, intent);
  const move = state === "rejected" ? "refuse" : "notSend";
  draft.moveIntent(move, { ...intent, state, resolved: context.now, deployment: null, detail, ...more });
}
