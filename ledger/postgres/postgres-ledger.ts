import { setTimeout as sleep } from "node:timers/promises";
import { FleetkeeperError, isLedgerBusy } from "../../service/contract/errors.ts";
import { accountRow } from "../account-row.ts";
import { soundly } from "../agreed.ts";
import { asHolder } from "../as-holder.ts";
import type { History, Stretch } from "../chart-history.ts";
import type { Made } from "../copy.ts";
import { type Change, Draft } from "../draft.ts";
import { type About, namings } from "../events-about.ts";
import type { Clock } from "../instant.ts";
import { lastOfEach } from "../last-of-each.ts";
import { type Lease, type Leases, notHolder } from "../lease.ts";
import type { Ledger, OpenAccount } from "../ledger.ts";
import { LedgerTime } from "../ledger-time.ts";
import type { Market } from "../market.ts";
import type { AccountRow, StoredEvent } from "../rows.ts";
import type { Sample } from "../sample.ts";
import { read, readEvent } from "../stored-row.ts";
import type { Rows } from "../tables.ts";
import { readAddress } from "./address.ts";
import { NotLoaded } from "./archive-store.ts";
import { BETWEEN_TRIES_MS, Connections, type Times, type Transaction } from "./connections.ts";
import { postgresLeases } from "./leases.ts";
import { checkNeeds, isThere, migrate } from "./migrate.ts";
import * as sql from "./statements.ts";
import { keyText, nameOf } from "./statements.ts";
import { Sent, store, type Written } from "./store.ts";
import { RepeatableError } from "./trouble.ts";
import { Turns } from "./turns.ts";
import { type EpochColumns, EpochOver, type State, storedEpoch, Views } from "./views.ts";
import { Waker, type WakingTimes } from "./waker.ts";

export interface PostgresLedgerOptions {
  /** See `readAddress`. A secret. */
  readonly url: string;
  /** A new random id at each call: the ledger's, if it is made, and those of decisions. */
  readonly newId: () => string;
  /** Wall time in ms, used if the ledger is made. */
  readonly now: number;
  /** Others than the usual ones, for tests. */
  readonly times?: Partial<Times>;
  readonly waking?: Partial<WakingTimes>;
  /** Another monotonic clock than this process's, in milliseconds, for tests. */
  readonly ticks?: () => number;
}

export const TIMES: Times = {
  lock: 5_000,
  statement: 60_000,
  idle: 20_000,
  connect: 5_000,
  patience: 10_000,
  look: 60_000,
};

const WAKING: WakingTimes = {
  answer: 5_000,
  check: 10_000,
  retry: 5_000,
  look: { hearing: 10_000, deaf: 500 },
};

/**
 * Opens the ledger in the schema `fleetkeeper` of this database, making it if needed. Safe for many processes
 * at once, on any hosts. Throws CONFIG for a wrong URL, LEDGER or LEDGER_BUSY if the database cannot be used.
 */
export async function openPostgresLedger(options: PostgresLedgerOptions): Promise<Ledger & History> {
  return open(options, (connections) => migrate(connections, { id: options.newId(), created: options.now }));
}

/** Opens the ledger in this database. Undefined where there is none yet. */
export async function openPostgresLedgerIfThere(
  options: PostgresLedgerOptions,
): Promise<(Ledger & History) | undefined> {
  return open(options, async (connections) =>
    (await isThere(connections))
      ? migrate(connections, { id: options.newId(), created: options.now })
      : undefined,
  );
}

async function open<M extends Made | undefined>(
  { url, newId, ticks, times: given, waking }: PostgresLedgerOptions,
  find: (connections: Connections) => Promise<M>,
): Promise<PostgresLedger | (M & undefined)> {
  const times = { ...TIMES, ...given };
  const address = readAddress(url);
  const time = new LedgerTime(ticks);
  const connections = new Connections(address, times, time);
  let made: M | undefined;
  try {
    made = await find(connections);
    if (made === undefined) return undefined as M & undefined;
    const waker = new Waker(connections, address, { ...WAKING, ...waking });
    return new PostgresLedger(connections, waker, made, newId, times, time);
  } finally {
    if (made === undefined) connections.close();
  }
}

