import type { ErrorCode } from "../../service/errors.ts";
import { FleetkeeperError } from "../../service/errors.ts";

/**
 * What a delete writes down against the host of a killed engine that may still be on its way. With a configuration that
 * opens no account nobody comes that far, and the delete must not fail for it. Undefined: there is none.
 */
export async function ignoreConfigErrors<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof FleetkeeperError && HOPELESS.includes(error.code)) return undefined;
    throw error;
  }
}

const HOPELESS: readonly ErrorCode[] = ["CONFIG", "CREDENTIAL", "PROFILE_PART_MISSING"];
