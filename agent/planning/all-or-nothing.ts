import type { Context } from "../../launch/context.ts";
import { note } from "../../launch/events.ts";
import { claimedBy, occupancy } from "../../launch/occupancy.ts";
import type { Draft } from "../../ledger/draft.ts";
import type { Instant } from "../../ledger/instant.ts";
import { elapsed, HOUR_MS, MINUTE_MS } from "../../ledger/instant.ts";
import { fleetOwner } from "../../ledger/owner.ts";
import type { AttemptRow, DeploymentRow, FleetRow } from "../../ledger/rows.ts";
import { milliseconds } from "../../service/duration.ts";
import { unhandled } from "../../service/errors.ts";
import { fleetPhase } from "../fleet/fleet-phase.ts";
import type { Wish } from "../fleet/wish.ts";
import { parseWish } from "../fleet/wish.ts";
import { count } from "./count.ts";

/** After an attempt that was given back: the first hours of what ran are lost, so the next one waits. */
const FIRST_PAUSE_MS = 15 * MINUTE_MS;
const LONGEST_PAUSE_MS = 4 * HOUR_MS;

/**
 * Brings the attempt of an all-or-nothing fleet up to date: it begins with its first launch, and ends when
 * the whole count runs, or when that took too long. Then what it launched is given back. A fleet that was
 * whole once is like any other, and only its losses are replaced, until nothing of it is left; so is one that
 * had machines before it became all-or-nothing: those are no attempt's to give back.
 */
export function recordAttempt(draft: Draft, fleet: FleetRow, context: Context): void {
  const { allOrNothing, gpus } = parseWish(fleet.wish);
  const before = fleet.attempt ?? null;
  if (!fleet.born || (allOrNothing && fleetPhase(draft, fleet, context).kind !== "kept")) return;
  const put = (attempt: AttemptRow | null): void => void draft.putFleet({ ...fleet, attempt });
  if (!allOrNothing) {
    if (before) put(null);
    return;
  }
  const { running } = count(draft, fleet, context);
  const first = firstLaunch(draft, fleet, context);
  // Nothing is launched for it before this is written down: what it launched earlier is no part of an
  // attempt.
  if (!before) {
    put({ state: first ? "whole" : "idle", since: context.now, failures: 0 });
    return;
  }
  const { failures } = before;
  switch (before.state) {
    case "idle":
      if (running >= gpus) put({ state: "whole", since: context.now, failures: 0 });
      else if (first) put({ state: "begun", since: first, failures });
      return;
    case "begun":
      if (running >= gpus) put({ state: "whole", since: context.now, failures: 0 });
      else if (!first) put({ state: "idle", since: context.now, failures });
      else if (timeLeft(fleet, context) === 0) {
        put({ state: "givenBack", since: context.now, failures: failures + 1 });
        const text = `${fleet.name}: ${running} of ${gpus} GPUs ran within ${allOrNothing.within}; what was launched is given back`;
        note(draft, context, "gaveBack", text, { owner: fleetOwner(fleet.name) });
      }
      return;
    case "whole":
      if (running === 0 && !first) put({ state: "idle", since: context.now, failures: 0 });
      return;
    case "givenBack":
      if (!first && pauseLeft(fleet, context) === 0) put({ state: "idle", since: context.now, failures });
      return;
    default:
      unhandled(before.state);
  }
}

/** How long the attempt may still take to become whole, in ms; undefined: none is on its way. */
export function timeLeft({ wish, attempt, forgiven }: FleetRow, { now }: Context): number | undefined {
  const { allOrNothing } = parseWish(wish);
  if (!allOrNothing || attempt?.state !== "begun") return undefined;
  return Math.max(0, milliseconds(allOrNothing.within) - elapsed(countedFrom(attempt, forgiven), now));
}

/** A changed or resumed fleet has all of its time again: a pause must not end with all being stopped. */
function countedFrom({ since }: AttemptRow, forgiven: Instant | undefined): Instant {
  return forgiven && elapsed(since, forgiven) > 0 ? forgiven : since;
}

/** Until when an attempt has to be whole, for people: a moment, so that the sentence stays the same. */
export function dueText({ wish, attempt, forgiven }: FleetRow): readonly string[] {
  const { allOrNothing, gpus } = parseWish(wish);
  if (!allOrNothing || attempt?.state !== "begun") return [];
  const { wall } = countedFrom(attempt, forgiven);
  const due = new Date(wall + milliseconds(allOrNothing.within)).toISOString().slice(0, 19);
  return [`what was launched is given back at ${due}Z unless all ${gpus} GPUs run by then (allOrNothing)`];
}

/** How long until the next attempt, in ms. Whoever changes the fleet or resumes it does not wait. */
export function pauseLeft({ attempt, forgiven }: FleetRow, { now }: Context): number {
  if (attempt?.state !== "givenBack") return 0;
  if (forgiven && elapsed(attempt.since, forgiven) > 0) return 0;
  return Math.max(0, pauseOf(attempt) - elapsed(attempt.since, now));
}

/** When the next attempt begins, for people: a moment, so that the sentence stays the same. */
export function nextAttemptText(fleet: FleetRow, context: Context): string {
  const { attempt } = fleet;
  if (!attempt || pauseLeft(fleet, context) === 0) return "";
  const next = new Date(attempt.since.wall + pauseOf(attempt)).toISOString().slice(0, 19);
  return `; the next attempt begins at ${next}Z`;
}

function pauseOf({ failures }: AttemptRow): number {
  return Math.min(FIRST_PAUSE_MS * 2 ** (failures - 1), LONGEST_PAUSE_MS);
}

/** True where nothing may be launched but the whole: nothing of it is there yet. */
export function isBeforeTheFirst(fleet: FleetRow, { allOrNothing }: Wish): boolean {
  return allOrNothing !== undefined && (fleet.attempt?.state ?? "idle") === "idle";
}

/** Why nothing is launched for this fleet, looked up again in the transaction that writes a launch. */
export function whyGivenBack(draft: Draft, name: string): string | undefined {
  const fleet = draft.fleets.get(name);
  if (fleet?.attempt?.state !== "givenBack") return undefined;
  const { gpus, allOrNothing } = parseWish(fleet.wish);
  return (
    allOrNothing &&
    `not all of ${gpus} GPUs ran within ${allOrNothing.within}, so what was launched is given back`
  );
}

/** What the fleet launched and what still costs money. What was adopted was somebody's wish of its own. */
export function launchedBy(draft: Draft, { name }: FleetRow): readonly DeploymentRow[] {
  return claimedBy(draft, fleetOwner(name)).filter((row) => row.end === null && row.intent !== null);
}

/** When the oldest launch was sent of those that still cost money, or may; undefined: there is none. */
export function firstLaunch(draft: Draft, fleet: FleetRow, context: Context): Instant | undefined {
  const { intents } = occupancy(draft, fleetOwner(fleet.name), context);
  const launched = launchedBy(draft, fleet).flatMap(({ intent }) => draft.intents.get(intent ?? "") ?? []);
  const stamps = [...launched, ...intents].map(({ stamped }) => stamped);
  return stamps.sort((one, other) => elapsed(other, context.now) - elapsed(one, context.now))[0];
}
