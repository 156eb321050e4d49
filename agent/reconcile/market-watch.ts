import type { Keeper } from "../../launch/keeper.ts";
import { elapsed, type Instant, MINUTE_MS } from "../../ledger/instant.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import type { Market } from "../../ledger/market.ts";
import { FleetkeeperError, isOfLedger } from "../../service/contract/errors.ts";
import type { Offer } from "../../service/contract/service.ts";
import { readable } from "../../service/contract/unread.ts";
import { areSameItems } from "../../service/same/keeping-same.ts";

/** How often the offers are read where nothing else asks for them: once beside sixty lists, at a poll of 15 s. */
export const MARKET_READ_MS = 15 * MINUTE_MS;
/** How soon that is tried again where it failed. */
const AGAIN_MS = MINUTE_MS;
/** How often an unchanged answer is written down again. */
const CONFIRM_MS = 4 * MINUTE_MS;

/**
 * Leaves in the ledger what one of several services offers, for the previews of who has no key of it. What ticks read anyway
 * is kept; where they read nothing, as of an account that lacks nothing or has no fleet yet, it asks by itself, seldom.
 * Nothing waits for it, and no decision rests on it.
 */
export class MarketWatch {
  readonly #keeper: Keeper;
  readonly #onOffers: (offers: readonly Offer[]) => void;
  /** What is stored, and the newest answer that says the same. */
  #known: { readonly row: Market; readonly said: readonly Offer[] } | undefined;
  #read: Instant | undefined;
  #asked: Instant | undefined;

  /** `onOffers` gets what it read by itself. */
  constructor(keeper: Keeper, onOffers: (offers: readonly Offer[]) => void = () => undefined) {
    this.#keeper = keeper;
    this.#onOffers = onOffers;
  }

  /** Writes down what was just read, if it says something new. A ledger that cannot be written now must not cost the reading. */
  async keep(offers: readonly Offer[]): Promise<void> {
    const { ledger, account, clock, service } = this.#keeper;
    this.#read = clock.now();
    const now = this.#read.wall;
    try {
      const known = this.#known;
      const before = known?.row ?? (await stored(ledger, account));
      const next: Market = { at: now, until: now, can: service.abilities, offers };
      const isSame =
        before &&
        before.at <= now &&
        ((known && areSameItems(known.said, offers)) || saysTheSame(before, next));
      const isFresh = isSame && now - before.until < CONFIRM_MS;
      const row = isFresh ? before : isSame ? { ...before, until: now } : next;
      if (row !== before) await ledger.putMarket(account, row);
      this.#known = { row, said: offers };
    } catch (error) {
      // Whoever decides next tells of it. The next reading is held against what is stored.
      this.#known = undefined;
      if (!isOfLedger(error)) throw error;
    }
  }

  /** Reads the offers if nobody has for long. A service that does not answer is the lists' to tell of. */
  async look(signal: AbortSignal): Promise<void> {
    const { ledger, account, clock, service } = this.#keeper;
    const now = clock.now();
    const isLate = (since: Instant | undefined, ms: number): boolean => !since || elapsed(since, now) >= ms;
    if (!service.abilities.offers || !isLate(this.#read, MARKET_READ_MS) || !isLate(this.#asked, AGAIN_MS))
      return;
    this.#asked = now;
    try {
      const before = this.#read ? undefined : await stored(ledger, account);
      // By the agent that was here before.
      if (before && now.wall >= before.until && now.wall - before.until < MARKET_READ_MS) return;
      const offers = readable(await service.offers(signal));
      this.#onOffers(offers);
      await this.keep(offers);
    } catch (error) {
      if (!signal.aborted && !(error instanceof FleetkeeperError)) throw error;
    }
  }
}

/** One that cannot be read, as of a later version, is written over: it is read anew soon anyway. */
function stored(ledger: Pick<Ledger, "market">, account: string): Promise<Market | undefined> {
  return ledger.market(account).catch(() => undefined);
}

function saysTheSame(before: Market, now: Market): boolean {
  return JSON.stringify([before.can, before.offers]) === JSON.stringify([now.can, now.offers]);
}
