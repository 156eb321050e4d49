import type { Keeper } from "../../launch/index.ts";
import { carryOutStops, glance, takeList } from "../../launch/index.ts";
import type { Instant } from "../../ledger/index.ts";
import { elapsed } from "../../ledger/index.ts";
import { CoalescedRun } from "./coalesced-run.ts";

/** The full lists that all resources of this process share, however many of them wait. */
export class Rounds {
  readonly #keeper: Keeper;
  readonly #signal: AbortSignal;
  readonly #rounds: CoalescedRun<void>;
  readonly #glances: CoalescedRun<void>;
  /** When the newest list was begun, whatever came of it. */
  #last: Instant | undefined;
  /** When the newest list that came was begun. */
  #came: Instant | undefined;
  /** How long that one took, in ms. */
  #took = 0;
  /** Whether the list that ended last failed. */
  #failed = false;
  #glance: Promise<void> | undefined;

  /** The signal ends the requests themselves: those of one resource must not end when another resource's wait does. */
  constructor(keeper: Keeper, signal: AbortSignal) {
    this.#keeper = keeper;
    this.#signal = signal;
    this.#glances = new CoalescedRun(() => this.#list(glance, signal));
    this.#rounds = new CoalescedRun(async () => {
      try {
        await this.#list(takeList, signal);
      } finally {
        // What was asked for before needs no list: each machine is looked at by its id, and bills for as long as lists fail.
        await carryOutStops(keeper, signal);
      }
    });
  }

  /** One list for the whole process, for diffs and reads: it asks for no stop, as a preview must not. */
  async glance(): Promise<void> {
    this.#glance ??= this.#glances.next();
    try {
      await this.#glance;
    } catch (error) {
      this.#glance = undefined;
      throw error;
    }
  }

  /** How long the newest list that came took, in ms. */
  get took(): number {
    return this.#took;
  }

  /** A list that is begun after this call. It stops nothing either. */
  look(): Promise<void> {
    return this.#glances.next();
  }

  /** A list that is begun after this call, and then, also if there is none to be had, the stops that are due. */
  next(): Promise<void> {
    return this.#rounds.next();
  }

  /** A list that came and is not older than this. After one that failed, the next is not asked for at once. */
  async recent(ms: number): Promise<void> {
    if (this.#rounds.running !== undefined) await this.#rounds.running;
    else if (this.#age(this.#came) <= ms) return;
    else if (this.#failed) await this.poll(this.#signal);
    else await this.next();
  }

  /** Waits until one poll interval has passed since the newest list was begun, and takes the next. */
  async poll(signal: AbortSignal): Promise<void> {
    const { clock, settings } = this.#keeper;
    const seen = this.#last;
    if (seen !== undefined) await clock.sleep(Math.max(0, settings.poll - this.#age(this.#last)), signal);
    // Others wait for the same moment: whoever wakes first begins, and all share it.
    if (this.#last === seen) await this.next();
    else await this.#rounds.running;
  }

  #age(list: Instant | undefined): number {
    return list === undefined ? Number.POSITIVE_INFINITY : elapsed(list, this.#keeper.clock.now());
  }

  async #list(take: typeof takeList, signal: AbortSignal): Promise<void> {
    const { clock } = this.#keeper;
    const begun = clock.now();
    this.#last = begun;
    try {
      await take(this.#keeper, signal);
    } catch (error) {
      this.#failed = true;
      throw error;
    }
    this.#failed = false;
    this.#came = begun;
    this.#took = elapsed(begun, clock.now());
  }
}
