import { FleetkeeperError, unhandled } from "../../service/contract/errors.ts";
import { accountRow } from "../account-row.ts";
import { soundly } from "../agreed.ts";
import { Archive, type ArchivedPair, type ArchiveStore } from "../archive.ts";
import { asHolder } from "../as-holder.ts";
import type { History, Stretch } from "../chart-history.ts";
import { type Change, Draft } from "../draft.ts";
import type { About } from "../events-about.ts";
import type { Clock } from "../instant.ts";
import { type Lease, type LeaseState, type Leases, LONGEST_LEASE_MS, notHolder } from "../lease.ts";
import type { Ledger, OpenAccount } from "../ledger.ts";
import type { Market } from "../market.ts";
import type {
  AccountRow,
  Archived,
  CooldownRow,
  DeploymentRow,
  EventRow,
  FleetRow,
  IntentRow,
  SlotRow,
  StoredEvent,
} from "../rows.ts";
import type { Sample } from "../sample.ts";
import { Sleepers } from "../sleepers.ts";
import { KEYED, keyOf, type Rows } from "../tables.ts";
import { View } from "../view.ts";

interface Tables {
  account: AccountRow;
  readonly intents: Map<string, IntentRow>;
  readonly deployments: Map<string, DeploymentRow>;
  /** What is kept in memory of archived machines, by id. Their rows stay where they are. */
  readonly archived: Map<string, Archived>;
  readonly slots: Map<string, SlotRow>;
  readonly fleets: Map<string, FleetRow>;
  stretches: readonly Stretch[];
  market: Market | undefined;
  samples: readonly Sample[];
  lease: (Omit<LeaseState, "isFree"> & { readonly expires: number }) | undefined;
}

/** Where a commit dies: before anything was stored, or after all was, with nobody told. */
type Crash = "before" | "after";

/**
 * A ledger in memory for the simulation and tests: the interface, row order and constraints of SQLite's, ten
 * times as fast. A row is copied as JSON would write it, and frozen: nothing outside can change what is
 * stored, as in a file. When a test kills a commit, the process is dead: every call throws until `restart`.
 */
export class MemoryLedger implements Ledger, History {
  readonly id: string;
  readonly location = "memory";
  readonly created = 0;
  /** Asked at every commit, with its number from 1 on. */
  crash: (commit: number) => Crash | undefined = () => undefined;
  /** Commits that changed something. */
  commits = 0;
  /** Decisions, also those that changed nothing. */
  decisions = 0;
  /** Gets each change that is stored. */
  onChange: (change: Change) => void = () => undefined;
  readonly #accounts = new Map<string, Tables>();
  /** By account, as SQLite's ledger has them: what the proof shows of rules it shows of a view's indexes, too. */
  readonly #views = new Map<string, View>();
  /** By the service's base URL and the combination. */
  readonly #cooldowns = new Map<string, CooldownRow>();
  #events: { readonly account: string; readonly event: StoredEvent }[] = [];
  readonly #sleepers = new Sleepers();
  readonly #standbys = new Set<() => void>();
  #noted = 0;
  #isDead = false;
  readonly #now: () => number;
  readonly leases: Leases<Ledger & History>;

