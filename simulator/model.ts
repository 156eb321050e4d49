import { type Combination, combinationKey } from "../service/contract/contract.ts";
import type { Usd } from "../service/contract/money.ts";
import { type AccountInput, type AccountState, balanceAt, createAccount, usd } from "./account.ts";
import { costByTerms, newBill, type Terms } from "./bill.ts";
import { cannotPay, continueUse } from "./billing.ts";
import type { CatalogueOffer } from "./catalogue.ts";
import type { SimulatorClock } from "./clock.ts";
import type { Json } from "./json.ts";
import { begin, checkHealth, fail, finishStop, lose, proceed, stop } from "./lifecycle.ts";
import { enter, isInUse, type Machine, type MachineView, type Origin, stateOf, viewAt } from "./machine.ts";
import { cool, coolingMs, createMarket, type Listing } from "./market.ts";
import { Prng } from "./prng.ts";
import type { RefusalReason } from "./refusal-reason.ts";
import type { Settings } from "./settings.ts";
import { Timeline } from "./timeline.ts";
import type { Happening, World } from "./world.ts";

const USER_REQUESTED = "user_requested";
const BALANCE_EXHAUSTED = "balance_exhausted";

export interface Launch {
  readonly account: AccountState;
  readonly combination: Combination;
  readonly origin: Origin;
  readonly marker?: Json | undefined;
  readonly parameters?: Readonly<Record<string, Json>>;
  /** That was promised for it before, or that the client has chosen. */
  readonly id?: string | undefined;
  /** Only its id is given out: no machine is made. */
  readonly promised?: true;
}

/**
 * The service itself, without HTTP. One clock and one seed give the same run. Before each operation,
 * everything that is due happens, each at its own time.
 */
export class Model {
  readonly world: World;
  readonly #clock: Pick<SimulatorClock, "now">;
  readonly #ids: Prng;
  /** When the newest launch of each account came. */
  readonly #launched = new Map<string, number>();

  constructor(
    clock: Pick<SimulatorClock, "now">,
    seed: string,
    settings: Settings,
    offers: readonly CatalogueOffer[],
    terms?: Terms,
  ) {
    this.#clock = clock;
    const random = new Prng(seed);
    this.#ids = random.fork("ids");
    this.world = {
      settings,
      terms,
      random,
      startedAt: clock.now(),
      now: clock.now(),
      market: createMarket(offers),
      accounts: new Map(),
      machines: [],
      byId: new Map(),
      lost: new Set(),
      timeline: new Timeline(),
    };
  }

