import { askStop, type StopKind, takeBackStop } from "../../../launch/ends/stop.ts";
import { cutHook, hookStop } from "../../../launch/ends/stop-hook.ts";
import type { Context } from "../../../launch/facts/context.ts";
import { isHeld } from "../../../launch/facts/machine-hold.ts";
import { toBeStopped } from "../../../launch/facts/occupancy.ts";
import { hookLeft } from "../../../launch/facts/stop-hook.ts";
import type { Draft } from "../../../ledger/draft.ts";
import { fleetOwner, ownerParts } from "../../../ledger/owner.ts";
import type { DeploymentRow, FleetRow } from "../../../ledger/rows.ts";
import { runsFor } from "../../fleet/phase/commands.ts";
import { fleetPhase, hasReachedItsEnd } from "../../fleet/phase/fleet-phase.ts";
import { toRenew } from "../../fleet/phase/renewal-marks.ts";
import { stopAhead } from "../../fleet/wish/before-stop-wish.ts";
import { parseWish } from "../../fleet/wish/wish.ts";
import { count } from "../count/count.ts";
import { gpusOf } from "../count/machine-gpus.ts";

/*
 * Each stop of our own choice is asked for here, so that none leaves out the fleet's beforeStop. Who is not asked:
 * machines that do not run, so have nothing to save; machines whose hold a deadline or a total ends; the second machine
 * of a Deployment; and all of `stop --all`.
 */

interface Chosen {
  readonly kind?: StopKind;
  /** See `askStop`. */
  readonly ordered?: boolean;
  /** Nothing is wrong with the machine: it is kept, if its fleet lacks it again before the call leaves. */
  readonly isForWish?: boolean;
}

/** As `askStop` does, with what the fleet runs before it. */
export function chooseStop(
  draft: Draft,
  id: string,
  why: string,
  context: Context,
  { kind = "planned", ordered = false, isForWish = false }: Chosen = {},
): boolean {
  const before = draft.deployments.ever(id);
  if (!askStop(draft, id, why, context, kind, ordered)) return false;
  if (before?.stop !== null) return true;
  const fleet = fleetOf(draft, before);
  const lasts = fleet ? timeToSave(draft, fleet, before, context) : 0;
  if (!fleet || lasts === 0) return true;
  const again = parseWish(fleet.wish).beforeStop?.again;
  hookStop(draft, id, { lasts, ...(again && { again }) }, context);
  const asked = draft.deployments.ever(id);
  if (isForWish && asked?.stop) draft.putDeployment({ ...asked, stop: { ...asked.stop, revocable: true } });
  return true;
}

/** Milliseconds for which the stop of this machine may wait: never past its fleet's deadline, or the end that its total allows. */
function timeToSave(draft: Draft, fleet: FleetRow, row: DeploymentRow, context: Context): number {
  const wish = parseWish(fleet.wish);
  const [program = ""] = wish.beforeStop?.command ?? [];
  // Nobody would run it, and the stop would wait for that.
  if (!wish.beforeStop || !runsFor(fleet, program, draft, context)) return 0;
  if (row.status !== "running" || isHeld(row, context.now)) return 0;
  const most = stopAhead(wish);
  const fits = (ms: number): boolean => !hasReachedItsEnd(draft, fleet, context, ms);
  if (fits(most)) return most;
  // It ends before. Bills grow with time, so the longest time is found by halves.
  let [least, beyond] = [0, most];
  while (beyond - least > 1_000) {
    const middle = Math.floor((least + beyond) / 2);
    if (fits(middle)) least = middle;
    else beyond = middle;
  }
  return least;
}

/**
 * Brings the hooks of a fleet's stops up to date: a deadline that has passed and a spent total wait for none, and what
 * is wanted again before its call has left is not stopped.
 */
export function storeHooks(draft: Draft, fleet: FleetRow, context: Context): void {
  const asked = toBeStopped(draft, fleetOwner(fleet.name)).filter(({ stop }) => stop?.hook);
  if (asked.length === 0) return;
  const phase = fleetPhase(draft, fleet, context);
  if (phase.kind === "drained" && hasReachedItsEnd(draft, fleet, context))
    for (const { id } of asked) cutHook(draft, id, phase.why, context);
  if (phase.kind !== "kept") return;
  let { missing } = count(draft, fleet, context);
  for (const row of asked) {
    const gpus = gpusOf(draft, row);
    if (gpus > missing || !row.stop?.revocable) continue;
    missing -= gpus;
    takeBackStop(draft, row.id, context, `fleet ${fleet.name} wants it again`);
  }
}

/** Milliseconds until the first of its hooks is over at the latest; undefined: none runs. */
export function untilHooksEnd(draft: Draft, { name }: FleetRow, { now }: Context): number | undefined {
  const left = toBeStopped(draft, fleetOwner(name)).flatMap(({ stop }) =>
    stop?.hook && !stop.held ? [hookLeft(stop.hook, now)] : [],
  );
  const going = left.filter((ms) => ms > 0);
  return going.length === 0 ? undefined : Math.min(...going);
}

function fleetOf(draft: Draft, { owner }: DeploymentRow): FleetRow | undefined {
  const { kind, name } = owner === null ? { kind: "nobody", name: "" } : ownerParts(owner);
  return kind === "fleet" ? draft.fleets.get(name) : undefined;
}

/** True if a plan stops it only because its fleet wants less: no triggers, and no attempt that is given back. */
export function isForWish(draft: Draft, name: string, id: string): boolean {
  return (
    draft.fleets.get(name)?.attempt?.state !== "givenBack" &&
    !toRenew(draft, name).some((row) => row.id === id)
  );
}
