import { FleetkeeperError } from "../../service/contract/errors.ts";
import {
  type AllRows,
  type Cell,
  COPIED,
  type CopiedTable,
  type Made,
  type Purpose,
  SEAL_TABLE,
  type Seal,
} from "../copy.ts";
import { NO_EPOCH } from "../epoch.ts";
import { LedgerTime } from "../ledger-time.ts";
import { readAddress } from "./address.ts";
import { Connections, type Transaction } from "./connections.ts";
import { isThere, MADE, migrate, seal, sealOf, unseal } from "./migrate.ts";
import { TIMES } from "./postgres-ledger.ts";
import { keyText, nameOf, PUT_SERVICE } from "./statements.ts";

/** The other ledger may take a while between two statements here. */
const PATIENT = { ...TIMES, idle: 3_600_000 };

/** The order in which rows are read. */
const ORDER: Readonly<Record<CopiedTable, string>> = {
  ...{ account: "key", intent: "place", deployment: "account, id", slot: "place", fleet: "name" },
  ...{ cooldown: "base_url, combination", event: "sequence", stretch: "account, at" },
  ...{ market: "account, at", sample: "account, at" },
};

/** Columns that `keyText` writes. */
const KEYS = new Set(["key", "base_url", "account_id", "id", "account", "grouped", "name", "combination"]);
const NUMBERS = new Set(["sequence", "at", "until"]);

/** A column that only this engine has. It holds a field of the row. */
const DERIVED: Readonly<Partial<Record<CopiedTable, string>>> = { deployment: "launch", event: "intent" };

const AT_ONCE = 1_000;

/**
 * The ledger of this database. `make`: where there is none, it is made, so that it can take a copy. Throws
 * CONFIG if there is none, and none is made. See `AllRows`.
 */
export async function openAllRowsPostgres(
  url: string,
  make?: Made,
  purpose: Purpose = "change",
): Promise<AllRows> {
  const connections = new Connections(readAddress(url), PATIENT, new LedgerTime());
  try {
    const isSealed = await connections.run("snapshot", hasSeal);
    if (!isSealed) {
      if (!make && !(await isThere(connections)))
        throw new FleetkeeperError("CONFIG", `${connections.location}: there is no ledger here.`);
      await migrate(connections, make ?? NEVER_USED);
    }
    const transaction = await connections.begin(purpose === "look" ? "snapshot" : "write");
    return await transaction.holding(async () => {
      // No decision is under way, and none begins before this transaction has ended.
      if (purpose === "change")
        await transaction.query("LOCK TABLE fleetkeeper.service IN ACCESS EXCLUSIVE MODE");
      const [found] = await transaction.query<Found>("SELECT id, created, version FROM fleetkeeper.ledger");
      if (!found)
        throw new FleetkeeperError("LEDGER", `${connections.location}: the ledger has lost its own id.`);
      return new AllRowsPostgres(connections, transaction, found, await sealOf(transaction));
    });
  } catch (error) {
    connections.close();
    throw error;
  }
}

interface Found {
  readonly id: string;
  readonly created: string;
  readonly version: number;
}

const NEVER_USED: Made = { id: "", created: 0 };

async function hasSeal(transaction: Transaction): Promise<boolean> {
  const found = await transaction.query<{ seal: string | null }>("SELECT to_regclass($1) AS seal", [
    `fleetkeeper.${SEAL_TABLE}`,
  ]);
  return found[0]?.seal != null;
}

class AllRowsPostgres implements AllRows {
  readonly location: string;
  id: string;
  created: number;
  readonly version: number;
  readonly seal: Seal | undefined;
  readonly #connections: Connections;
  readonly #transaction: Transaction;
  /** The newest one that a row counts in. */
  #epoch = 0;
  #isOver = false;

  constructor(connections: Connections, transaction: Transaction, found: Found, sealed: Seal | undefined) {
    this.location = connections.location;
    this.id = found.id;
    this.created = Number(found.created);
    this.version = found.version;
    this.seal = sealed;
    this.#connections = connections;
    this.#transaction = transaction;
  }

