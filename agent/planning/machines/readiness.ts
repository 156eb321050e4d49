import { mayStop } from "../../../launch/ends/stop.ts";
import type { Context } from "../../../launch/facts/context.ts";
import { isHeld } from "../../../launch/facts/machine-hold.ts";
import { claimedBy, livingOf } from "../../../launch/facts/occupancy.ts";
import type { Draft } from "../../../ledger/draft.ts";
import { elapsed, type Instant } from "../../../ledger/instant.ts";
import { fleetOwner } from "../../../ledger/owner.ts";
import type { DeploymentRow, FleetRow } from "../../../ledger/rows.ts";
import { milliseconds } from "../../../service/text/duration.ts";
import { fleetPhase } from "../../fleet/phase/fleet-phase.ts";
import type { Answer } from "../../fleet/wish/machine-question.ts";
import type { Ready, Wish } from "../../fleet/wish/wish.ts";
import { count } from "../count/count.ts";
import { gpusOfAll } from "../count/machine-gpus.ts";
import { wishInForce } from "../count/wish-in-force.ts";
import { chooseStop } from "./before-stop.ts";
import { isSetUp } from "./setup.ts";

export interface CheckedFleet {
  readonly name: string;
  readonly source: string;
  readonly ready: Ready;
  readonly setup: Wish["setup"];
}

/** After so many unready machines in a row no machine is at fault: more would be paid for in vain. */
const MOST_IN_A_ROW = 3;

/** The fleets that say when a machine is ready, as long as they want machines. */
export function keptFleets(draft: Draft, context: Context): readonly CheckedFleet[] {
  return [...draft.fleets.values()].flatMap((fleet) => {
    const { ready, setup } = wishInForce(draft, fleet, context);
    const isKept = ready !== undefined && fleetPhase(draft, fleet, context).kind === "kept";
    return isKept ? [{ name: fleet.name, source: fleet.source, ready, setup }] : [];
  });
}

/** The machines of a fleet that run and are not to be stopped. */
export function running(draft: Draft, fleet: string): readonly DeploymentRow[] {
  return livingOf(draft, fleetOwner(fleet)).filter((row) => row.stop === null && row.status === "running");
}

/** Whether a machine is ready for use: it is set up, and passes the fleet's check, where there are these. */
export function isReady(row: DeploymentRow, wish: Pick<Wish, "ready" | "setup">): boolean {
  return (
    row.status === "running" && isSetUp(row, wish) && (wish.ready === undefined || row.ready?.ok === true)
  );
}

/** What the checks of a new machine may take, in ms. */
export function checksMs({ setup, ready }: Pick<Wish, "ready" | "setup">): number {
  return [setup?.within, ready?.within].reduce((sum, each) => sum + (each ? milliseconds(each) : 0), 0);
}

/** GPUs of the machines that are ready; undefined: the fleet has neither setup nor check. */
export function readyGpus(draft: Draft, fleet: FleetRow, context: Context): number | undefined {
  const wish = wishInForce(draft, fleet, context);
  if (wish.ready === undefined && wish.setup === undefined) return undefined;
  const ready = running(draft, fleet.name).filter((row) => isReady(row, wish));
  return gpusOfAll(draft, ready);
}

/** GPUs of the machines that run, and are ready where the fleet says when they are. */
export function workingGpus(draft: Draft, fleet: FleetRow, context: Context): number {
  return readyGpus(draft, fleet, context) ?? gpusOfAll(draft, running(draft, fleet.name));
}

/** What its setup or its check said last; undefined: nothing yet. */
export function unreadyText({ setup, ready }: DeploymentRow): string | undefined {
  return (setup?.state === "failed" ? setup.said : ready?.why) ?? undefined;
}

/** True if its setup failed for good. Then it is as one that was not ready in time. */
function isSetupFailed({ setup }: DeploymentRow, fleet: Pick<CheckedFleet, "setup">): boolean {
  return fleet.setup !== undefined && setup?.state === "failed";
}

/** True if it was not ready for longer than `within`: since it runs and is set up, or since it was ready last. */
export function isOverdue(
  row: DeploymentRow,
  fleet: Pick<CheckedFleet, "ready" | "setup">,
  { now }: Context,
): boolean {
  if (isReady(row, fleet)) return false;
  if (isSetupFailed(row, fleet)) return true;
  if (!isSetUp(row, fleet)) return false;
  const { ready, setup, statusSince } = row;
  const since = [ready?.ever ? ready.since : statusSince, setup?.since ?? statusSince];
  return since.every((each) => elapsed(each, now) > milliseconds(fleet.ready.within));
}

