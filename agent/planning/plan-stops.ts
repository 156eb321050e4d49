import type { Context } from "../../launch/facts/context.ts";
import { holdText } from "../../launch/facts/hold.ts";
import { livingOf } from "../../launch/facts/occupancy.ts";
import type { Draft } from "../../ledger/draft.ts";
import { age } from "../../ledger/instant.ts";
import { fleetOwner } from "../../ledger/owner.ts";
import type { DeploymentRow, FleetRow } from "../../ledger/rows.ts";
import { place } from "../../service/contract/contract.ts";
import { andMore, gpusAre } from "../fleet/text.ts";
import type { Wish } from "../fleet/wish.ts";
import type { FleetPhase } from "../json/status.ts";
import { launchedBy, whyGivenBack } from "./all-or-nothing.ts";
import type { Count } from "./count.ts";
import type { FleetPlan, PlanningInputs } from "./fleet-plan.ts";
import { siteOf } from "./placement.ts";
import { stoppable, surplus } from "./scale-down.ts";

/** No surplus is stopped by a list that is older than so many polls. */
const POLLS_TO_STOP_BY = 4;

/** Stops what is above the wish, but no machine without which the fleet would have too few GPUs. */
export function planSurplus(
  draft: Draft,
  wish: Wish,
  counted: Count,
  { can }: PlanningInputs,
  context: Context,
): Pick<FleetPlan, "stops" | "notes"> {
  const { machines, there } = counted;
  const notes = counted.starting > 0 ? [waitingFor(counted)] : [];
  if (there <= wish.gpus) return { stops: [], notes };
  const rows = surplus(draft, machines, wish.gpus, context, siteOf(draft, wish, counted).home);
  const why = `${gpusAre(wish.gpus)} asked for`;
  if (rows.length > 0 && isStale(draft, context))
    return { stops: [], notes: [...notes, "the newest list is too old to stop a surplus by"] };
  if (rows.length > 0 && can.stop) return { stops: rows.map(({ id }) => ({ id, why })), notes };
  if (rows.length > 0) return { stops: [], notes: [...notes, byHand(rows, why)] };
  if (there <= wish.gpus + wish.overshoot) return { stops: [], notes };
  const doubtful = machines.filter((row) => !stoppable(row));
  return {
    stops: [],
    notes: [
      ...notes,
      doubtful.length > 0
        ? `${gpusAre(there)} there and ${why}, but ${ids(doubtful)} may be somebody else's: fleetkeeper adopt or disown`
        : `${gpusAre(there)} there and ${why}: to stop any of these machines would leave too few`,
    ],
  };
}

/** A paused process may hold an old list: what is surplus there may have been lost since. */
function isStale({ account: { list } }: Draft, { now, settings }: Context): boolean {
  return list === null || age(list, now) > POLLS_TO_STOP_BY * settings.poll;
}

/** Stops everything that is certainly the fleet's. */
export function planDrain(
  draft: Draft,
  fleet: FleetRow,
  counted: Count,
  { can }: PlanningInputs,
  { by, why }: FleetPhase & { readonly kind: "drained" },
): Pick<FleetPlan, "stops" | "notes"> {
  const alive = livingOf(draft, fleetOwner(fleet.name));
  const { stops, obstacles } = stopAll(alive, why, can);
  return {
    stops,
    notes: [
      // A removed fleet is gone with its last machine; any other stays, and says why it wants nothing.
      ...(by === "removal" ? [] : [`drained: ${why}`]),
      ...obstacles,
      ...(counted.intents.length > 0 ? [waitingFor({ ...counted, machines: [] })] : []),
    ],
  };
}

/** Stops what was launched and was not whole in time. After a pause everything is tried anew. */
export function planGiveBack(
  draft: Draft,
  fleet: FleetRow,
  { can }: PlanningInputs,
  context: Context,
): Pick<FleetPlan, "stops" | "holds" | "notes"> {
  const given = whyGivenBack(fleet, context);
  const why = given
    ? holdText({ ...given, numbers: { ...given.numbers, next: "" } })
    : "what was launched is given back";
  const { stops, obstacles } = stopAll(launchedBy(draft, fleet), why, can);
  return { stops, holds: given ? [given] : [], notes: obstacles };
}

/** Stops what is certainly ours, and says why the rest is not stopped. */
function stopAll(
  machines: readonly DeploymentRow[],
  why: string,
  can: PlanningInputs["can"],
): Pick<FleetPlan, "stops"> & { readonly obstacles: readonly string[] } {
  const rows = machines.filter(stoppable);
  const doubtful = machines.filter((row) => row.claim === "inferred");
  return {
    stops: can.stop ? rows.map(({ id }) => ({ id, why })) : [],
    obstacles: [
      ...(rows.length > 0 && !can.stop ? [byHand(rows, why)] : []),
      ...(doubtful.length > 0
        ? [`${ids(doubtful)} may be somebody else's and is not stopped: fleetkeeper adopt or disown`]
        : []),
    ],
  };
}

function byHand(rows: readonly DeploymentRow[], why: string): string {
  return `stop ${ids(rows)} in the service's dashboard (${why}): the profile has no part "stop"`;
}

function waitingFor({ machines, intents }: Pick<Count, "machines" | "intents">): string {
  const starting = machines.filter((row) => row.status !== "running");
  const states = Map.groupBy(starting, (row) => row.status);
  const parts = [
    ...[...states].map(([status, rows]) =>
      rows.length === 1 ? `${rows[0]?.id} is ${status}` : `${rows.length} machines are ${status}`,
    ),
    ...intents.map((intent) => `a launch of ${place(intent)} is not resolved yet (${intent.detail})`),
  ];
  return parts.join("; ");
}

function ids(rows: readonly DeploymentRow[]): string {
  return andMore(rows.map((row) => row.id));
}
