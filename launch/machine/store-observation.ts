import type { Draft } from "../../ledger/draft.ts";
import { elapsed, type Instant, isLater } from "../../ledger/instant.ts";
import type { DeploymentRow, End, StopRow } from "../../ledger/rows.ts";
import type { Deployment } from "../../service/contract/service.ts";
import { proveProfile } from "../claim/claim.ts";
import { doubtEnd } from "../ends/doubtful-end.ts";
import { sentence, suggestion, supportAdvice } from "../ends/failure-advice.ts";
import { believeSlowly, countReturn } from "../ends/returned.ts";
import { supportRequest } from "../ends/support-request.ts";
import {
  isActive,
  isBilled,
  isDoubtfulEnd,
  isNoEnd,
  learnLife,
  type ShownBy,
  showsAfterStop,
} from "../ends/unnamed-state.ts";
import { type Context, knowledgeOf, learn } from "../facts/context.ts";
import { note } from "../facts/events.ts";
import { holdPrice } from "../money/price-doubt.ts";
import { rememberArchived } from "./archived-record.ts";
import { newMachineRow } from "./new-machine.ts";
import { knownBefore } from "./reused.ts";
import { rememberJudgement } from "./unchanged.ts";

/** This many full lists must show an unnamed state after a stop before it is an end. */
const UNNAMED_LISTS = 2;

/**
 * Writes down one deployment as an answer showed it. All ends but `gone`, which is an absence, are concluded
 * here.
 */
export function storeObservation(
  draft: Draft,
  shown: Deployment,
  look: ShownBy,
  context: Context,
): DeploymentRow {
  const { by, asked } = look;
  const known = draft.deployments.ever(shown.id);
  if (known?.lastSeen && !(asked && isAsNew(asked, known.lastSeen))) return known;
  const before = knownBefore(draft, shown, context);
  if (before && isFromBeforeItsEnd(before, shown, look, context)) return before;
  const { flaw: _flaw, unserving: _unserving, ...last } = before ?? newMachineRow(draft, shown.id, context);
  const fresh = isBackFrom(last.status, shown.status) ? { ...last, ...NOTHING_EXPLAINED } : last;
  const merged: DeploymentRow = {
    ...fresh,
    ...(shown.flaw === undefined ? {} : { flaw: { why: shown.flaw, setAside: false } }),
    lastSeen: asked ?? fresh.lastSeen,
    status: shown.status,
    ...(context.wire.isUnserving?.(shown.status) ? { unserving: true } : {}),
    statusSince: before?.status === shown.status ? fresh.statusSince : context.now,
    offer: shown.offer ?? fresh.offer,
    provider: shown.provider ?? fresh.provider,
    location: shown.location ?? fresh.location,
    marker: shown.marker ?? fresh.marker,
    gpus: shown.gpus ?? fresh.gpus,
    pricePerHour: shown.pricePerHour ?? fresh.pricePerHour,
    createdAt: shown.createdAt ?? fresh.createdAt,
    failureCode: shown.failureCode ?? fresh.failureCode,
    failureReason: shown.failureReason ?? fresh.failureReason,
    suggestedAction: shown.suggestedAction ?? fresh.suggestedAction,
    stopReason: shown.stopReason ?? fresh.stopReason,
    connection: shown.connection ?? fresh.connection,
    stop: fresh.stop && shown.status === "running" ? ranAfterAll(fresh.stop) : fresh.stop,
    missing: afterLook(fresh.missing, by),
    stoppingSeen: isActive(shown.status) ? shown.status === "stopping" : fresh.stoppingSeen === true,
    ...(shown.status === "running" ? { ran: true, ...timeToRun(draft, fresh, context) } : {}),
    ...(fresh.young && ["running", "stopping"].includes(shown.status) ? { young: false } : {}),
  };
  learnLife(draft, before, merged, look, context);
  if (shown.pricePerHour !== undefined) holdPrice(draft, merged, shown.pricePerHour, context);
  const shownEnd = believeSlowly(before, withEnd(draft, merged, look, context), look, context);
  const ended = countReturn(draft, before, shownEnd, look, context);
  const endBefore = before?.end ?? null;
  if (haveSameFacts(before, ended)) {
    if (by === "list" && draft.archive.has(before.id)) rememberArchived(draft, shown, context);
    else if (by === "list" && before === known) rememberJudgement(draft, before, shown, context);
    return before;
  }
  const row = draft.putDeployment(ended);
  tell(draft, before, row, context);
  if (row.end !== null && row.end !== endBefore) doubtEnd(draft, row, context);
  const intent = row.intent === null ? undefined : draft.intents.ever(row.intent);
  if (intent?.answer?.id === row.id) proveProfile(draft, intent, row, context);
  return row;
}

function timeToRun(
  draft: Draft,
  { ran, intent }: DeploymentRow,
  { now }: Context,
): Pick<DeploymentRow, "toRun"> {
  const launched = ran || intent === null ? undefined : draft.intents.ever(intent);
  return launched ? { toRun: elapsed(launched.stamped, now) } : {};
}

/**
 * True if a list may show the machine as before its end. A list may be as old as one settle time, and nothing
 * comes back from a state that specification or profile calls terminal. A GET or a newer list is believed:
 * what is shown as active bills. A machine that we stop is believed, too: nothing replaces it.
 */
function isFromBeforeItsEnd(
  { status: was, end, ended, stop, returned }: DeploymentRow,
  { status }: Deployment,
  { by, asked }: ShownBy,
  context: Context,
): boolean {
  const { settings, wire } = context;
  const isNamed = end === "failed" || end === "interrupted" || (stop === null && wire.isTerminal(was));
  if (by !== "list" || !asked || !ended || !isNamed) return false;
  // A machine that came back before has had lists show its end for that long already.
  if (returned) return false;
  return isBilled(status, context) && ended.boot === asked.boot && elapsed(ended, asked) < settings.settle;
}

