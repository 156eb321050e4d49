import { type Command, CommanderError } from "commander";
import { CAUSES, FleetkeeperError } from "../../service/contract/errors.ts";
import { cleanFor } from "../fleet/text/text.ts";
import { describeCommands } from "./commands/index.ts";
import type { CliContext } from "./commands/shared/cli-context.ts";
import { agentOf } from "./commands/with-agent.ts";

/** 0: done. 1: the same command may succeed later. 2: something that was given is wrong. See `CAUSES`. */
type ExitCode = number;

/** The command line, from arguments to exit code. Never throws, and shows no stack trace of a known error. */
export async function runCli(args: readonly string[], version: string, cli: CliContext): Promise<ExitCode> {
  let code: ExitCode = 0;
  const run =
    <A extends unknown[]>(load: () => Promise<(...given: [...A, CliContext]) => Promise<ExitCode>>) =>
    async (...given: unknown[]): Promise<void> => {
      // Commander passes the command itself last.
      const agent = agentOf(given.at(-1) as Command, cli);
      code = await (await load())(...(given.slice(0, -1) as A), { ...cli, version, agent });
    };
  const program = describeCommands(run, version, cli);
  try {
    await program.parseAsync(args, { from: "user" });
    return code;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    // The person who stopped it need not be told what was left undone.
    if (cli.signal.aborted) return 130;
    if (!(error instanceof FleetkeeperError)) throw error;
    cli.tell(
      error.message
        .split("\n")
        .map((line) => cleanFor(cli)(line, 2000))
        .join("\n"),
    );
    return CAUSES[error.code].exitCode;
  }
}
