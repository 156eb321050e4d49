import { inLanes, type Keeper, LOOKS_AT_ONCE, lookIfPossible, takeBalance } from "../../launch/keeper.ts";
import { elapsed, type Instant } from "../../ledger/instant.ts";
import { endsAll, type FleetkeeperError } from "../../service/contract/errors.ts";
import type { Offer } from "../../service/contract/service.ts";
import { readable, unreadText } from "../../service/contract/unread.ts";
import type { PlanningInputs } from "../planning/told/fleet-plan.ts";
import type { InFlight } from "./in-flight.ts";

const LONGER_POLL =
  "a floor needs one that is not older than one poll, which FLEETKEEPER_PROTOCOL makes longer";

type OnOffers = (offers: readonly Offer[]) => void;

type Offers = Pick<PlanningInputs, "offers" | "offersProblem" | "unreadOffers">;

/**
 * What a tick reads beside its list: machines that it lacks, the offers, the balance. A launch needs a list
 * that is not older than one poll. So a tick waits for these reads only while its list is fresh, and goes on
 * without late ones: only the fleets that need one wait for it. A late read goes on beside the next ticks,
 * which use its answer. None is asked for twice at a time.
 */
export class SideReads {
  readonly #inFlight: InFlight;
  readonly #onOffers: OnOffers;
  readonly #looking = new Set<string>();
  #balance: Promise<string | undefined> | undefined;
  #offers: { readonly answer: Promise<Offers>; done?: Instant } | undefined;

  /** `onOffers` gets the offers that were read. */
  constructor(inFlight: InFlight, onOffers: OnOffers = () => undefined) {
    this.#inFlight = inFlight;
    this.#onOffers = onOffers;
  }

  /** Asks for deployments by their ids. `ms`: how long it waits for the answers; undefined: to the end. */
  async lookAt(
    keeper: Keeper,
    ids: readonly string[],
    ms: number | undefined,
    signal: AbortSignal,
  ): Promise<void> {
    const fresh = ids.filter((id) => !this.#looking.has(id));
    if (fresh.length === 0) return;
    for (const id of fresh) this.#looking.add(id);
    const look = async (id: string): Promise<void> => {
      try {
        await lookIfPossible(keeper, id, signal);
      } finally {
        this.#looking.delete(id);
      }
    };
    const all = this.#inFlight.begin(inLanes(fresh, LOOKS_AT_ONCE, look));
    await this.#within(ms, [all], keeper, signal);
  }

  /** Reads what is wanted, both at the same time. */
  async inputs(
    keeper: Keeper,
    wanted: { readonly offers: boolean; readonly balance: boolean },
    ms: number | undefined,
    signal: AbortSignal,
  ): Promise<PlanningInputs> {
    const can = keeper.service.abilities;
    const offers = wanted.offers && can.offers ? this.#offersOf(keeper, signal) : undefined;
    const balance = wanted.balance ? this.#balanceOf(keeper, signal) : undefined;
    const [read, problem] = await Promise.all([
      offers && this.#within(ms, [offers], keeper, signal),
      balance && this.#within(ms, [balance.then((text) => ({ text }))], keeper, signal),
    ]);
    if (read?.[0]) this.#offers = undefined;
    const late = `no whole answer came within ${Math.ceil((ms ?? 0) / 1000)} s, and it is still waited for`;
    return {
      can,
      offers: undefined,
      ...(read && (read[0] ?? { offersProblem: late })),
      ...(problem && { balanceProblem: problem[0] ? problem[0].text : `${late}; ${LONGER_POLL}` }),
    };
  }

  /** The reading that is under way or that an earlier tick did not wait for, else a new one. */
  #offersOf(keeper: Keeper, signal: AbortSignal): Promise<Offers> {
    const { clock, settings } = keeper;
    const there = this.#offers;
    if (there && !(there.done && elapsed(there.done, clock.now()) > 2 * settings.poll)) return there.answer;
    const begun: { readonly answer: Promise<Offers>; done?: Instant } = {
      answer: this.#inFlight.begin(readOffers(keeper, this.#onOffers, signal)),
    };
    const ended = (): void => {
      begun.done = clock.now();
    };
    begun.answer.then(ended, ended);
    this.#offers = begun;
    return begun.answer;
  }

  /** The reading that is under way, else a new one: the result of an ended one is in the ledger. */
  #balanceOf(keeper: Keeper, signal: AbortSignal): Promise<string | undefined> {
    if (this.#balance) return this.#balance;
    const ended = (): void => {
      this.#balance = undefined;
    };
    const answer = this.#inFlight.begin(tryBalance(keeper, signal));
    this.#balance = answer;
    answer.then(ended, ended);
    return answer;
  }

  /** A late end wakes no tick: reads that are always a little late would have lists taken all the time. */
  #within<T>(
    ms: number | undefined,
    work: readonly Promise<T>[],
    { clock }: Keeper,
    signal: AbortSignal,
  ): Promise<readonly (T | undefined)[]> {
    return this.#inFlight.within(ms, work, clock, signal, () => undefined);
  }
}

/**
 * Where offers cannot be read, only the fleets that choose among them wait: what runs elsewhere must still be
 * replaced and stopped. Candidates then cost what people wrote.
 */
async function readOffers(keeper: Keeper, onOffers: OnOffers, signal: AbortSignal): Promise<Offers> {
  try {
    const listed = await keeper.service.offers(signal);
    const offers = readable(listed);
    onOffers(offers);
    return { offers, unreadOffers: unreadText(listed, "offers") };
  } catch (error) {
    return { offers: undefined, offersProblem: unlessFatal(error, signal).message };
  }
}

/**
 * Reads the balance. Returns why it could not be read; undefined: it was. Without a balance the fleets with a
 * floor wait, as their launches are not admitted. The others go on.
 */
async function tryBalance(keeper: Keeper, signal: AbortSignal): Promise<string | undefined> {
  try {
    await takeBalance(keeper, signal);
    return undefined;
  } catch (error) {
    return unlessFatal(error, signal).message;
  }
}

/** The error, if only this reading fails by it. Throws the one that the whole tick must fail with. */
function unlessFatal(error: unknown, signal: AbortSignal): FleetkeeperError {
  if (signal.aborted || endsAll(error)) throw error;
  return error as FleetkeeperError;
}
