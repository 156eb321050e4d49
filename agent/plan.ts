import type { Context } from "../launch/context.ts";
import { claimedBy, occupancy } from "../launch/occupancy.ts";
import { mayStop } from "../launch/stop.ts";
import type { Draft } from "../ledger/draft.ts";
import type { DeploymentRow, FleetRow, Owner } from "../ledger/rows.ts";
import { place } from "../service/contract.ts";
import type { Offer } from "../service/service.ts";
import type { Option } from "./mix.ts";
import { cheapestMix } from "./mix.ts";
import { choose } from "./options.ts";
import type { Wish } from "./wish.ts";
import { parseWish } from "./wish.ts";

/** What to do for one fleet now, each with a reason that a person understands. Made by a pure function. */
export interface FleetPlan {
  readonly fleet: string;
  readonly desired: number;
  /** GPUs of machines that run. */
  readonly running: number;
  /** GPUs that are starting, or that a launch whose outcome is not known may have made. */
  readonly starting: number;
  /** GPUs of machines that are being stopped. */
  readonly stopping: number;
  readonly launches: readonly { readonly option: Option; readonly why: string }[];
  readonly stops: readonly { readonly id: string; readonly why: string }[];
  /** Why the count is not reached yet, or what is waited for. Empty: nothing to do. */
  readonly reasons: readonly string[];
  /** When to look again for the sake of this fleet, in ms; undefined: at the next poll. */
  readonly wake: number | undefined;
}

export function fleetOwner(name: string): Owner {
  return `fleet:${name}`;
}

/** The plan for every fleet of the account. */
export function plan(
  draft: Draft,
  offers: readonly Offer[] | undefined,
  context: Context,
): readonly FleetPlan[] {
  return [...draft.fleets.values()].map((fleet) => planFleet(draft, fleet, offers, context));
}

/** True if some fleet chooses among offers and lacks machines: only then is the catalogue worth a request. */
export function needsOffers(draft: Draft, context: Context): boolean {
  return [...draft.fleets.values()].some((fleet) => {
    if (fleet.removed || fleet.paused || !fleet.born || parseWish(fleet.wish).candidates) return false;
    return count(draft, fleet, context).missing > 0;
  });
}

/** GPUs of one machine, as the service shows it or as its launch expected. */
export function gpusOf(row: DeploymentRow): number {
  return row.gpus ?? 0;
}

/** How many GPUs may still be added, looked up again in the transaction that writes a launch. */
export function roomFor(draft: Draft, name: string, gpus: number, context: Context): string | undefined {
  const fleet = draft.fleets.get(name);
  if (!fleet || fleet.removed) return "the fleet was removed";
  if (fleet.paused) return "the fleet is paused";
  if (!fleet.born) return "the fleet has not looked for existing machines yet";
  const wish = parseWish(fleet.wish);
  const { live, stopping } = count(draft, fleet, context);
  const most = wish.gpus + wish.overshoot;
  if (live + stopping + gpus <= most) return undefined;
  return `${live} GPUs are there or on their way${stopping ? `, ${stopping} are still stopping` : ""}, and ${most} are the most`;
}

interface Count {
  readonly machines: readonly DeploymentRow[];
  readonly running: number;
  readonly starting: number;
  readonly stopping: number;
  readonly live: number;
  readonly missing: number;
}

function count(draft: Draft, fleet: FleetRow, context: Context): Count {
  const { machines: all, intents } = occupancy(draft, fleetOwner(fleet.name), context);
  const isStopping = (row: DeploymentRow): boolean => row.stop !== null || row.status === "stopping";
  const machines = all.filter((row) => !isStopping(row));
  const sum = (rows: readonly DeploymentRow[]): number => rows.reduce((total, row) => total + gpusOf(row), 0);
  const running = sum(machines.filter((row) => row.status === "running"));
  const starting = sum(machines) - running + intents.reduce((total, intent) => total + intent.gpus, 0);
  const live = running + starting;
  const desired = fleet.removed ? 0 : parseWish(fleet.wish).gpus;
  return {
    machines,
    running,
    starting,
    stopping: sum(all.filter(isStopping)),
    live,
    missing: desired - live,
  };
}

function planFleet(
  draft: Draft,
  fleet: FleetRow,
  offers: readonly Offer[] | undefined,
  context: Context,
): FleetPlan {
  const wish = parseWish(fleet.wish);
  const counted = count(draft, fleet, context);
  const { running, starting, stopping, missing } = counted;
  const base = {
    fleet: fleet.name,
    desired: fleet.removed ? 0 : wish.gpus,
    running,
    starting,
    stopping,
    launches: [],
    stops: [],
    wake: undefined,
  };
  if (fleet.removed)
    return { ...base, stops: stopsAbove(draft, fleet, counted, 0, 0, "the fleet was removed"), reasons: [] };
  if (fleet.paused)
    return { ...base, reasons: ["paused: what runs is kept, nothing is launched or stopped"] };
  if (!fleet.born) return { ...base, reasons: [birthReason(draft, wish)] };
  if (missing <= 0) {
    const stops = stopsAbove(
      draft,
      fleet,
      counted,
      wish.gpus,
      wish.overshoot,
      `${wish.gpus} GPUs are asked for`,
    );
    return { ...base, stops, reasons: starting > 0 ? [waitingFor(draft, fleet, context)] : [] };
  }
  return { ...base, ...planLaunches(draft, wish, counted, offers, context) };
}

