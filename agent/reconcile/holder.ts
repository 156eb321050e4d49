import { createHash } from "node:crypto";
import { inLanes, type Keeper } from "../../launch/keeper.ts";
import { age, type Clock, type Instant } from "../../ledger/instant.ts";
import { type Lease, type LeaseState, type Leases, notHolder } from "../../ledger/lease.ts";
import {
  type FleetkeeperError,
  isLedgerBusy,
  isNotHolder,
  isPassing,
} from "../../service/contract/errors.ts";
import type { Service } from "../../service/contract/service.ts";
import type { AllAccounts } from "./move-portions.ts";
import { WakeSignal } from "./wake-signal.ts";

/*
 * The times of a lease, in milliseconds. Whoever dies holds an account for LEASE at most. Another agent sees that
 * LOOK later, and takes it at once, or a look later if it has more than its share. All that is below 10 s.
 */
const LEASE_MS = 6_000;
const RENEW_MS = 2_000;
const LOOK_MS = 1_000;
/** A lease is trusted for so much less than it lasts: two clocks do not run equally fast. */
const MARGIN_MS = 1_000;
/** An account whose row somebody locks is waited for: the others go on beside it. */
const TAKEN_AT_ONCE = 2;

export interface HolderOptions<L> {
  readonly leases: Leases<L>;
  /** A random id of this process. */
  readonly id: string;
  /** This process's own clock: never one that follows the database's. */
  readonly clock: Clock;
}

/** What one account's agent is told while it waits, and what it does while it keeps the account. */
export interface Post {
  readonly account: string;
  /** Called at each look: another agent has the lease. */
  readonly onStandby: () => void;
  /** The ledger could not be asked; it is asked again after `retryMs`. */
  readonly onError: (error: FleetkeeperError, retryMs: number) => void;
  /** Another agent has taken the account: this one was stopped for too long, or could not reach the ledger. */
  readonly onLost: () => void;
  /** The agent's work. It ends soon after the signal aborts: then the lease is lost, or the agent is to end. */
  readonly work: (signal: AbortSignal) => Promise<void>;
}

interface Held {
  readonly lease: Lease;
  /** When it was asked for last, by the own clock. */
  asked: Instant;
  readonly lost: AbortController;
}

interface Wanted {
  readonly post: Post;
  readonly taken: (held: Held) => void;
  readonly failed: (error: unknown) => void;
  /** Not the same in each process: those that look at once take different accounts. */
  readonly rank: string;
  /** Looks that have found it free. */
  looks: number;
}

/**
 * One process that keeps accounts as their agent, each by a lease. It renews what it holds, and takes what is
 * free; what another one holds it waits for. It does this beside the work, for all accounts at once.
 */
export class Holder<L> {
  readonly #leases: Leases<L>;
  readonly #id: string;
  readonly #clock: Clock;
  readonly #held = new Map<string, Held>();
  readonly #wanted = new Map<string, Wanted>();
  /** The newest term that was seen of each account. */
  readonly #seen = new Map<string, number>();
  readonly #wakeSignal = new WakeSignal();
  #goesRound = false;
  #isLooking = false;

  constructor({ leases, id, clock }: HolderOptions<L>) {
    this.#leases = leases;
    this.#id = id;
    this.#clock = clock;
  }

