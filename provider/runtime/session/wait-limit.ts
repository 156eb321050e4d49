import { type Clock, elapsed } from "../../../ledger/index.ts";
import { isOfService } from "../../../service/contract/errors.ts";
import type { Progress } from "./progress.ts";

/** A wait ended too early. What was done so far stays, and the next run goes on from there. */
export class WaitTimeout extends Error {}

/** How long one method of one resource waits. */
export interface WaitLimit {
  /** Aborts when the process has to end. */
  readonly signal: AbortSignal;
  /** Milliseconds until the time is up. */
  left(): number;
  /** Throws `WaitTimeout` once the time is up. `what`: the state that lasts; `why`: why it was waited for. */
  check(what: string, why?: string): void;
}

/** `setting`: the argument that says how long. */
export function startWaitLimit(
  clock: Clock,
  ms: number,
  signal: AbortSignal,
  setting = "timeouts",
): WaitLimit {
  const begun = clock.now();
  const left = (): number => Math.max(0, ms - elapsed(begun, clock.now()));
  return {
    signal,
    left,
    check(what, why) {
      signal.throwIfAborted();
      if (left() > 0) return;
      const because = why === undefined ? "" : `: ${why}`;
      throw new WaitTimeout(
        `${what} after ${Math.round(ms / 1000)} s (${setting})${because}. Nothing is lost: the next pulumi command goes on from here.`,
      );
    },
  };
}

/**
 * Does a request to the service within a wait. If the service is unreachable, unreadable or refuses, that is
 * told, and `pause` comes before the next try. A wrong key, profile or ledger is thrown.
 */
export async function outlive(
  work: () => Promise<void>,
  tell: Progress,
  pause?: () => Promise<void>,
): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!isOfService(error)) throw error;
    tell(`the service cannot be asked just now, trying again: ${error.message}`);
    await pause?.();
  }
}

/** The error of a wait that a Ctrl-C has cut. Its own is a timer's or a request's, and says nothing of what bills. */
export function interrupted(state: string): Error {
  return new Error(`interrupted: ${state}; the next up or destroy goes on`);
}

/** The error of a method that a Ctrl-C has cut, where it does not say so itself. */
export function orInterrupted(error: unknown, signal: AbortSignal, isDelete: boolean): unknown {
  const isCut = error instanceof Error && (error.name === "AbortError" || isOfService(error));
  if (!signal.aborted || !(isCut || error === signal.reason)) return error;
  return interrupted(isDelete ? "what is being stopped bills until it has ended" : "nothing is lost");
}
