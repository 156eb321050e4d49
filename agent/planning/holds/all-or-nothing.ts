import type { Context } from "../../../launch/facts/context.ts";
import { note } from "../../../launch/facts/events.ts";
import { type Hold, hold } from "../../../launch/facts/hold.ts";
import { livingOf, occupancy } from "../../../launch/facts/occupancy.ts";
import type { Draft } from "../../../ledger/draft.ts";
import { elapsed, HOUR_MS, type Instant, MINUTE_MS } from "../../../ledger/instant.ts";
import { fleetOwner } from "../../../ledger/owner.ts";
import type { AttemptRow, DeploymentRow, FleetRow } from "../../../ledger/rows.ts";
import { unhandled } from "../../../service/contract/errors.ts";
import { milliseconds } from "../../../service/text/duration.ts";
import { fleetPhase } from "../../fleet/phase/fleet-phase.ts";
import type { Wish } from "../../fleet/wish/wish.ts";
import { count } from "../count/count.ts";
import { wishInForce } from "../count/wish-in-force.ts";

/** The first pause after an attempt was given back; it doubles. Each attempt wastes paid first hours. */
const FIRST_PAUSE_MS = 15 * MINUTE_MS;
const LONGEST_PAUSE_MS = 4 * HOUR_MS;

/**
 * Brings the attempt of an all-or-nothing fleet up to date. An attempt begins with its first launch. It ends
 * when the whole count runs, or when that took too long: then what it launched is given back. Of a fleet that
 * was whole once only losses are replaced, until nothing of it is left. A fleet that had machines before it
 * became all-or-nothing counts as whole: no attempt made those machines, so none is given back. Its count is 0 or one other: a size
 * between would be reached piece by piece.
 */
export function storeAttempt(draft: Draft, fleet: FleetRow, context: Context): void {
  const wish = wishInForce(draft, fleet, context);
  const { allOrNothing, gpus } = wish;
  const before = fleet.attempt ?? null;
  if (!fleet.born || (allOrNothing && fleetPhase(draft, fleet, context).kind !== "kept")) return;
  const put = (attempt: AttemptRow | null): void => void draft.putFleet({ ...fleet, attempt });
  if (!allOrNothing) {
    if (before) put(null);
    return;
  }
  const { running } = count(draft, fleet, context);
  const first = firstLaunch(draft, fleet, context);
  // Launches wait until this is written down, so a launch that is there already belongs to no attempt.
  if (!before) {
    put({ state: first ? "whole" : "idle", since: context.now, failures: 0 });
    return;
  }
  const { failures } = before;
  // What a window or a person leaves goes at the end of its paid time. It is no part of the next attempt, which begins with all that lacks then.
  if (gpus === 0 && before.state !== "givenBack") {
    const tried = before.state === "begun" ? failures : 0;
    if (before.state !== "idle") put({ state: "idle", since: context.now, failures: tried });
    return;
  }
  switch (before.state) {
    case "idle":
      if (running >= gpus) put({ state: "whole", since: context.now, failures: 0 });
      else if (first) put({ state: "begun", since: first, failures });
      return;
    case "begun":
      if (running >= gpus) put({ state: "whole", since: context.now, failures: 0 });
      else if (!first) put({ state: "idle", since: context.now, failures });
      else if (timeLeft(fleet, wish, context) === 0) {
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

/** Milliseconds until the attempt must be whole; undefined: no attempt is under way. */
export function timeLeft(
  { attempt, forgiven }: FleetRow,
  { allOrNothing }: Wish,
  { now }: Context,
): number | undefined {
  if (!allOrNothing || attempt?.state !== "begun") return undefined;
  return Math.max(0, milliseconds(allOrNothing.within) - elapsed(countedFrom(attempt, forgiven), now));
}

/** A change or a resume starts the time anew: else a long pause would end with everything stopped. */
function countedFrom({ since }: AttemptRow, forgiven: Instant | undefined): Instant {
  return forgiven && elapsed(since, forgiven) > 0 ? forgiven : since;
}

/** By when the attempt must be whole. A moment: the time that is left would change the text at each tick. */
export function dueText({ attempt, forgiven }: FleetRow, { allOrNothing, gpus }: Wish): readonly string[] {
  if (!allOrNothing || attempt?.state !== "begun") return [];
  const { wall } = countedFrom(attempt, forgiven);
  const due = new Date(wall + milliseconds(allOrNothing.within)).toISOString().slice(0, 19);
  return [`what was launched is given back at ${due}Z unless all ${gpus} GPUs run by then (allOrNothing)`];
}

/** Milliseconds until the next attempt; 0 if the fleet was changed or resumed since the last one. @internal Exported for its test. */
export function pauseLeft({ attempt, forgiven }: FleetRow, { now }: Context): number {
  if (attempt?.state !== "givenBack") return 0;
  if (forgiven && elapsed(attempt.since, forgiven) > 0) return 0;
  return Math.max(0, pauseOf(attempt) - elapsed(attempt.since, now));
}

function pauseOf({ failures }: AttemptRow): number {
  return Math.min(FIRST_PAUSE_MS * 2 ** (failures - 1), LONGEST_PAUSE_MS);
}

/** True while nothing of the fleet is there: then only all of it may be launched. */
export function isBeforeTheFirst(fleet: FleetRow, { allOrNothing }: Wish): boolean {
  return allOrNothing !== undefined && (fleet.attempt?.state ?? "idle") === "idle";
}

/** A fleet that is given back launches nothing before its next attempt: a moment, as in {@link dueText}. */
export function whyGivenBack(draft: Draft, fleet: FleetRow, context: Context): Hold | undefined {
  const { attempt } = fleet;
  const { gpus, allOrNothing } = wishInForce(draft, fleet, context);
  if (attempt?.state !== "givenBack" || !allOrNothing) return undefined;
  const pause = pauseLeft(fleet, context);
  const begins = new Date(attempt.since.wall + pauseOf(attempt)).toISOString().slice(0, 19);
  const next = pause === 0 ? "" : `; the next attempt begins at ${begins}Z`;
  const until = pause === 0 ? undefined : context.now.wall + pause;
  return hold("givenBack", { gpus, within: allOrNothing.within, next }, until);
}

/** The fleet's launched machines that have not ended. Adopted ones are left out: a person wanted them. */
export function launchedBy(draft: Draft, { name }: FleetRow): readonly DeploymentRow[] {
  return livingOf(draft, fleetOwner(name)).filter((row) => row.intent !== null);
}

/** When the oldest launch was sent that costs money still, or may; undefined: there is none. One from before the attempt is none of it. */
export function firstLaunch(draft: Draft, fleet: FleetRow, context: Context): Instant | undefined {
  const { intents } = occupancy(draft, fleetOwner(fleet.name), context);
  const launched = launchedBy(draft, fleet).flatMap(({ intent }) => draft.intents.ever(intent ?? "") ?? []);
  const stamps = [...launched, ...intents].map(({ stamped }) => stamped);
  const { attempt } = fleet;
  const isOfAnAttempt = attempt?.state === "idle" || attempt?.state === "begun";
  const its = stamps.filter((stamp) => !isOfAnAttempt || elapsed(stamp, attempt.since) === 0);
  return its.sort((one, other) => elapsed(other, context.now) - elapsed(one, context.now))[0];
}
