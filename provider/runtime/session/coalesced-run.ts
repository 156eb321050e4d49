/**
 * Work that many callers share, one run at a time. All who call during a run share the next one: it begins
 * after their calls, so its result is never older than they are.
 */
export class CoalescedRun<T> {
  readonly #work: () => Promise<T>;
  #running: Promise<T> | undefined;
  #waiting: Promise<T> | undefined;

  constructor(work: () => Promise<T>) {
    this.#work = work;
  }

  get running(): Promise<T> | undefined {
    return this.#running;
  }

  /** A run that begins after this call. */
  next(): Promise<T> {
    if (this.#running === undefined) return this.#begin();
    this.#waiting ??= this.#running.then(ignore, ignore).then(() => {
      this.#waiting = undefined;
      return this.#begin();
    });
    return this.#waiting;
  }

  #begin(): Promise<T> {
    const running = this.#work().finally(() => {
      if (this.#running === running) this.#running = undefined;
    });
    this.#running = running;
    return running;
  }
}

function ignore(): void {}
