import { randomBytes } from "node:crypto";
import type { History } from "../ledger/chart-history.ts";
import type { Ledger } from "../ledger/ledger.ts";
import { openSqliteLedger } from "../ledger/sqlite/sqlite-ledger.ts";

/** Opens the ledger of this path, or makes it there. `now`: wall time in ms. Close it when done. */
export function openLedger(path: string, now: number): Ledger & History {
  return openSqliteLedger({ path, newId: newId(), now });
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
