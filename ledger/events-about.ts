import type { Owner } from "./rows.ts";

/** What events are about. */
export interface About {
  readonly deployment?: string | undefined;
  readonly intent?: string | undefined;
  readonly owner?: Owner | undefined;
}

/** A page must not hold the ledger for long: no column of it names a machine, so each event's text is looked at. */
export const EVENTS_SEARCHED = 100_000;

/**
 * How the stored text of an event names each of these; null: not asked for. The names of fields stand nowhere else:
 * inside a value the quotes are escaped.
 */
export function namings({ deployment, intent, owner }: About): readonly (string | null)[] {
  return Object.entries({ deployment, intent, owner }).map(([field, value]) =>
    value === undefined ? null : `${JSON.stringify(field)}:${JSON.stringify(value)}`,
  );
}
