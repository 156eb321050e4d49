import { DatabaseError } from "pg";
import { FleetkeeperError } from "../../service/contract/errors.ts";

/*
 * What a statement that failed means. An error that the server answered with ends the transaction, and the
 * connection goes on. Anything else (a reset, a timeout, an answer that is none) loses the connection; so does
 * a server that says that it ends, or that it does not write: else a pool would stay with one that is a standby now.
 */

/** A transaction may succeed if it is run again: serialization failure, deadlock. */
const CONFLICTS: readonly string[] = ["40001", "40P01"];
/**
 * Trouble that passes: a lock or a statement took too long, the server lacks room or connections, ends, starts, a
 * transaction idled, or a pooler has no word of its own for what is wrong.
 */
const PASSING = /^(08...|53...|55P03|57...|58030|25P0[34]|XX000)$/;
const NO_RIGHT = "42501";
/** What the library says if the server wants a password and none was given. */
const NO_PASSWORD = /^SASL.*client password must be/;
const ASKED =
  "the server asks for a password, and none was given. Set PGPASSWORD, or PGPASSWORD_FILE to a file that holds it, or write it " +
  "into the URL of FLEETKEEPER_LEDGER_FILE";
/** The server ends this connection. */
const ENDED = /^(08...|57P..|25P0[34])$/;

/**
 * It is a standby, as during a failover, or was told to only read. BEGIN with READ WRITE has a code for it that other
 * statements use for what nobody will ever do.
 */
function onlyReads({ code, routine, message }: DatabaseError): boolean {
  return (
    code === "25006" || (code === "0A000" && (routine === "call_bool_check_hook" || /recovery/.test(message)))
  );
}

/** An answer by which the server is not the one that a ledger is on, for now. */
export function isElsewhere(error: unknown): boolean {
  return error instanceof DatabaseError && (onlyReads(error) || ENDED.test(error.code ?? ""));
}

/** The server's answer, which ended the transaction and nothing else. */
export function isAnswer(error: unknown): error is DatabaseError & { readonly code: string } {
  return error instanceof DatabaseError && error.code !== undefined && !isElsewhere(error);
}

/** After a COMMIT that failed so. Only a broken constraint and a conflict surely undo it. */
export function mayBeStored(cause: unknown): boolean {
  return cause !== undefined && !(isAnswer(cause) && /^(23|40)/.test(cause.code));
}

/** The transaction surely was not stored, and may succeed if it is run again. */
export class RepeatableError extends FleetkeeperError {}

/** The error of a statement or a connection, for callers of the ledger. */
export function asLedgerError(error: unknown, location: string): FleetkeeperError {
  if (error instanceof FleetkeeperError) return error;
  const { message: said } = error instanceof Error ? error : new Error(String(error));
  const message = NO_PASSWORD.test(said) ? ASKED : said;
  if (error instanceof DatabaseError && error.code === NO_RIGHT) {
    return new FleetkeeperError(
      "LEDGER",
      `${location}: the role of this URL may not do that: ${message}. A role that only reads is for fleetkeeper status, history, ` +
        "spend and ledger check; only the owner makes or updates the tables. docs/reference/ledgers.md (Roles) has the rights of each. DROP SCHEMA takes them " +
        "away, and the SQL there from CREATE SCHEMA on gives them again.",
      { cause: error },
    );
  }
  const passes = error instanceof DatabaseError ? isPassing(error) : !isRefused(error);
  if (!passes) {
    return new FleetkeeperError(
      "LEDGER",
      `${location}: the ledger cannot be used: ${message}. Nothing is launched without it.`,
      { cause: error },
    );
  }
  const Busy = isAnswer(error) && !CONFLICTS.includes(error.code) ? FleetkeeperError : RepeatableError;
  return new Busy(
    "LEDGER_BUSY",
    `${location}: the ledger cannot be used now: ${message}. Nothing is launched without it.`,
    { cause: error },
  );
}

function isPassing(error: DatabaseError): boolean {
  const { code } = error;
  return code === undefined || CONFLICTS.includes(code) || PASSING.test(code) || onlyReads(error);
}

/** A wrong certificate, or a password that is missing, does not become right by waiting. */
function isRefused(error: unknown): boolean {
  const { code = "", message = "" } = error as { code?: string; message?: string };
  return (
    /^ERR_TLS|^ERR_SSL|CERT|SELF_SIGNED|^UNABLE_TO_/.test(code) ||
    /does not support SSL connections|^SASL/.test(message)
  );
}
