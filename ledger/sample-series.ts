import { combinationKey } from "../service/contract/contract.ts";
import { HOUR_MS } from "./instant.ts";
import type { Quote, Sample, SampledOffer } from "./sample.ts";

/** A launch that was refused, and for how many seconds its combination cools for that; 0: it does not. */
export interface RefusedLaunch {
  readonly offer: SampledOffer;
  readonly seconds: number;
}

/** What is offered. */
export type Quoted = SampledOffer & Quote;

const NOT_OFFERED: Quote = { price: null, room: 0 };

/** The samples of some days, one after the other: what their numbers mean, and what was last said. They are read and written with it. */
export class SampleSeries {
  readonly #offers: SampledOffer[] = [];
  readonly #numbers = new Map<string, number>();
  /** By number. Undefined: nothing was said of it yet. */
  readonly #last: (Quote | undefined)[] = [];

  /** What was last said of each offer. */
  get quotes(): readonly Quoted[] {
    return this.#offers.map((offer, number) => ({ ...offer, ...(this.#last[number] ?? NOT_OFFERED) }));
  }

  /** Reads the next sample: what it says, and the launches that were refused before it. */
  take({ whole, offers = [], said, refused = [] }: Sample): {
    readonly said: readonly Quoted[];
    readonly refused: readonly RefusedLaunch[];
  } {
    if (whole) this.#clear();
    for (const [offer, provider, location, gpus, gpuModel] of offers)
      this.#numberOf({ offer, provider, location, gpus, gpuModel });
    return {
      said: said.flatMap(([number, price, room]) => {
        this.#last[number] = { price, room };
        return this.#named(number).map((offer) => ({ ...offer, price, room }));
      }),
      refused: refused.flatMap(([number, seconds]) =>
        this.#named(number).map((offer) => ({ offer, seconds })),
      ),
    };
  }

  /** Makes the next sample of what is offered, and of what was refused. Undefined: there is nothing new in it. */
  next(
    at: number,
    quotes: readonly Quoted[],
    {
      refused = [],
      whole = false,
    }: { readonly refused?: readonly RefusedLaunch[]; readonly whole?: boolean } = {},
  ): Sample | undefined {
    if (whole) this.#clear();
    const known = this.#offers.length;
    const said: (readonly [number, Quote["price"], Quote["room"]])[] = [];
    const say = (number: number, { price, room }: Quote): void => {
      const last = this.#last[number];
      if (last && last.price === price && last.room === room) return;
      this.#last[number] = { price, room };
      said.push([number, price, room]);
    };
    const listed = new Set<number>();
    for (const quote of quotes) {
      const number = this.#numberOf(quote);
      listed.add(number);
      say(number, quote);
    }
    for (const number of this.#last.keys())
      if (!listed.has(number) && this.#last[number]) say(number, NOT_OFFERED);
    const refusals = refused.map(({ offer, seconds }) => [this.#numberOf(offer), seconds] as const);
    if (!whole && said.length === 0 && refusals.length === 0) return undefined;
    const offers = this.#offers.slice(known);
    return {
      ...{ at, until: at, said },
      ...(whole && { whole }),
      ...(offers.length > 0 && { offers: offers.map(nameOf) }),
      ...(refusals.length > 0 && { refused: refusals }),
    };
  }

  /** None: no sample has named it, as in a ledger that lost some. */
  #named(number: number): readonly SampledOffer[] {
    return this.#offers.slice(number, number + 1);
  }

  #numberOf({ offer, provider, location, gpus, gpuModel }: SampledOffer): number {
    const key = combinationKey({ offer, provider, location });
    const number = this.#numbers.get(key) ?? this.#offers.length;
    if (number < this.#offers.length) return number;
    this.#numbers.set(key, number);
    this.#offers.push({ offer, provider, location, gpus, gpuModel });
    this.#last.push(undefined);
    return number;
  }

  #clear(): void {
    this.#offers.length = 0;
    this.#last.length = 0;
    this.#numbers.clear();
  }
}

function nameOf({
  offer,
  provider,
  location,
  gpus,
  gpuModel,
}: SampledOffer): NonNullable<Sample["offers"]>[number] {
  return [offer, provider, location, gpus, gpuModel];
}

/** The samples of a day as one for each hour: with what offers said at its end, and with all that was refused in it. */
export function thinned(samples: readonly Sample[]): readonly Sample[] {
  const [read, write] = [new SampleSeries(), new SampleSeries()];
  const hours = [...Map.groupBy(samples, ({ at }) => Math.floor(at / HOUR_MS)).values()];
  return hours.map((hour, index) => {
    const refused = hour.flatMap((each) => read.take(each).refused);
    const [first, last] = [hour[0] as Sample, hour.at(-1) as Sample];
    const row = write.next(first.at, read.quotes, { refused, whole: index === 0 });
    return { ...(row ?? { at: first.at, said: [] }), until: last.until };
  });
}
