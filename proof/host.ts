import type { Instant, ProcessIdentity } from "../ledger/instant.ts";
import type { VirtualClock } from "../simulator/virtual-clock.ts";

/**
 * The computer of our processes: a boot, a wall clock that people and NTP move, a monotonic clock that nobody
 * moves, and a table of processes. They share one ledger.
 */
export class Host {
  readonly #clock: VirtualClock;
  readonly #living = new Map<number, string>();
  #boot = 1;
  #booted: number;
  #skew = 0;
  #pids = 100;

  constructor(clock: VirtualClock) {
    this.#clock = clock;
    // A monotonic clock does not begin with the first process.
    this.#booted = clock.monotonic() - 50_000;
  }

  now(): Instant {
    return {
      wall: this.#clock.now() + this.#skew,
      mono: this.#clock.monotonic() - this.#booted,
      boot: `boot${this.#boot}`,
    };
  }

  /** Sets the wall clock forward or back. */
  jump(ms: number): void {
    this.#skew += ms;
  }

  /** The monotonic clock begins anew. All processes are dead; the caller sees to that. */
  reboot(): void {
    this.#boot += 1;
    this.#booted = this.#clock.monotonic() - 10_000;
    this.#living.clear();
  }

  /** A new entry in the table of processes. Pids are used again, as on a small system. */
  spawn(): ProcessIdentity {
    this.#pids = this.#pids >= 107 ? 101 : this.#pids + 1;
    while (this.#living.has(this.#pids)) this.#pids += 1;
    const started = String(this.now().mono);
    this.#living.set(this.#pids, started);
    return { boot: `boot${this.#boot}`, pid: this.#pids, started };
  }

  bury({ pid, started, boot }: ProcessIdentity): void {
    if (boot === `boot${this.#boot}` && this.#living.get(pid) === started) this.#living.delete(pid);
  }

  isAlive({ pid, started, boot }: ProcessIdentity): boolean {
    return boot === `boot${this.#boot}` && this.#living.get(pid) === started;
  }
}
