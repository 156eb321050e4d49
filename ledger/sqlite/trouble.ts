import { FleetkeeperError } from "../../service/contract/errors.ts";
import { escapeControls } from "../../service/text/redaction.ts";

/** The cause of trouble that ends by itself or once somebody makes room, by SQLite's primary error code. */
function passingTrouble(error: Error): string | undefined {
  const code = "errcode" in error && typeof error.errcode === "number" ? error.errcode & 0xff : undefined;
  if (code === BUSY || code === LOCKED) return "another process has it locked";
  return code === FULL || code === IO_ERROR ? "the disk may be full" : undefined;
}

/** Follows an error of which the cause is most often a volume that was not mounted, or one of another user. */
function remedyOf(error: Error & { readonly code?: unknown }): string {
  const code = "errcode" in error && typeof error.errcode === "number" ? error.errcode & 0xff : error.code;
  if (!UNWRITABLE.has(code)) return "";
  const user = process.getuid ? ` (the user with number ${process.getuid()})` : "";
  return ` This process${user} may not write there: mount a volume there, give the folder to that user, or name another path.`;
}

const BUSY = 5;
const LOCKED = 6;
const READONLY = 8;
const IO_ERROR = 10;
const FULL = 13;
const CANTOPEN = 14;

const UNWRITABLE = new Set<unknown>(["EROFS", "EACCES", "EPERM", READONLY, CANTOPEN]);

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
      // SQLite quotes what stands in a damaged file.
      return new FleetkeeperError(
        "LEDGER",
        `${location}: the ledger cannot be used: ${escapeControls(error.message)}. Nothing is launched without it.${remedyOf(error)}`,
        { cause: error },
      );
    }
  }
  return error instanceof Error ? error : new Error(String(error));
}
