import type { Readable, Writable } from "node:stream";
import { FleetkeeperError } from "../../../../service/contract/errors.ts";
import type { AgentAddress } from "../../../remote/agent-address.ts";
import type { Prompts } from "../../init/prompts.ts";

/** All that a command may use of the world. */
export interface CliContext {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
  /** Aborts when nobody reads the output any more. A command that only prints, again and again, then ends. */
  readonly unheard?: AbortSignal;
  /** Prints one line or more to standard output, for people or programs. */
  readonly print: (text: string) => void;
  /** Prints progress and warnings to standard error. */
  readonly tell: (text: string) => void;
  /** Whether what is printed may be coloured. */
  readonly color: boolean;
  /** A terminal to draw on. Undefined if standard output is no terminal. */
  readonly screen?: { readonly write: (text: string) => void; readonly rows: () => number } | undefined;
  /** Standard input and output, for a protocol over them. */
  readonly stdio?: { readonly input: Readable; readonly output: Writable } | undefined;
  /** Undefined if nobody sits at a terminal. */
  readonly ask?: Prompts | undefined;
  /** False if a program, a file or a service manager reads the output. */
  readonly terminal?: boolean;
  /** Has this process give memory back sooner: it stays. Undefined: nobody minds. */
  readonly stay?: () => void;
  /** Calls `listener` at each SIGHUP. */
  readonly onHangup?: (listener: () => void) => void;
  /** What starts this program: an executable, and its first arguments. */
  readonly self?: readonly string[];
  /** Who types: `user:NAME@HOST`. Undefined: nobody knows. */
  readonly person?: string | undefined;
  /** Whose API is asked in the place of a ledger. */
  readonly agent?: AgentAddress | undefined;
  /** The version of this package. */
  readonly version?: string;
}

/** The command to print in lines for pasting: in a clone only npx finds the program. */
export function programName({ environment }: Pick<CliContext, "environment">): string {
  return environment.npm_command === "exec" ? "npx fleetkeeper" : "fleetkeeper";
}

/** An error in what was given to a command: exit code 2. */
export function mistake(text: string, options?: ErrorOptions): FleetkeeperError {
  return new FleetkeeperError("CONFIG", text, options);
}

/** Aborts when there is no reason to print any more. */
export function printingEnds({ signal, unheard }: CliContext): AbortSignal {
  return unheard ? AbortSignal.any([signal, unheard]) : signal;
}