  /** `now`: the clock by which leases are over, in ms. */
  constructor(id = "memoryledger", now: () => number = () => 0) {
    this.id = id;
    this.#now = now;
    this.leases = {
      take: async (account, holder, ms, seen) => this.#takeLease(account, holder, ms, seen),
      renew: async (leases, ms) => {
        const renewed = leases.filter((lease) => this.#renewLease(lease, ms));
        return { renewed, lost: leases.filter((lease) => !renewed.includes(lease)) };
      },
      giveBack: async (lease) => {
        if (!this.#isHeld(lease)) return;
        this.#tables(lease.account).lease = { holder: null, term: lease.term, expires: 0 };
        for (const wake of this.#standbys) wake();
      },
      look: async (accounts) => this.#lookAtLeases(accounts),
      onGivenBack: (wake, signal) => {
        this.#standbys.add(wake);
        signal.addEventListener("abort", () => this.#standbys.delete(wake));
      },
      asHolder: (held) => this.#asHolder(held),
    };
  }

  #takeLease(account: string, holder: string, ms: number, seen: number): Lease | undefined {
    this.#mustLive();
    const tables = this.#tables(account);
    const { lease } = tables;
    const now = this.#now();
    if (lease && isTooLong(lease, now)) tables.lease = { ...lease, expires: now + ms };
    if (tables.lease && !isFree(tables.lease, now) && lease?.holder !== holder) return undefined;
    const term = Math.max((lease?.term ?? 0) + 1, seen + 1, now);
    tables.lease = { holder, term, expires: now + ms };
    return { account, holder, term };
  }

  /** As after a restore of the ledger to a state of before. */
  restoreLease(lease: Lease): void {
    this.#tables(lease.account).lease = { ...lease, expires: this.#now() };
  }

  #renewLease(lease: Lease, ms: number): boolean {
    this.#mustLive();
    if (!this.#isHeld(lease)) return false;
    this.#tables(lease.account).lease = { ...lease, expires: this.#now() + ms };
    return true;
  }

  #lookAtLeases(accounts: readonly string[]): ReadonlyMap<string, LeaseState> {
    this.#mustLive();
    const now = this.#now();
    const states = [...this.#accounts].flatMap(([account, { lease }]) => {
      if (!lease || !accounts.includes(account)) return [];
      const { holder, term } = lease;
      return [[account, { holder, term, isFree: isFree(lease, now) || isTooLong(lease, now) }] as const];
    });
    return new Map(states);
  }

  #isHeld({ account, holder, term }: Lease): boolean {
    const { lease } = this.#tables(account);
    return lease?.holder === holder && lease.term === term;
  }

  /** The ledger of an agent, with its lease: it is checked in the commit itself, as a decision of another process may come before. */
  #asHolder(held: (account: string) => Lease): Ledger & History {
    const mustHold = (lease: Lease): void => {
      if (!this.#isHeld(lease)) throw notHolder(lease.account);
    };
    const whileHeld =
      <Given extends readonly unknown[]>(put: (account: string, ...given: Given) => Promise<void>) =>
      async (account: string, ...given: Given): Promise<void> => {
        mustHold(held(account));
        await put(account, ...given);
      };
    return asHolder(this, {
      decide: async (account, decision) => {
        const lease = held(account);
        return this.decideNow(account, decision, () => mustHold(lease));
      },
      putStretch: whileHeld((...put) => this.putStretch(...put)),
      putMarket: whileHeld((...put) => this.putMarket(...put)),
      putSamples: whileHeld((...put) => this.putSamples(...put)),
    });
  }

  restart(): void {
    this.#isDead = false;
  }

  close(): void {
    this.#isDead = true;
  }

  clockOn(local: Clock): Clock {
    return local;
  }

  async openAccount(request: OpenAccount): Promise<string> {
    return this.openAccountNow(request);
  }

  openAccountNow(request: OpenAccount): string {
    this.#mustLive();
    const key = `${request.baseUrl} ${request.account.id}`;
    const stored = this.#accounts.get(key);
    const account = byValue(accountRow(key, stored?.account, request, this.location));
    this.#views.delete(key);
    if (stored) stored.account = account;
    else this.#accounts.set(key, { account, ...emptyTables() });
    return key;
  }

