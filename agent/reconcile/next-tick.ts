import type { Context } from "../../launch/facts/context.ts";
import type { Hold } from "../../launch/facts/hold.ts";
import { untilRestoredList } from "../../launch/facts/restored.ts";
import type { Draft } from "../../ledger/draft.ts";
import type { FleetRow } from "../../ledger/rows.ts";
import { UNSENT_BACKOFF_MS } from "../planning/choices/launch-backoff.ts";
import { untilSecondList } from "../planning/machines/initial-adoption.ts";
import type { FleetPlan } from "../planning/told/fleet-plan.ts";
import type { Acted } from "./act.ts";
import type { FleetLaunch } from "./launch-fleet.ts";

/** The second lists that fleets wait for before they launch. */
export interface AwaitedLists {
  /** Some fleet waits for one: of its initial adoption, or of a ledger that was restored. */
  readonly awaited: boolean;
  /** The first look was just taken, and lists were read for long enough: the second one is taken at once. */
  readonly due: boolean;
}

export function awaitedLists(
  draft: Draft,
  plans: readonly FleetPlan[],
  mine: (fleet: string) => boolean,
  context: Context,
): AwaitedLists {
  // A fleet that lacks nothing waits for nothing.
  const untilMatched = plans.some(isShort) ? untilRestoredList(draft.account, context) : 0;
  const looks = [...draft.fleets.values()]
    .filter((fleet) => mine(fleet.name) && isUnborn(fleet))
    .map((fleet) => ({
      isFirst: fleet.reasons.length === 0,
      ms: untilSecondList(draft, fleet, context.now, context),
    }));
  return {
    awaited: untilMatched > 0 || looks.some(({ ms }) => ms > 0),
    due: looks.some(({ isFirst, ms }) => isFirst && ms === 0),
  };
}

function isShort({ desired, running, starting }: FleetPlan): boolean {
  return running + starting < desired;
}

function isUnborn({ born, removed, birth }: FleetRow): boolean {
  return !born && !removed && birth !== null;
}

/** Milliseconds until the next tick is due. */
export function untilNextTick(
  lists: AwaitedLists,
  plans: readonly FleetPlan[],
  { launched, unfinished }: Acted,
  poll: number,
  now: number,
): number {
  if (lists.due || unfinished || goesOnAtOnce(launched)) return 0;
  const unsent = launched.some(({ result }) => result.kind === "notSent" && !result.permanent);
  const paced = launched.flatMap(({ result }) => (result.kind === "refused" ? result.holds : []));
  const ends = paced.flatMap(({ kind, until }) =>
    kind === "paced" && until ? [Math.max(0, until - now)] : [],
  );
  return Math.min(poll, unsent ? UNSENT_BACKOFF_MS : poll, ...ends, ...plans.map(({ wake }) => wake ?? poll));
}

function goesOnAtOnce(launched: readonly FleetLaunch[]): boolean {
  const kinds = new Set(launched.map(({ result }) => result.kind));
  // An unresolved launch is looked for at once; a refused combination may have left others that fit.
  if (kinds.has("open") || kinds.has("cooling") || kinds.has("rejected")) return true;
  // A round that outlived its list goes on with a fresh one; so does a launch that let another one go first.
  return (
    kinds.has("claimed") &&
    launched.some(({ result }) => result.kind === "refused" && passesAtOnce(result.holds))
  );
}

/** True if it passes with the next list, or with the next answer. */
function passesAtOnce(holds: readonly Hold[]): boolean {
  return holds.every(({ kind }) => ["stale", "unlisted", "probe"].includes(kind));
}
