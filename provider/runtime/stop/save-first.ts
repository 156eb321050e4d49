import { commandBefore } from "../../../agent/ask/before-stop.ts";
import type { BeforeStop } from "../../../agent/fleet/wish/before-stop-wish.ts";
import { beginHook, endHook, hookStop, isRunningHook } from "../../../launch/ends/stop-hook.ts";
import { hookUntil } from "../../../launch/facts/stop-hook.ts";
import { type Context, contextOf, livingOf, slotMachine } from "../../../launch/index.ts";
import { type DeploymentRow, type Draft, type StopHookRow, slotOwner } from "../../../ledger/index.ts";
import { milliseconds } from "../../../service/text/duration.ts";
import type { Environment, Session } from "../session/environment.ts";
import type { Progress } from "../session/progress.ts";
import type { WaitLimit } from "../session/wait-limit.ts";

/** The machine of a slot that is about to be closed, if something on it may be saved: it runs, and no stop was asked for. */
export function toSave(draft: Draft, slot: string): DeploymentRow | undefined {
  const row = slotMachine(draft, slot);
  return row?.status === "running" ? row : undefined;
}

/**
 * Gives a stop that was asked for just now its hook. The stop begins before this wait is over, and at a deadline. False: there
 * is no time for a hook.
 */
export function saveFirst(
  draft: Draft,
  { id }: DeploymentRow,
  slot: string,
  { within, again }: BeforeStop,
  wait: WaitLimit,
  context: Context,
): boolean {
  const { now, settings } = context;
  const until = draft.slots.get(slot)?.until ?? Number.POSITIVE_INFINITY;
  const lasts = Math.min(milliseconds(within), wait.left() - 2 * settings.poll, until - now.wall);
  if (lasts > 0) hookStop(draft, id, { lasts, ...(again && { again }) }, context);
  return lasts > 0;
}

/** A command that runs beside the wait for the machine's end. */
export interface Saving {
  readonly over: Promise<void>;
  /** Ends the command, as where the machine has ended. */
  cut(): void;
}

/** Runs the command that a stop of the slot waits for. Undefined: none, or another process began it. It fails by telling so. */
export async function beginSaving(
  env: Environment,
  { keeper }: Session,
  slot: string,
  beforeStop: BeforeStop,
  tell: Progress,
  warn: Progress,
): Promise<Saving | undefined> {
  const { ledger, account, clock } = keeper;
  const begun = await ledger.decide(account, (draft) => {
    for (const { id } of livingOf(draft, slotOwner(slot))) {
      const hook = beginHook(draft, id, clock.self, contextOf(keeper));
      const row = draft.deployments.ever(id);
      if (hook && row) return { hook, row };
    }
    return undefined;
  });
  if (begun === undefined) return undefined;
  const { id } = begun.row;
  const over = new AbortController();
  const end = async (failed?: string): Promise<void> => {
    // What a process that ends has cut off is not over: the stop waits until its deadline.
    if (env.signal.aborted) return;
    const isOurs = await ledger.decide(account, (draft) => {
      const ours = isRunningHook(draft.deployments.ever(id), clock.self);
      endHook(draft, id, clock.self, failed, contextOf(keeper));
      return ours;
    });
    if (!isOurs) return;
    if (failed === undefined) tell(`the beforeStop of ${id} is over`);
    else warn(`the beforeStop of ${id} failed, and the machine is stopped: ${failed}`);
  };
  tell(`the beforeStop of ${id} runs, until ${untilText(begun.hook)} at most`);
  const run = async (): Promise<void> => {
    const command = commandBefore(begun.row, begun.hook, beforeStop, clock.now());
    // Nobody else would end it, and the next destroy may run it again.
    await env.run(begun.row, { ...command, endsWithUs: true }, AbortSignal.any([env.signal, over.signal]));
  };
  return {
    over: run().then(
      () => end(),
      (error: Error) => end(error.message),
    ),
    cut: () => over.abort(),
  };
}

export function untilText(hook: StopHookRow): string {
  return `${new Date(hookUntil(hook)).toISOString().slice(0, 19)}Z`;
}
