import { randomBytes } from "node:crypto";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { History } from "../ledger/chart-history.ts";
import type { AllRows, Purpose } from "../ledger/copy.ts";
import type { Ledger } from "../ledger/ledger.ts";
import { isPostgresUrl, readAddress } from "../ledger/postgres/address.ts";
import { openSqliteLedger } from "../ledger/sqlite/sqlite-ledger.ts";

/** A path, or a URL of PostgreSQL, which is a secret: see `Configuration.ledger`. */
type Place = string;

/**
 * Opens the ledger of this place, or makes it there. `now`: wall time in ms. Close it when done. Throws CONFIG,
 * LEDGER or LEDGER_BUSY, and shows nothing of a URL but host, port and database.
 */
export async function openLedger(place: Place, now: number): Promise<Ledger & History> {
  if (!isPostgresUrl(place)) return openSqliteLedger({ path: place, newId: newId(), now });
  const { openPostgresLedger } = await postgres();
  return openPostgresLedger({ url: place, newId, now });
}

/** Opens the ledger of this place. Undefined where there is none yet: looking must not make one. */
export async function openLedgerIfThere(place: Place, now: number): Promise<(Ledger & History) | undefined> {
  if (!isPostgresUrl(place)) return existsSync(place) ? openLedger(place, now) : undefined;
  const { openPostgresLedgerIfThere } = await postgres();
  return openPostgresLedgerIfThere({ url: place, newId, now });
}

/**
 * Works with what stands in the ledger of this place now. Of a file that is a copy, which goes afterwards: nothing can be written to
 * the ledger itself, and a ledger of an older version stays one. Undefined where there is none. Throws as `openLedger`.
 */
export async function withSnapshot<T>(
  place: Place,
  now: number,
  work: (ledger: Ledger & History) => Promise<T>,
): Promise<T | undefined> {
  const folder = mkdtempSync(join(tmpdir(), "fleetkeeper-"));
  try {
    let copy = place;
    if (!isPostgresUrl(place) && existsSync(place)) {
      copy = join(folder, "ledger.db");
      (await import("../ledger/sqlite/snapshot.ts")).snapshot(place, copy);
    }
    const ledger = await openLedgerIfThere(copy, now);
    try {
      return ledger && (await work(ledger));
    } finally {
      ledger?.close();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * Opens all of a ledger, to copy or to check it. `make`: wall time in ms; where there is none, it is made, so
 * that it can take a copy. See `AllRows`. Throws CONFIG if there is none, and none is made.
 */
export async function openAllRows(
  place: Place,
  { make, purpose }: { readonly make?: number; readonly purpose: Purpose },
): Promise<AllRows> {
  const made = make === undefined ? undefined : { id: newId(), created: make };
  if (!isPostgresUrl(place))
    return (await import("../ledger/sqlite/all-rows.ts")).openAllRowsSqlite(place, made, purpose);
  return (await import("../ledger/postgres/all-rows.ts")).openAllRowsPostgres(place, made, purpose);
}

/** A ledger's place for messages: of a URL host, port and database. Throws CONFIG for a wrong URL. */
export function locationOf(place: Place): string {
  return isPostgresUrl(place) ? readAddress(place).location : resolve(place);
}

/** Its library is loaded only by those who use it: no other command waits for it. */
function postgres() {
  return import("../ledger/postgres/postgres-ledger.ts");
}

/** 80 random bits in lower-case letters and digits. */
export function newId(): string {
  return BigInt(`0x${randomBytes(10).toString("hex")}`)
    .toString(36)
    .padStart(16, "0");
}

/** True if this is written as `newId` writes one. */
export function isId(text: string): boolean {
  return /^[0-9a-z]{16}$/.test(text);
}
