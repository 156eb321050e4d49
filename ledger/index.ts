export type { Change, Rows } from "./draft.ts";
export { Draft } from "./draft.ts";
export type { Clock, Instant, ProcessIdentity } from "./instant.ts";
export { age, elapsed, isLater } from "./instant.ts";
export type { Ledger, OpenAccount } from "./ledger.ts";
export type * from "./rows.ts";
export type { SqliteLedgerOptions } from "./sqlite.ts";
export { openSqliteLedger } from "./sqlite.ts";
export { systemClock } from "./system-clock.ts";