  /** The ledger for all that the agent decides: see `Leases.asHolder`. */
  ledger(): L {
    return this.#leases.asHolder((account) => {
      const held = this.#held.get(account);
      if (!held) throw notHolder(account);
      return held.lease;
    });
  }

  /**
   * True if nobody else can have taken the account, by the own clock from before the lease was asked for. A
   * process that was stopped knows nothing of it when it wakes, and does not trust its lease any more.
   */
  isSure(account: string): boolean {
    const held = this.#held.get(account);
    return held !== undefined && age(held.asked, this.#clock.now()) < LEASE_MS - MARGIN_MS;
  }

  /**
   * Keeps an account until the signal aborts. It waits while another agent keeps it. An agent that loses the
   * account waits again. Throws what the work throws, and what makes the ledger unusable; the lease is given back.
   */
  async keep(post: Post, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const held = await this.#take(post, signal);
      if (!held) return;
      try {
        await post.work(AbortSignal.any([signal, held.lost.signal]));
      } catch (error) {
        if (!isNotHolder(error)) throw error;
        this.#lose(post.account, held);
      } finally {
        await this.#leave(post.account, held);
      }
      if (held.lost.signal.aborted) post.onLost();
    }
  }

  /** Undefined: the signal aborted before the account was free. */
  async #take(post: Post, signal: AbortSignal): Promise<Held | undefined> {
    const { promise, resolve, reject } = Promise.withResolvers<Held | undefined>();
    const abort = (): void => resolve(undefined);
    signal.addEventListener("abort", abort);
    const rank = createHash("sha256").update(`${this.#id} ${post.account}`).digest("hex");
    this.#wanted.set(post.account, { post, taken: resolve, failed: reject, rank, looks: 0 });
    if (this.#goesRound) this.#wakeSignal.ring();
    else void this.#goRound();
    try {
      return await promise;
    } finally {
      signal.removeEventListener("abort", abort);
      this.#wanted.delete(post.account);
      // It may have been taken in this moment.
      const held = signal.aborted ? this.#held.get(post.account) : undefined;
      if (held) await this.#leave(post.account, held);
      this.#endIfIdle();
    }
  }

  async #goRound(): Promise<void> {
    this.#goesRound = true;
    const over = new AbortController();
    // Who waits for what another agent gives back takes it at once.
    this.#leases.onGivenBack(() => this.#wakeSignal.ring(), over.signal);
    while (!this.#isIdle()) {
      this.#wakeSignal.answer();
      // What holds a lease meets the same ledger, and reports.
      await this.#renew().catch(() => undefined);
      // Not waited for: one that takes long must not have the leases that are held run out.
      if (!this.#isLooking) void this.#look();
      if (!this.#isIdle()) await this.#wakeSignal.wait(LOOK_MS, this.#clock, new AbortController().signal);
    }
    over.abort("nothing is kept, and nothing wanted");
    this.#goesRound = false;
  }

  async #look(): Promise<void> {
    this.#isLooking = true;
    try {
      await this.#takeFree();
    } catch (error) {
      for (const wanted of this.#wanted.values()) tellFailure(wanted, error);
    } finally {
      this.#isLooking = false;
    }
  }

  #isIdle(): boolean {
    return this.#held.size + this.#wanted.size === 0;
  }

  /** Else a process that ends would wait for the next look. */
  #endIfIdle(): void {
    if (this.#isIdle()) this.#wakeSignal.ring();
  }

  async #renew(): Promise<void> {
    const asked = this.#clock.now();
    const due = [...this.#held.values()].filter((held) => age(held.asked, asked) >= RENEW_MS);
    if (due.length === 0) return;
    const leases = due.map(({ lease }) => lease);
    const { renewed, lost } = await this.#leases.renew(leases, LEASE_MS);
    const [mine, others] = [new Set(renewed), new Set(lost)];
    for (const held of due) {
      const { account } = held.lease;
      if (this.#held.get(account) !== held) continue;
      if (mine.has(held.lease)) held.asked = asked;
      // One that somebody locks is renewed at the next look, and is trusted no longer than before.
      else if (others.has(held.lease)) this.#lose(account, held);
    }
  }

  /** Nothing is written or sent for the account from here on. */
  #lose(account: string, held: Held): void {
    if (this.#held.get(account) === held) this.#held.delete(account);
    held.lost.abort(notHolder(account));
  }

  async #takeFree(): Promise<void> {
    if (this.#wanted.size === 0) return;
    const states = await this.#leases.look([...this.#wanted.keys()]);
    for (const [account, { term }] of states)
      this.#seen.set(account, Math.max(term, this.#seen.get(account) ?? 0));
    const isFree = (account: string): boolean => states.get(account)?.isFree ?? true;
    const share = shareOf(states, this.#id, this.#held.size + this.#wanted.size);
    const order = [...this.#wanted].sort(([, one], [, other]) => (one.rank < other.rank ? -1 : 1));
    await inLanes(order, TAKEN_AT_ONCE, async ([account, wanted]) => {
      if (this.#wanted.get(account) !== wanted) return;
      if (!isFree(account)) {
        wanted.looks = 0;
        wanted.post.onStandby();
        return;
      }
      wanted.looks += 1;
      // Who has its share leaves what is free to others for one look.
      if (this.#held.size >= share && wanted.looks === 1) return;
      await this.#takeOne(account, wanted).catch((error: unknown) => tellFailure(wanted, error));
    });
  }

  async #takeOne(account: string, wanted: Wanted): Promise<void> {
    const asked = this.#clock.now();
    const lease = await this.#leases.take(account, this.#id, LEASE_MS, this.#seen.get(account) ?? 0);
    if (!lease) return wanted.post.onStandby();
    // The agent ended meanwhile.
    if (this.#wanted.get(account) !== wanted) return this.#leases.giveBack(lease);
    const held = { lease, asked, lost: new AbortController() };
    this.#held.set(account, held);
    wanted.taken(held);
  }

  /** Gives back what is still held. If the ledger cannot be asked, it is over soon. */
  async #leave(account: string, held: Held): Promise<void> {
    if (this.#held.get(account) !== held) return;
    this.#held.delete(account);
    this.#endIfIdle();
    await this.#leases.giveBack(held.lease).catch((error: unknown) => {
      if (!isLedgerBusy(error)) throw error;
    });
  }
}

function tellFailure({ post, failed }: Wanted, error: unknown): void {
  if (isPassing(error)) post.onError(error, LOOK_MS);
  else failed(error);
}

/**
 * How many of the accounts that this one may keep each agent keeps if all keep equally many: those that keep some,
 * this one, and one more that keeps none yet, of which nothing can be seen.
 */
function shareOf(states: ReadonlyMap<string, LeaseState>, id: string, mine: number): number {
  const holders = new Set([id]);
  for (const { holder, isFree } of states.values()) if (holder !== null && !isFree) holders.add(holder);
  return Math.max(1, mine / (holders.size + 1));
}

/**
 * The keeper with which an agent acts. What it decides is stored under its lease only, and no launch or stop
 * leaves this process unless the lease surely is its own in that moment. What left before is in the ledger, and
 * whoever keeps the account next waits for it: see docs/how/protocol.md.
 */
export function heldKeeper<K extends Keeper>(keeper: K, holder: Holder<K["ledger"]>): K {
  const isSure = (): boolean => holder.isSure(keeper.account);
  return { ...keeper, ledger: holder.ledger(), service: guarded(keeper.service, isSure) };
}

/**
 * The ledger of all accounts for who keeps one of them by a lease. Once another agent may have taken that one, nothing is
 * stored in any: it throws NOT_HOLDER.
 */
export function whileHeld<L>(ledger: AllAccounts, account: string, holder: Holder<L>): AllAccounts {
  return {
    accounts: () => ledger.accounts(),
    read: (key) => ledger.read(key),
    decide: (key, decision) =>
      ledger.decide(key, (draft) => {
        if (!holder.isSure(account)) throw notHolder(account);
        return decision(draft);
      }),
  };
}

function guarded(service: Service, isSure: () => boolean): Service {
  const both = (mayLeave: (() => boolean) | undefined) => (): boolean => isSure() && mayLeave?.() !== false;
  return {
    ...service,
    launch: (request, signal) => service.launch({ ...request, mayLeave: both(request.mayLeave) }, signal),
    stop: (request, signal) => service.stop({ ...request, mayLeave: both(request.mayLeave) }, signal),
  };
}
