import type { Context } from "../../launch/facts/context.ts";
import { isPastDeadline } from "../../launch/facts/deadline.ts";
import { adopt } from "../../launch/people/operator.ts";
import { Draft } from "../../ledger/draft.ts";
import { fleetOwner, ownerParts, slotOwner } from "../../ledger/owner.ts";
import type { DeploymentRow, Owner } from "../../ledger/rows.ts";
import { copyOf } from "../../ledger/tables.ts";
import type { Json } from "../../service/contract/service.ts";
import { fleetPhase } from "../fleet/phase/fleet-phase.ts";
import { type Clean, clean, indent } from "../fleet/text/text.ts";
import { type Candidate, parseWish, type Wish } from "../fleet/wish/wish.ts";
import type { Whose } from "../json/parts.ts";
import { gpusOf } from "../planning/count/machine-gpus.ts";
import { plan } from "../planning/plan.ts";
import type { FleetPlan, PlanningInputs } from "../planning/told/fleet-plan.ts";
import { deploymentFacts } from "../status/deployment-facts.ts";
import { costText, machineTable } from "../status/machine-table.ts";
import { nameOf, whoOwns } from "../status/owner-names.ts";
import { refusal } from "./refusal.ts";
import { slotFor } from "./slot-named.ts";

/** What may be planned, beside what each decision knows. */
interface PlanningContext extends Context {
  readonly can: PlanningInputs["can"];
}

/** Who adopts a machine. */
export interface Adopter {
  readonly fleet?: string | undefined;
  /** Name or id of the slot of a Pulumi `Deployment`. */
  readonly deployment?: string | undefined;
  /** How many GPUs it has, where the service does not show it. */
  readonly gpus?: number | undefined;
}

/** What is stopped because a machine is adopted. */
export interface Ahead {
  /** Stop: its owner takes it only to stop it. */
  readonly purpose: "keep" | "stop";
  readonly stops: readonly string[];
  readonly says: string;
  /** Undefined: nothing is stopped yet. */
  readonly question?: string;
}

/**
 * Undefined: nothing is stopped because of it. `draft`: one that is thrown away. An owner that stops what it has
 * takes a machine only to stop it: after `stop --all` there may be no other owner, and the machine bills.
 */
export function whatFollows(
  draft: Draft,
  id: string,
  adopter: Adopter,
  context: PlanningContext,
  clean: Clean,
): Ahead | undefined {
  const why = whyItEnds(draft, id, ownerOf(draft, adopter, context), context);
  if (why !== undefined) {
    const row = draft.deployments.ever(id);
    return {
      purpose: "stop",
      stops: [id],
      says: `${clean(why, 500)}. So ${clean(id)} is stopped once it is adopted.`,
      question: `Adopt ${clean(id)}, and stop it (${costText(row ? [deploymentFacts(draft, row)] : [])})?`,
    };
  }
  if (adopter.fleet === undefined) return undefined;
  const { fleet, gpus } = adopter;
  const before = stopsOnceKept(draft, fleet, context).map((stop) => stop.id);
  adopt(draft, id, fleetOwner(fleet), context);
  countGpus(draft, id, fleet, gpus);
  const stops = stopsOnceKept(draft, fleet, context).filter((stop) => !before.includes(stop.id));
  const [first] = stops;
  if (first === undefined) return undefined;
  const rows = stops.flatMap((stop) => draft.deployments.ever(stop.id) ?? []);
  const says = surplusText(draft, id, fleet, first.why, rows, context, clean);
  const ahead: Ahead = { purpose: "keep", stops: rows.map((row) => row.id), says };
  if (isPaused(draft, fleet, context)) return ahead;
  const which = rows.every((row) => row.id === id) ? "it" : rows.length === 1 ? "that one" : "those";
  return {
    ...ahead,
    question: `Adopt ${clean(id)}, and let the agent stop ${which} (${costText(rows.map((each) => deploymentFacts(draft, each)))})?`,
  };
}

/**
 * What the agent's own plan stops of a fleet. A fleet that is paused, or has not looked yet for what was there before
 * it, plans no stops, but does so later: it is planned as if it were so far.
 */
function stopsOnceKept(draft: Draft, name: string, context: PlanningContext): FleetPlan["stops"] {
  const fleet = draft.fleets.get(name);
  if (!fleet) return [];
  const later = new Draft(copyOf(draft));
  later.putFleet({
    ...fleet,
    born: true,
    paused: false,
    wish: { ...(fleet.wish as Record<string, Json>), paused: false },
  });
  const inputs = { can: context.can, offers: undefined };
  const planned = plan(later, inputs, context).find((each) => each.fleet === name);
  return planned?.stops ?? [];
}

function isPaused(draft: Draft, name: string, context: Context): boolean {
  const fleet = draft.fleets.get(name);
  return fleet !== undefined && fleetPhase(draft, fleet, context).kind === "paused";
}