/** What a decision stored. */
interface Signed {
  readonly account: State;
  readonly service: State | undefined;
  readonly changes: readonly Change[];
  readonly isRecalled: boolean;
}

/** Which decision it is, and the lease without which it is not stored. */
interface Signature {
  readonly id: string;
  readonly lease: Lease | undefined;
}

/** What a decision came to, before it is committed. */
interface Decided<T> {
  readonly result: T;
  /** The states that it leaves behind; undefined: it changed nothing. */
  readonly signed: Signed | undefined;
}

/** Of all accounts. No account's key is like it. */
const EPOCH = "";

type StoredEventRow = { readonly sequence: string; readonly row: string };

class PostgresLedger implements Ledger, History {
  readonly id: string;
  readonly created: number;
  readonly location: string;
  readonly #connections: Connections;
  readonly #waker: Waker;
  readonly #newId: () => string;
  readonly #look: number;
  readonly #time: LedgerTime;
  readonly #views: Views;
  /** A view serves one transaction at a time. */
  readonly #turns = new Turns();
  readonly leases: Leases<Ledger & History>;

  constructor(
    connections: Connections,
    waker: Waker,
    { id, created }: Made,
    newId: () => string,
    { look }: Times,
    time: LedgerTime,
  ) {
    this.id = id;
    this.created = created;
    this.location = connections.location;
    this.#connections = connections;
    this.#waker = waker;
    this.#newId = newId;
    this.#look = look;
    this.#time = time;
    this.#views = new Views(connections.location, time);
    this.leases = {
      ...postgresLeases(connections, waker),
      asHolder: (held) =>
        asHolder(this, {
          decide: async (account, decision) => this.decide(account, decision, held(account)),
          putStretch: async (account, ...put) => this.putStretch(account, ...put, held(account)),
          putMarket: async (account, row) => this.putMarket(account, row, held(account)),
          putSamples: async (account, ...put) => this.putSamples(account, ...put, held(account)),
        }),
    };
  }

  clockOn(local: Clock): Clock {
    return this.#time.clock(local);
  }

