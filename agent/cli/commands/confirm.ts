import { FleetkeeperError } from "../../../service/errors.ts";
import type { CliContext } from "./cli-context.ts";

/**
 * Asks before something is stopped. False: the answer was no, and it was said that nothing was done. Throws
 * CONFIG where nobody can be asked: a script says `--yes`.
 */
export async function confirmed(
  question: string,
  yes: boolean | undefined,
  cli: CliContext,
): Promise<boolean> {
  if (yes) return true;
  if (!cli.ask) {
    throw new FleetkeeperError(
      "CONFIG",
      "this asks first, and there is no terminal to ask at: nothing was done. Say --yes if it is meant so.",
    );
  }
  if (await cli.ask.confirm(question)) return true;
  cli.tell("Nothing was done.");
  return false;
}

/** What a command ends with that the person in front of it stopped, by Ctrl-C or by a no. */
export const STOPPED_BY_PERSON = 130;
