import { believedWait, wasCooled } from "../../launch/facts/cooling.ts";
import type { Keeper } from "../../launch/keeper.ts";
import type { History } from "../../ledger/chart-history.ts";
import { DAY_MS, MINUTE_MS } from "../../ledger/instant.ts";
import { dayOf } from "../../ledger/market-history.ts";
import { readDraft } from "../../ledger/read-draft.ts";
import type { Sample } from "../../ledger/sample.ts";
import { type Quoted, type RefusedLaunch, SampleSeries, thinned } from "../../ledger/sample-series.ts";
import type { Offer } from "../../service/contract/service.ts";
import { readable } from "../../service/contract/unread.ts";
import { areSameItems } from "../../service/same/keeping-same.ts";
import { MARKET_READ_MS } from "./market-watch.ts";

/** A sample has what changed in a minute at least: a service may be read several times in it. */
const APART_MS = MINUTE_MS;
/** How often offers are read where nothing else asks for them: later than the watch, whose reading is taken where there is one. */
const READ_MS = MARKET_READ_MS + MINUTE_MS;
/** How soon that is tried again where it failed. */
const AGAIN_MS = MINUTE_MS;
/** How often it is written down that nothing changed. */
const CONFIRM_MS = 10 * MINUTE_MS;
/** Days after which a sample an hour is kept, and days after which none is. */
const FINE_DAYS = 30;
const KEPT_DAYS = 180;
const HOURS = 24;
/** A launch is answered after that at the latest: one that was sent earlier was refused earlier. */
const LONGEST_POST_MS = 15 * MINUTE_MS;

interface Seen {
  readonly offers: readonly Offer[];
  readonly at: number;
}

/**
 * Keeps in the ledger how the market changed. It takes what plans read anyway; where they read nothing, it asks by itself,
 * seldom. No decision rests on it, and nothing waits for it.
 */
export class MarketSampler {
  readonly #keeper: Keeper;
  readonly #history: History;
  readonly #series = new SampleSeries();
  /** The newest sample in the ledger. */
  #last: Sample | undefined;
  #begun = false;
  /** What was read last. */
  #seen: Seen | undefined;
  /** What was read last of what is written down. */
  #written: Seen | undefined;
  #asked: number | undefined;
  #work: Promise<void> | undefined;

  constructor(keeper: Keeper, history: History) {
    this.#keeper = keeper;
    this.#history = history;
  }

  /** What was just read for a plan. */
  saw(offers: readonly Offer[]): void {
    this.#seen = { offers, at: this.#now() };
  }

  /** Begins to write down what is new, unless that goes on. Errors are ignored: the loop meets the same ledger and the same service, and reports. */
  pump(signal: AbortSignal): void {
    this.#work ??= this.record(signal)
      .catch(() => undefined)
      .then(() => {
        this.#work = undefined;
      });
  }

  async settled(): Promise<void> {
    await this.#work;
  }

  /** Writes down what is new. One call at a time. Where there is nothing to be done, it asks neither ledger nor service. */
  async record(signal: AbortSignal): Promise<void> {
    const now = this.#now();
    if (!this.#keeper.service.abilities.offers || isWithin(APART_MS, this.#written?.at, now)) return;
    if (!this.#begun) await this.#goOn(now);
    const seen = this.#seen === this.#written ? await this.#read(now, signal) : this.#seen;
    if (!seen) return;
    try {
      await this.#write(seen);
    } catch (error) {
      // What the series has is stored or not: it is read again.
      this.#begun = false;
      throw error;
    }
    this.#written = seen;
    this.#seen = seen;
  }

  /** After a restart the samples of the same day go on. */
  async #goOn(now: number): Promise<void> {
    const lately = await this.#history.samples(
      this.#keeper.account,
      (dayOf(now) - 1) * DAY_MS,
      Number.MAX_SAFE_INTEGER,
    );
    for (const sample of lately) this.#series.take(sample);
    this.#last = lately.at(-1);
    this.#begun = true;
  }

  async #read(now: number, signal: AbortSignal): Promise<Seen | undefined> {
    if (isWithin(READ_MS, this.#last?.until, now) || isWithin(AGAIN_MS, this.#asked, now)) return undefined;
    this.#asked = now;
    return { offers: readable(await this.#keeper.service.offers(signal)), at: now };
  }

  async #write({ offers, at }: Seen): Promise<void> {
    const last = this.#last;
    // Also where the clock was set back.
    const whole = !last || last.at > at || dayOf(last.at) !== dayOf(at);
    const refused = last ? await this.#refused(last.until, at) : [];
    const isSame = !whole && refused.length === 0 && areSameItems(this.#written?.offers ?? [], offers);
    const next = isSame ? undefined : this.#series.next(at, offers.map(quoted), { refused, whole });
    if (whole) await this.#thin(last, at);
    if (next) await this.#put(next);
    else if (last && at - last.until >= CONFIRM_MS)
      // One that says all that is offered is long: it is not written again.
      await this.#put(last.whole ? { at, until: at, said: [] } : { ...last, until: at });
  }

  async #put(sample: Sample): Promise<void> {
    await this.#history.putSamples(this.#keeper.account, [sample], sample.at, Number.MAX_SAFE_INTEGER);
    this.#last = sample;
  }

  /** Thins the days that have become old enough since the newest sample, and forgets what is too old. */
  async #thin(last: Sample | undefined, at: number): Promise<void> {
    const { account } = this.#keeper;
    const today = dayOf(at);
    const oldest = today - KEPT_DAYS;
    const first = Math.max(oldest, last ? dayOf(last.at) - FINE_DAYS : oldest);
    await this.#history.putSamples(account, [], 0, oldest * DAY_MS);
    for (let day = first; day < today - FINE_DAYS; day++) {
      const [from, to] = [day * DAY_MS, (day + 1) * DAY_MS];
      const fine = await this.#history.samples(account, from, to);
      if (fine.length > HOURS) await this.#history.putSamples(account, thinned(fine), from, to);
    }
  }

  /** Launches of whoever it was that were refused after one moment and until another. */
  async #refused(after: number, until: number): Promise<readonly RefusedLaunch[]> {
    const draft = await readDraft(this.#keeper);
    const refused: RefusedLaunch[] = [];
    for (const intent of draft.intents.newest("state", "rejected")) {
      const { offer, provider, location, gpus, stamped, resolved } = intent;
      if (stamped.wall < after - LONGEST_POST_MS) break;
      if (!resolved || resolved.wall <= after || resolved.wall > until) continue;
      const seconds = wasCooled(intent) ? believedWait(draft.cooldown(intent)?.seconds ?? 0) / 1000 : 0;
      refused.push({ offer: { offer, provider, location, gpus, gpuModel: null }, seconds });
    }
    return refused;
  }

  #now(): number {
    return this.#keeper.clock.now().wall;
  }
}

/** False also after a clock was set back. */
function isWithin(ms: number, since: number | undefined, now: number): boolean {
  return since !== undefined && now >= since && now - since < ms;
}

function quoted(of: Offer): Quoted {
  const { offer, provider, location, gpus, gpuModel, pricePerHour, available, stock } = of;
  const room = available === false ? 0 : (stock ?? null);
  return { offer, provider, location, gpus, gpuModel: gpuModel ?? null, price: pricePerHour ?? null, room };
}
