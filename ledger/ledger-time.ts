import { type Epoch, isOlder, isSameEpoch, NO_EPOCH, nameOfEpoch } from "./epoch.ts";
import type { Clock, Instant } from "./instant.ts";
import { isGuessed } from "./system-clock.ts";

/**
 * How far a computer's monotonic clock and the database's may drift apart, as a share of the time that passes.
 * Quartz stays far below it, and so does a clock that is slewed little by little. One that runs away faster is
 * taken for one that jumped.
 */
const DRIFT = 0.02;

/** What the database's clock shows less what the local ticks show, in milliseconds, as far as it is known. */
interface Bounds {
  readonly low: number;
  readonly high: number;
  /** In local ticks. They widen from then on. */
  readonly at: number;
}

/** What a database says of its clock. */
export interface Shown {
  /** Milliseconds since 1970. */
  readonly time: number;
  /** Which server it is: another one has another clock. */
  readonly server: string;
}

/** What a ledger stores of its clock. */
export interface StoredEpoch extends Epoch {
  /** The server on whose clock it began; null: there is none yet. */
  readonly server: string | null;
}

/**
 * The clock of a ledger that several hosts share, as one process knows it. Each answer of the database bounds its
 * clock: it showed the time at some moment between the question and the answer. Between answers the process's own
 * monotonic clock carries it on. Where an answer contradicts what is known, one of the two clocks has jumped, or
 * stood still, and nobody knows which: then a new epoch begins (epoch.ts). It errs on the safe side only because
 * no decision is made before that: until then moments count by the old bounds, in the old epoch.
 */
export class LedgerTime {
  /** In milliseconds, from any moment on. */
  readonly #ticks: () => number;
  #bounds: Bounds | undefined;
  #server: string | undefined;
  #epoch: Epoch = NO_EPOCH;
  /** What contradicts the bounds. Undefined: nothing does. */
  #other: { readonly bounds: Bounds; readonly server: string } | undefined;
  /** A moment is stored that is yet to come. */
  #isBehind = false;
  /** In the bounds' own epoch. */
  #last = Number.NEGATIVE_INFINITY;

  constructor(ticks: () => number = () => performance.now()) {
    this.#ticks = ticks;
  }

  /** A question to the database begins. Call what it returns with the answer. */
  ask(): (shown: Shown) => void {
    const asked = this.#ticks();
    return ({ time, server }) => {
      const answered = this.#ticks();
      // Since the server read its clock, at most as much time has passed as since the question.
      const passed = (answered - asked) * (1 + DRIFT);
      this.#learn({ low: time - answered, high: time + passed - answered, at: answered }, server);
    };
  }

  /**
   * Compares what the ledger stores with what is known here, `server`: which one this transaction is with. True: a
   * new epoch must begin before anything is decided.
   */
  needsEpoch(stored: StoredEpoch, server: string): boolean {
    // Whatever somebody else began since has begun after the clock was set back.
    const isBehind = this.#isBehind && !isOlder(this.#epoch, stored);
    if (this.#other || isBehind || stored.server !== server || server !== this.#server) return true;
    // A restore or a failover lost the newest epoch.
    const isLost = !isOlder(this.#epoch, stored) && !isSameEpoch(this.#epoch, stored);
    if (isLost) return true;
    this.#enter(stored);
    return false;
  }

  /**
   * Call this with a moment that was stored by others. Where it is surely yet to come, the database's clock was set
   * back while no process looked: whatever happens now would count as older for as long as it was set back by.
   */
  compare(stored: Instant): void {
    const now = this.#now();
    if (stored.boot === now.boot && stored.mono - (stored.error ?? 0) > now.mono + (now.error ?? 0))
      this.#isBehind = true;
  }

  /** Who only reads begins no epoch, but goes with those that others began. */
  follow(stored: StoredEpoch): void {
    if (!this.#other && isOlder(this.#epoch, stored)) this.#enter(stored);
  }

  /** The newest epoch that was seen here. */
  get epoch(): Epoch {
    return this.#epoch;
  }

  /** A new epoch has begun, which this process or another one has stored. */
  began(epoch: Epoch): void {
    if (this.#other) {
      this.#bounds = this.#other.bounds;
      this.#server = this.#other.server;
    }
    this.#other = undefined;
    this.#enter(epoch);
  }

  /** Milliseconds since 1970. Throws as long as the database has not answered. */
  get wall(): number {
    return this.#now().wall;
  }

  /** This clock for a process. `local`: that of its computer, with the processes there. */
  clock(local: Clock): Clock {
    return {
      own: local,
      self: local.self,
      now: () => this.#now(),
      sleep: (ms, signal) => local.sleep(ms, signal),
      // By the boot, which names a computer for as long as it is up. A machine's id would not do: copies of a disk
      // have the same, and containers none. After a reboot this computer is another one, too: its processes are
      // waited for until their time is up.
      isAlive: (identity) => {
        const { boot } = local.self;
        return identity.boot !== boot || isGuessed(boot) || local.isAlive(identity);
      },
    };
  }

  #now(): Instant {
    if (!this.#bounds) throw new Error("the ledger's clock was not read yet");
    const ticks = this.#ticks();
    const { low, high } = widened(this.#bounds, ticks);
    const [first, last] = [Math.floor(low + ticks), Math.ceil(high + ticks)];
    // An answer may move the middle back, and time does not go back.
    this.#last = Math.max(this.#last, Math.round((first + last) / 2));
    const mono = this.#last;
    const error = Math.max(last - mono, mono - first);
    return { wall: mono, mono, boot: nameOfEpoch(this.#epoch), error };
  }

  #learn(answer: Bounds, server: string): void {
    if (!this.#bounds) {
      this.#bounds = answer;
      this.#server = server;
      return;
    }
    const meeting = server === this.#server ? meet(this.#bounds, answer) : undefined;
    if (meeting && !this.#other) this.#bounds = meeting;
    else {
      const both = this.#other?.server === server ? meet(this.#other.bounds, answer) : undefined;
      this.#other = { bounds: both ?? answer, server };
    }
  }

  #enter(epoch: Epoch): void {
    if (isSameEpoch(epoch, this.#epoch)) return;
    const { number, since } = epoch;
    this.#epoch = { number, since };
    this.#isBehind = false;
    this.#last = Number.NEGATIVE_INFINITY;
  }
}

function widened({ low, high, at }: Bounds, ticks: number): Bounds {
  // Questions overtake each other: an answer may be about an earlier moment.
  const drift = DRIFT * Math.abs(ticks - at);
  return { low: low - drift, high: high + drift, at: ticks };
}

/** Undefined: they contradict each other. */
function meet(known: Bounds, answer: Bounds): Bounds | undefined {
  const { low, high } = widened(known, answer.at);
  const both = { low: Math.max(low, answer.low), high: Math.min(high, answer.high), at: answer.at };
  return both.low <= both.high ? both : undefined;
}
