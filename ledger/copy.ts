import { createHash } from "node:crypto";
import { FleetkeeperError } from "../service/contract/errors.ts";

/** A column's value. Keys are as rows name them, flags are 0 or 1. */
export type Cell = string | number | null;

/** What both engines keep: each table with the columns in which it is copied. The tables that others refer to come first. */
export const COPIED = {
  account: ["key", "base_url", "account_id", "row"],
  intent: ["id", "account", "grouped", "state", "archived", "row"],
  deployment: ["account", "id", "claim", "ended", "archived", "row"],
  slot: ["id", "account", "row"],
  fleet: ["name", "account", "row"],
  cooldown: ["base_url", "combination", "row"],
  event: ["sequence", "account", "at", "row"],
  stretch: ["account", "at", "until", "row"],
  market: ["account", "at", "until", "row"],
  sample: ["account", "at", "until", "row"],
} as const;

export type CopiedTable = keyof typeof COPIED;
export const COPIED_TABLES = Object.keys(COPIED) as readonly CopiedTable[];

/** Tables whose rows have an order that is kept: that in which they were stored. */
const ORDERED: readonly CopiedTable[] = ["intent", "slot", "event"];

/**
 * Says that a ledger is not to be used: it was moved to another place, or is not whole yet. No program uses a
 * ledger of this version, older ones neither.
 */
export interface Seal {
  readonly state: "moved" | "arriving";
  /** The location of the other ledger: no secret. */
  readonly other: string;
}
export const SEALED = 1_000_000;

/** Where a seal is kept, in either engine. */
export const SEAL_TABLE = "seal";

/** The ledger is sealed. */
export class SealedError extends FleetkeeperError {}

export function sealedError(location: string, { state, other }: Seal): SealedError {
  return new SealedError(
    "LEDGER",
    state === "moved"
      ? `${location}: this ledger was moved to ${other} by fleetkeeper ledger copy, and is used no more. Name that one: with ` +
          "--ledger, FLEETKEEPER_LEDGER, service.ledger in the fleet file or fleetkeeper:ledger of the stack."
      : `${location}: the copy of ${other} into this ledger has not come to its end. Run the same fleetkeeper ledger copy again.`,
  );
}

/** What a ledger was made with. */
export interface Made {
  readonly id: string;
  /** Wall time in ms. */
  readonly created: number;
}

/** `change`: nobody else uses the ledger meanwhile. `look`: others go on with it. */
export type Purpose = "change" | "look";

/** A whole ledger as one transaction finds it. */
export interface AllRows extends Made {
  readonly location: string;
  /** Of its tables. */
  readonly version: number;
  readonly seal: Seal | undefined;
  /** In the order in which they were stored, where that counts. */
  rows(table: CopiedTable): AsyncIterable<readonly Cell[]>;
  put(table: CopiedTable, rows: readonly (readonly Cell[])[]): Promise<void>;
  /** Takes the other ledger's identity. */
  become(made: Made): Promise<void>;
  /** Undefined: it may be used. */
  setSeal(seal: Seal | undefined): Promise<void>;
  /** What is wrong with the tables themselves, for people: pages, missing indexes and triggers. */
  flaws(): Promise<readonly string[]>;
  /** Stores what was done. Nothing can be done after it. */
  commit(): Promise<void>;
  /** Gives up what was not stored. */
  close(): Promise<void>;
}

/** Opens a whole ledger again, for the next transaction. */
export type OpenAllRows = () => Promise<AllRows>;

/** How many rows of each table were copied. */
export type Counts = Readonly<Record<CopiedTable, number>>;

const AT_ONCE = 1_000;

/**
 * Copies a ledger into an empty one, row by row, and reads both again: what differs is an error. From then on
 * the copy is the ledger, and the old one refuses every use. At no moment may both be used. What was cut off is
 * finished by the same call. Throws LEDGER, or CONFIG if there is nothing that may be copied.
 */
