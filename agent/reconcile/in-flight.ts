import type { Clock } from "../../ledger/instant.ts";

/**
 * Work that outlives the tick that began it. A POST or a stop call may hang for as long as its timeout, and
 * machines that are lost meanwhile must be seen and replaced. So a tick waits one poll for its own work, and
 * goes on without it. What is left are requests in flight: their intents are in the ledger, and count.
 */
export class InFlight {
  readonly #work = new Set<Promise<void>>();
  readonly #onEnd: () => void;
  #failures: unknown[] = [];
  #stopping = false;

  /** `onEnd` is called when work ends that its tick did not wait for. */
  constructor(onEnd: () => void) {
    this.#onEnd = onEnd;
  }

  begin<T>(work: Promise<T>): Promise<T> {
    const ended: Promise<void> = work.then(
      () => undefined,
      () => undefined,
    );
    this.#work.add(ended);
    void ended.then(() => this.#work.delete(ended));
    return work;
  }

  /** Begins work that no tick waits for. What it throws is thrown by {@link rethrow}. */
  leave(work: Promise<unknown>): void {
    void this.begin(work).catch((reason: unknown) => this.#failures.push(reason));
  }

  /** Begins a round of stops; undefined while another one is under way, which would send the same calls. */
  beginStops(run: () => Promise<void>): Promise<true> | undefined {
    if (this.#stopping) return undefined;
    this.#stopping = true;
    const round = async (): Promise<true> => {
      try {
        await run();
        return true;
      } finally {
        this.#stopping = false;
      }
    };
    return this.begin(round());
  }

  /**
   * The results of what ends within `ms` (undefined: of all), in their order; undefined for the rest. Throws
   * what one of them throws in that time. Once the signal aborts all are waited for, as they are in flight.
   * `onLate` is called when one of the rest ends.
   */
  async within<T>(
    ms: number | undefined,
    work: readonly Promise<T>[],
    clock: Clock,
    signal: AbortSignal,
    onLate: () => void = this.#onEnd,
  ): Promise<readonly (T | undefined)[]> {
    const all = Promise.allSettled(work);
    const results: (PromiseSettledResult<T> | undefined)[] = work.map(() => undefined);
    let gone = false;
    work.forEach((each, index) => {
      const settle = (result: PromiseSettledResult<T>): void => {
        results[index] = result;
        if (!gone) return;
        if (result.status === "rejected") this.#failures.push(result.reason);
        onLate();
      };
      each.then(
        (value) => settle({ status: "fulfilled", value }),
        (reason: unknown) => settle({ status: "rejected", reason }),
      );
    });
    const done = new AbortController();
    const late = ms === undefined ? all : clock.sleep(ms, AbortSignal.any([signal, done.signal]));
    await Promise.race([all, late.catch(() => all)]);
    done.abort("done");
    gone = true;
    for (const result of results) if (result?.status === "rejected") throw result.reason;
    return results.map((result) => (result?.status === "fulfilled" ? result.value : undefined));
  }

  /** Throws a failure of work that no tick waited for any more. */
  rethrow(): void {
    const [failure] = this.#failures;
    this.#failures = [];
    if (failure !== undefined) throw failure;
  }

  /** Resolves when nothing is under way. */
  async settled(): Promise<void> {
    await Promise.all(this.#work);
  }
}