  /** Lets everything that is due happen. A clock that went back undoes nothing. */
  advance(): void {
    const { world } = this;
    const until = Math.max(world.now, this.#clock.now());
    for (let due = world.timeline.take(until); due !== undefined; due = world.timeline.take(until)) {
      world.now = due.at;
      this.#happen(due.event);
    }
    world.now = until;
  }

  addAccount(input: AccountInput): AccountState {
    const account = createAccount(input, this.world.now, this.#ids);
    for (const other of this.world.accounts.values()) {
      if (other.apiKey === account.apiKey) throw new RangeError("two accounts cannot share an API key");
    }
    this.world.accounts.set(account.id, account);
    return account;
  }

  balance(account: AccountState): Usd {
    return balanceAt(account, this.world.now);
  }

  launch({
    account,
    combination: asked,
    origin,
    marker,
    parameters,
    id,
    promised,
  }: Launch): Machine | RefusalReason {
    const { world } = this;
    if (id !== undefined && this.find(account, id))
      return { kind: "invalid", message: `The id ${id} is taken.` };
    const soonMs = this.#tooSoon(account, origin);
    if (soonMs > 0)
      return {
        kind: "tooManyRequests",
        message: "Launches come too fast one after the other.",
        waitMs: soonMs,
      };
    // A launch that names no place names an offer that is in one.
    const isIt = ({ combination: { offer, provider, location } }: Listing): boolean =>
      offer === asked.offer &&
      [provider, ""].includes(asked.provider) &&
      [location, ""].includes(asked.location);
    const { combination = asked } = [...world.market.listings.values()].find(isIt) ?? {};
    const listing = world.market.listings.get(combinationKey(combination));
    if (listing === undefined) {
      return { kind: "invalid", message: `There is no offer ${combinationKey(combination)}.` };
    }
    if (listing.taken >= listing.capacity && coolingMs(world.market, combination, world.now) === 0) {
      cool(world.market, combination, world.now + world.settings.cooldownSeconds * 1000);
    }
    const waitMs = coolingMs(world.market, combination, world.now);
    if (waitMs > 0) {
      return {
        kind: "coolingDown",
        message: "This offer is cooling down. Try again later, or choose another.",
        waitMs,
      };
    }
    const pricePerHour = usd(listing.pricePerHour);
    const bill = newBill(pricePerHour, world.terms);
    const least = world.terms ? costByTerms(bill, world.terms, 0) : bill.reserved;
    if (this.balance(account).lt(least.gt(bill.reserved) ? least : bill.reserved)) {
      return { kind: "insufficientBalance", message: "The balance does not cover what a launch takes." };
    }
    const machine: Machine = {
      number: world.machines.length + 1,
      id: id ?? this.#ids.uuid(),
      account: account.id,
      combination: listing.combination,
      gpus: listing.gpus,
      gpuModel: listing.gpuModel,
      committedAt: world.now,
      origin,
      marker,
      parameters: parameters ?? {},
      bill,
      states: [],
      views: [],
      failure: undefined,
      stopReason: undefined,
      lostAt: undefined,
      hidden: false,
      forgotten: false,
      shownAs: undefined,
    };
    if (promised) enter(machine, "initializing", world.now);
    else begin(world, machine);
    return machine;
  }

  /** How long this launch should have waited after the one before it. It counts, too, whatever comes of it. */
  #tooSoon({ id }: AccountState, { by }: Origin): number {
    const { settings, now } = this.world;
    if (settings.launchEverySeconds === 0 || by !== "request") return 0;
    const before = this.#launched.get(id) ?? Number.NEGATIVE_INFINITY;
    this.#launched.set(id, now);
    return Math.max(0, before + settings.launchEverySeconds * 1000 - now);
  }

  /** A user stops a machine. */
  stop(account: AccountState, id: string): Machine | RefusalReason {
    const machine = this.find(account, id);
    if (machine === undefined) return { kind: "notFound", message: "There is no such deployment." };
    if (!stop(this.world, machine, USER_REQUESTED, this.world.settings.refundOnStop)) {
      return { kind: "notStoppable", message: "The deployment is already stopping or has ended." };
    }
    return machine;
  }

  /** One machine of this account, unless control made the service forget it. */
  find(account: AccountState, id: string): Machine | undefined {
    const machine = this.world.byId.get(id);
    if (account.hidden) return undefined;
    return machine?.account === account.id && !machine.forgotten ? machine : undefined;
  }

  /** Every deployment of the account in any state (specification, section 4), as it was at `at`. */
  list(account: AccountState, at: number = this.world.now): MachineView[] {
    const views: MachineView[] = [];
    if (account.hidden) return views;
    for (const machine of this.world.machines) {
      if (machine.account !== account.id || machine.hidden || machine.forgotten) continue;
      const view = viewAt(machine, at);
      if (view !== undefined) views.push(view);
    }
    return views;
  }

  offers(): readonly Listing[] {
    return [...this.world.market.listings.values()];
  }

  #happen(event: Happening): void {
    const { world } = this;
    switch (event.kind) {
      case "stage":
        proceed(world, event.machine, event.to);
        break;
      case "fail":
        fail(world, event.machine, event.failure);
        break;
      case "stopped":
        finishStop(world, event.machine);
        break;
      case "lost":
        lose(world, event.machine);
        break;
      case "healthCheck":
        checkHealth(world, event.provider);
        break;
      case "hour":
        if (!isInUse(stateOf(event.machine))) break;
        if (!continueUse(world, event.machine)) stop(world, event.machine, BALANCE_EXHAUSTED, false);
        break;
      case "emptyBalance":
        if (event.account.forecast !== event.forecast) break;
        for (const machine of cannotPay(world, event.account)) stop(world, machine, BALANCE_EXHAUSTED, false);
        break;
      case "lateCommit":
        event.commit();
        break;
    }
  }
}