export async function copyLedger(openSource: OpenAllRows, openTarget: OpenAllRows): Promise<Counts> {
  return using(await openSource(), async (source) => {
    if (source.seal) {
      const counts = await using(await openTarget(), (target) => cutOff(source, target));
      await release(openTarget, source);
      return counts;
    }
    const { counts, location } = await using(await openTarget(), (target) => copied(source, target));
    await source.setSeal({ state: "moved", other: location });
    await source.commit();
    await release(openTarget, source);
    return counts;
  });
}

/**
 * Until this no ledger may be used. A process that ends before it leaves a copy that the next one finishes. One that
 * stood still may find that finished, and the copy moved on: a ledger that was moved is never released.
 */
async function release(openTarget: OpenAllRows, source: Made): Promise<void> {
  await using(await openTarget(), async (target) => {
    if (target.id === source.id && !target.seal) return;
    if (!isCopyOf(source, target))
      throw target.seal ? sealedError(target.location, target.seal) : left(target);
    await target.setSeal(undefined);
    await target.commit();
  });
}

async function copied(source: AllRows, target: AllRows) {
  if (target.seal?.state === "moved") throw sealedError(target.location, target.seal);
  if (target.seal) throw left(target);
  for await (const _ of target.rows("account"))
    throw wrong(
      `${target.location}: this ledger is in use: a ledger is copied into an empty place only, and this one has seen an account.`,
    );
  for (const table of COPIED_TABLES) {
    let rows: (readonly Cell[])[] = [];
    for await (const row of source.rows(table)) {
      rows.push(row);
      if (rows.length < AT_ONCE) continue;
      await target.put(table, rows);
      rows = [];
    }
    if (rows.length > 0) await target.put(table, rows);
  }
  await target.become(source);
  await target.setSeal({ state: "arriving", other: source.location });
  const counts = await compared(source, target);
  await target.commit();
  return { counts, location: target.location };
}

/** Finishes a copy that was cut off after the old ledger was sealed. */
async function cutOff(source: AllRows, target: AllRows): Promise<Counts> {
  const { seal } = source;
  if (seal?.state === "moved" && isCopyOf(source, target) && seal.other === target.location)
    return compared(source, target);
  throw seal ? sealedError(source.location, seal) : left(target);
}

/** It waits to be released. */
function isCopyOf({ id }: Made, target: AllRows): boolean {
  return target.seal?.state === "arriving" && target.id === id;
}

function left({ location }: AllRows): FleetkeeperError {
  return wrong(
    `${location}: an earlier copy into this place was cut off. It counts for nothing: delete it, and copy again. A file ` +
      "is deleted as it is; in PostgreSQL it is DROP SCHEMA fleetkeeper CASCADE, which takes the rights of roles away: docs/reference/ledgers.md " +
      "(Roles) gives them again, from CREATE SCHEMA on.",
  );
}

/** Reads both again. Throws LEDGER if a row differs. */
async function compared(source: AllRows, target: AllRows): Promise<Counts> {
  const counts: Partial<Record<CopiedTable, number>> = {};
  if (source.id !== target.id || source.created !== target.created) throw differs(target, "the ledger's id");
  for (const table of COPIED_TABLES) {
    const [ours, theirs] = [await digests(source, table), await digests(target, table)];
    if (ours.length !== theirs.length || ours.some((digest, index) => digest !== theirs[index]))
      throw differs(target, `the table ${table}`);
    counts[table] = ours.length;
  }
  return counts as Counts;
}

async function digests(ledger: AllRows, table: CopiedTable): Promise<readonly string[]> {
  const found: string[] = [];
  for await (const row of ledger.rows(table))
    found.push(createHash("sha256").update(JSON.stringify(row)).digest("base64"));
  return ORDERED.includes(table) ? found : found.sort();
}

function differs({ location }: AllRows, what: string): FleetkeeperError {
  return new FleetkeeperError(
    "LEDGER",
    `${location}: ${what} was not stored as it is in the ledger that is copied. The copy is not used, and the old ledger stays ` +
      "what it is.",
  );
}

function wrong(text: string): FleetkeeperError {
  return new FleetkeeperError("CONFIG", text);
}

async function using<T>(ledger: AllRows, work: (ledger: AllRows) => Promise<T>): Promise<T> {
  try {
    return await work(ledger);
  } finally {
    await ledger.close();
  }
}
