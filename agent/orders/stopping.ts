import { otherLedgerOf } from "../../launch/claim/groups.ts";
import { askStop, hurryStop } from "../../launch/ends/stop.ts";
import { cutHook } from "../../launch/ends/stop-hook.ts";
import type { Context } from "../../launch/facts/context.ts";
import { machineHoldText } from "../../launch/facts/machine-hold.ts";
import { isLeftBehind } from "../../launch/people/slot.ts";
import type { Draft } from "../../ledger/draft.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import { ownerParts } from "../../ledger/owner.ts";
import type { DeploymentRow } from "../../ledger/rows.ts";
import { fleetPhase } from "../fleet/phase/fleet-phase.ts";
import { lowerCount } from "../fleet/size/lowered-count.ts";
import { clean, gpusText } from "../fleet/text/text.ts";
import { gpusOf } from "../planning/count/machine-gpus.ts";
import { chooseStop } from "../planning/machines/before-stop.ts";
import { deploymentFacts } from "../status/deployment-facts.ts";
import { fleetReport } from "../status/fleet-report.ts";
import { adopterFlag, whoOwns, whoseText } from "../status/owner-names.ts";
import { shortRow } from "../status/short-row.ts";
import { refusal } from "./refusal.ts";

export interface HowToStop {
  /** Its fleet wants so many GPUs less from then on. */
  readonly shrink?: boolean | undefined;
  /** Nothing runs before it. */
  readonly now?: boolean | undefined;
}

const BY_PERSON = "an operator stopped it";

/** Orders the end of one machine. One that has ended already stays as it is. Throws CONFIG if it may not be stopped. */
export function stopOne(
  draft: Draft,
  id: string,
  { shrink, now }: HowToStop,
  ledger: Pick<Ledger, "id" | "location">,
  context: Context,
): void {
  const row = draft.deployments.ever(id);
  if (row && row.end === null) refuseStop(draft, row, ledger, context);
  if (row && shrink) lowerCount(draft, shrinkable(row), gpusOf(draft, row), context);
  if (now) askStop(draft, id, BY_PERSON, context, "for good", true);
  else chooseStop(draft, id, BY_PERSON, context, { kind: "for good", ordered: true });
  if (now) cutHook(draft, id, BY_PERSON, context);
  hurryStop(draft, id);
}

/** Throws CONFIG, with the remedy, if it is not certainly ours or if a person holds it. */
export function refuseStop(
  draft: Draft,
  row: DeploymentRow,
  ledger: Pick<Ledger, "id" | "location">,
  context: Context,
): void {
  refuseStrangers(draft, row, ledger);
  refuseHeld(row, context);
}

/** The fleet whose count it lowers. Throws CONFIG if there is none, or if it is stopped already: the count was lowered then, or is not to be. */
function shrinkable({ id, owner, stop, end }: DeploymentRow): string {
  if (end !== null) throw refusal(`${id} has ended meanwhile, so nothing was given back: the count stays.`);
  if (stop !== null) throw refusal(`${id} is being stopped already (${stop.why}): the count stays.`);
  const { kind, name } = owner === null ? { kind: "nobody", name: "" } : ownerParts(owner);
  if (kind === "fleet") return name;
  throw refusal(`--shrink: ${id} is of no fleet, so there is no count to lower.`);
}

/** What a person holds is released first. Throws CONFIG. */
function refuseHeld(row: DeploymentRow, { now }: Context): void {
  const held = machineHoldText(row, now);
  if (held === undefined) return;
  throw refusal(`${row.id} is ${held}. If it is to end all the same: fleetkeeper release ${row.id} first.`);
}

/** Only what certainly is ours is stopped. Throws CONFIG, with the remedy. */
function refuseStrangers(draft: Draft, row: DeploymentRow, ledger: Pick<Ledger, "id" | "location">): void {
  if (row.claim === "certain") return;
  const { id } = row;
  const why = {
    foreign: "it was disowned, and is nobody's here for good. Stop it in the service's dashboard.",
    inferred: `it seems to be of ${whoseText(deploymentFacts(draft, row))}, but others launch in this account too. ${wayOn(draft, id)}`,
    disputed: `it may be of ${whoseText(deploymentFacts(draft, row))} or somebody else's. ${wayOn(draft, id)}`,
    nobody: `nobody here answers for it. ${elsewhere([row], ledger)}${wayOn(draft, id)}`,
  }[row.claim ?? "nobody"];
  throw refusal(`${id} is not stopped: ${why}`);
}

