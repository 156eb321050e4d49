import { type Clock, elapsed, type Instant } from "../../../../ledger/instant.ts";

export interface Failure {
  readonly message: string;
  /** Wall time in ms. */
  readonly at: number;
  readonly retryMs: number;
  /** The ledger cannot be written; the service is not the cause. */
  readonly ledger: boolean;
}

/** How often what a standby shows is brought up to date: it makes no tick that says so. */
const STANDBY_SHOWN_MS = 5_000;

/** How the loop is doing: when it last came round, when it is due, whether it could read the service. */
export class Pulse {
  /** Grows when something that is shown may have changed. */
  version = 0;
  ticks = 0;
  distrusted = 0;
  failed = 0;
  /** Undefined if the newest tick went well, or none has run yet. */
  failure: Failure | undefined;
  /** What is wrong with the settings, such as a fleet file with a mistake. */
  problem: string | undefined;
  /** Another agent keeps the account. */
  isStandby = false;
  readonly #clock: Clock;
  readonly #listeners = new Set<() => void>();
  #last: Instant;
  #wait = 0;
  #shown: Instant;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#last = clock.now();
    this.#shown = this.#last;
  }

  ticked(wait: number, believed: boolean): void {
    this.ticks += 1;
    if (!believed) this.distrusted += 1;
    this.failure = undefined;
    this.isStandby = false;
    this.#beat(wait);
  }

  /** It came round, and another agent keeps the account. */
  stoodBy(): void {
    const now = this.#clock.now();
    const isNews = !this.isStandby || this.failure !== undefined;
    this.isStandby = true;
    this.failure = undefined;
    this.#last = now;
    this.#wait = 0;
    if (isNews || elapsed(this.#shown, now) >= STANDBY_SHOWN_MS) this.changed();
  }

  failedWith(message: string, retryMs: number, ledger = false): void {
    this.failed += 1;
    this.failure = { message, at: this.#clock.now().wall, retryMs, ledger };
    this.#beat(retryMs);
  }

  /** Milliseconds since the loop last came round. */
  age(): number {
    return elapsed(this.#last, this.#clock.now());
  }

  /** Milliseconds by which it is late; 0 if it is not late. */
  overdue(): number {
    return Math.max(0, this.age() - this.#wait);
  }

  /** Calls `listener` at each change. The returned function ends that. */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Reports another change, such as a new balance. */
  changed(): void {
    this.version += 1;
    this.#shown = this.#clock.now();
    for (const listener of [...this.#listeners]) listener();
  }

  #beat(wait: number): void {
    this.#last = this.#clock.now();
    this.#wait = wait;
    this.changed();
  }
}