/** True if it is active again. What explained its end explains nothing now, to people or to rules. */
function isBackFrom(before: string, now: string): boolean {
  return before !== "" && !isActive(before) && isActive(now);
}

const NOTHING_EXPLAINED = { failureCode: null, failureReason: null, suggestedAction: null, stopReason: null };

/**
 * Concludes the end of a machine. The specification names two terminal and five active states, but not that
 * of a stopped deployment. Another state is an end only beside a `stop_reason`, once learned as an end under
 * this profile, or in two full lists after an accepted stop or a `stopping`. Until then it is capacity. If
 * machines live in that state, or this one was in it when it was stopped, the lists must be newer than the
 * stop by one settle time, and nothing is learned: see ends/unnamed-state.ts.
 */
function withEnd(draft: Draft, row: DeploymentRow, look: ShownBy, context: Context): DeploymentRow {
  const { wire, now } = context;
  const known = knowledgeOf(draft, wire.profileHash);
  // Whatever was concluded before: what bills must count, be stopped or be reported.
  if (isBilled(row.status, context)) return { ...row, end: null, ended: null, unnamedLists: 0 };
  if (row.end !== null && row.end !== "gone" && !isNoEnd(row, known, context)) return row;
  const here: DeploymentRow = { ...row, end: null, ended: null };
  const over = (end: End): DeploymentRow => ({ ...row, end, ended: now, ...unwatched(draft, context) });
  if (row.status === "failed" || row.status === "interrupted") return over(row.status);
  if (wire.isTerminal(row.status)) return over("stopped");
  if (row.stopReason !== null || known.ends.includes(row.status)) return over("stopped");
  const same = draft.deployments.ever(row.id)?.status === row.status ? row.unnamedLists : 0;
  const stopping = row.stop?.accepted === true || row.stoppingSeen === true;
  if (!stopping || look.by !== "list") return { ...here, unnamedLists: same };
  const doubtful = isDoubtfulEnd(row, known);
  if (doubtful && !showsAfterStop(row, look, context)) return { ...here, unnamedLists: same };
  if (same + 1 < UNNAMED_LISTS) return { ...here, unnamedLists: same + 1 };
  if (!doubtful) learn(draft, wire.profileHash, { ends: [...known.ends, row.status] });
  return { ...over("stopped"), unnamedLists: UNNAMED_LISTS };
}

/** For how long nobody looked, where that is long: a machine may have ended at any moment of it. */
function unwatched(
  { account: { list } }: Draft,
  { now, settings }: Context,
): Pick<DeploymentRow, "unwatched"> {
  const ms = list === null ? 0 : elapsed(list, now);
  return ms > settings.gone ? { unwatched: ms } : {};
}

function tell(draft: Draft, before: DeploymentRow | undefined, row: DeploymentRow, context: Context): void {
  const about = { owner: row.owner, deployment: row.id, intent: row.intent };
  if (row.end !== null && before?.end !== row.end) {
    const why = [row.failureCode, row.failureReason, row.stopReason]
      .filter((text) => text !== null)
      .join(", ");
    const what = `${row.id} ${row.end}${why ? `: ${why}` : ""}`;
    const todo = whatToDo(row, context);
    note(draft, context, row.end, todo.length > 0 ? [sentence(what), ...todo].join(" ") : what, about);
    const request = row.owner && supportRequest(draft, row, (code) => context.wire.isRetryable?.(code));
    if (request) note(draft, context, "support", request, about);
  } else if (row.status === "running" && before?.status !== "running" && !isBackAgain(before, row)) {
    note(draft, context, "running", `${row.id} is running`, about);
  }
}

/** Its return was told, or was none. A machine that flaps is no news at every second list. */
function isBackAgain(before: DeploymentRow | undefined, { returned }: DeploymentRow): boolean {
  return returned !== undefined && before !== undefined && !isActive(before.status);
}

/** The dashboard shows this once. For a fleet's machine this event is all that people see of it. */
function whatToDo(row: DeploymentRow, { wire }: Context): readonly string[] {
  if (row.end !== "failed") return [];
  return [...suggestion(row), ...supportAdvice(row, (code) => wire.isRetryable?.(code))];
}

/** Answers overtake each other: an older one must not overwrite a newer one. */
export function isAsNew(asked: Instant, lastSeen: Instant): boolean {
  return (asked.boot === lastSeen.boot && asked.mono === lastSeen.mono) || isLater(asked, lastSeen);
}

/** Only a list clears it: a machine that GETs show and lists lack would be rewritten at each look. */
function afterLook(missing: DeploymentRow["missing"], by: ShownBy["by"]): DeploymentRow["missing"] {
  if (by === "list" || !missing) return null;
  const { doubt: _doubt, ...rest } = missing;
  return { ...rest, notFound: false };
}

/** The stop was accepted before it ran, and did not end it: its first hour is not refunded. */
function ranAfterAll(stop: StopRow): StopRow {
  return stop.acceptedIn === undefined || stop.acceptedIn === "running"
    ? stop
    : { ...stop, acceptedIn: "running" };
}

/** True if only the moment of the look differs. Rows are stored when something about the machine changed. */
export function haveSameFacts(
  before: DeploymentRow | undefined,
  after: DeploymentRow,
): before is DeploymentRow {
  if (!before || (before.lastSeen === null && after.lastSeen !== null)) return false;
  return (Object.keys({ ...before, ...after }) as (keyof DeploymentRow)[]).every(
    (key) =>
      key === "lastSeen" ||
      before[key] === after[key] ||
      JSON.stringify(before[key]) === JSON.stringify(after[key]),
  );
}
