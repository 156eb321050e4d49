import { type ErrorCode, FleetkeeperError } from "../../../service/contract/errors.ts";

/**
 * For a delete's guard against the host of a killed engine that still runs. Where the configuration opens no
 * account, that host cannot launch: the result is then undefined, and the delete goes on.
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
