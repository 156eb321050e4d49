import { FleetkeeperError } from "../../service/errors.ts";
import type { Table } from "../row-shape.ts";
import { misshapen } from "../row-shape.ts";

/** A row as it was written. Throws LEDGER for a damaged one, before anything reads it. */
export function read<T>(table: Table, stored: Record<string, unknown>): T {
  let row: unknown;
  try {
    row = JSON.parse(String(stored.row));
  } catch (cause) {
    throw damaged(`a row of the table ${table} cannot be read`, cause);
  }
  const field = misshapen(row, table);
  if (field === undefined) return row as T;
  throw damaged(`in a row of the table ${table}, ${field || "the row itself"} is not what was written`);
}

function damaged(what: string, cause?: unknown): FleetkeeperError {
  return new FleetkeeperError(
    "LEDGER",
    `the ledger is damaged: ${what}. Nothing is launched with it. Restore it from a backup.`,
    { cause },
  );
}
