import { FleetkeeperError } from "../../service/errors.ts";

/** No wait ends this one: a person has to stop the machine, or to say how a stop is asked for. */
export function cannotStop(id: string): FleetkeeperError {
  return new FleetkeeperError(
    "PROFILE_PART_MISSING",
    `${id} has to be stopped, and the profile has no part "stop": stop it in the service's dashboard and run this again, or add the part.`,
  );
}
