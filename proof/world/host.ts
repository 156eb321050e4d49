import type { Instant, ProcessIdentity } from "../../ledger/instant.ts";
import type { VirtualClock } from "../../simulator/virtual-clock.ts";

/** What tells a second computer from the first. */
export interface OtherHost {
  /** Its wall clock is that far from the world's, in milliseconds. */
  readonly skewMs: number;
  /** How fast its monotonic clock runs: 1.01 is one percent too fast. */
  readonly rate: number;
}

/**
 * A computer of our processes: a boot, a wall clock that people and NTP move, a monotonic clock that nobody
 * moves, and a table of processes. All processes share one ledger.
 */
export class Host {
  readonly #clock: VirtualClock;
  readonly #living = new Map<number, string>();
  #boot = 1;
  #booted: number;
  readonly #name: string;
  readonly #rate: number;
  /** Its answers take no time on their way back, and else none on their way to the ledger. */
  readonly isNear: boolean;
  #skew: number;
  #pids = 100;

  constructor(clock: VirtualClock, other?: OtherHost) {
    this.#clock = clock;
    this.isNear = other === undefined;
    this.#name = other ? "other-boot" : "boot";
    this.#rate = other?.rate ?? 1;
    this.#skew = other?.skewMs ?? 0;
    // A monotonic clock does not begin with the first process.
    this.#booted = clock.monotonic() - (other ? 7_000_000 : 50_000);
  }

  /** Its monotonic clock, in milliseconds and parts of them. */
  ticks(): number {
    return (this.#clock.monotonic() - this.#booted) * this.#rate;
  }

  now(): Instant {
    return {
      wall: this.#clock.now() + this.#skew,
      mono: Math.floor(this.ticks()),
      boot: this.#bootId,
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
    return { boot: this.#bootId, pid: this.#pids, started };
  }

  bury({ pid, started, boot }: ProcessIdentity): void {
    if (this.isAlive({ pid, started, boot })) this.#living.delete(pid);
  }

  isAlive({ pid, started, boot }: ProcessIdentity): boolean {
    return boot === this.#bootId && this.#living.get(pid) === started;
  }

  get #bootId(): string {
    return `${this.#name}${this.#boot}`;
  }
}
