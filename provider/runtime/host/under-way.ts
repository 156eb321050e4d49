import { settingsFromEnvironment } from "../../../launch/facts/settings-environment.ts";
import { DEFAULT_SETTINGS } from "../../../launch/index.ts";
import { watchEngine } from "./engine.ts";

/**
 * The calls under way for the engine, and how this process ends. After a second Ctrl-C the engine interrupts
 * it, and kills it 5 s later; an engine that was killed leaves it running. In both cases waits end at once
 * and nothing more is launched. The time left is for answers to sent requests, which must be written down.
 */
export class UnderWay {
  readonly #ending = new AbortController();
  readonly #working = new Set<() => void>();
  /** Nobody waits for answers any more. */
  #isLeaving = false;
  #isOrphaned = false;

  /** `engine`: the address at which the engine of this process listens. */
  constructor(engine: string | undefined) {
    // A pipe without a reader is no error here. The host prints uncaught errors, and each print would fail
    // again: 4 GB of them within 15 minutes were seen.
    for (const stream of [process.stdout, process.stderr]) stream.on("error", () => undefined);
    watchEngine(engine, {
      onCancel: () => {
        for (const tell of this.#working) tell();
      },
      onGone: () => this.#orphaned(),
    });
  }

  get signal(): AbortSignal {
    return this.#ending.signal;
  }

  /** True once nobody reads what is printed. */
  get isOrphaned(): boolean {
    return this.#isOrphaned;
  }

  /** Ends waits at once. The answers that this makes are waited for, so the process goes on. */
  cut(): void {
    this.#ending.abort(new Error("interrupted: the next up or destroy goes on"));
  }

  /** `onCancel` is called at a first Ctrl-C while the work lasts. */
  async during<T>(work: Promise<T>, onCancel: () => void): Promise<T> {
    if (this.#working.size === 0) process.on("SIGINT", this.#interrupted);
    this.#working.add(onCancel);
    try {
      return await work;
    } finally {
      this.#working.delete(onCancel);
      if (this.#working.size === 0) {
        process.off("SIGINT", this.#interrupted);
        if (this.#isLeaving) setImmediate(leave);
      }
    }
  }

  readonly #interrupted = (): void => {
    this.#isLeaving = true;
    this.#ending.abort(new Error("interrupted: the next up or destroy goes on"));
  };

  #orphaned(): void {
    this.#isOrphaned = true;
    this.#isLeaving = true;
    this.#ending.abort(new Error("the engine is gone: the next up or destroy goes on"));
    if (this.#working.size === 0) leave();
    // Whatever still runs: an answer that has not come by then never comes.
    else setTimeout(leave, longestRequest());
  }
}

function leave(): void {
  process.exit(130);
}

/** The longest time in which a sent request may be answered, in ms. */
function longestRequest(): number {
  try {
    return settingsFromEnvironment(process.env).postTimeout ?? DEFAULT_SETTINGS.postTimeout;
  } catch {
    // With such settings nothing was sent.
    return 0;
  }
}
