import { FleetkeeperError } from "../../service/contract/errors.ts";
import { Archive } from "../archive.ts";
import type { ArchiveChange, Draft } from "../draft.ts";
import type { AccountRow } from "../rows.ts";
import { read, readAll, readArchived } from "../stored-row.ts";
import type { Rows } from "../tables.ts";
import { View } from "../view.ts";
import { archiveStore, type Guarded } from "./archive-store.ts";
import type { Statements } from "./statements.ts";

/** A view, and the state of the ledger that it shows. */
interface Held {
  readonly view: View;
  /** The ledger's version; see migrations/005-versions.ts. */
  version: number;
  /** SQLite's number for the newest commit of another connection; undefined: it must be looked at again. */
  dataVersion: unknown;
  /** What came back from the archive stands behind all other rows: they must be loaded anew. */
  isDisordered: boolean;
}

/**
 * The rows of each account in memory. A view holds for as long as no other connection commits, and is then
 * brought up to date by the rows that changed. Every method needs a transaction: it is asked about one state.
 */
export class Views {
  private readonly sql: Statements;
  private readonly location: string;
  private readonly guarded: Guarded;
  private readonly held = new Map<string, Held>();
  /** The newest version that the ledger had here after a transaction that was stored. */
  private newest = 0;

  constructor(sql: Statements, location: string, guarded: Guarded) {
    this.sql = sql;
    this.guarded = guarded;
    this.location = location;
  }

  /** The account's rows as this transaction finds them. */
  of(account: string): View {
    const dataVersion = this.sql.dataVersion.get()?.data_version;
    const held = this.held.get(account);
    if (held && !held.isDisordered && held.dataVersion === dataVersion) return held.view;
    const { version, cleared } = this.versions();
    if (held) this.remember(held);
    // A version that went back is another file's: somebody restored a backup into this one.
    const isLater = held && cleared <= held.version && version >= held.version;
    if (isLater && !held.isDisordered && this.catchUp(account, held)) {
      Object.assign(held, { version, dataVersion });
      return held.view;
    }
    const view = new View(this.load(account));
    this.held.set(account, { view, version, dataVersion, isDisordered: false });
    return view;
  }

  /**
   * Asked first in a transaction. True if the ledger has an earlier version than it had here: somebody restored
   * a backup into the open file.
   */
  sawLater(): boolean {
    for (const held of this.held.values()) this.remember(held);
    return this.versions().version < this.newest;
  }

  /** No process may go on with rows that it holds: the file was restored. `now`: wall time in ms. */
  outdate(now: number): void {
    // Later than what any process may have seen of the file: rows are written more seldom than once a millisecond.
    const version = Math.max(now, this.newest + 1);
    this.sql.outdate.run(version, version);
    this.clear();
  }

  /** The view has taken what this transaction stored. */
  took(account: string, { changes, isRecalled }: Draft): void {
    const held = this.held.get(account);
    if (held) Object.assign(held, { version: this.versions().version, isDisordered: isRecalled });
    // Cooldowns are the service's: what one account met concerns the others, too.
    if (!changes.some(({ table }) => table === "cooldown")) return;
    for (const [key, other] of this.held) if (key !== account) other.dataVersion = undefined;
  }

  forget(account: string): void {
    this.held.delete(account);
  }

  /** A transaction failed: views may have taken what is stored nowhere. */
  clear(): void {
    this.held.clear();
  }

  private remember({ version }: Held): void {
    this.newest = Math.max(this.newest, version);
  }

  private versions(): { readonly version: number; readonly cleared: number } {
    const found = this.sql.versions.get();
    return { version: Number(found?.version), cleared: Number(found?.cleared) };
  }

  /** False: what came back from the archive is not known any more, so all must be loaded. */
  private catchUp(account: string, { view, version }: Held): boolean {
    const changed = this.sql.changedDeployments.all(account, version);
    if (changed.some(({ id }) => view.tables.archive.has(String(id)))) return false;
    const row = this.accountRow(account);
    const archived = changed
      .filter((stored) => stored.archived !== null)
      .map((stored): ArchiveChange => {
        const { id, intent } = read("deployment", stored);
        return { table: "archived", id, intent, archived: readArchived(stored.archived) };
      });
    const newer: Rows = {
      account: row,
      intents: readAll("intent", this.sql.changedIntents.all(account, version).sort(byRowid)),
      deployments: readAll(
        "deployment",
        changed.filter((stored) => stored.archived === null),
      ),
      slots: readAll("slot", this.sql.changedSlots.all(account, version)),
      fleets: readAll("fleet", this.sql.changedFleets.all(account, version)),
      cooldowns: readAll("cooldown", this.sql.changedCooldowns.all(row.baseUrl, version)),
    };
    view.catchUp(newer, archived);
    return true;
  }

  private load(account: string): Rows {
    const row = this.accountRow(account);
    return {
      account: row,
      intents: readAll("intent", this.sql.intents.all(account).sort(byRowid)),
      deployments: readAll("deployment", this.sql.deployments.all(account)),
      slots: readAll("slot", this.sql.slots.all(account)),
      fleets: readAll("fleet", this.sql.fleets.all(account)),
      cooldowns: readAll("cooldown", this.sql.cooldowns.all(row.baseUrl)),
      archive: new Archive(
        archiveStore(this.sql, account, this.guarded),
        this.sql.archived
          .all(account)
          .map(({ id, archived }) => [String(id), readArchived(archived)] as const),
      ),
    };
  }

  private accountRow(account: string): AccountRow {
    const found = this.sql.account.get(account);
    if (found) return read("account", found);
    throw new FleetkeeperError("LEDGER", `${this.location}: no account ${account} in this ledger.`);
  }
}

/** In the order in which they were first stored. */
function byRowid(one: Record<string, unknown>, other: Record<string, unknown>): number {
  return Number(one.rowid) - Number(other.rowid);
}
