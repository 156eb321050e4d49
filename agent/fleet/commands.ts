import type { AccountRow, FleetRow } from "../../ledger/rows.ts";

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

/** Whether the agent that keeps this account runs a program for a fleet. */
export function runsFor(
  { source }: Pick<FleetRow, "source">,
  program: string,
  { agent }: Pick<AccountRow, "agent">,
): boolean {
  return source.startsWith("file:") || (agent?.commands?.includes(program) ?? false);
}

/** A name in the folder of commands, and no path out of it. */
export function isProgramName(text: string): boolean {
  return /^[\w][\w.-]*$/.test(text);
}
