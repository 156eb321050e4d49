import { combinationKey } from "../service/contract/contract.ts";
import type { AccountState } from "./account.ts";
import type { Fault } from "./faults.ts";
import type { MachineView } from "./machine.ts";
import type { Listing } from "./market.ts";
import type { Model } from "./model.ts";
import type { Prng } from "./prng.ts";

interface Look {
  readonly number: number;
  readonly fault: Fault | undefined;
  /** How far back in time the list looks. */
  readonly behindMs: number;
  readonly at: number;
}

/**
 * Lists with faults. The fault of the first page holds for the pages after it: a cut list must look whole in
 * pages, too. Each account has one walk at a time; a second one that begins replaces the first.
 */
export class ListMemory {
  readonly #model: Model;
  readonly #random: Prng;
  readonly #looks = new Map<string, Look>();
  #counted = 0;

  constructor(model: Model) {
    this.#model = model;
    this.#random = model.world.random.fork("lists");
  }

  deployments(account: AccountState, continues: boolean, fault: Fault | undefined): readonly MachineView[] {
    const look = this.#look(`deployments ${account.id}`, continues, fault);
    const machines = this.#model.list(account, this.#model.world.now - look.behindMs);
    return this.#lie(machines, (machine) => machine.id, look);
  }

  offers(account: AccountState, continues: boolean, fault: Fault | undefined): readonly Listing[] {
    const look = this.#look(`offers ${account.id}`, continues, fault);
    return this.#lie(this.#model.offers(), (listing) => combinationKey(listing.combination), look);
  }

  #look(key: string, continues: boolean, fault: Fault | undefined): Look {
    const { now } = this.#model.world;
    const previous = this.#looks.get(key);
    if (continues && previous !== undefined) return previous;
    this.#counted += 1;
    const behindMs =
      fault?.kind === "lag"
        ? fault.seconds * 1000
        : fault?.kind === "stale"
          ? now - (previous?.at ?? now)
          : 0;
    const look = { number: this.#counted, fault, behindMs, at: now - behindMs };
    this.#looks.set(key, look);
    return look;
  }

  #lie<T>(items: readonly T[], key: (item: T) => string, { fault, number }: Look): readonly T[] {
    const drawn = (item: T): number => this.#random.fork(`${number} ${key(item)}`).next();
    if (fault?.kind === "cut") return items.filter((item) => drawn(item) < fault.keep);
    if (fault?.kind === "reorder") return [...items].sort((one, other) => drawn(one) - drawn(other));
    return items;
  }
}
