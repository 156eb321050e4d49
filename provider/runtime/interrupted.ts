import { isOfService } from "../../service/errors.ts";

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