function planLaunches(
  draft: Draft,
  wish: Wish,
  { live, stopping, missing }: Count,
  offers: readonly Offer[] | undefined,
  context: Context,
): Pick<FleetPlan, "launches" | "reasons" | "wake"> {
  const room = wish.gpus + wish.overshoot - live - stopping;
  if (room <= 0) {
    return {
      launches: [],
      reasons: [`${stopping} GPUs are still stopping: they are paid for until they have`],
      wake: undefined,
    };
  }
  // What stops still takes room, so that fewer than the missing ones may fit.
  const wanted = Math.min(missing, room);
  const slack = room - wanted;
  const { ready, avoided, waiting, reasons } = choose(draft, wish, offers, context);
  const mix = cheapestMix(ready, wanted, slack) ?? cheapestMix([...ready, ...avoided], wanted, slack);
  const waits = waiting.map(({ why }) => why);
  if (mix) {
    const why = `${missing} of ${wish.gpus} GPUs are missing`;
    const launches = mix.map((option) => ({ option, why: `${why}; ${preference(option, wish)}` }));
    return { launches, reasons: waits, wake: undefined };
  }
  const soonest = Math.min(...waiting.map(({ ms }) => ms));
  const partial = stopping > 0 ? [`${stopping} GPUs are still stopping, which leaves room for ${room}`] : [];
  const impossible =
    waiting.length === 0 && reasons.length === 0
      ? [
          `no mix of the candidates makes ${wanted} GPUs${slack ? ` (or up to ${slack} more)` : " exactly: allow some overshoot"}`,
        ]
      : [];
  return {
    launches: [],
    reasons: [...reasons, ...waits, ...partial, ...impossible],
    wake: Number.isFinite(soonest) ? soonest : undefined,
  };
}

function preference(option: Option, wish: Wish): string {
  if (option.pricePerHour === undefined) return `${place(option)} is the first candidate that can be had`;
  const what = wish.candidates ? "candidates" : "offers";
  return `${place(option)} is in the cheapest mix of the ${what} that can be had (${option.pricePerHour} USD an hour)`;
}

/**
 * Which machines to stop so that at least `desired` GPUs remain. Launches whose outcome is not known do not count: only
 * what is known to be there is surplus. Those that do not run yet go first (their first hour is refunded), then the
 * dearest, then the newest.
 */
function stopsAbove(
  draft: Draft,
  fleet: FleetRow,
  { machines }: Count,
  desired: number,
  overshoot: number,
  why: string,
): FleetPlan["stops"] {
  let live = machines.reduce((total, row) => total + gpusOf(row), 0);
  const all = desired === 0 && fleet.removed ? claimedBy(draft, fleetOwner(fleet.name)) : machines;
  if (!fleet.removed && live <= desired + overshoot) return [];
  const order = [...all.filter((row) => row.end === null && row.stop === null && mayStop(row))].sort(
    (one, other) =>
      Number(one.status === "running") - Number(other.status === "running") ||
      Number(other.pricePerHour ?? 0) - Number(one.pricePerHour ?? 0) ||
      other.sequence - one.sequence,
  );
  const stops: { id: string; why: string }[] = [];
  for (const row of order) {
    if (!fleet.removed && live - gpusOf(row) < desired) continue;
    live -= gpusOf(row);
    stops.push({ id: row.id, why });
  }
  return stops;
}

function waitingFor(draft: Draft, fleet: FleetRow, context: Context): string {
  const { machines, intents } = occupancy(draft, fleetOwner(fleet.name), context);
  const starting = machines.filter((row) => row.status !== "running" && row.stop === null);
  const states = Map.groupBy(starting, (row) => row.status);
  const parts = [
    ...[...states].map(([status, rows]) =>
      rows.length === 1 ? `${rows[0]?.id} is ${status}` : `${rows.length} are ${status}`,
    ),
    ...intents.map((intent) => `a launch of ${place(intent)} is not resolved yet (${intent.detail})`),
  ];
  return parts.join("; ");
}

function birthReason(draft: Draft, wish: Wish): string {
  if (draft.account.tenure === "exclusive" || wish.match === "none") {
    return "two agreeing lists are taken first, so that machines which are there already are matched";
  }
  return (
    "machines run in this shared account that nobody here answers for: fleetkeeper adopt or disown each " +
    "(or set match: none), so that none is paid for twice"
  );
}
