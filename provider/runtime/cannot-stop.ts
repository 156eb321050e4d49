import { FleetkeeperError } from "../../service/errors.ts";

/** No wait helps here: a person has to stop the machine, or add the stop part to the profile. */
export function cannotStop(...ids: readonly string[]): FleetkeeperError {
  const [have, them] = ids.length > 1 ? ["have", "them"] : ["has", "it"];
  return new FleetkeeperError(
    "PROFILE_PART_MISSING",
    `${ids.join(", ")} ${have} to be stopped, and the profile has no part "stop": stop ${them} in the service's dashboard and run ` +
      "this again, or add the part.",
  );
}
