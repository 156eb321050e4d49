import { FleetkeeperError } from "../../service/errors.ts";

/** The cause of trouble that ends by itself or once somebody makes room, by SQLite's primary error code. */
function passingTrouble(error: Error): string | undefined {
  const code = "errcode" in error && typeof error.errcode === "number" ? error.errcode & 0xff : undefined;
  if (code === BUSY || code === LOCKED) return "another process has it locked";
  return code === FULL || code === IO_ERROR ? "the disk may be full" : undefined;
}

const BUSY = 5;
const LOCKED = 6;
const IO_ERROR = 10;
const FULL = 13;

/** What SQLite or the file system throws, for callers of the ledger. */
export function asLedgerError(error: unknown, location: string): Error {
  if (error instanceof FleetkeeperError) return error;
  if (error instanceof Error && "code" in error && typeof error.code === "string") {
    // A closed database is ERR_INVALID_STATE. Errors of the file system have an errno.
    const why = passingTrouble(error);
    if (why !== undefined) {
      return new FleetkeeperError(
        "LEDGER_BUSY",
        `${location}: the ledger cannot be written now: ${error.message}; ${why}. Nothing is launched without it.`,
        { cause: error },
      );
    }
    if (/^ERR_SQLITE|^ERR_INVALID_STATE$/.test(error.code) || "errno" in error) {
      return new FleetkeeperError(
        "LEDGER",
        `${location}: the ledger cannot be used: ${error.message}. Nothing is launched without it.`,
        { cause: error },
      );
    }
  }
  return error instanceof Error ? error : new Error(String(error));
}
