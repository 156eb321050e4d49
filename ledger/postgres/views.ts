import { combinationKey } from "../../service/contract/contract.ts";
import { FleetkeeperError } from "../../service/contract/errors.ts";
import { Archive } from "../archive.ts";
import type { ArchiveChange, Change } from "../draft.ts";
import type { LedgerTime, StoredEpoch } from "../ledger-time.ts";
import type { AccountRow, Archived } from "../rows.ts";
import { read, readArchived } from "../stored-row.ts";
import type { KEYED, Rows } from "../tables.ts";
import { View } from "../view.ts";
import { ArchivedRows } from "./archive-store.ts";
import type { Transaction } from "./connections.ts";
import { checkNeeds } from "./migrate.ts";
import * as sql from "./statements.ts";
import { keyText, nameOf } from "./statements.ts";

/** Which state of an account's rows, or of a service's cooldowns, a view shows; see migrations/001-initial.ts. */
export interface State {
  readonly version: number;
  readonly decision: string | null;
}

/** A view, and the state of the ledger that it shows. */
interface Held {
  readonly view: View;
  readonly archived: ArchivedRows;
  account: State;
  service: State;
}

/** A state as the server gives it. */
interface Stored {
  readonly version: string;
  readonly cleared: string;
  readonly decision: string | null;
  /** The ledger still has the decision that the view shows. */
  readonly known: boolean;
}

/** An epoch as the server gives it. */
export interface EpochColumns {
  readonly number: string;
  readonly since: string;
  readonly server: string | null;
}

export function storedEpoch({ number, since, server }: EpochColumns): StoredEpoch {
  return { number: Number(number), since: Number(since), server };
}

/** Before anything is decided a new epoch must begin. */
export class EpochOver extends Error {
  override readonly message = "the epoch of the ledger's clock is over";
}

interface StoredAccount extends Stored, EpochColumns {
  /** Null: the view has it. */
  readonly row: string | null;
  readonly needs: number;
  readonly service_version: string;
  readonly service_cleared: string;
  readonly service_decision: string | null;
  readonly service_known: boolean;
}

interface StoredRow {
  readonly kind: keyof typeof KEYED | "archived";
  readonly place: string;
  /** Of machines: the id. */
  readonly key: string | null;
  readonly launch: string | null;
  readonly row: string;
}

/** Versions that may pass before a decision is forgotten; see `SIGN`. */
const KEPT_DECISIONS = 100;

/**
 * The rows of each account in memory. A view holds for as long as the account's version is the view's, and is
 * then brought up to date by the rows that changed. That is asked under the account's lock, or in a snapshot.
 * The caller keeps the transactions of one account apart, and forgets the view of one that failed.
 *
 * A view is brought up to date only if the ledger still has the decision that the view shows. A ledger that was
 * restored, or whose server has lost its last second, may have come to a newer version by another way.
 */
export class Views {
  readonly #location: string;
  readonly #time: LedgerTime;
  readonly #held = new Map<string, Held>();
  /** The newest state of each account that was seen here. It outlives the view. */
  readonly #seen = new Map<string, State>();
  /** Accounts of which decisions that were seen here are lost. */
  readonly #lost = new Set<string>();

  constructor(location: string, time: LedgerTime) {
    this.#location = location;
    this.#time = time;
  }

