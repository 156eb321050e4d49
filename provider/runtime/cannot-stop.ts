import { FleetkeeperError } from "../../service/errors.ts";

/** No wait ends this one: a person has to stop the machine, or to say how a stop is asked for. */
export function cannotStop(...ids: readonly string[]): FleetkeeperError {
  const [have, them] = ids.length > 1 ? ["have", "them"] : ["has", "it"];
  return new FleetkeeperError(
    "PROFILE_PART_MISSING",
    `${ids.join(", ")} ${have} to be stopped, and the profile has no part "stop": stop ${them} in the service's dashboard and run ` +
      "this again, or add the part.",
  );
}
