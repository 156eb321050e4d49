import { carryOutStops, glance, type Keeper, takeList } from "../../../launch/index.ts";
import { elapsed, type Instant } from "../../../ledger/index.ts";
import { CoalescedRun } from "./coalesced-run.ts";

/** The full lists that all resources of this process share, however many of them wait. */
export class SharedLists {
  readonly #keeper: Keeper;
  readonly #signal: AbortSignal;
  readonly #takes: CoalescedRun<void>;
  readonly #glances: CoalescedRun<void>;
  /** When the newest list began, also if it failed. */
  #last: Instant | undefined;
  /** When the newest successful list began. */
  #came: Instant | undefined;
  /** How long the newest successful list took, in ms. */
  #took = 0;
  /** Whether the last list to end failed. */
  #failed = false;
  #glance: Promise<void> | undefined;

  /** `signal` ends the requests: they are shared, so the end of one resource's wait must not end them. */
  constructor(keeper: Keeper, signal: AbortSignal) {
    this.#keeper = keeper;
    this.#signal = signal;
    this.#glances = new CoalescedRun(() => this.#list(glance));
    this.#takes = new CoalescedRun(async () => {
      try {
        await this.#list(takeList);
      } finally {
        // Also after a failed list: each machine to stop is asked for by its id, and bills until it stops.
        await carryOutStops(keeper, signal);
      }
    });
  }

  /** One list for the whole process, for diffs and reads. It carries out no stop, as a preview must not. */
  async glance(): Promise<void> {
    this.#glance ??= this.#glances.next();
    try {
      await this.#glance;
    } catch (error) {
      this.#glance = undefined;
      throw error;
    }
  }

  /** How long the newest successful list took, in ms. */
  get took(): number {
    return this.#took;
  }

  /** A list that begins after this call. It carries out no stop. */
  look(): Promise<void> {
    return this.#glances.next();
  }

  /** A list that begins after this call, and then the stops that are due, even if the list failed. */
  next(): Promise<void> {
    return this.#takes.next();
  }

  /** Ensures a successful list no older than `ms`. If the last one failed, waits a poll before the next. */
  async recent(ms: number): Promise<void> {
    if (this.#takes.running !== undefined) await this.#takes.running;
    else if (this.#age(this.#came) <= ms) return;
    else if (this.#failed) await this.poll(this.#signal);
    else await this.next();
  }

  /** Waits until one poll has passed since the newest list began, and takes the next. */
  async poll(signal: AbortSignal): Promise<void> {
    const { clock, settings } = this.#keeper;
    const seen = this.#last;
    if (seen !== undefined) await clock.sleep(Math.max(0, settings.poll - this.#age(this.#last)), signal);
    // All waiters wake at the same moment: the first begins the list, and all share it.
    if (this.#last === seen) await this.next();
    else await this.#takes.running;
  }

  #age(list: Instant | undefined): number {
    return list === undefined ? Number.POSITIVE_INFINITY : elapsed(list, this.#keeper.clock.now());
  }

  async #list(take: typeof takeList): Promise<void> {
    const { clock } = this.#keeper;
    const begun = clock.now();
    this.#last = begun;
    try {
      await take(this.#keeper, this.#signal);
    } catch (error) {
      this.#failed = true;
      throw error;
    }
    this.#failed = false;
    this.#came = begun;
    this.#took = elapsed(begun, clock.now());
  }
}