  async accounts(): Promise<readonly AccountRow[]> {
    this.#mustLive();
    return [...this.#accounts.values()].map(({ account }) => account);
  }

  async accountOfSlot(slot: string): Promise<string | undefined> {
    return this.#accountWith(({ slots }) => slots.has(slot));
  }

  async accountOfFleet(name: string): Promise<string | undefined> {
    return this.#accountWith(({ fleets }) => fleets.has(name));
  }

  async decide<T>(account: string, decision: (draft: Draft) => T): Promise<T> {
    return this.decideNow(account, decision);
  }

  /** `mustHold`: throws if nothing may be stored any more. */
  decideNow<T>(account: string, decision: (draft: Draft) => T, mustHold: () => void = () => undefined): T {
    const sound = soundly(decision, this.#now);
    try {
      return this.#decideOnce(account, sound.decide, mustHold);
    } catch (error) {
      const halt = sound.haltFor(error);
      if (halt) this.#decideOnce(account, halt, mustHold);
      throw error;
    }
  }

  #decideOnce<T>(account: string, decision: (draft: Draft) => T, mustHold: () => void): T {
    this.decisions += 1;
    const view = this.#viewOf(account);
    // It is kept only if all goes well: a decision changes it at once.
    this.#views.delete(account);
    const draft = new Draft(view.tables);
    const result = decision(draft);
    draft.close();
    if (draft.changes.length > 0) {
      mustHold();
      this.#commit(account, view, draft);
    }
    // A test may decide something else right before the commit. This view knows nothing of that.
    if (!this.#views.delete(account) && !draft.isRecalled) this.#views.set(account, view);
    return result;
  }

  #viewOf(account: string): View {
    this.#mustLive();
    return this.#views.get(account) ?? new View(this.#rowsOf(account));
  }

  #commit(account: string, view: View, draft: Draft): void {
    this.#check(account, draft.changes);
    this.commits += 1;
    const crash = this.crash(this.commits);
    if (crash !== "before") for (const change of draft.changes) view.take(change, this.#put(account, change));
    if (crash !== undefined) {
      this.#isDead = true;
      throw new FleetkeeperError("LEDGER", `memory: crashed ${crash} commit ${this.commits}`);
    }
    view.sort(draft.changes, draft);
    this.#wake(account);
    // Cooldowns are the service's.
    if (draft.changes.some(({ table }) => table === "cooldown")) this.#views.clear();
  }

  async read(account: string): Promise<Rows> {
    const view = this.#viewOf(account);
    this.#views.set(account, view);
    return view.snapshot();
  }

  /** The account's rows as a decision finds them. */
  #rowsOf(account: string): Rows {
    const rows = this.readNow(account);
    const { archived, deployments, intents } = this.#tables(account);
    const launches = new Set([...archived.keys()].map((id) => deployments.get(id)?.intent));
    const pair = (id: string): ArchivedPair | undefined => {
      const row = deployments.get(id);
      const kept = archived.get(id) ?? { owner: null, record: null, spent: {} };
      return row && { row, intent: intents.get(row.intent ?? "") ?? null, archived: kept };
    };
    const store: ArchiveStore = {
      pair,
      pairOf: (intent) => {
        const { deployment } = intents.get(intent) ?? {};
        return archived.has(deployment ?? "") ? pair(deployment ?? "") : undefined;
      },
      idsOf: (owner) => [...archived].flatMap(([id, each]) => (each.owner === owner ? [id] : [])),
    };
    return {
      ...rows,
      intents: rows.intents.filter(({ id }) => !launches.has(id)),
      deployments: rows.deployments.filter(({ id }) => !archived.has(id)),
      archive: new Archive(store, archived),
    };
  }

  /** All rows, archived ones among them. */
  readNow(account: string): Rows {
    this.#mustLive();
    const { account: row, intents, deployments, slots, fleets } = this.#tables(account);
    const prefix = cooldownPrefix(row);
    return {
      account: row,
      intents: [...intents.values()],
      deployments: [...deployments.values()],
      slots: [...slots.values()],
      fleets: [...fleets.values()].sort((one, other) => (one.name < other.name ? -1 : 1)),
      cooldowns: [...this.#cooldowns].flatMap(([key, cooldown]) =>
        key.startsWith(prefix) ? [cooldown] : [],
      ),
    };
  }

  async events(account: string, limit: number, after = 0): Promise<readonly StoredEvent[]> {
    return this.eventsNow(account, after).slice(0, limit);
  }

  async eventsAbout(account: string, about: About, limit: number): Promise<readonly StoredEvent[]> {
    const { deployment, intent, owner } = about;
    return this.eventsNow(account)
      .filter(
        (event) =>
          (deployment !== undefined && event.deployment === deployment) ||
          (intent !== undefined && event.intent === intent) ||
          (owner !== undefined && event.owner === owner),
      )
      .slice(0, limit);
  }

  /** All events, the newest first. */
  eventsNow(account: string, after = 0): readonly StoredEvent[] {
    return this.#events
      .filter((each) => each.account === account && each.event.sequence > after)
      .map(({ event }) => event)
      .reverse();
  }

  async putStretch(account: string, row: Stretch, keepSince: number): Promise<void> {
    this.#mustLive();
    const tables = this.#tables(account);
    const others = tables.stretches.filter(({ at }) => at !== row.at);
    tables.stretches = [...others, byValue(row)]
      .filter(({ until }) => until >= keepSince)
      .sort((one, other) => one.at - other.at);
  }

  async stretches(account: string, since: number): Promise<readonly Stretch[]> {
    this.#mustLive();
    return this.#tables(account).stretches.filter(({ until }) => until >= since);
  }

  async putMarket(account: string, row: Market): Promise<void> {
    this.#mustLive();
    this.#tables(account).market = byValue(row);
  }

  async market(account: string): Promise<Market | undefined> {
    this.#mustLive();
    return this.#tables(account).market;
  }

