import type { Draft } from "../../ledger/draft.ts";
import { DAY_MS, elapsed, HOUR_MS, isLater } from "../../ledger/instant.ts";
import { ownerParts } from "../../ledger/owner.ts";
import type { DeploymentRow, Owner, ProfileKnowledge } from "../../ledger/rows.ts";
import { type Context, knowledgeOf, learn } from "../facts/context.ts";
import { note } from "../facts/events.ts";
import { type Hold, hold, holdText } from "../facts/hold.ts";
import { machineHoldText } from "../facts/machine-hold.ts";
import { livingOf } from "../facts/occupancy.ts";
import { costText } from "./not-stopping.ts";
import { askStop, mayStop } from "./stop.ts";

/*
 * A machine that bills and does not serve (deployments.states.replace) is stopped, and what is launched in its place waits
 * until it is gone, as for every machine that stops. A profile may name a state in which machines serve: each one
 * would be stopped, and rented anew. So one goes at a time, and the next only once a machine that came in the place of
 * the last one serves. If that one does not serve either, or none comes for an hour, nothing is launched or stopped so any
 * more before a person has looked. docs/how/foreign-states.md says what a wrong statement may cost.
 */

/** This many in a row are no chance. */
const IN_A_ROW = 2;
/** What served for this many settle times proves that the stop before it was right. */
const PROVEN_AFTER = 5;

/** True if lists have shown it so for a settle time: a machine may pass through such a state. */
export function isUnserving(draft: Draft, row: DeploymentRow, { settings }: Context): boolean {
  const { list } = draft.account;
  if (row.end !== null || row.owner === null || row.missing !== null || row.flaw?.setAside) return false;
  if (list === null || row.unserving !== true) return false;
  return elapsed(row.statusSince, list) >= settings.settle;
}

/** All such machines of an owner, or of everybody here; those that are being stopped are among them. */
export function unservingOf(draft: Draft, context: Context, owner?: Owner): readonly DeploymentRow[] {
  const rows = owner === undefined ? [...draft.deployments.of("life", "living")] : livingOf(draft, owner);
  return rows.filter((row) => isUnserving(draft, row, context));
}

/** Why it is not stopped for that now; undefined: it is next. */
export function whyKept(draft: Draft, row: DeploymentRow, context: Context): string | undefined {
  if (!mayStop(row)) return `it may be somebody else's: fleetkeeper adopt or disown ${row.id}`;
  const held = machineHoldText(row, context.now);
  if (held !== undefined) return `${held}, or until fleetkeeper release ${row.id}`;
  if (row.owner !== null && draft.fleets.get(ownerParts(row.owner).name)?.paused)
    return "its fleet is paused";
  if (whyUnservingHalts(draft, context)) return "such stops are halted";
  if (context.wire.abilities.stop === false)
    return 'the profile has no part "stop": stop it in the service\'s dashboard';
  const last = lastStop(draft, context);
  if (!last || isInItsPlace(row, last) || elapsed(last.asked, context.now) >= HOUR_MS) return undefined;
  if (served(draft, last) >= context.settings.settle) return undefined;
  return `${last.id} was stopped for that just now, and a machine in its place has to serve first, or an hour to pass`;
}

/** Asks to stop it, if it is next, and remembers that. */
export function askUnserving(
  draft: Draft,
  row: DeploymentRow,
  context: Context,
  kind: "planned" | "for good",
): void {
  if (row.stop !== null || whyKept(draft, row, context) !== undefined) return;
  const last = lastStop(draft, context);
  const isNext = last && (isInItsPlace(row, last) || served(draft, last) < context.settings.settle);
  const { unserving: before = [] } = knowledgeOf(draft, context.wire.profileHash);
  const unserving = [...(isNext ? before : []), { id: row.id, state: row.status }];
  if (!askStop(draft, row.id, unservingWhy(row), context, kind)) return;
  const asked = draft.deployments.ever(row.id) ?? row;
  if (asked.stop) draft.putDeployment({ ...asked, stop: { ...asked.stop, unserving: true } });
  learn(draft, context.wire.profileHash, { unserving });
  const about = { owner: row.owner, deployment: row.id };
  note(draft, context, "notServing", unservingText(draft, asked, context), about);
  const halt = whyUnservingHalts(draft, context);
  if (halt) note(draft, context, "halted", holdText(halt), about);
}

/** Forgets the last such stop once it is proven, or says nothing any more. */
export function followUnserving(draft: Draft, context: Context): void {
  const { unserving = [] } = knowledgeOf(draft, context.wire.profileHash);
  if (unserving.length !== 1) return;
  const last = lastStop(draft, context);
  const isOver =
    !last ||
    elapsed(last.asked, context.now) >= DAY_MS ||
    served(draft, last) >= PROVEN_AFTER * context.settings.settle;
  if (isOver) learn(draft, context.wire.profileHash, { unserving: [] });
}

/** Two in a row were stopped: a person has to look. */
export function whyUnservingHalts(draft: Draft, context: Context): Hold | undefined {
  return haltedBy(knownOf(draft, context));
}

/** A reader of the ledger alone knows no profile: then what the agent's taught. */
function knownOf(draft: Draft, { wire }: Context): ProfileKnowledge {
  return knowledgeOf(draft, wire.profileHash || (draft.account.profile ?? ""));
}

export function unservingHalt(known: ProfileKnowledge | undefined): string | undefined {
  const held = haltedBy(known);
  return held && holdText(held);
}

function haltedBy({ unserving = [] }: Partial<ProfileKnowledge> = {}): Hold | undefined {
  if (unserving.length < IN_A_ROW) return undefined;
  const states = [...new Set(unserving.map(({ state }) => JSON.stringify(state)))].join(" or ");
  return hold("unserving", { ids: unserving.map(({ id }) => id).join(" and "), states });
}

export function unservingWhy({ status }: DeploymentRow): string {
  return `it is ${status}: billed, and it does not serve`;
}

/** What a person is told of such a machine. */
export function unservingText(draft: Draft, row: DeploymentRow, context: Context): string {
  const kept = row.stop === null ? whyKept(draft, row, context) : undefined;
  const next =
    row.owner !== null && ownerParts(row.owner).kind === "slot"
      ? "It is stopped, and the next pulumi up launches another one"
      : "It is stopped, and replaced once it is gone";
  return `${row.id} is ${row.status}: it ${costText(draft, row)}, and does not serve. ${kept === undefined ? next : `It is not stopped: ${kept}`}`;
}

interface LastStop {
  readonly id: string;
  readonly owner: Owner;
  readonly asked: NonNullable<DeploymentRow["stop"]>["asked"];
}

/** Undefined: none, or it was disowned, or kept after all. */
function lastStop(draft: Draft, context: Context): LastStop | undefined {
  const id = knownOf(draft, context).unserving?.at(-1)?.id;
  const row = id === undefined ? undefined : draft.deployments.ever(id);
  return row?.stop && row.owner !== null
    ? { id: row.id, owner: row.owner, asked: row.stop.asked }
    : undefined;
}

function isInItsPlace({ claimed, owner }: DeploymentRow, last: LastStop): boolean {
  return owner === last.owner && claimed !== null && isLater(claimed, last.asked);
}

/** How long a machine that came in its place has run, the longest of them, as lists show. */
function served(draft: Draft, last: LastStop): number {
  const { list } = draft.account;
  if (list === null) return 0;
  const runs = livingOf(draft, last.owner).filter(
    (row) => row.status === "running" && row.stop === null && isInItsPlace(row, last),
  );
  return Math.max(0, ...runs.map(({ statusSince }) => elapsed(statusSince, list)));
}
