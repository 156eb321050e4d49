import Big from "big.js";
import type { Context } from "../launch/context.ts";
import { claimedBy } from "../launch/occupancy.ts";
import type { Draft } from "../ledger/draft.ts";
import { elapsed } from "../ledger/instant.ts";
import type { FleetRow } from "../ledger/rows.ts";
import { FleetkeeperError } from "../service/errors.ts";
import type { Json } from "../service/service.ts";
import { fleetOwner, gpusOf, plan } from "./plan.ts";
import type { Wish } from "./wish.ts";

export interface FleetDeclaration {
  readonly name: string;
  /** Who owns the name: `file:PATH` or `stack:URN`. */
  readonly source: string;
  readonly wish: Wish;
  /** The fleet was called so before: its machines stay its own. */
  readonly previousName?: string | undefined;
}

/** Writes down what a fleet asks for. One owner a name: throws CONFIG if another source has declared it. */
export function declareFleet(draft: Draft, declaration: FleetDeclaration, context: Context): void {
  const { name, source, previousName } = declaration;
  const wish = JSON.parse(JSON.stringify(declaration.wish)) as Json;
  const before =
    draft.fleets.get(name) ?? (previousName ? rename(draft, previousName, declaration, context) : undefined);
  if (before && before.source !== source && !isOver(draft, before)) {
    throw new FleetkeeperError(
      "CONFIG",
      `fleet ${name}: ${before.source} has declared this name in the same ledger already. Two owners would stop each ` +
        "other's machines: choose another name, or remove it there first.",
    );
  }
  if (!before || before.source !== source) {
    const fresh = { born: false, birth: null, removed: false, paused: false, pace: 1, reasons: [] };
    draft.putFleet({ name, source, wish, ...fresh });
  } else if (before.removed || JSON.stringify(before.wish) !== JSON.stringify(wish)) {
    draft.putFleet({ ...before, wish, removed: false, pace: 1 });
  }
}

/** The owner of the name wants nothing any more: the fleet drains, and stays as a tombstone until nothing of it is left. */
export function removeFleet(draft: Draft, name: string, source: string): void {
  const fleet = draft.fleets.get(name);
  if (!fleet || fleet.removed || fleet.source !== source) return;
  draft.putFleet({ ...fleet, removed: true });
}

/** Removed, and nothing of it lives or may live. */
export function isOver(draft: Draft, fleet: FleetRow): boolean {
  return (
    fleet.removed &&
    claimedBy(draft, fleetOwner(fleet.name)).every((row) => row.end !== null) &&
    [...draft.intents.values()].every(
      (intent) =>
        intent.owner !== fleetOwner(fleet.name) || (intent.state !== "open" && intent.state !== "disputed"),
    )
  );
}

export interface FleetReport {
  readonly desiredGpus: number;
  readonly runningGpus: number;
  readonly startingGpus: number;
  readonly deployments: readonly {
    readonly id: string;
    readonly status: string;
    readonly offer: string | null;
    readonly provider: string | null;
    readonly location: string | null;
    readonly gpus: number | null;
    readonly pricePerHour: string | null;
  }[];
  /** USD an hour of what lives; null if a price is not known. */
  readonly pricePerHour: string | null;
  /** What is missing, and why. */
  readonly reasons: readonly string[];
  /** As many GPUs run as are asked for, and nothing else is under way. */
  readonly met: boolean;
}

export function fleetReport(draft: Draft, name: string, context: Context): FleetReport {
  const planned = plan(draft, undefined, context).find((each) => each.fleet === name);
  const rows = claimedBy(draft, fleetOwner(name)).filter((row) => row.end === null);
  const prices = rows.map((row) => row.pricePerHour);
  const desired = planned?.desired ?? 0;
  const running = planned?.running ?? 0;
  return {
    desiredGpus: desired,
    runningGpus: running,
    startingGpus: planned?.starting ?? 0,
    deployments: rows.map((row) => {
      const intent = row.intent === null ? undefined : draft.intents.get(row.intent);
      return {
        id: row.id,
        status: row.status,
        offer: row.offer ?? intent?.offer ?? null,
        provider: row.provider ?? intent?.provider ?? null,
        location: row.location ?? intent?.location ?? null,
        gpus: gpusOf(row) || null,
        pricePerHour: row.pricePerHour,
      };
    }),
    pricePerHour: prices.some((price) => price === null)
      ? null
      : prices.reduce((sum, price) => sum.plus(price ?? 0), new Big(0)).toFixed(4),
    reasons: draft.fleets.get(name)?.reasons ?? [],
    met:
      planned !== undefined &&
      running >= desired &&
      planned.starting === 0 &&
      planned.stopping === 0 &&
      planned.stops.length === 0,
  };
}

/** An agent keeps this account: its process lives and has beaten lately. */
export function agentAlive(draft: Draft, context: Context): boolean {
  const { agent } = draft.account;
  return (
    agent !== null &&
    context.isAlive(agent.process) &&
    elapsed(agent.beat, context.now) < 4 * context.settings.poll + context.settings.postTimeout
  );
}

function rename(draft: Draft, from: string, to: FleetDeclaration, context: Context): FleetRow | undefined {
  const old = draft.fleets.get(from);
  if (!old || old.source !== to.source) return undefined;
  const owner = fleetOwner(to.name);
  for (const row of draft.deployments.values()) {
    if (row.owner === fleetOwner(from)) draft.putDeployment({ ...row, owner });
  }
  for (const intent of draft.intents.values()) {
    if (intent.owner === fleetOwner(from)) draft.putIntent({ ...intent, owner });
  }
  draft.putFleet({ ...old, removed: true });
  draft.note({
    at: context.now.wall,
    kind: "renamed",
    owner,
    deployment: null,
    text: `${from} is now ${to.name}`,
  });
  return draft.putFleet({ ...old, name: to.name, removed: false });
}
