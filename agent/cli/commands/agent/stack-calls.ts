import { hostname } from "node:os";
import type { Keeper } from "../../../../launch/keeper.ts";
import { loadProfile } from "../../../../service/profile/profile-file.ts";
import { type Ask, runCommand } from "../../../ask/ask.ts";
import { stackCommands } from "../../../ask/programs.ts";
import type { StackCalls } from "../../../tell/http/api/stacks.ts";
import { shortText } from "../../../tell/notify/message.ts";
import type { CliContext } from "../shared/cli-context.ts";

export interface StackCallsFrom {
  readonly keeper: Keeper;
  readonly ask: Ask;
  readonly hide: (text: string) => string;
  /** Path of the wire profile. */
  readonly profile: string;
}

/** Whose commands they are, for the folder that they are run from: see `programOf`. */
const SOURCE = "stack:";

/** What this agent does for stacks. Their resources are above it, and loaded when the first stack asks. */
export function stackCallsOf(
  { keeper, ask, hide, profile }: StackCallsFrom,
  { environment }: CliContext,
): StackCalls & { close(): Promise<void> } {
  const shown = (text: string): string => shortText(hide(text));
  let opened: Promise<StackCalls & { close(): Promise<void> }> | undefined;
  const open = async (): Promise<StackCalls & { close(): Promise<void> }> => {
    const { openStackCalls } = await import("../../../../provider/runtime/stack-calls.ts");
    const { parametersOf } = await import("../../../../provider/runtime/inputs/parameters.ts");
    const parameters = parametersOf(loadProfile(profile).profile);
    return openStackCalls({
      keeper,
      hide,
      host: hostname(),
      usedParameters: () => parameters,
      whyNotRun: (program) => whyNoCommand(program, stackCommands(environment)),
      async ask(row, question, signal) {
        const answer = await ask({ source: SOURCE, row }, question, signal);
        return answer.kind === "good" ? answer : { ...answer, why: shown(answer.why) };
      },
      async run(row, command, signal) {
        await runCommand({ source: SOURCE, row }, command, environment, signal).catch((error: Error) => {
          throw new Error(shown(error.message));
        });
      },
    });
  };
  return {
    ask: async (...asked) => {
      opened ??= open().catch((error: unknown) => {
        // Its profile may be mended: the next call opens it anew.
        opened = undefined;
        throw error;
      });
      return (await opened).ask(...asked);
    },
    cut: (...named) =>
      void opened?.then(
        (calls) => calls.cut(...named),
        () => undefined,
      ),
    close: async () => (await opened)?.close(),
  };
}

function whyNoCommand(program: string, known: readonly string[]): string | undefined {
  if (known.includes(program)) return undefined;
  return (
    `the agent that keeps this stack runs programs of its own folder FLEETKEEPER_COMMANDS alone, by their names, and has no ${program} there ` +
    `(it has: ${known.join(", ") || "none"}). Put it there, or ask by tcp or http`
  );
}