  async putSamples(account: string, rows: readonly Sample[], from: number, to: number): Promise<void> {
    this.#mustLive();
    const tables = this.#tables(account);
    const others = tables.samples.filter(({ at }) => at < from || at >= to);
    tables.samples = [...others, ...rows.map(byValue)].sort((one, other) => one.at - other.at);
  }

  async samples(account: string, from: number, to: number): Promise<readonly Sample[]> {
    this.#mustLive();
    return this.#tables(account).samples.filter(({ at }) => at >= from && at < to);
  }

  async onWake(account: string, wake: () => void, signal: AbortSignal): Promise<void> {
    this.#sleepers.add(account, wake, signal);
    this.#wake(account);
  }

  #wake(account: string): void {
    this.#sleepers.look(account, this.#tables(account).account.wakes ?? 0);
  }

  #mustLive(): void {
    if (this.#isDead) throw new FleetkeeperError("LEDGER", "memory: closed");
  }

  #accountWith(has: (tables: Tables) => boolean): string | undefined {
    return [...this.#accounts].find(([, tables]) => has(tables))?.[0];
  }

  /** Checks the constraints before anything is put: all of a transaction is stored, or nothing. */
  #check(account: string, changes: readonly Change[]): void {
    this.#checkOpenIntents(this.#tables(account), changes);
    for (const change of changes) {
      const owner = this.#accountOf(change);
      if (owner === undefined || owner === account) continue;
      throw new FleetkeeperError("WRONG_ACCOUNT", `memory: ${change.table} belongs to another account.`);
    }
  }

  /** The account that has a row of this name already, if names belong to one account. */
  #accountOf(change: Change): string | undefined {
    const { table } = change;
    if (table !== "slot" && table !== "fleet" && table !== "intent") return undefined;
    return this.#accountWith((tables) => tables[KEYED[table]].has(keyOf(change)));
  }

  /** Gives the row as it is stored. */
  #put(account: string, change: Change): unknown {
    this.onChange(change);
    const tables = this.#tables(account);
    switch (change.table) {
      case "account":
        tables.account = byValue(change.row);
        return tables.account;
      case "intent":
      case "deployment":
      case "slot":
      case "fleet":
        return stored<unknown>(tables[KEYED[change.table]], keyOf(change), change.row);
      case "cooldown":
        return stored(this.#cooldowns, cooldownPrefix(tables.account) + keyOf(change), change.row);
      case "event":
        this.#note(account, change.row);
        return undefined;
      case "forgotten":
        this.#forget(tables, account, change);
        return undefined;
      case "archived":
        if (change.archived) tables.archived.set(change.id, byValue(change.archived));
        else tables.archived.delete(change.id);
        return undefined;
      default:
        return unhandled(change);
    }
  }

  /** The unique index of the SQLite ledger: one open intent a group, after each statement. */
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
          `memory: UNIQUE constraint failed: a second open intent in ${row.group}`,
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
    if (!tables) throw new FleetkeeperError("LEDGER", `memory: no account ${account} in this ledger.`);
    return tables;
  }
}

type StoredLease = NonNullable<Tables["lease"]>;

function isFree({ holder, expires }: StoredLease, now: number): boolean {
  return holder === null || expires <= now;
}

function isTooLong({ expires }: StoredLease, now: number): boolean {
  return expires > now + LONGEST_LEASE_MS;
}

function emptyTables(): Omit<Tables, "account"> {
  return {
    intents: new Map(),
    deployments: new Map(),
    archived: new Map(),
    slots: new Map(),
    fleets: new Map(),
    stretches: [],
    market: undefined,
    samples: [],
    lease: undefined,
  };
}

function cooldownPrefix({ baseUrl }: AccountRow): string {
  return `${baseUrl} `;
}

function stored<Row>(rows: Map<string, Row>, key: string, row: Row): Row {
  const copy = byValue(row);
  rows.set(key, copy);
  return copy;
}

/** A frozen copy of plain data, as JSON would give it back. A stored row is taken as it is. */
function byValue<T>(value: T): T {
  if (typeof value !== "object" || value === null || copies.has(value)) return value;
  const copy: unknown[] | Record<string, unknown> = Array.isArray(value)
    ? value.map((inner) => byValue(inner ?? null))
    : {};
  if (!Array.isArray(copy))
    for (const [key, inner] of Object.entries(value)) if (inner !== undefined) copy[key] = byValue(inner);
  copies.add(copy);
  return Object.freeze(copy) as T;
}

const copies = new WeakSet<object>();
