import { realClock, type SimulatorClock } from "../../simulator/index.ts";

/**
 * The service's time, which a test can stop: no machine changes its state then, however long the processes take that
 * look at it. Requests are answered all the same.
 */
export class StoppableClock implements SimulatorClock {
  readonly speed: number;

  readonly #real: SimulatorClock;
  #behind = 0;
  #stoppedAt: number | undefined;

  constructor(speed = 1) {
    this.speed = speed;
    this.#real = realClock(speed);
  }

  now(): number {
    return this.#stoppedAt ?? this.#real.now() - this.#behind;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return this.#real.sleep(ms, signal);
  }

  stop(): void {
    this.#stoppedAt = this.now();
  }

  goOn(): void {
    if (this.#stoppedAt !== undefined) this.#behind = this.#real.now() - this.#stoppedAt;
    this.#stoppedAt = undefined;
  }
}
