import { setImmediate as nextRound } from "node:timers/promises";

interface Sleeper {
  readonly due: number;
  readonly order: number;
  readonly wake: () => void;
}

/** 2030-01-01T00:00:00Z: no test takes it for the present. */
const DEFAULT_START = Date.UTC(2030, 0, 1);

/**
 * Time that stands still until it is told to go on. It wakes one sleeper after the other, by due time, then
 * by the order of falling asleep. After each one it lets every promise chain come to rest. So a run depends
 * on its inputs only, and an idle year costs nothing.
 *
 * It does not see work that waits for the real world (a file, a socket): pass that promise to `hold`.
 *
 * @example
 * const clock = new VirtualClock();
 * await clock.run(clock.sleep(86_400_000)); // a day, at once
 */
export class VirtualClock {
  readonly #start: number;
  #elapsed = 0;
  #asleep = 0;
  #sleepers: Sleeper[] = [];
  readonly #held = new Set<Promise<unknown>>();

  constructor(start: number = DEFAULT_START) {
    this.#start = start;
  }

  now(): number {
    return this.#start + this.#elapsed;
  }

  /** Milliseconds since this clock began. Never goes back. */
  monotonic(): number {
    return this.#elapsed;
  }

  /** How many sleepers there are. */
  get sleeping(): number {
    return this.#sleepers.length;
  }

  /** When the next sleeper is due, as `now()` counts. */
  get nextWake(): number | undefined {
    return this.#sleepers[0] === undefined ? undefined : this.#start + this.#sleepers[0].due;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      if (!(ms > 0)) return resolve();
      const aborted = (): void => {
        this.#sleepers = this.#sleepers.filter((other) => other !== sleeper);
        reject(signal?.reason);
      };
      const sleeper: Sleeper = {
        due: this.#elapsed + Math.ceil(ms),
        order: this.#asleep,
        wake: () => {
          signal?.removeEventListener("abort", aborted);
          resolve();
        },
      };
      this.#asleep += 1;
      signal?.addEventListener("abort", aborted, { once: true });
      const after = this.#sleepers.findIndex((other) => other.due > sleeper.due);
      this.#sleepers.splice(after === -1 ? this.#sleepers.length : after, 0, sleeper);
    });
  }

  /** Time stands still until this promise has settled. */
  hold<T>(promise: Promise<T>): Promise<T> {
    const release = (): boolean => this.#held.delete(settled);
    const settled: Promise<unknown> = promise.then(release, release);
    this.#held.add(settled);
    return promise;
  }

  /** Goes on by this much. Wakes every sleeper that is due on the way. */
  async advance(ms: number): Promise<void> {
    await this.advanceTo(this.now() + ms);
  }

  async advanceTo(time: number): Promise<void> {
    const target = time - this.#start;
    await this.settle();
    while (this.#sleepers[0] !== undefined && this.#sleepers[0].due <= target) {
      await this.#wakeNext();
    }
    this.#elapsed = Math.max(this.#elapsed, target);
  }

  /** Goes on until nobody sleeps any more, or until `limitMs` has passed. */
  async runUntilIdle(limitMs = Number.POSITIVE_INFINITY): Promise<void> {
    const limit = this.#elapsed + limitMs;
    await this.settle();
    while (this.#sleepers[0] !== undefined && this.#sleepers[0].due <= limit) await this.#wakeNext();
  }

  /** Goes on as far as this promise needs, and gives its value. Throws if it is pending and nobody sleeps. */
  async run<T>(promise: Promise<T>): Promise<T> {
    let done = false;
    const mark = (): void => {
      done = true;
    };
    promise.then(mark, mark);
    await this.settle();
    while (!done) {
      if (this.#sleepers.length === 0) {
        throw new Error(
          "the virtual clock cannot go on: the promise is pending, and nobody sleeps (is it waiting for the real world? see hold)",
        );
      }
      await this.#wakeNext();
    }
    return promise;
  }

  /** Lets all promise chains come to rest. The second round is for chains that use setImmediate. */
  async settle(): Promise<void> {
    let before: number;
    do {
      before = this.#asleep;
      await nextRound();
      await nextRound();
      while (this.#held.size > 0) await Promise.all(this.#held);
    } while (this.#asleep !== before);
  }

  async #wakeNext(): Promise<void> {
    const sleeper = this.#sleepers.shift();
    if (sleeper === undefined) return;
    this.#elapsed = Math.max(this.#elapsed, sleeper.due);
    sleeper.wake();
    await this.settle();
  }
}
