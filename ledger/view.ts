import { unhandled } from "../service/contract/errors.ts";
import type { Json } from "../service/contract/service.ts";
import { keepingSame } from "../service/same/keeping-same.ts";
import type { Archive } from "./archive.ts";
import type { ArchiveChange, Change } from "./draft.ts";
import type { AccountRow, CooldownRow, DeploymentRow, FleetRow, IntentRow, SlotRow } from "./rows.ts";
import {
  archiveIn,
  copyOf,
  isKeyed,
  KEYED,
  type KeyedChange,
  keyOf,
  type Rows,
  type Tables,
  tablesOf,
} from "./tables.ts";

/**
 * The rows of one account in memory, as its newest transaction left them. A ledger keeps it for as long as
 * nobody else commits, so that a decision loads nothing. Decisions work on `tables` themselves: a transaction
 * that fails must throw its view away.
 */
export class View {
  readonly tables: Tables;
  /** What readers were given last. A table that changes leaves it. */
  #copies: Partial<Tables> = {};

  constructor(rows: Rows) {
    this.tables = tablesOf({ ...rows, deployments: rows.deployments.toSorted(bySequence) });
  }

  /** Takes the rows that others have stored since, and what they archived. None may have come back from there. */
  catchUp(newer: Rows, archived: readonly ArchiveChange[]): void {
    const { tables } = this;
    const last = tables.account.sequence;
    const deployments = newer.deployments.toSorted(bySequence);
    const isReordered = deployments.some(({ id, sequence }) => {
      const known = tables.deployments.ever(id);
      return known ? known.sequence !== sequence : sequence <= last;
    });
    const rows = { ...newer, deployments };
    const changes = Object.entries(KEYED).flatMap(([table, name]) =>
      rows[name].map((row) => ({ table, row }) as KeyedChange),
    );
    this.take({ table: "account", row: newer.account }, newer.account);
    for (const change of changes) this.take(change, change.row);
    for (const change of archived) this.take(change, undefined);
    this.sort(changes, { isReordered });
  }

  /** They will all be taken anew. */
  forgetCooldowns(): void {
    this.tables.cooldowns.clear();
    delete this.#copies.cooldowns;
  }

  /** Brings the rows that a transaction stored into the order in which they would be loaded. */
  sort(changes: readonly Change[], { isReordered }: { readonly isReordered: boolean }): void {
    const { tables } = this;
    const has = (table: Change["table"]): boolean => changes.some((change) => change.table === table);
    if (has("fleet")) tables.fleets = byKey(tables.fleets);
    if (has("cooldown")) tables.cooldowns = byKey(tables.cooldowns);
    if (!isReordered) return;
    tables.deployments = tables.deployments.sorted(bySequence);
  }

  /** The rows now. No later transaction changes them. Archived ones are read while the ledger is open. */
  snapshot(): Snapshot {
    const tables = copyOf(this.tables, this.#copies);
    this.#copies = { ...tables };
    return new Snapshot(tables);
  }

  /** Takes what a transaction stored. `stored` is the row as it would be read again. */
  take(change: Change, stored: unknown): void {
    const { tables } = this;
    if (isKeyed(change)) {
      const name = KEYED[change.table];
      const table: Map<string, unknown> = tables[name];
      table.set(keyOf(change), sharing(change.row, stored));
      delete this.#copies[name];
      return;
    }
    switch (change.table) {
      case "account":
        // What did not change of it keeps its identity: see launch/machine/unchanged.ts.
        tables.account = sharing(tables.account, stored);
        return;
      case "forgotten":
        for (const id of change.intents)
          if (tables.intents.get(id)?.state !== "open") tables.intents.delete(id);
        delete this.#copies.intents;
        return;
      case "archived":
        // What comes back is put as a row, too.
        if (change.archived !== null) archiveIn(tables, change.id, change.intent, change.archived);
        this.#copies = {};
        return;
      case "event":
        return;
      default:
        unhandled(change);
    }
  }
}

/**
 * An account's rows as one transaction left them, to be read for as long as anybody likes. Archived ones are
 * read from the ledger when somebody asks for them: as long as it is open, and as they are then.
 */
export class Snapshot implements Rows {
  /** Shared with other readers: never change them. */
  readonly tables: Tables;

  constructor(tables: Tables) {
    this.tables = tables;
  }

  get account(): AccountRow {
    return this.tables.account;
  }
  get intents(): readonly IntentRow[] {
    return [...this.tables.intents.values()];
  }
  get deployments(): readonly DeploymentRow[] {
    return [...this.tables.deployments.values()];
  }
  get slots(): readonly SlotRow[] {
    return [...this.tables.slots.values()];
  }
  get fleets(): readonly FleetRow[] {
    return [...this.tables.fleets.values()];
  }
  get cooldowns(): readonly CooldownRow[] {
    return [...this.tables.cooldowns.values()];
  }
  get archive(): Archive {
    return this.tables.archive;
  }
}

/**
 * What was stored, with the parts that the row which was put has in common with others: moments, names, an id
 * that is its record's. Read again, each row would have its own.
 */
function sharing<Row>(row: Row, stored: unknown): Row {
  return keepingSame(row as Json, stored as Json) as Row;
}

function byKey<Row>(rows: Map<string, Row>): Map<string, Row> {
  return new Map([...rows].sort(([one], [other]) => (one < other ? -1 : 1)));
}

function bySequence(one: DeploymentRow, other: DeploymentRow): number {
  return one.sequence - other.sequence;
}
