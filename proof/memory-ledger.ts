import { accountRow } from "../ledger/account-row.ts";
import type { Change, Rows } from "../ledger/draft.ts";
import { Draft } from "../ledger/draft.ts";
import type { Ledger, OpenAccount } from "../ledger/ledger.ts";
import type {
  AccountRow,
  CooldownRow,
  DeploymentRow,
  EventRow,
  FleetRow,
  IntentRow,
  SlotRow,
  StoredEvent,
} from "../ledger/rows.ts";
import { combinationKey } from "../service/contract.ts";
import { FleetkeeperError, unhandled } from "../service/errors.ts";

interface Tables {
  account: AccountRow;
  readonly intents: Map<string, IntentRow>;
  readonly deployments: Map<string, DeploymentRow>;
  readonly slots: Map<string, SlotRow>;
  readonly fleets: Map<string, FleetRow>;
}

/**
 * A ledger in memory for the simulation: the interface, the order of rows and the two constraints of the SQLite one, ten
 * times as fast. Rows are stored by value: what is put is copied as JSON would write it, and frozen, so that nothing
 * outside can change what is stored, as no process can change what is in a file.
 */
export class MemoryLedger implements Ledger {
  readonly id: string;
  readonly location = "memory";
  readonly #accounts = new Map<string, Tables>();
  readonly #cooldowns = new Map<string, CooldownRow>();
  #events: { readonly account: string; readonly event: StoredEvent }[] = [];
  #noted = 0;

  constructor(id: string) {
    this.id = id;
  }

  async openAccount(request: OpenAccount): Promise<string> {
    const key = `${request.baseUrl} ${request.account.id}`;
    const stored = this.#accounts.get(key);
    const row = accountRow(key, stored?.account, request, this.location);
    if (stored) stored.account = byValue(row);
    else {
      const empty = { intents: new Map(), deployments: new Map(), slots: new Map(), fleets: new Map() };
      this.#accounts.set(key, { account: byValue(row), ...empty });
    }
    return key;
  }

  async accounts(): Promise<readonly AccountRow[]> {
    return [...this.#accounts.values()].map(({ account }) => account);
  }

  async accountOfSlot(slot: string): Promise<string | undefined> {
    return [...this.#accounts].find(([, { slots }]) => slots.has(slot))?.[0];
  }

  async accountOfFleet(name: string): Promise<string | undefined> {
    return [...this.#accounts].find(([, { fleets }]) => fleets.has(name))?.[0];
  }

  async decide<T>(account: string, decision: (draft: Draft) => T): Promise<T> {
    const draft = new Draft(this.#load(account));
    const result = decision(draft);
    this.#store(account, draft.changes);
    return result;
  }

  async read(account: string): Promise<Rows> {
    return this.#load(account);
  }

  async events(account: string, limit: number, after = 0): Promise<readonly StoredEvent[]> {
    return this.#events
      .filter((each) => each.account === account && each.event.sequence > after)
      .map(({ event }) => event)
      .reverse()
      .slice(0, limit);
  }

  close(): void {}

  #load(account: string): Rows {
    const { account: row, intents, deployments, slots, fleets } = this.#tables(account);
    return {
      account: row,
      intents: [...intents.values()],
      // SQLite keeps deployments by their key, and fleets are read by name.
      deployments: [...deployments.values()].sort((one, other) => (one.id < other.id ? -1 : 1)),
      slots: [...slots.values()],
      fleets: [...fleets.values()].sort((one, other) => (one.name < other.name ? -1 : 1)),
      cooldowns: [...this.#cooldowns.values()],
    };
  }

  /** All of a transaction or nothing: the constraints are looked at before anything is put. */
  #store(account: string, changes: readonly Change[]): void {
    if (changes.length === 0) return;
    const tables = this.#tables(account);
    this.#checkOpenIntents(tables, changes);
    for (const change of changes) {
      switch (change.table) {
        case "account":
          tables.account = byValue(change.row);
          break;
        case "intent":
          tables.intents.set(change.row.id, byValue(change.row));
          break;
        case "deployment":
          tables.deployments.set(change.row.id, byValue(change.row));
          break;
        case "slot":
          tables.slots.set(change.row.id, byValue(change.row));
          break;
        case "fleet":
          tables.fleets.set(change.row.name, byValue(change.row));
          break;
        case "cooldown":
          this.#cooldowns.set(combinationKey(change.row), byValue(change.row));
          break;
        case "event":
          this.#note(account, change.row);
          break;
        case "forgotten":
          this.#forget(tables, account, change);
          break;
        default:
          unhandled(change);
      }
    }
  }

  /** The unique index of the SQLite ledger: one open intent a group, at every single statement. */
  #checkOpenIntents(tables: Tables, changes: readonly Change[]): void {
    const puts = changes.filter((change) => change.table === "intent");
    if (puts.length === 0) return;
    const open = new Map<string, string>();
    for (const { id, group, state } of tables.intents.values()) if (state === "open") open.set(group, id);
    for (const { row } of puts) {
      for (const [group, id] of open) if (id === row.id) open.delete(group);
      if (row.state !== "open") continue;
      if (open.has(row.group)) {
        throw new FleetkeeperError(
          "LEDGER",
          `UNIQUE constraint failed: a second open intent in ${row.group}`,
        );
      }
      open.set(row.group, row.id);
    }
  }

  #note(account: string, row: EventRow): void {
    this.#noted += 1;
    this.#events.push({ account, event: byValue({ ...row, sequence: this.#noted }) });
  }

  #forget(
    { intents }: Tables,
    account: string,
    { intents: forgotten, events }: Extract<Change, { table: "forgotten" }>,
  ): void {
    for (const id of forgotten) if (intents.get(id)?.state !== "open") intents.delete(id);
    if (!events) return;
    const ids = new Set<string | undefined>(forgotten);
    this.#events = this.#events.filter(
      (each) => each.account !== account || each.event.intent === undefined || !ids.has(each.event.intent),
    );
  }

  #tables(account: string): Tables {
    const tables = this.#accounts.get(account);
    if (!tables) throw new FleetkeeperError("LEDGER", `no account ${account} in this ledger.`);
    return tables;
  }
}

/** A frozen copy of plain data, as it would come back from JSON. What was stored before is taken as it is. */
function byValue<T>(value: T): T {
  if (typeof value !== "object" || value === null || stored.has(value)) return value;
  const copy: unknown[] | Record<string, unknown> = Array.isArray(value)
    ? value.map((inner) => byValue(inner ?? null))
    : {};
  if (!Array.isArray(copy))
    for (const [key, inner] of Object.entries(value)) if (inner !== undefined) copy[key] = byValue(inner);
  stored.add(copy);
  return Object.freeze(copy) as T;
}

const stored = new WeakSet<object>();
