import type { Context } from "../../../launch/facts/context.ts";
import type { Draft } from "../../../ledger/draft.ts";
import type { FleetRow } from "../../../ledger/rows.ts";
import { isAgentAlive } from "./agent-alive.ts";

/*
 * Who writes a fleet file writes on the agent's host, and may have any program run there. Who declares a stack may not: its fleets
 * name programs of one folder, which whoever runs the agent has filled.
 */

export interface NamedCommand {
  /** The key of the wish: `setup`. */
  readonly key: string;
  readonly program: string;
}

/** Each part of a wish that has a command. */
export function commandsOf(wish: object): readonly NamedCommand[] {
  return Object.entries(wish).flatMap(([key, part]) => {
    const [program] = (part as { readonly command?: readonly string[] } | undefined)?.command ?? [];
    return program === undefined ? [] : [{ key, program }];
  });
}

/** Whether somebody runs a program for a fleet: beside its file that may be a person's command, too, and else the agent alone. */
export function runsFor(
  { source }: Pick<FleetRow, "source">,
  program: string,
  draft: Draft,
  context: Context,
): boolean {
  if (source.startsWith("file:")) return true;
  return isAgentAlive(draft, context) && (draft.account.agent?.commands?.includes(program) ?? false);
}

/** A name in the folder of commands, and no path out of it. */
export function isProgramName(text: string): boolean {
  return /^\w[\w.-]*$/.test(text);
}
