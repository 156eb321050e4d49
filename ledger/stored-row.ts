import { FleetkeeperError } from "../service/contract/errors.ts";
import type { Stretch } from "./chart-history.ts";
import type { Market } from "./market.ts";
import { misshapen, type Table } from "./row-shape.ts";
import type { Archived, RowOf, StoredEvent } from "./rows.ts";
import type { Sample } from "./sample.ts";

interface Stored extends RowOf {
  readonly stretch: Stretch;
  readonly market: Market;
  readonly sample: Sample;
  readonly archived: Archived;
}

/** In characters. No stack is full of less. */
const LONGEST_FLAT = 5_000;

/** A row as it was written. Throws LEDGER for a damaged one, before anything reads it. */
export function read<T extends Table>(table: T, stored: Record<string, unknown>): Stored[T] {
  let row: unknown;
  try {
    const text = String(stored.row);
    row = JSON.parse(text);
    // What is nested so deep can be read, and not be written again: that would end the agent in a later decision.
    if (text.length > LONGEST_FLAT) JSON.stringify(row);
  } catch (cause) {
    throw damaged(`a row of the table ${table} cannot be read`, cause);
  }
  const field = misshapen(row, table);
  if (field === undefined) return row as Stored[T];
  throw damaged(`in a row of the table ${table}, ${field || "the row itself"} is not what was written`);
}

export function readEvent(stored: { readonly sequence?: unknown; readonly row?: unknown }): StoredEvent {
  return { ...read("event", { row: stored.row }), sequence: Number(stored.sequence) };
}

export function readAll<T extends Table>(table: T, stored: Record<string, unknown>[]): Stored[T][] {
  return stored.map((each) => read(table, each));
}

/** What is kept of an archived machine, as it was written. Throws LEDGER for a damaged one. */
export function readArchived(stored: unknown): Archived {
  const archived = read("archived", { row: stored });
  if (Object.values(archived.spent).every((usd) => /^-?\d+(\.\d+)?$/.test(String(usd)))) return archived;
  throw damaged("what an archived machine has cost is no number");
}

function damaged(what: string, cause?: unknown): FleetkeeperError {
  return new FleetkeeperError(
    "LEDGER",
    `the ledger is damaged: ${what}. Nothing is launched with it. Restore it from a backup.`,
    { cause },
  );
}
