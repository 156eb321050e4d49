import type { Clock } from "../../ledger/instant.ts";

/** Ends a wait early. Rung while nobody waits, it ends the next wait at once. */
export class WakeSignal {
  #rung = false;
  #wake = (): void => undefined;

  ring(): void {
    this.#rung = true;
    this.#wake();
  }

  /** Forgets that it was rung: what it was rung for is done now. */
  answer(): void {
    this.#rung = false;
  }

  /** Resolves after `ms`, or as soon as it is rung or the signal aborts. */
  async wait(ms: number, clock: Clock, signal: AbortSignal): Promise<void> {
    if (this.#rung) return;
    const rung = new AbortController();
    this.#wake = () => rung.abort("rung");
    await clock.sleep(ms, AbortSignal.any([signal, rung.signal])).catch(() => undefined);
    this.#wake = () => undefined;
  }
}
