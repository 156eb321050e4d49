import type { ArchivedPair, ArchiveStore } from "../archive.ts";
import type { ArchiveChange } from "../draft.ts";
import type { Archived, Owner } from "../rows.ts";
import { read, readArchived } from "../stored-row.ts";
import type { Transaction } from "./connections.ts";
import { keyText, nameOf, PAIRS } from "./statements.ts";

/** A decision asked for an archived row that is not loaded. It runs again once all of them are. */
export class NotLoaded extends Error {
  readonly id: string;

  constructor(id: string) {
    super(`the archived row of ${id} is not loaded`);
    this.id = id;
  }
}

/** A machine's row and its launch's, as they are stored. */
interface StoredPair {
  readonly key: string;
  readonly row: string;
  readonly archived: string | null;
  readonly launch: string | null;
}

/**
 * The archived rows of one account. Whoever asks for one cannot wait for a server. So as long as nobody does,
 * nothing but their keys is here; the first one loads them all, as text. They are right for as long as the view
 * is whose archive they are: what changes an archived row brings it back, and then the view is loaded anew.
 */
export class ArchivedRows implements ArchiveStore {
  readonly #account: string;
  /** By id. Undefined: the ledger has lost it. */
  readonly #loaded = new Map<string, StoredPair | undefined>();
  /** The machine that each launch made. */
  readonly #launches = new Map<string, string>();
  readonly #owners = new Map<Owner, Set<string>>();

  constructor(account: string) {
    this.#account = account;
  }

  /** A machine was archived, and its launch. */
  add({ id, intent, archived }: ArchiveChange): void {
    this.#loaded.delete(id);
    const owner = archived?.owner ?? null;
    if (intent !== null) this.#launches.set(intent, id);
    if (owner === null) return;
    const ids = this.#owners.get(owner) ?? new Set();
    this.#owners.set(owner, ids.add(id));
  }

  /** Loads those of these machines that are not loaded. */
  async load(transaction: Transaction, ids: Iterable<string>): Promise<void> {
    const missing = [...ids].filter((id) => !this.#loaded.has(id));
    if (missing.length === 0) return;
    const values = [keyText(this.#account), missing.map(keyText)];
    const found = await transaction.query<StoredPair>(PAIRS, values);
    for (const id of missing) this.#loaded.set(id, undefined);
    for (const pair of found) this.#loaded.set(nameOf(pair.key), pair);
  }

  pair(id: string): ArchivedPair | undefined {
    if (!this.#loaded.has(id)) throw new NotLoaded(id);
    const stored = this.#loaded.get(id);
    return (
      stored && {
        row: read("deployment", { row: stored.row }),
        intent: stored.launch === null ? null : read("intent", { row: stored.launch }),
        archived: stored.archived === null ? NOT_ANY_MORE : readArchived(stored.archived),
      }
    );
  }

  pairOf(intent: string): ArchivedPair | undefined {
    const id = this.#launches.get(intent);
    return id === undefined ? undefined : this.pair(id);
  }

  idsOf(owner: Owner): readonly string[] {
    return [...(this.#owners.get(owner) ?? [])];
  }
}

/** It was archived by a decision that is not stored yet. */
const NOT_ANY_MORE: Archived = { owner: null, record: null, spent: {} };
