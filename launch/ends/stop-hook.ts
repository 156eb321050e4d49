import type { Draft } from "../../ledger/draft.ts";
import type { ProcessIdentity } from "../../ledger/instant.ts";
import type { DeploymentRow, StopHookRow } from "../../ledger/rows.ts";
import type { Context } from "../facts/context.ts";
import { note } from "../facts/events.ts";
import { hookUntil, isHooked } from "../facts/stop-hook.ts";

/*
 * A command of the user's runs before the call of a stop that we choose: what is on the machine can be saved. The stop
 * is stored together with its hook, in one transaction. Whoever asks says how long the call may wait, and who may run it
 * runs it. It never holds a stop for longer: a hook that failed, or whose process died, has its stop carried out.
 */

/** Gives a stop that was asked for just now its hook: the call waits `lasts` ms at most. */
export function hookStop(
  draft: Draft,
  id: string,
  hook: Pick<StopHookRow, "lasts" | "again">,
  context: Context,
): void {
  const row = draft.deployments.ever(id);
  if (!row?.stop || row.stop.hook || row.stop.attempted !== null) return;
  putHook(draft, row, { ...hook, state: "waiting", since: context.now });
}

/** True if the command may be started now by this process: for the first time, or again after its process died. */
export function mayBegin(row: DeploymentRow, self: ProcessIdentity, context: Context): boolean {
  const hook = row.stop?.hook;
  if (!hook || row.end !== null || row.stop?.held || !isHooked(row, context)) return false;
  return hook.state === "waiting" || (hook.again === true && hook.by !== undefined && isOver(hook.by));

  function isOver(by: ProcessIdentity): boolean {
    return !isSame(by, self) && (by.boot !== self.boot || !context.isAlive(by));
  }
}

/** Written before the command starts, so that no second process starts it. Undefined: it may not start. */
export function beginHook(
  draft: Draft,
  id: string,
  self: ProcessIdentity,
  context: Context,
): StopHookRow | undefined {
  const row = draft.deployments.ever(id);
  if (!row?.stop?.hook || !mayBegin(row, self, context)) return undefined;
  const { program: _leftBehind, ...hook } = row.stop.hook;
  const begun: StopHookRow = { ...hook, state: "running", by: self };
  putHook(draft, row, begun);
  const until = new Date(hookUntil(begun)).toISOString().slice(0, 19);
  tell(
    draft,
    row,
    "stopHook",
    `the beforeStop of ${id} runs, until ${until}Z at most: ${row.stop.why}`,
    context,
  );
  return begun;
}

/** Its command has begun, as this process of this computer. False: nothing is to be run any more, so it must not begin. */
export function nameProgram(
  draft: Draft,
  id: string,
  self: ProcessIdentity,
  program: ProcessIdentity,
): boolean {
  const row = draft.deployments.ever(id);
  if (!row?.stop?.hook || !isRunningHook(row, self)) return false;
  putHook(draft, row, { ...row.stop.hook, program });
  return true;
}

/** True while this process is the one that runs its command. */
export function isRunningHook(row: DeploymentRow | undefined, self: ProcessIdentity): boolean {
  const hook = row?.end === null ? row.stop?.hook : undefined;
  return hook?.state === "running" && hook.by !== undefined && isSame(hook.by, self);
}

/** The command has ended. `failed`: why, for people. It holds nothing any more. */
export function endHook(
  draft: Draft,
  id: string,
  self: ProcessIdentity,
  failed: string | undefined,
  context: Context,
): void {
  const row = draft.deployments.ever(id);
  if (!row?.stop?.hook || !isRunningHook(row, self)) return;
  const { hook } = row.stop;
  putHook(draft, row, failed === undefined ? { ...hook, state: "done" } : failedHook(hook, failed));
  if (failed !== undefined)
    tell(
      draft,
      row,
      "notSaved",
      `the beforeStop of ${id} failed, and the machine is stopped: ${failed}`,
      context,
    );
}

/** The stop waits no longer. The command, if it runs, is ended. */
export function cutHook(draft: Draft, id: string, why: string, context: Context): void {
  const row = draft.deployments.ever(id);
  if (!row?.stop?.hook || !isHooked(row, context)) return;
  putHook(draft, row, failedHook(row.stop.hook, why));
  tell(draft, row, "notSaved", `the beforeStop of ${id} is waited for no longer: ${why}`, context);
}

function failedHook(hook: StopHookRow, said: string): StopHookRow {
  return { ...hook, state: "failed", said };
}

function putHook(draft: Draft, row: DeploymentRow, hook: StopHookRow): void {
  if (row.stop) draft.putDeployment({ ...row, stop: { ...row.stop, hook } });
}

function tell(
  draft: Draft,
  row: DeploymentRow,
  kind: "stopHook" | "notSaved",
  text: string,
  context: Context,
): void {
  note(draft, context, kind, text, { owner: row.owner, deployment: row.id });
}

function isSame(one: ProcessIdentity, other: ProcessIdentity): boolean {
  return one.boot === other.boot && one.pid === other.pid && one.started === other.started;
}