  async *rows(table: CopiedTable): AsyncIterable<readonly Cell[]> {
    const columns = COPIED[table];
    const shown = columns.map((name) => (isFlag(table, name) ? "archived::integer AS archived" : name));
    await this.#transaction.query(
      `DECLARE copied NO SCROLL CURSOR FOR SELECT ${shown.join(", ")} FROM fleetkeeper.${table} ORDER BY ${ORDER[table]}`,
    );
    for (;;) {
      const rows = await this.#transaction.query<Record<string, Cell>>(`FETCH ${AT_ONCE} FROM copied`);
      for (const row of rows) yield columns.map((name) => shownCell(name, row[name] ?? null));
      if (rows.length < AT_ONCE) break;
    }
    await this.#transaction.query("CLOSE copied");
  }

  async put(table: CopiedTable, rows: readonly (readonly Cell[])[]): Promise<void> {
    for (const cell of rows.flat())
      for (const [, number] of String(cell).matchAll(/"boot":"epoch (\d+) since \d+"/g))
        this.#epoch = Math.max(this.#epoch, Number(number));
    const columns: readonly string[] = COPIED[table];
    const at = columns.indexOf("base_url");
    if (at >= 0)
      for (const url of new Set(rows.map((row) => row[at])))
        await this.#transaction.query(PUT_SERVICE, [keyText(String(url))]);
    const derived = DERIVED[table];
    const names = [...columns, ...(derived === undefined ? [] : [derived])];
    const values = columns.map((name, place) => rows.map((row) => storedCell(name, row[place] ?? null)));
    if (derived !== undefined) values.push(rows.map((row) => launchOf(row.at(-1) ?? null)));
    const lists = names.map((name, place) => `$${place + 1}::${typeOf(table, name)}[]`);
    await this.#transaction.query(
      `INSERT INTO fleetkeeper.${table} (${names.join(", ")}) OVERRIDING SYSTEM VALUE
       SELECT * FROM unnest(${lists.join(", ")})`,
      values,
    );
    if (table !== "event") return;
    const last = rows.at(-1)?.[0] ?? null;
    await this.#transaction.query(
      "SELECT setval(pg_get_serial_sequence('fleetkeeper.event', 'sequence'), $1)",
      [last],
    );
  }

  async become({ id, created }: Made): Promise<void> {
    // The next epoch is newer than those of the rows, also where this database's clock is behind that of their one.
    await this.#transaction.query(
      "UPDATE fleetkeeper.ledger SET id = $1, created = $2, epoch = $3, since = $4, server = NULL",
      [id, created, this.#epoch, NO_EPOCH.since],
    );
    this.id = id;
    this.created = created;
  }

  async setSeal(to: Seal | undefined): Promise<void> {
    await (to ? seal(this.#transaction, to) : unseal(this.#transaction));
  }

  async flaws(): Promise<readonly string[]> {
    const found = await this.#transaction.query<{ name: string }>(`
      SELECT relname AS name FROM pg_catalog.pg_class LEFT JOIN pg_catalog.pg_index ON indexrelid = pg_class.oid
        WHERE relnamespace = 'fleetkeeper'::regnamespace AND coalesce(indisvalid, true)
      UNION SELECT tgname FROM pg_catalog.pg_trigger JOIN pg_catalog.pg_class ON pg_class.oid = tgrelid
        WHERE relnamespace = 'fleetkeeper'::regnamespace AND tgenabled <> 'D'
      UNION SELECT proname || '()' FROM pg_catalog.pg_proc WHERE pronamespace = 'fleetkeeper'::regnamespace`);
    const names = new Set(found.map(({ name }) => name));
    return MADE.filter((name) => !names.has(name)).map((name) => `${name} is missing, or is not in force`);
  }

  async commit(): Promise<void> {
    this.#isOver = true;
    if ((await this.#transaction.commit()) === "stored") return;
    throw new FleetkeeperError(
      "LEDGER_BUSY",
      `${this.location}: the connection was lost in a commit. Run the same command again: it goes on from what is stored.`,
    );
  }

  async close(): Promise<void> {
    if (!this.#isOver) await this.#transaction.abandon();
    this.#isOver = true;
    this.#connections.close();
  }
}

/** A boolean here. */
function isFlag(table: CopiedTable, column: string): boolean {
  return table === "intent" && column === "archived";
}

function typeOf(table: CopiedTable, column: string): string {
  if (isFlag(table, column)) return "boolean";
  return NUMBERS.has(column) ? "bigint" : "text";
}

function shownCell(column: string, cell: Cell): Cell {
  if (KEYS.has(column)) return nameOf(String(cell));
  return NUMBERS.has(column) ? Number(cell) : cell;
}

function storedCell(column: string, cell: Cell): Cell {
  return KEYS.has(column) ? keyText(String(cell)) : cell;
}

/** The launch that a row names. */
function launchOf(row: Cell): string | null {
  const { intent = null } = JSON.parse(String(row)) as { intent?: string | null };
  return intent === null ? null : keyText(intent);
}