  /**
   * The account's rows as this transaction finds them. `locked`: nobody else changes them before its end. Then it
   * throws EpochOver if no moment may be compared with those that are stored.
   */
  async of(transaction: Transaction, account: string, mode: "locked" | "snapshot"): Promise<View> {
    const held = this.#held.get(account);
    const seen = this.#seen.get(account);
    const key = keyText(account);
    const [found] = await transaction.look<StoredAccount>(
      mode === "locked" ? sql.LOCK_ACCOUNT : sql.ACCOUNT,
      [key, seen?.decision, held?.service.decision, held?.account.version],
    );
    if (!found)
      throw new FleetkeeperError("LEDGER", `${this.#location}: no account ${account} in this ledger.`);
    checkNeeds(found.needs, this.#location);
    const epoch = storedEpoch(found);
    if (mode === "snapshot") this.#time.follow(epoch);
    else if (this.#time.needsEpoch(epoch, transaction.server)) throw new EpochOver();
    const service = serviceOf(found);
    if (held && isSame(held.account, found) && isSame(held.service, service)) return held.view;
    if (seen && hasLost(seen, found)) this.#lost.add(account);
    const states = { account: stateOf(found), service: stateOf(service) };
    this.#seen.set(account, states.account);
    if (held && goesOn(held.account, found) && (await this.#catchUp(transaction, held, found, service))) {
      Object.assign(held, states);
      return held.view;
    }
    this.#held.delete(account);
    const row = accountRow(found.row ?? (await this.#rowAnew(transaction, key)));
    if (row.list) this.#time.compare(row.list);
    if (mode === "locked" && this.#time.needsEpoch(epoch, transaction.server)) throw new EpochOver();
    const stored = await rowsSince(transaction, account, ALL, ALL);
    const archived = new ArchivedRows(account);
    const gone = archivedOf(stored);
    for (const change of gone) archived.add(change);
    const archive = new Archive(
      archived,
      gone.map((each) => [each.id, each.archived]),
    );
    const view = new View({ ...rowsOf(stored, row), archive });
    this.#held.set(account, { view, archived, ...states });
    return view;
  }

  /**
   * Locks the service of an account that is locked already, always in this order. False: its cooldowns are not
   * those of the view any more.
   */
  async lockService(transaction: Transaction, account: string): Promise<boolean> {
    const [found] = await transaction.query<Pick<Stored, "version" | "decision">>(sql.LOCK_SERVICE, [
      keyText(account),
    ]);
    const held = this.#held.get(account);
    return found !== undefined && held !== undefined && isSame(held.service, found);
  }

  /** Loads the archived rows of a view, and of these machines, too. */
  async loadArchived(transaction: Transaction, account: string, more: Iterable<string> = []): Promise<void> {
    const held = this.#held.get(account);
    await held?.archived.load(transaction, [...held.view.tables.archive.ids(), ...more]);
  }

  /** True until `mend`: the ledger was restored, or has lost what was committed. */
  hasLost(account: string): boolean {
    return this.#lost.has(account);
  }

  mend(account: string): void {
    this.#lost.delete(account);
  }

  /** The view has taken what a transaction stored, which left these states behind. */
  took(
    account: string,
    states: { readonly account: State; readonly service?: State | undefined },
    changes: readonly Change[],
  ): void {
    this.#seen.set(account, states.account);
    const held = this.#held.get(account);
    if (!held) return;
    for (const change of changes)
      if (change.table === "archived" && change.archived !== null) held.archived.add(change);
    held.account = states.account;
    held.service = states.service ?? held.service;
  }

  /** A transaction failed: the view may have taken what is stored nowhere. */
  forget(account: string): void {
    this.#held.delete(account);
  }

  /** False: what came back from the archive is not known any more, so all must be loaded. */
  async #catchUp(
    transaction: Transaction,
    { view, archived, account, service }: Held,
    found: StoredAccount,
    foundService: Stored,
  ): Promise<boolean> {
    const { tables } = view;
    const fromService = goesOn(service, foundService) ? service.version : ALL;
    const stored = await rowsSince(transaction, tables.account.key, account.version, fromService);
    if (stored.some(({ key }) => key !== null && tables.archive.has(nameOf(key)))) return false;
    const newer = rowsOf(stored, found.row === null ? tables.account : accountRow(found.row));
    const gone = archivedOf(stored);
    if (fromService === ALL) view.forgetCooldowns();
    view.catchUp(newer, gone);
    for (const change of gone) archived.add(change);
    return true;
  }

  /** The version is the view's, but not the decision: the row may be another one. */
  async #rowAnew(transaction: Transaction, key: string): Promise<string> {
    const [found] = await transaction.query<StoredAccount>(sql.ACCOUNT, [key, null, null, null]);
    if (found?.row != null) return found.row;
    throw new FleetkeeperError("LEDGER", `${this.#location}: no account ${key} in this ledger.`);
  }
}

const ALL = -1;

function stateOf({ version, decision }: Stored): State {
  return { version: Number(version), decision };
}

function serviceOf(found: StoredAccount): Stored {
  return {
    version: found.service_version,
    cleared: found.service_cleared,
    decision: found.service_decision,
    known: found.service_known,
  };
}

function isSame(held: State, { version, decision }: Pick<Stored, "version" | "decision">): boolean {
  return held.version === Number(version) && held.decision === decision;
}

/** Only rows were put since, on top of what the view shows. */
function goesOn(held: State, { version, cleared, known }: Stored): boolean {
  return (
    (known || held.decision === null) && Number(version) >= held.version && Number(cleared) <= held.version
  );
}

/** A decision that is too young to be forgotten is gone. */
function hasLost(held: State, { version, known }: Stored): boolean {
  return held.decision !== null && !known && Number(version) <= held.version + KEPT_DECISIONS;
}

function accountRow(text: string): AccountRow {
  return read("account", { row: text });
}

function rowsSince(
  transaction: Transaction,
  account: string,
  version: number,
  service: number,
): Promise<readonly StoredRow[]> {
  return transaction.query<StoredRow>(sql.ROWS_SINCE, [keyText(account), version, service]);
}

function rowsOf(stored: readonly StoredRow[], account: AccountRow): Rows {
  const of = <K extends keyof typeof KEYED>(kind: K) => {
    const found = stored.filter((each) => each.kind === kind);
    return found
      .sort((one, other) => Number(one.place) - Number(other.place))
      .map(({ row }) => read(kind, { row }));
  };
  return {
    account,
    intents: of("intent"),
    deployments: of("deployment"),
    slots: of("slot"),
    fleets: of("fleet").sort((one, other) => (one.name < other.name ? -1 : 1)),
    cooldowns: of("cooldown").sort((one, other) => (combinationKey(one) < combinationKey(other) ? -1 : 1)),
  };
}

function archivedOf(
  stored: readonly StoredRow[],
): readonly (ArchiveChange & { readonly archived: Archived })[] {
  return stored
    .filter(({ kind }) => kind === "archived")
    .map(({ key, launch, row }) => ({
      table: "archived",
      id: nameOf(key ?? ""),
      intent: launch === null ? null : nameOf(launch),
      archived: readArchived(row),
    }));
}
