import { NO_EPOCH } from "../../ledger/epoch.ts";
import type { Clock, Instant } from "../../ledger/instant.ts";
import type { Shown, StoredEpoch } from "../../ledger/ledger-time.ts";
import { LedgerTime } from "../../ledger/ledger-time.ts";
import type { VirtualClock } from "../../simulator/virtual-clock.ts";
import type { Host } from "./host.ts";

/** A question to the database takes so long. Its clock is read at once, or only right before the answer. */
const ROUND_TRIP_MS = 40;

/** The database of a world with several hosts, as far as time goes: its clock, and the epoch that it stores. */
export class SharedTime {
  readonly #clock: VirtualClock;
  #skew = 0;
  #stored: StoredEpoch = { ...NO_EPOCH, server: null };

  constructor(clock: VirtualClock) {
    this.#clock = clock;
  }

  /** Milliseconds since 1970. */
  now(): number {
    return this.#clock.now() + this.#skew;
  }

  /** Somebody sets the database's clock forward or back. */
  jump(ms: number): void {
    this.#skew += ms;
  }

  /** What one process on this host knows of it. */
  on(host: Host): KnownTime {
    return new KnownTime(this, host);
  }

  get stored(): StoredEpoch {
    return this.#stored;
  }

  begin(above: number): StoredEpoch {
    const since = this.now();
    this.#stored = { number: Math.max(above + 1, since), since, server: SERVER };
    return this.#stored;
  }
}

const SERVER = "one";

/** As a ledger in PostgreSQL does it: each transaction shows the clock, and a decision is made in the epoch that counts. */
export class KnownTime {
  readonly #shared: SharedTime;
  readonly #host: Host;
  readonly #time: LedgerTime;
  /** By how much the question was before this moment, which the world does not see. */
  #before = 0;
  /** As once an account's rows are in memory. */
  #hasCompared = false;

  constructor(shared: SharedTime, host: Host) {
    this.#shared = shared;
    this.#host = host;
    this.#time = new LedgerTime(() => host.ticks() - this.#before);
  }

  /** Before a decision. `list`: when the account's newest list was asked for. */
  decide(list: Instant | null): void {
    this.#ask();
    const { stored } = this.#shared;
    this.#time.follow(stored);
    if (list && !this.#hasCompared) this.#time.compare(list);
    this.#hasCompared ||= list !== null;
    if (this.#time.needsEpoch(stored, SERVER))
      this.#time.began(this.#shared.begin(Math.max(stored.number, this.#time.epoch.number)));
  }

  /** Before a read. */
  read(): void {
    this.#ask();
    this.#time.follow(this.#shared.stored);
  }

  clock(local: Clock): Clock {
    return this.#time.clock(local);
  }

  #ask(): void {
    this.#before = ROUND_TRIP_MS;
    const answered = this.#time.ask();
    this.#before = 0;
    const shown: Shown = {
      time: this.#shared.now() - (this.#host.isNear ? 0 : ROUND_TRIP_MS),
      server: SERVER,
    };
    answered(shown);
  }
}
