import { type ErrorCode, FleetkeeperError } from "../../service/contract/errors.ts";
import { HARMFUL } from "../../service/text/redaction.ts";

/** What is broken of what fuzzing demands. It says which demand. */
class Broken extends Error {}

export function demand(isKept: boolean, what: string): void {
  if (!isKept) throw new Broken(what);
}

/** Longer than anybody reads, and what is longer may be the damaged input itself. */
const LONGEST = 25_000;

/**
 * An error about a damaged input is one of the project's own, of a kind that may come of it, with a text for people that no
 * terminal obeys. Whatever else is thrown (a TypeError, a full stack) would end an agent.
 */
export function demandClear(error: unknown, codes: readonly ErrorCode[], names?: RegExp): void {
  if (!(error instanceof FleetkeeperError)) throw error;
  const { code, message } = error;
  demand(codes.includes(code), `an error of the kind ${code}: ${shown(message)}`);
  demand(
    message.length > 10 && message.length < LONGEST,
    `an error of ${message.length} characters: ${shown(message)}`,
  );
  const harmful = message.replaceAll("\n", "").search(HARMFUL);
  demand(
    harmful === -1,
    `an error with a character that no terminal should get: ${JSON.stringify(shown(message))}`,
  );
  demand(!message.includes("call stack"), `an error about our own stack: ${shown(message)}`);
  demand(names?.test(message) !== false, `an error that does not say where: ${shown(message)}`);
}

export function shown(text: string): string {
  return text.length > 400 ? `${text.slice(0, 400)}…` : text;
}
