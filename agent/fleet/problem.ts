import { FleetkeeperError } from "../../service/errors.ts";

/** What a check throws, in words. */
export function problemOf(check: () => unknown): string | undefined {
  try {
    check();
    return undefined;
  } catch (error) {
    if (error instanceof FleetkeeperError) return error.message;
    throw error;
  }
}