/** `draft`: with the machine in the fleet. "As of now": machines are chosen by their paid hours, and these go on. */
function surplusText(
  draft: Draft,
  id: string,
  name: string,
  why: string,
  rows: readonly DeploymentRow[],
  context: Context,
  clean: Clean,
): string {
  const row = draft.fleets.get(name);
  const phase = row && fleetPhase(draft, row, context).kind;
  const [what, limit] = phase === "drained" ? ["what it has", "budget.total"] : ["what is too much", "gpus"];
  const [machine, fleet] = [clean(id), clean(name)];
  const from =
    phase === "paused"
      ? `fleet ${fleet} is paused. Once it is resumed`
      : `Once ${machine} is in fleet ${fleet}`;
  const others = rows.some((each) => each.id !== id);
  const instead =
    phase === "paused"
      ? `To end only ${machine}: fleetkeeper deployments stop ${machine} before that.`
      : `To end only ${machine}: stop it in the service's dashboard. Or pause the fleet while you adopt it and stop it: ` +
        `fleetkeeper pause ${fleet}, adopt, deployments stop ${machine}, resume ${fleet}.`;
  return [
    `${from}, the agent stops ${what} (${clean(why, 500)}). As of now that is:`,
    indent(
      machineTable(
        rows.map((each) => deploymentFacts(draft, each)),
        clean,
      ),
    ),
    ...(others && phase !== "drained" ? ["What a person adopted is kept longest, whatever it costs."] : []),
    `To keep ${others ? "all of them" : "it"}, raise ${limit} in the fleet's declaration first.`,
    ...(others ? [instead] : []),
  ].join("\n");
}

/**
 * Adopts it. `told`: what the person was told. Throws CONFIG if more would be stopped by now.
 */
export function takeIn(
  draft: Draft,
  id: string,
  adopter: Adopter,
  told: Pick<Ahead, "purpose" | "stops"> | undefined,
  context: PlanningContext,
): Whose {
  const purpose = told?.purpose ?? "keep";
  const now = whatFollows(new Draft(copyOf(draft)), id, adopter, context, clean);
  if (purpose === "keep" && now?.stops.some((stop) => !told?.stops.includes(stop)))
    throw refusal(`other machines than before would be stopped by now. Run this again. ${now.says}`);
  const owner = ownerOf(draft, adopter, context);
  adopt(draft, id, owner, context, purpose);
  if (adopter.fleet !== undefined && purpose === "keep") countGpus(draft, id, adopter.fleet, adopter.gpus);
  return whoOwns(draft, owner);
}

/**
 * Why an owner would stop a machine that is not its own yet: it is drained, or its deadline has passed.
 * Undefined: it keeps it, or there is nothing to adopt.
 */
function whyItEnds(draft: Draft, id: string, owner: Owner, context: Context): string | undefined {
  const row = draft.deployments.ever(id);
  if (!row || row.end !== null || row.owner === owner || row.claim === "certain") return undefined;
  const { kind, name } = ownerParts(owner);
  if (kind === "slot") {
    const slot = draft.slots.get(name);
    return slot && !slot.closing && isPastDeadline(slot, context)
      ? `${nameOf(whoOwns(draft, owner))} stops what it has: its deadline has passed, or stop --all was said`
      : undefined;
  }
  const fleet = draft.fleets.get(name);
  const phase = fleet && fleetPhase(draft, fleet, context);
  // What was removed takes nothing more: adopt says so.
  if (phase?.kind !== "drained" || phase.by === "removal") return undefined;
  return `fleet ${name} stops what it has: ${phase.why}`;
}

/**
 * Sets the GPUs of an adopted machine. If its count were unknown, or shown lower later, the fleet would rent
 * a second machine. So it counts at least what is shown now and what its candidate says. Its price is the
 * candidate's if the service shows none.
 */
function countGpus(draft: Draft, id: string, name: string, given: number | undefined): void {
  const row = draft.deployments.ever(id);
  const fleet = draft.fleets.get(name);
  if (!row || !fleet) return;
  const possible = candidatesFor(row, parseWish(fleet.wish));
  const expected = Math.max(gpusOf(draft, row), common(possible.map(({ gpus }) => gpus)) ?? 0);
  if (given === undefined && expected === 0) {
    throw refusal(`the service does not show how many GPUs ${id} has: say it with --gpus COUNT.`);
  }
  draft.putDeployment({
    ...row,
    ...(given === undefined ? { expectedGpus: expected } : { saidGpus: given }),
    pricePerHour: row.pricePerHour ?? common(possible.map(({ pricePerHour }) => pricePerHour)) ?? null,
  });
}

/** The candidates that it may come from. */
function candidatesFor(row: DeploymentRow, { candidates = [] }: Wish): readonly Candidate[] {
  return candidates.filter(
    ({ offer, provider, location }) =>
      (row.offer ?? offer) === offer &&
      (row.provider ?? provider) === provider &&
      (row.location ?? location) === location,
  );
}

/** The value that all have; undefined if they differ. */
function common<T>(values: readonly T[]): T | undefined {
  const [value, ...others] = new Set(values);
  return others.length === 0 ? value : undefined;
}

function ownerOf(draft: Draft, { fleet, deployment }: Adopter, context: Context): Owner {
  const { fleets } = draft;
  if (fleet !== undefined) {
    if (fleets.has(fleet)) return fleetOwner(fleet);
    throw refusal(
      `--fleet ${fleet}: no such fleet here; there are: ${[...fleets.keys()].join(", ") || "none"}.`,
    );
  }
  if (deployment === undefined) {
    throw refusal("say who adopts it: --fleet NAME, or --deployment NAME for a Pulumi Deployment.");
  }
  return slotOwner(slotFor(draft, deployment, context).id);
}
