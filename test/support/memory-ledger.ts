import { accountRow } from "../../ledger/account-row.ts";
import type { Change, Rows } from "../../ledger/draft.ts";
import { Draft } from "../../ledger/draft.ts";
import type { History, Stretch } from "../../ledger/history.ts";
import type { Ledger, OpenAccount } from "../../ledger/ledger.ts";
import type {
  AccountRow,
  CooldownRow,
  DeploymentRow,
  FleetRow,
  IntentRow,
  SlotRow,
  StoredEvent,
} from "../../ledger/rows.ts";
import { combinationKey } from "../../service/contract.ts";
import { FleetkeeperError } from "../../service/errors.ts";

/** Where a commit dies: before anything of it was stored, or after all was, with nobody told. */
export type Crash = "before" | "after";

interface Stored<T> {
  readonly account: string;
  readonly row: T;
}

/**
 * The rules of a `Ledger` in the plainest way, for tests and simulations: rows in maps, the same constraints as the
 * tables have, and a process death at any commit. After a crash the process is dead: every call throws until
 * `restart`.
 */
export class MemoryLedger implements Ledger, History {
  readonly id: string;
  readonly location = "memory";
  readonly created = 0;
  /** Asked at every commit, with its number from 1 on. */
  crash: (commit: number) => Crash | undefined = () => undefined;
  /** Commits that changed something, and the changes of all of them. */
  commits = 0;
  readonly log: Change[] = [];
  #dead = false;
  #stretches: readonly Stored<Stretch>[] = [];
  readonly #accounts = new Map<string, AccountRow>();
  readonly #intents = new Map<string, Stored<IntentRow>>();
  readonly #deployments = new Map<string, Stored<DeploymentRow>>();
  readonly #slots = new Map<string, Stored<SlotRow>>();
  readonly #fleets = new Map<string, Stored<FleetRow>>();
  readonly #cooldowns = new Map<string, CooldownRow>();
  #events: { readonly account: string; readonly event: StoredEvent }[] = [];
  #noted = 0;

  constructor(id = "memoryledger") {
    this.id = id;
  }

  restart(): void {
    this.#dead = false;
  }

  async openAccount(request: OpenAccount): Promise<string> {
    return this.openAccountNow(request);
  }

  openAccountNow(request: OpenAccount): string {
    this.#live();
    const key = `${request.baseUrl} ${request.account.id}`;
    this.#accounts.set(key, accountRow(key, this.#accounts.get(key), request, this.location));
    return key;
  }

  async accounts(): Promise<readonly AccountRow[]> {
    this.#live();
    return [...this.#accounts.values()];
  }

  async accountOfSlot(slot: string): Promise<string | undefined> {
    return this.#slots.get(slot)?.account;
  }

  async accountOfFleet(name: string): Promise<string | undefined> {
    return this.#fleets.get(name)?.account;
  }

  async decide<T>(account: string, decision: (draft: Draft) => T): Promise<T> {
    return this.decideNow(account, decision);
  }

  decideNow<T>(account: string, decision: (draft: Draft) => T): T {
    const draft = new Draft(this.readNow(account));
    const result = decision(draft);
    if (draft.changes.length === 0) return result;
    this.#check(account, draft);
    const crash = this.crash(++this.commits);
    if (crash !== "before") for (const change of draft.changes) this.#apply(account, change);
    if (crash) {
      this.#dead = true;
      throw new FleetkeeperError("LEDGER", `memory: crashed ${crash} commit ${this.commits}`);
    }
    return result;
  }

  async read(account: string): Promise<Rows> {
    return this.readNow(account);
  }

  readNow(account: string): Rows {
    this.#live();
    const row = this.#accounts.get(account);
    if (row === undefined)
      throw new FleetkeeperError("LEDGER", `memory: no account ${account} in this ledger.`);
    const own = <T>(table: ReadonlyMap<string, Stored<T>>): readonly T[] =>
      [...table.values()].filter((each) => each.account === account).map((each) => each.row);
    return {
      account: row,
      intents: own(this.#intents),
      deployments: own(this.#deployments),
      slots: own(this.#slots),
      fleets: own(this.#fleets),
      cooldowns: [...this.#cooldowns]
        .filter(([key]) => key.startsWith(`${row.baseUrl} `))
        .map(([, cooldown]) => cooldown),
    };
  }

  async events(account: string, limit: number, after = 0): Promise<readonly StoredEvent[]> {
    return this.eventsNow(account)
      .filter(({ sequence }) => sequence > after)
      .slice(0, limit);
  }

  /** All of them, the newest first. */
  eventsNow(account: string): readonly StoredEvent[] {
    return this.#events
      .filter((each) => each.account === account)
      .map(({ event }) => event)
      .reverse();
  }

  async putStretch(account: string, row: Stretch, keepSince: number): Promise<void> {
    this.#live();
    this.#stretches = [
      ...this.#stretches.filter(
        (each) => each.account !== account || (each.row.at !== row.at && each.row.until >= keepSince),
      ),
      ...(row.until >= keepSince ? [{ account, row }] : []),
    ].sort((one, other) => one.row.at - other.row.at);
  }

  async stretches(account: string, since: number): Promise<readonly Stretch[]> {
    this.#live();
    return this.#stretches
      .filter((each) => each.account === account && each.row.until >= since)
      .map((each) => each.row);
  }

  close(): void {
    this.#dead = true;
  }

  #live(): void {
    if (this.#dead) throw new FleetkeeperError("LEDGER", "memory: closed");
  }

  #check(account: string, draft: Draft): void {
    const open = [...draft.intents.values()].filter((intent) => intent.state === "open");
    if (new Set(open.map((intent) => intent.group)).size < open.length) {
      throw new FleetkeeperError("LEDGER", "memory: UNIQUE constraint failed: two open intents in one group");
    }
    for (const change of draft.changes) {
      const owner =
        change.table === "slot"
          ? this.#slots.get(change.row.id)?.account
          : change.table === "fleet"
            ? this.#fleets.get(change.row.name)?.account
            : change.table === "intent"
              ? this.#intents.get(change.row.id)?.account
              : undefined;
      if (owner !== undefined && owner !== account) {
        throw new FleetkeeperError("WRONG_ACCOUNT", `memory: ${change.table} belongs to another account.`);
      }
    }
  }

  #apply(account: string, change: Change): void {
    this.log.push(change);
    switch (change.table) {
      case "account":
        this.#accounts.set(account, change.row);
        return;
      case "intent":
        this.#intents.set(change.row.id, { account, row: change.row });
        return;
      case "deployment":
        this.#deployments.set(`${account} ${change.row.id}`, { account, row: change.row });
        return;
      case "slot":
        this.#slots.set(change.row.id, { account, row: change.row });
        return;
      case "fleet":
        this.#fleets.set(change.row.name, { account, row: change.row });
        return;
      case "cooldown":
        this.#cooldowns.set(
          `${this.#accounts.get(account)?.baseUrl} ${combinationKey(change.row)}`,
          change.row,
        );
        return;
      case "event":
        this.#noted += 1;
        this.#events.push({ account, event: { ...change.row, sequence: this.#noted } });
        return;
      case "forgotten": {
        for (const id of change.intents) {
          const stored = this.#intents.get(id);
          if (stored?.account === account && stored.row.state !== "open") this.#intents.delete(id);
        }
        if (!change.events) return;
        const ids = new Set<string | undefined>(change.intents);
        this.#events = this.#events.filter(
          (each) =>
            each.account !== account || each.event.intent === undefined || !ids.has(each.event.intent),
        );
        return;
      }
    }
  }
}