/** Stores the outcome of a check, only when it changes. */
export function storeCheck(draft: Draft, id: string, answer: Answer, { now }: Context): void {
  const row = draft.deployments.ever(id);
  if (!row || row.end !== null || row.status !== "running" || row.ready?.gaveUp !== undefined) return;
  const ok = answer.kind === "good";
  if (row.ready?.ok === ok) return;
  const ever = ok || row.ready?.ever === true;
  draft.putDeployment({
    ...row,
    ready: { ok, since: now, ever, why: answer.kind === "good" ? null : answer.why },
  });
}

/**
 * Asks to stop machines that never became ready in time, where their fleet says `replace`. Only what is
 * certainly ours is stopped, one of a fleet at a time, and only if this process saw its check fail for all of
 * that time (`failing`: since when). It counts as a failed launch, so that the next one backs off. After some
 * in a row the check is doubted, and nothing more is stopped.
 */
export function replaceUnready(draft: Draft, failing: ReadonlyMap<string, Instant>, context: Context): void {
  for (const fleet of keptFleets(draft, context)) {
    const { name, ready } = fleet;
    if (!ready.replace || inVain(draft, name, ready) !== undefined || isReplacing(draft, name, context))
      continue;
    const row = running(draft, name).find(
      (each) =>
        mayStop(each) &&
        !isHeld(each, context.now) &&
        wasNeverReady(each, failing.get(each.id), fleet, context),
    );
    if (!row) continue;
    const why = isSetupFailed(row, fleet)
      ? `it runs and could not be set up: ${row.setup?.said}`
      : `it runs and was not ready within ${ready.within}: ${row.ready?.why}`;
    if (!chooseStop(draft, row.id, why, context)) continue;
    const asked = draft.deployments.ever(row.id) ?? row;
    const found = row.ready ?? { ok: false, since: context.now, ever: false, why };
    draft.putDeployment({ ...asked, ready: { ...found, gaveUp: keyOf(ready) } });
  }
}

/** Why no more machines are replaced for not being ready; undefined: they are. */
export function inVain(draft: Draft, fleet: string, ready: Ready): string | undefined {
  if (!ready.replace) return undefined;
  const judged = [...claimedBy(draft, fleetOwner(fleet))]
    .reverse()
    .filter((row) => row.ready?.ever || row.ready?.gaveUp === keyOf(ready));
  const good = judged.findIndex((row) => row.ready?.ever);
  const inARow = good === -1 ? judged.length : good;
  if (inARow < MOST_IN_A_ROW) return undefined;
  return `${inARow} machines in a row were stopped because they were not ready, so no more are: check the address, the check itself and what the machines run`;
}

/** True if its check was seen to fail for the whole time: an agent that was away did not look. Or its setup failed. */
function wasNeverReady(
  row: DeploymentRow,
  failingSince: Instant | undefined,
  fleet: CheckedFleet,
  context: Context,
): boolean {
  if (row.ready?.ever) return false;
  if (isSetupFailed(row, fleet)) return true;
  if (!failingSince || !row.ready || row.ready.ok) return false;
  const { within } = fleet.ready;
  return isOverdue(row, fleet, context) && elapsed(failingSince, context.now) > milliseconds(within);
}

/** True while something of the fleet is stopping, starting, or still has time to become ready. */
export function isReplacing(draft: Draft, name: string, context: Context): boolean {
  const fleet = draft.fleets.get(name);
  if (!fleet) return true;
  const wish = wishInForce(draft, fleet, context);
  const { starting, stopping, missing } = count(draft, fleet, context);
  if (starting > 0 || stopping > 0 || missing > 0) return true;
  const { ready, setup } = wish;
  return (
    ready !== undefined &&
    running(draft, name).some((row) => !isReady(row, wish) && !isOverdue(row, { ready, setup }, context))
  );
}

/** Identifies a check. What was found by another one does not count for it. */
function keyOf({ within: _within, replace: _replace, ...check }: Ready): string {
  return JSON.stringify(check);
}
