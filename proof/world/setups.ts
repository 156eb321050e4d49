import type { Ask } from "../../agent/ask/ask.ts";
import { HookFailure } from "../../agent/ask/hook.ts";
import type { SetupRunner } from "../../agent/ask/setup.ts";
import type { ProcessIdentity } from "../../ledger/instant.ts";
import type { VirtualClock } from "../../simulator/index.ts";
import type { Host } from "./host.ts";

/** One run of a setup command, by the truth: it goes on when its agent is killed. */
export interface SetupRun {
  readonly id: string;
  /** What the command was told: which try it is. */
  readonly attempt: number;
  readonly from: number;
  /** Infinity: it goes on. */
  until: number;
  /** It came to its end. */
  isDone: boolean;
}

interface Running extends SetupRun {
  readonly host: Host;
  readonly program: ProcessIdentity;
  readonly ending: AbortController;
}

/** The setup commands of a world, on whichever host, and a check that a machine passes once it is set up. */
export class Setups {
  readonly runs: Running[] = [];
  readonly #clock: VirtualClock;
  readonly #lasts: number;

  /** `lasts`: how long a command takes, in milliseconds. */
  constructor(clock: VirtualClock, lasts: number) {
    this.#clock = clock;
    this.#lasts = lasts;
  }

  runnerOn(host: Host): SetupRunner {
    return {
      run: ({ row: { id, setup } }, onStart, signal) => {
        const program = host.spawn();
        const run = { id, host, program, attempt: setup?.tries ?? 0, from: this.#clock.now(), isDone: false };
        const ending = new AbortController();
        const begun: Running = { ...run, until: Number.POSITIVE_INFINITY, ending };
        this.runs.push(begun);
        onStart(program);
        return this.#run(begun, AbortSignal.any([signal, ending.signal]));
      },
      end: (program) => {
        if (host.isAlive(program)) this.#end((run) => same(run.program, program));
      },
    };
  }

  readonly check: Ask = async ({ row }) =>
    this.runs.some(({ id, isDone }) => id === row.id && isDone)
      ? { kind: "good" }
      : { kind: "bad", why: "it is not set up" };

  /** Its power went. */
  rebooted(host: Host): void {
    this.#end((run) => run.host === host);
  }

  #end(which: (run: Running) => boolean): void {
    for (const run of this.runs) if (run.until === Number.POSITIVE_INFINITY && which(run)) run.ending.abort();
  }

  async #run(run: Running, signal: AbortSignal): Promise<string> {
    try {
      await this.#clock.sleep(this.#lasts, signal);
      run.isDone = true;
      return "joined";
    } catch {
      throw new HookFailure("it was ended", null);
    } finally {
      run.until = this.#clock.now();
      run.host.bury(run.program);
    }
  }
}

function same(one: ProcessIdentity, other: ProcessIdentity): boolean {
  return one.pid === other.pid && one.started === other.started && one.boot === other.boot;
}
