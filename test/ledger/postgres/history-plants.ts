import type { PostgresLedgerOptions } from "../../../ledger/postgres/postgres-ledger.ts";
import type { Plant } from "../../../proof/plants.ts";

/** What a process of a history is told. */
export interface HistoryChild {
  readonly url: string;
  readonly number: number;
  /** By round: how far ahead its clocks are set then, in ms. */
  readonly clock?: Readonly<Record<number, number>>;
  readonly times?: PostgresLedgerOptions["times"];
  readonly planted?: keyof typeof HISTORY_PLANTS;
}

/** Rules that are taken out, to see that no order explains what comes of it. */
export const HISTORY_PLANTS = {
  "no-lock": {
    file: "ledger/postgres/statements.ts",
    text: 'LOCK_ACCOUNT = stateOf("FOR NO KEY UPDATE OF account")',
    instead: 'LOCK_ACCOUNT = stateOf("")',
  },
  "jump-unseen": {
    file: "ledger/ledger-time.ts",
    text: "if (this.#other || isBehind",
    instead: "if (isBehind",
  },
} as const satisfies Readonly<Record<string, Plant["edits"][number]>>;
