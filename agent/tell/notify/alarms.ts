import { notStopping } from "../../../launch/ends/not-stopping.ts";
import { unservingOf, unservingText } from "../../../launch/ends/unserving.ts";
import type { Context } from "../../../launch/facts/context.ts";
import { note } from "../../../launch/facts/events.ts";
import { holdText } from "../../../launch/facts/hold.ts";
import { isReused } from "../../../launch/machine/reused.ts";
import { badRecordsOf, namelessText } from "../../../launch/machine/unread.ts";
import { isLeftBehind, toBeJudged } from "../../../launch/people/slot.ts";
import { unshown } from "../../../launch/resolve/doubted.ts";
import type { Draft } from "../../../ledger/draft.ts";
import type { EventKind } from "../../../ledger/event-kind.ts";
import { fleetOwner } from "../../../ledger/owner.ts";
import type { Owner } from "../../../ledger/rows.ts";
import { amountText } from "../../../service/contract/money.ts";
import { watchedFleets, whyDoubted } from "../../planning/machines/health.ts";
import { isIdle, watchedForIdle } from "../../planning/machines/idle.ts";
import { matchingFleets } from "../../planning/machines/initial-adoption.ts";
import { inVain, isOverdue, keptFleets, running } from "../../planning/machines/readiness.ts";
import { isSetUp, stuckSetups } from "../../planning/machines/setup.ts";
import { leftBehindText, nameOf, whoOwns } from "../../status/owner-names.ts";
import { alarmedHolds, FLAPPING_MS, type HeldWhole } from "./held-wholes.ts";

interface Alarm {
  readonly kind: EventKind;
  readonly text: string;
  readonly owner: Owner | null;
  readonly deployment: string | null;
}

/**
 * Writes an event when a state begins that people should know of: without one nobody is notified. `wholes`: what this account is
 * to tell of fleets over several services.
 */
export function storeAlarms(draft: Draft, context: Context, wholes: readonly HeldWhole[] = []): void {
  const known = draft.account.alarms ?? {};
  const present = new Map(alarmsOf(draft, wholes, context).map((alarm) => [keyOf(alarm), alarm]));
  const { wall } = context.now;
  const next: Record<string, number> = {};
  for (const [key, since] of Object.entries(known)) {
    const isRecent = since <= wall && wall - since < FLAPPING_MS && !wasResumed(draft, key, since);
    const isKept = key.startsWith(STUCK) ? settleStuck(draft, key, context) === "stuck" : isRecent;
    if (present.has(key) || isKept) next[key] = since;
  }
  for (const [key, { kind, text, owner, deployment }] of present) {
    if (key in next) continue;
    next[key] = wall;
    note(draft, context, kind, text, { owner, deployment });
  }
  if (JSON.stringify(next) !== JSON.stringify(known)) draft.putAccount({ ...draft.account, alarms: next });
}

/** Whether an operator resumed the fleet after this was told. */
function wasResumed(draft: Draft, key: string, since: number): boolean {
  return [...draft.fleets.values()].some(
    ({ name, part, resumed }) =>
      resumed !== undefined &&
      resumed.wall >= since &&
      [name, part?.of ?? name].some((each) => key.endsWith(` ${fleetOwner(each)}`)),
  );
}

function alarmsOf(draft: Draft, wholes: readonly HeldWhole[], context: Context): readonly Alarm[] {
  return [
    ...badRecords(draft),
    ...strangers(draft, context),
    ...unshown(draft, context),
    ...stuck(draft, context),
    ...unserving(draft, context),
    ...held(draft, wholes, context),
    ...unready(draft, context),
    ...idle(draft, context),
    ...doubtedHealth(draft, context),
  ];
}

function keyOf({ kind, owner, deployment }: Alarm): string {
  return `${kind} ${deployment ?? owner ?? ""}`;
}

/** If the service breaks a record differently at each look, it is still one state and told once. */
function badRecords(draft: Draft): readonly Alarm[] {
  const nameless = namelessText(draft.account);
  const named = badRecordsOf(draft).map(({ id, owner, text }) => ({
    text: `${id}: ${text}`,
    owner,
    deployment: id,
  }));
  const others = nameless === undefined ? [] : [{ text: nameless, owner: null, deployment: null }];
  return [...named, ...others].map((record) => ({ kind: "badRecord", ...record }));
}

/**
 * Disputed machines, and those whose id was given to another machine, had their event at that time. What a
 * fleet may take in a minute is nobody's to judge yet.
 */