  async openAccount(request: OpenAccount): Promise<string> {
    const { baseUrl, account } = request;
    const key = `${baseUrl} ${account.id}`;
    const isOver = await this.#turns.take(key, () =>
      this.#connections.run("write", async (transaction) => {
        const [found] = await transaction.query<EpochColumns>(sql.EPOCH);
        const lock = () =>
          transaction.query<{ row: string; needs: number }>(sql.LOCK_ACCOUNT, [
            keyText(key),
            null,
            null,
            null,
          ]);
        let [stored] = await lock();
        let isMade = false;
        if (!stored) {
          const row = JSON.stringify(accountRow(key, undefined, request, this.location));
          await transaction.query(sql.PUT_SERVICE, [keyText(baseUrl)]);
          const values = [keyText(key), keyText(baseUrl), keyText(account.id), row];
          isMade = (await transaction.query(sql.NEW_ACCOUNT, values)).length > 0;
          [stored] = await lock();
        }
        if (stored) checkNeeds(stored.needs, this.location);
        const row = accountRow(key, stored && read("account", stored), request, this.location);
        const isNeeded = !found || this.#time.needsEpoch(storedEpoch(found), transaction.server);
        const json = JSON.stringify(row);
        if (json === stored?.row && !isMade) return isNeeded;
        await transaction.query(sql.SIGN, [keyText(key), this.#newId(), json, null, null, null, null]);
        return isNeeded;
      }),
    );
    if (isOver) await this.#beginEpoch();
    return key;
  }

  async accounts(): Promise<readonly AccountRow[]> {
    const rows = await this.#rows<{ row: string }>(sql.ACCOUNTS, []);
    return rows.map((stored) => read("account", stored));
  }

  async accountOfSlot(slot: string): Promise<string | undefined> {
    return this.#accountOf(sql.ACCOUNT_OF_SLOT, slot);
  }

  async accountOfFleet(name: string): Promise<string | undefined> {
    return this.#accountOf(sql.ACCOUNT_OF_FLEET, name);
  }

  async decide<T>(account: string, decision: (draft: Draft) => T, lease?: Lease): Promise<T> {
    const decide = <R>(each: (draft: Draft) => R): Promise<R> =>
      this.#turns.take(account, () => this.#connections.again(() => this.#decideOnce(account, each, lease)));
    const sound = soundly(decision, () => this.#time.wall);
    try {
      return await decide(sound.decide);
    } catch (error) {
      const halt = sound.haltFor(error);
      if (halt) await decide(halt);
      throw error;
    }
  }

  async read(account: string): Promise<Rows> {
    return this.#turns.take(account, () =>
      this.#connections.run("snapshot", async (transaction) => {
        const view = await this.#views.of(transaction, account, "snapshot");
        // Who reads may ask for any of them, at any time.
        await this.#views.loadArchived(transaction, account);
        return view.snapshot();
      }),
    );
  }

  async events(account: string, limit: number, after = 0): Promise<readonly StoredEvent[]> {
    const rows = await this.#rows<StoredEventRow>(sql.EVENTS, [keyText(account), after, limit]);
    return rows.map(readEvent);
  }

  async eventsAbout(account: string, about: About, limit: number): Promise<readonly StoredEvent[]> {
    const rows = await this.#rows<StoredEventRow>(sql.EVENTS_ABOUT, [
      keyText(account),
      ...namings(about),
      limit,
    ]);
    return rows.map(readEvent);
  }

  async putStretch(account: string, row: Stretch, keepSince: number, lease?: Lease): Promise<void> {
    await this.#write(account, lease, async (transaction, key) => {
      await transaction.query(sql.PUT_STRETCH, [key, row.at, row.until, JSON.stringify(row)]);
      await transaction.query(sql.FORGET_STRETCHES, [key, keepSince]);
    });
  }

  /** Writes what no decision reads. With a lease: only while it is held. */
  async #write(
    account: string,
    lease: Lease | undefined,
    write: (transaction: Transaction, key: string) => Promise<void>,
  ): Promise<void> {
    const key = keyText(account);
    await this.#connections.run("write", async (transaction) => {
      if (lease && !(await this.#holds(transaction, key, lease))) throw notHolder(account);
      await write(transaction, key);
    });
  }

  async #holds(transaction: Transaction, key: string, { holder, term }: Lease): Promise<boolean> {
    return (await transaction.query(sql.HOLD_LEASE, [key, holder, term])).length > 0;
  }

  async stretches(account: string, since: number): Promise<readonly Stretch[]> {
    const rows = await this.#rows<{ row: string }>(sql.STRETCHES, [keyText(account), since]);
    return rows.map((stored) => read("stretch", stored));
  }

  async putMarket(account: string, row: Market, lease?: Lease): Promise<void> {
    await this.#write(account, lease, async (transaction, key) => {
      await transaction.query(sql.FORGET_MARKETS, [key, row.at]);
      await transaction.query(sql.PUT_MARKET, [key, row.at, row.until, JSON.stringify(row)]);
    });
  }

  async market(account: string): Promise<Market | undefined> {
    const [stored] = await this.#rows<{ row: string }>(sql.MARKET, [keyText(account)]);
    return stored && read("market", stored);
  }

  async putSamples(
    account: string,
    rows: readonly Sample[],
    from: number,
    to: number,
    lease?: Lease,
  ): Promise<void> {
    const columns = [
      rows.map(({ at }) => at),
      rows.map(({ until }) => until),
      rows.map((row) => JSON.stringify(row)),
    ];
    await this.#write(account, lease, async (transaction, key) => {
      await transaction.query(sql.FORGET_SAMPLES, [key, from, to]);
      await transaction.query(sql.PUT_SAMPLES, [key, ...columns]);
    });
  }

  async samples(account: string, from: number, to: number): Promise<readonly Sample[]> {
    const rows = await this.#rows<{ row: string }>(sql.SAMPLES, [keyText(account), from, to]);
    return rows.map((stored) => read("sample", stored));
  }

  onWake(account: string, wake: () => void, signal: AbortSignal): Promise<void> {
    return this.#waker.add(account, wake, signal);
  }

  close(): void {
    this.#waker.close();
    this.#connections.close();
  }

  /**
   * One transaction. Throws a `RepeatableError` if it surely was not stored, though nothing was wrong with it.
   * Throws LEDGER_BUSY if it cannot be known whether it was stored.
   */
  async #decideOnce<T>(account: string, decision: (draft: Draft) => T, lease: Lease | undefined): Promise<T> {
    const transaction = await this.#connections.begin("write");
    const id = this.#newId();
    let keepsView = false;
    try {
      const { result, signed } = await transaction.holding(() =>
        this.#decideIn(transaction, account, { id, lease }, decision),
      );
      if (!signed) {
        await transaction.abandon();
        keepsView = true;
        return result;
      }
      if ((await transaction.commit()) === "stored") {
        this.#views.took(account, signed, signed.changes);
        this.#views.mend(account);
        // A launch that came back stands behind all others until the rows are loaded anew.
        keepsView = !signed.isRecalled;
        return result;
      }
      if (!(await this.#wasStored(account, id))) throw this.#connections.lost();
      this.#views.mend(account);
      return result;
    } catch (error) {
      if (!(error instanceof EpochOver)) throw error;
      await this.#beginEpoch();
      throw new RepeatableError(
        "LEDGER_BUSY",
        `${this.location}: the database's clock jumps again and again.`,
      );
    } finally {
      // Else it may have taken what is stored nowhere.
      if (!keepsView) this.#views.forget(account);
    }
  }

  async #decideIn<T>(
    transaction: Transaction,
    account: string,
    by: Signature,
    decision: (draft: Draft) => T,
  ): Promise<Decided<T>> {
    const { view, draft, result, epoch } = await this.#runIn(transaction, account, decision);
    if (draft.changes.length === 0) return { result, signed: undefined };
    const changes = lastOfEach(draft.changes);
    const written = changes.map(writtenOf);
    const isWoken = draft.account.wakes !== view.tables.account.wakes;
    // The server stores while the view takes.
    const sent = new Sent();
    await store(transaction, account, written, this.location, sent);
    const signing = sent.add(this.#sign(transaction, account, { ...by, epoch }, written));
    if (isWoken) sent.add(transaction.query(sql.NOTIFY));
    for (const { change, json } of written) view.take(change, storedRow(change, json));
    view.sort(changes, draft);
    await sent.all();
    const states = await signing;
    return { result, signed: { ...states, changes, isRecalled: draft.isRecalled } };
  }

  /** Begins an epoch, unless another decision of this process has done so meanwhile. */
  async #beginEpoch(): Promise<void> {
    await this.#turns.take(EPOCH, async () => {
      const begun = await this.#connections.run("write", (transaction) => this.#storeEpoch(transaction));
      if (begun) this.#time.began(storedEpoch(begun));
    });
  }

  async #storeEpoch(transaction: Transaction): Promise<EpochColumns | undefined> {
    const [stored] = await transaction.query<EpochColumns>(sql.LOCK_EPOCH);
    const { server } = transaction;
    if (!stored || !this.#time.needsEpoch(storedEpoch(stored), server)) return undefined;
    const number = Math.max(Number(stored.number), this.#time.epoch.number) + 1;
    const [begun] = await transaction.query<EpochColumns>(sql.BEGIN_EPOCH, [number, server]);
    return begun;
  }

  /**
   * Runs the decision on the account's rows. Again if it asks for an archived one that is not loaded. Again, too,
   * if it puts a cooldown and somebody else has just put one: those are the service's, whose lock is taken only
   * then. Who only reads them may miss one that is put at this moment, and launches as it did a moment before.
   */
  async #runIn<T>(transaction: Transaction, account: string, decision: (draft: Draft) => T) {
    const asked = new Set<string>();
    let hasService = false;
    for (;;) {
      const view = await this.#views.of(transaction, account, "locked");
      if (asked.size > 0) await this.#views.loadArchived(transaction, account, asked);
      const draft = new Draft(view.tables);
      if (this.#views.hasLost(account)) markRestored(draft);
      const epoch = this.#time.epoch.number;
      try {
        const result = decision(draft);
        draft.close();
        const cools = draft.changes.some(({ table }) => table === "cooldown");
        if (!cools || hasService || (await this.#views.lockService(transaction, account)))
          return { view, draft, result, epoch };
        hasService = true;
      } catch (error) {
        if (!(error instanceof NotLoaded) || asked.has(error.id)) throw error;
        asked.add(error.id);
      }
      // The decision has changed it already.
      this.#views.forget(account);
    }
  }

  /** The last writes: whoever looks for this decision, or for what changed, finds it. */
  async #sign(
    transaction: Transaction,
    account: string,
    { id, lease, epoch }: Signature & { readonly epoch: number },
    written: readonly Written[],
  ): Promise<Pick<Signed, "account" | "service">> {
    const key = keyText(account);
    const cools = written.some(({ change }) => change.table === "cooldown");
    const cooling = cools ? transaction.query<{ version: string }>(sql.SIGN_SERVICE, [key, id]) : [];
    const own = written.find(({ change }) => change.table === "account");
    const wakes = own?.change.table === "account" ? (own.change.row.wakes ?? 0) : null;
    const values = [key, id, own?.json ?? null, lease?.holder ?? null, lease?.term ?? null, wakes, epoch];
    const signing = transaction.query<{ version: string }>(sql.SIGN, values);
    const [[service], [signed]] = await Promise.all([cooling, signing]);
    if (!signed) {
      if (lease && !(await this.#holds(transaction, key, lease))) throw notHolder(account);
      throw new EpochOver();
    }
    return {
      account: { version: Number(signed.version), decision: id },
      service: service && { version: Number(service.version), decision: id },
    };
  }

  /**
   * Looks for a decision whose commit got no answer. The account's lock comes first: its transaction held that
   * when it was committed, so it is over once we have it. A look without it may come too early. Throws
   * LEDGER_BUSY if no look succeeds in time.
   */
  async #wasStored(account: string, id: string): Promise<boolean> {
    const until = performance.now() + this.#look;
    for (;;) {
      try {
        const transaction = await this.#connections.begin("write");
        return await transaction.holding(async () => {
          await transaction.query(sql.LOCK_ACCOUNT, [keyText(account), null, null, null]);
          const found = await transaction.query(sql.DECISION, [id]);
          await transaction.abandon();
          return found.length > 0;
        });
      } catch (cause) {
        if (!isLedgerBusy(cause) || performance.now() > until) throw this.#unknown(cause);
      }
      await sleep(BETWEEN_TRIES_MS);
    }
  }

  #unknown(cause: unknown): FleetkeeperError {
    return new FleetkeeperError(
      "LEDGER_BUSY",
      `${this.location}: the connection was lost in a commit, and it is not known whether the ledger has it. ` +
        "Nothing is launched without it.",
      { cause },
    );
  }

  async #accountOf(statement: string, name: string): Promise<string | undefined> {
    const [found] = await this.#rows<{ key: string }>(statement, [keyText(name)]);
    return found && nameOf(found.key);
  }

  #rows<Row extends object>(statement: string, values: readonly unknown[]): Promise<readonly Row[]> {
    return this.#connections.run("snapshot", (transaction) => transaction.look<Row>(statement, values));
  }
}

function writtenOf(change: Change): Written {
  const isRow = change.table !== "forgotten" && change.table !== "archived";
  return { change, json: isRow ? JSON.stringify(change.row) : "" };
}

/** The row as it would be read again. */
function storedRow({ table }: Change, json: string): unknown {
  return table === "forgotten" || table === "event" || table === "archived"
    ? undefined
    : read(table, { row: json });
}

/** The ledger is an older one, as after a restore: two full lists come before any launch. */
function markRestored(draft: Draft): void {
  const { watched: _, ...row } = draft.account;
  draft.putAccount({ ...row, restored: { first: null } });
}
