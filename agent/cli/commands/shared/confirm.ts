import { type CliContext, mistake } from "./cli-context.ts";

/** Asks first. Gives false after a "no". Throws CONFIG if nobody can be asked: scripts need `--yes`. */
export async function confirmed(
  question: string,
  yes: boolean | undefined,
  cli: CliContext,
): Promise<boolean> {
  if (yes) return true;
  if (!cli.ask) {
    throw mistake(
      "this asks first, and there is no terminal to ask at: nothing was done. Say --yes if it is meant so.",
    );
  }
  if (await cli.ask.confirm(question)) return true;
  cli.tell("Nothing was done.");
  return false;
}

/** The exit code of a command that a person stopped, by Ctrl-C or by a "no". */
export const STOPPED_BY_PERSON = 130;
