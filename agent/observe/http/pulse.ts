import type { Clock, Instant } from "../../../ledger/instant.ts";
import { elapsed } from "../../../ledger/instant.ts";

export interface Failure {
  readonly message: string;
  /** Wall time. */
  readonly at: number;
  readonly retryMs: number;
  /** It is the ledger that cannot be written, and no matter of the service. */
  readonly ledger: boolean;
}

/** How the loop does: when it last came round, when it is due, and whether it could read the service. */
export class Pulse {
  /** Grows with everything that may have changed what is shown. */
  version = 0;
  ticks = 0;
  distrusted = 0;
  failed = 0;
  /** Undefined: the newest tick went well, or there was none yet. */
  failure: Failure | undefined;
  /** What is wrong with the settings, such as a fleet file that cannot be used. */
  problem: string | undefined;
  readonly #clock: Clock;
  readonly #listeners = new Set<() => void>();
  #last: Instant;
  #wait = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#last = clock.now();
  }

  ticked(wait: number, believed: boolean): void {
    this.ticks += 1;
    if (!believed) this.distrusted += 1;
    this.failure = undefined;
    this.#beat(wait);
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

  /** Milliseconds by which it is overdue; 0: it is not. */
  overdue(): number {
    return Math.max(0, this.age() - this.#wait);
  }

  /** Calls back at each change until the returned function is called. */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Something else changed, such as the balance. */
  changed(): void {
    this.version += 1;
    for (const listener of [...this.#listeners]) listener();
  }

  #beat(wait: number): void {
    this.#last = this.#clock.now();
    this.#wait = wait;
    this.changed();
  }
}