function strangers(draft: Draft, context: Context): readonly Alarm[] {
  const mayBeTaken = matchingFleets(draft, context).length > 0;
  return toBeJudged(draft, context.now)
    .filter((row) => row.claim !== "disputed" && !isReused(row) && !(row.claim === null && mayBeTaken))
    .map((row) => {
      const { id, status, owner, pricePerHour } = row;
      const cost =
        pricePerHour === null ? "" : ` and costs ${amountText(pricePerHour, draft.account.currency)} an hour`;
      const why =
        isLeftBehind(draft, row) && owner !== null
          ? leftBehindText(id, nameOf(whoOwns(draft, owner)))
          : "nobody here answers for it: fleetkeeper adopt or disown";
      return {
        kind: "unclaimed",
        text: `${id} is ${status}${cost}, and ${why}`,
        owner: null,
        deployment: id,
      };
    });
}

function stuck(draft: Draft, context: Context): readonly Alarm[] {
  return notStopping(draft, context).map(({ row: { id, owner }, text }) => ({
    kind: "stuck",
    text,
    owner,
    deployment: id,
  }));
}

/** Those that are kept. Of the others it was told when their stop was asked for. */
function unserving(draft: Draft, context: Context): readonly Alarm[] {
  return unservingOf(draft, context)
    .filter(({ stop }) => stop === null)
    .map((row) => ({
      kind: "notServing",
      text: unservingText(draft, row, context),
      owner: row.owner,
      deployment: row.id,
    }));
}

const STUCK = "stuck ";

/** Whoever was told that a machine does not stop is told when it is over, however much later. */
function settleStuck(draft: Draft, key: string, context: Context): "stuck" | "over" {
  const row = draft.deployments.ever(key.slice(STUCK.length));
  // Disowned, or wanted again: that was told.
  if (!row || row.owner === null || (row.end === null && row.stop === null && row.status !== "stopping"))
    return "over";
  if (row.end === null) return "stuck";
  const text = `${row.id} does not run any more, after it would not stop`;
  note(draft, context, "unstuck", text, { owner: row.owner, deployment: row.id });
  return "over";
}

/** What holds a fleet over several services is a matter of all of them: see held-wholes.ts. */
function held(draft: Draft, wholes: readonly HeldWhole[], context: Context): readonly Alarm[] {
  const alone = [...draft.fleets.values()].filter(({ part }) => !part);
  return [
    ...alone.flatMap((fleet) =>
      alarmedHolds(draft, fleet, context).map(({ kind, hold }) => ({
        name: fleet.name,
        kind,
        text: holdText(hold),
      })),
    ),
    ...wholes,
  ].map(({ name, kind, text }) => ({ kind, text, owner: fleetOwner(name), deployment: null }));
}

function unready(draft: Draft, context: Context): readonly Alarm[] {
  const stuck = stuckSetups(draft, context).map(
    ({ row: { id, owner }, text }): Alarm => ({ kind: "notReady", text, owner, deployment: id }),
  );
  const late = keptFleets(draft, context).flatMap((fleet): readonly Alarm[] => {
    const { name, ready } = fleet;
    const vain = inVain(draft, name, ready);
    return running(draft, name)
      .filter((row) => row.ready && isSetUp(row, fleet) && isOverdue(row, fleet, context))
      .map((row) => ({
        kind: "notReady",
        text: `${row.id} runs and is not ready: ${row.ready?.why}${vain ? `. ${vain}` : ""}`,
        owner: row.owner,
        deployment: row.id,
      }));
  });
  return [...stuck, ...late];
}

/** That machines are unhealthy is told as their answers are stored. */
function doubtedHealth(draft: Draft, context: Context): readonly Alarm[] {
  return watchedFleets(draft, context).flatMap((fleet) => {
    const text = whyDoubted(draft, fleet, context);
    return text === undefined
      ? []
      : [{ kind: "unhealthy", text, owner: fleetOwner(fleet.name), deployment: null }];
  });
}

/** Where an idle machine is only told of. Any other is stopped, and that is told. */
function idle(draft: Draft, context: Context): readonly Alarm[] {
  return watchedForIdle(draft, context)
    .filter(({ row, idle: { then } }) => then === "tell" && isIdle(draft, row, context))
    .map(({ row: { id, owner }, idle: asked }) => ({
      kind: "idle",
      text: `${id} has been idle for ${asked.for}`,
      owner,
      deployment: id,
    }));
}
