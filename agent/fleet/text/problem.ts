import { FleetkeeperError } from "../../../service/contract/errors.ts";

/** The message of what a check throws; undefined: it throws nothing. */
export function problemOf(check: () => unknown): string | undefined {
  try {
    check();
    return undefined;
  } catch (error) {
    if (error instanceof FleetkeeperError) return error.message;
    throw error;
  }
}
