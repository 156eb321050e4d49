import { machine, slot } from "../provider/impl.ts";
import type { Environment } from "../provider/runtime/environment.ts";
import { sessionOf } from "../provider/runtime/open-environment.ts";
import type { Properties } from "../provider/runtime/resource-kind.ts";
import { NotAsItShouldBe } from "../provider/runtime/resource-kind.ts";
import type { CatalogueOffer } from "../simulator/index.ts";
import type { Process } from "./process.ts";

interface Resource {
  readonly id: string;
  readonly outs: Properties;
}

/**
 * One Pulumi stack with one `Deployment`, as the engine was seen to treat it: what a create returned is in the state, and
 * nothing else; a create whose host died is called again with the same inputs; a destroy makes no call for what is not
 * in the state.
 */
export class Stack {
  readonly owner: string;
  readonly #inputs: Properties;
  #slot: Resource | undefined;
  #machine: Resource | undefined;
  #turns = 0;
  #deleting = false;

  constructor(name: string, offer: CatalogueOffer) {
    this.owner = `slot:${name}`;
    const { offer: id, provider, location, gpus, pricePerHour } = offer;
    this.#inputs = {
      label: `project/dev/${name}`,
      offer: id,
      provider,
      location,
      gpus,
      pricePerHour,
      awaitRunning: false,
      parameters: { owner: this.owner },
    };
  }

  get empty(): boolean {
    return this.#slot === undefined && this.#machine === undefined;
  }

  async up(host: Environment): Promise<void> {
    // As the slot's diff says of a deletion that was begun: it is ended first (delete before replace).
    if (this.#deleting && !this.empty) await this.destroy(host);
    const turn = this.#begin();
    const { gpus: _gpus, pricePerHour: _price, awaitRunning: _await, ...slotInputs } = this.#inputs;
    const made = this.#slot ?? (await slot.create(host, slotInputs));
    turn(() => {
      this.#slot = made;
    });
    const inputs = this.#machineInputs(made);
    const before = this.#machine;
    if (before) {
      const { replaces } = await machine.diff(host, before.id, before.outs, inputs);
      if (replaces.length === 0) return;
    } else await passCheck(host, inputs);
    const next = await create(host, inputs);
    turn(() => {
      this.#machine = next;
    });
    if (before) await machine.delete(host, before.id, before.outs);
  }

  /** `pulumi state delete` of both halves: what runs goes on, and the next `up` makes them anew. */
  forget(): void {
    this.#begin();
    this.#slot = undefined;
    this.#machine = undefined;
  }

  /** `--replace` of the machine, or taint: create with the same inputs, then delete of the old id. */
  async replace(host: Environment): Promise<void> {
    const before = this.#machine;
    if (!this.#slot || !before) return this.up(host);
    const turn = this.#begin();
    const next = await create(host, this.#machineInputs(this.#slot));
    turn(() => {
      this.#machine = next;
    });
    await machine.delete(host, before.id, before.outs);
    // A slot whose deletion had come to the ledger would have refused the create.
    this.#deleting = false;
  }

  async destroy(host: Environment): Promise<void> {
    this.#deleting = true;
    const turn = this.#begin();
    if (this.#machine) await machine.delete(host, this.#machine.id, this.#machine.outs);
    turn(() => {
      this.#machine = undefined;
    });
    if (this.#slot) await slot.delete(host, this.#slot.id, this.#slot.outs);
    turn(() => {
      this.#slot = undefined;
      this.#deleting = false;
    });
  }

  /** An engine that was killed writes no state any more, though its host may live on. */
  #begin(): (write: () => void) => void {
    this.#turns += 1;
    const turn = this.#turns;
    return (write) => {
      if (turn === this.#turns) write();
    };
  }

  #machineInputs(made: Resource): Properties {
    return { ...this.#inputs, slot: made.id, ledger: made.outs.ledger };
  }
}

/** What the engine asks before it creates what is not in its state; the offers play no part in it. */
async function passCheck(host: Environment, inputs: Properties): Promise<void> {
  const [failure] = (await machine.check({ ...host, offers: async () => undefined }, inputs)).failures;
  if (failure) throw new Error(failure.reason);
}

/** After a partial failure the id and its properties stay in the state. */
async function create(host: Environment, inputs: Properties): Promise<Resource> {
  try {
    return await machine.create(host, inputs);
  } catch (error) {
    if (!(error instanceof NotAsItShouldBe)) throw error;
    return { id: error.id, outs: error.outs };
  }
}

/** What the resources of one process are given. */
export async function environmentOf(process: Process, newId: () => string): Promise<Environment> {
  const keeper = await process.open();
  const session = sessionOf(keeper, process.ending.signal);
  return {
    problem: () => undefined,
    usedParameters: () => undefined,
    session: async () => session,
    ledger: async () => keeper.ledger,
    held: new Set(),
    ledgerThere: async () => keeper.ledger,
    offers: session.offers,
    newId,
    host: "host",
    say: () => undefined,
    now: () => keeper.clock.now().mono,
    hide: (text) => text,
    signal: process.ending.signal,
  };
}
