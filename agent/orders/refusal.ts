import { FleetkeeperError } from "../../service/contract/errors.ts";

/** What was ordered cannot be done as things are. */
export function refusal(text: string): FleetkeeperError {
  return new FleetkeeperError("CONFIG", text);
}