/** What to do about those of these machines that another ledger launched. Empty if none. */
export function elsewhere(
  rows: readonly DeploymentRow[],
  { id, location }: Pick<Ledger, "id" | "location">,
): string {
  const others = rows.filter((row) => otherLedgerOf(row, id) !== undefined).length;
  if (others === 0) return "";
  const what = rows.length === 1 ? "it" : `${others} of them`;
  return (
    `Another ledger than ${location} launched ${what}, as the marker says: if that one is yours, say this ` +
    "with --ledger and its place, as its own user. "
  );
}

/**
 * How a person decides whose a machine is, and how it is then stopped. An owner that stops what it has, as
 * after `stop --all`, may adopt it, too: adopt stops it then.
 */
export function wayOn(draft: Draft, id: string): string {
  const owner = draft.deployments.ever(id)?.owner ?? null;
  const anybody = [
    ...([...draft.fleets.values()].some(({ removed }) => !removed) ? ["--fleet NAME"] : []),
    ...([...draft.slots.values()].some(({ closing }) => !closing) ? ["--deployment NAME"] : []),
  ];
  // While its end is under way, only the owner that it may already have can adopt it.
  const adopters = owner === null ? anybody : [adopterFlag(owner)];
  // Else it stops another one before this one is stopped.
  const full = adopters.some((each) => each.startsWith("--fleet"))
    ? " In a full fleet the agent may stop another machine for it, unless you pause the fleet first: fleetkeeper pause NAME."
    : "";
  const ours =
    adopters.length > 0
      ? `fleetkeeper adopt ${id} ${adopters.join(" or ")}, then fleetkeeper deployments stop ${id}. A drained owner stops what it adopts at once.${full}`
      : `stop it in the service's dashboard, as no fleet and no Pulumi deployment is here that could adopt it (but a slot that only a stack's state knows: fleetkeeper adopt ${id} --deployment SLOT).`;
  return `If it is yours: ${ours} If not: fleetkeeper disown ${id}.`;
}

/** What its fleet does then, for whoever is about to stop it. Undefined: nothing. Throws CONFIG as the stop would. */
export function whatFollowsStop(
  draft: Draft,
  row: DeploymentRow,
  { shrink }: HowToStop,
  context: Context,
): string | undefined {
  return shrink ? shrinkText(draft, row) : whoReplacesIt(draft, row, context);
}

/** What less of it is wanted. Throws CONFIG if no fleet has it, or if it is stopped already: the count was lowered then, or is not to be. */
function shrinkText(draft: Draft, row: DeploymentRow): string {
  const name = shrinkable(row);
  return `fleet ${clean(name)} wants ${gpusText(gpusOf(draft, row))} less from then on: none is rented in its place before fleetkeeper wake ${clean(name)}.`;
}

/** Which owner would rent another machine in its place; undefined if none would. */
function whoReplacesIt(draft: Draft, row: DeploymentRow, context: Context): string | undefined {
  const whose = row.owner === null ? undefined : whoOwns(draft, row.owner);
  if (whose === undefined || row.stop !== null) return undefined;
  if ("deployment" in whose) {
    const name = clean(whose.deployment);
    return isLeftBehind(draft, row)
      ? `It belongs to the Pulumi deployment ${name}, which its stack's state does not hold any more. If the program still has it, the next pulumi up rents a machine of its own.`
      : `It belongs to the Pulumi deployment ${name}: the next pulumi up rents another one, if its stack's state still holds it. To end it for good: pulumi destroy.`;
  }
  const { fleet: name } = whose;
  const fleet = draft.fleets.get(name);
  const { desiredGpus, runningGpus, startingGpus } = fleetReport(draft, name, context);
  const left = runningGpus + startingGpus - (shortRow(draft, row).gpus ?? 0);
  if (!fleet || fleetPhase(draft, fleet, context).kind !== "kept" || left >= desiredGpus) return undefined;
  return (
    `fleet ${clean(name)} asks for ${gpusText(desiredGpus)}, and ${left} would be left: an agent rents another machine in its ` +
    `place. If that is not meant: lower its count, or fleetkeeper pause ${clean(name)} first.`
  );
}
