import { FleetkeeperError, unhandled } from "../../service/contract/errors.ts";
import type { ArchiveChange, Change } from "../draft.ts";
import { keyOf } from "../tables.ts";
import type { Transaction } from "./connections.ts";
import * as sql from "./statements.ts";
import { keyText } from "./statements.ts";

/** A change, and its row as it is stored. The row of an account is stored by `SIGN`. */
export interface Written {
  readonly change: Change;
  readonly json: string;
}

type Kind = Exclude<Change["table"], "account" | "forgotten" | "archived">;
type Cell = string | number | null;

/** What one statement stores: rows of one table, each key once. */
interface Batch {
  readonly kind: Kind;
  /** By key. An event has none, and gets its place as one. */
  readonly rows: Map<string, readonly Cell[]>;
}

interface Put {
  readonly sql: string;
  /** How messages name a row. It belongs to one account for good; undefined: it belongs to this one. */
  readonly owned?: string;
}

const PUTS: Readonly<Record<Kind, Put>> = {
  intent: { sql: sql.PUT_INTENTS, owned: "launch" },
  deployment: { sql: sql.PUT_DEPLOYMENTS },
  slot: { sql: sql.PUT_SLOTS, owned: "slot" },
  fleet: { sql: sql.PUT_FLEETS, owned: "fleet" },
  cooldown: { sql: sql.PUT_COOLDOWNS },
  event: { sql: sql.PUT_EVENTS },
};

/**
 * Statements that are sent and not answered yet. Where one fails, the server refuses those after it, so the first
 * error in their order tells what was wrong.
 */
export class Sent {
  #all: Promise<unknown>[] = [];

  /** Gives the same promise, whose error is not lost if nobody waits for it. */
  add<T>(answer: Promise<T>): Promise<T> {
    answer.catch(() => undefined);
    this.#all.push(answer);
    return answer;
  }

  get size(): number {
    return this.#all.length;
  }

  /** Waits for all answers. Throws the first error. */
  async all(): Promise<void> {
    const answers = await Promise.allSettled(this.#all.splice(0));
    for (const answer of answers) if (answer.status === "rejected") throw answer.reason;
  }
}

/** A statement takes this many rows at most: none may run into its timeout. */
const ROWS = 1_000;
/** The last one sent waits for all before it, within its own timeout. */
const SENT_AT_ONCE = 8;

/**
 * Sends changes with few statements: the rows of each table together, in the order in which they were put. So
 * the constraints meet them as if each had a statement of its own.
 */
export async function store(
  transaction: Transaction,
  account: string,
  changes: readonly Written[],
  location: string,
  sent: Sent,
): Promise<void> {
  const send = async (answer: Promise<unknown>): Promise<void> => {
    sent.add(answer);
    if (sent.size >= SENT_AT_ONCE) await sent.all();
  };
  const pending = new Map<Kind, Batch>();
  let archived = new Map<string, ArchiveChange>();
  const flushArchived = async (): Promise<void> => {
    if (archived.size > 0) await send(archive(transaction, account, [...archived.values()]));
    archived = new Map();
  };
  const flush = async (kind: Kind): Promise<void> => {
    const batch = pending.get(kind);
    pending.delete(kind);
    if (batch) await send(put(transaction, account, batch, location));
  };
  for (const { change, json } of changes) {
    if (change.table === "account") continue;
    if (change.table === "forgotten") {
      // What was put before is deleted, and what is put after stays.
      await flush("intent");
      await flush("event");
      await send(forget(transaction, account, change));
      continue;
    }
    if (change.table === "archived") {
      // What was put before is archived. What comes back is put after that.
      await flush("deployment");
      await flush("intent");
      if (archived.has(change.id)) await flushArchived();
      archived.set(change.id, change);
      continue;
    }
    let batch = pending.get(change.table);
    const key = textOfKey(change) ?? String(batch?.rows.size ?? 0);
    if (batch?.rows.has(key) || batch?.rows.size === ROWS) {
      await flush(change.table);
      batch = undefined;
    }
    batch ??= { kind: change.table, rows: new Map() };
    batch.rows.set(key, [...cellsOf(change), json]);
    pending.set(change.table, batch);
  }
  await flushArchived();
  for (const kind of [...pending.keys()]) await flush(kind);
}

async function put(
  transaction: Transaction,
  account: string,
  { kind, rows }: Batch,
  location: string,
): Promise<void> {
  const { sql: statement, owned } = PUTS[kind];
  const lists = columns([...rows.values()]);
  const stored = await transaction.query<{ key: string }>(statement, [keyText(account), ...lists]);
  if (owned === undefined) return;
  const keys = new Set(stored.map(({ key }) => key));
  const other = [...rows.keys()].find((key) => !keys.has(key));
  if (other === undefined) return;
  // A name belongs to one account for good: under a second key it would rent everything again.
  throw new FleetkeeperError(
    "WRONG_ACCOUNT",
    `${owned} ${sql.nameOf(other)} belongs to another account in the ledger ${location}. Use the key it was made with.`,
  );
}

async function forget(
  transaction: Transaction,
  account: string,
  { intents, events }: Extract<Change, { table: "forgotten" }>,
): Promise<void> {
  const values = [keyText(account), intents.map(keyText)];
  const both = [sql.FORGET_INTENTS, ...(events ? [sql.FORGET_EVENTS] : [])];
  await Promise.all(both.map((statement) => transaction.query(statement, values)));
}

async function archive(
  transaction: Transaction,
  account: string,
  changes: readonly ArchiveChange[],
): Promise<void> {
  const key = keyText(account);
  const kept = changes.map(({ archived }) => archived && JSON.stringify(archived));
  const machines = [key, changes.map(({ id }) => keyText(id)), kept];
  const launched = changes.filter(({ intent }) => intent !== null);
  const launches = [
    key,
    launched.map(({ intent }) => keyText(intent ?? "")),
    launched.map((each) => each.archived !== null),
  ];
  await Promise.all([
    transaction.query(sql.ARCHIVE_DEPLOYMENTS, machines),
    launched.length === 0 ? undefined : transaction.query(sql.ARCHIVE_INTENTS, launches),
  ]);
}

type Row = Extract<Change, { table: Kind }>;

/** Undefined: events have no key. */
function textOfKey(change: Row): string | undefined {
  return change.table === "event" ? undefined : keyText(keyOf(change));
}

/** The columns of a row, in its statement's order, but the last one, which is the row itself. */
function cellsOf(change: Row): readonly Cell[] {
  const key = textOfKey(change) ?? null;
  switch (change.table) {
    case "intent":
      return [key, keyText(change.row.group), change.row.state];
    case "deployment":
      return [
        key,
        change.row.intent === null ? null : keyText(change.row.intent),
        change.row.claim,
        change.row.end,
      ];
    case "slot":
    case "fleet":
    case "cooldown":
      return [key];
    case "event":
      return [change.row.at, change.row.intent === undefined ? null : keyText(change.row.intent)];
    default:
      return unhandled(change);
  }
}

function columns(rows: readonly (readonly Cell[])[]): Cell[][] {
  return (rows[0] ?? []).map((_, column) => rows.map((row) => row[column] ?? null));
}
