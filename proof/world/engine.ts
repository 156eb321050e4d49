import { machine, slot } from "../../provider/kinds.ts";
import { sessionOf } from "../../provider/runtime/host/open-environment.ts";
import { parametersOf } from "../../provider/runtime/inputs/parameters.ts";
import type { Properties } from "../../provider/runtime/inputs/resource-kind.ts";
import { NotAsItShouldBe, same } from "../../provider/runtime/inputs/resource-kind.ts";
import type { Environment } from "../../provider/runtime/session/environment.ts";
import type { LoadedProfile } from "../../service/profile/profile-file.ts";
import type { CatalogueOffer } from "../../simulator/index.ts";
import type { Moment } from "../scenario/scenario.ts";
import type { Process } from "./process.ts";

interface Resource {
  readonly id: string;
  readonly outs: Properties;
}

interface StackState {
  readonly slot: Resource | undefined;
  readonly machine: Resource | undefined;
  /** Replaced and to be deleted, by the next command if this one does not come so far. */
  readonly replaced: readonly { readonly slot: Resource; readonly machine: Resource | undefined }[];
  readonly deleting: boolean;
}

/** Writes into the state, while the command that it was given to is the stack's last one. */
type Write = (changes: Partial<StackState>) => void;

/**
 * One Pulumi stack with one `Deployment`, as the real engine treats it. The state holds what a create
 * returned, and nothing else. A create whose host died is repeated with the same inputs. A destroy makes no
 * call for what is not in the state.
 */
export class Stack {
  readonly owner: string;
  #inputs: Properties;
  #state: StackState = { slot: undefined, machine: undefined, replaced: [], deleting: false };
  #turns = 0;

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
    const { slot: there, machine: its, replaced } = this.#state;
    return there === undefined && its === undefined && replaced.length === 0;
  }

  /** Somebody edits the program. */
  program({
    triggers,
    parameters,
  }: Pick<Extract<Moment, { kind: "program" }>, "triggers" | "parameters">): void {
    this.#inputs = {
      ...this.#inputs,
      ...(triggers === undefined ? {} : { triggers }),
      parameters: { ...(this.#inputs.parameters as Properties), ...parameters },
    };
  }

  async up(host: Environment): Promise<void> {
    // The slot's diff asks to finish a deletion that was begun (delete before replace).
    if (this.#state.deleting && !this.empty) await this.destroy(host);
    const write = this.#begin();
    const { gpus: _gpus, pricePerHour: _price, awaitRunning: _await, ...slotInputs } = this.#inputs;
    const old = this.#state.slot;
    const replaced = old !== undefined && (await this.#changeSlot(host, old, slotInputs, write));
    const made = this.#state.slot && !replaced ? this.#state.slot : await slot.create(host, slotInputs);
    if (replaced) return this.#replaceSlot(host, old, made, write);
    write({ slot: made });
    const inputs = this.#machineInputs(made);
    const before = this.#state.machine;
    if (before) {
      const { replaces } = await machine.diff(host, before.id, before.outs, inputs);
      if (replaces.length === 0) return this.#deleteReplaced(host, write);
    } else await passCheck(host, inputs);
    write({ machine: await create(host, inputs) });
    if (before) await machine.delete(host, before.id, before.outs);
  }

  /** True if the slot is to be replaced. With equal inputs its only difference is a begun deletion. */
  async #changeSlot(
    host: Environment,
    { id, outs }: Resource,
    inputs: Properties,
    write: Write,
  ): Promise<boolean> {
    if (Object.entries(inputs).every(([key, value]) => same(outs[key], value))) return false;
    const { changes, replaces } = await slot.diff(host, id, outs, inputs);
    if (replaces.length > 0) return true;
    write({ slot: { id, outs: changes ? await slot.update(host, id, outs, inputs) : outs } });
    return false;
  }

  /** Makes both halves anew, then deletes the old ones, the child first. */
  async #replaceSlot(host: Environment, old: Resource, made: Resource, write: Write): Promise<void> {
    const { machine: before, replaced } = this.#state;
    write({ replaced: [...replaced, { slot: old, machine: before }], slot: made, machine: undefined });
    write({ machine: await create(host, this.#machineInputs(made)) });
    await this.#deleteReplaced(host, write);
  }

  async #deleteReplaced(host: Environment, write: Write): Promise<void> {
    for (const each of this.#state.replaced) {
      if (each.machine) await machine.delete(host, each.machine.id, each.machine.outs);
      await slot.delete(host, each.slot.id, each.slot.outs);
      write({ replaced: this.#state.replaced.filter((other) => other !== each) });
    }
  }

  /** `pulumi state delete` of both halves: the machine runs on, and the next `up` makes them anew. */
  forget(): void {
    this.#begin()({ slot: undefined, machine: undefined });
  }

  /** `--replace` of the machine, or taint: create with the same inputs, then delete of the old id. */
  async replace(host: Environment): Promise<void> {
    const { slot: there, machine: before } = this.#state;
    if (!there || !before) return this.up(host);
    const write = this.#begin();
    write({ machine: await create(host, this.#machineInputs(there)) });
    await machine.delete(host, before.id, before.outs);
    // A slot whose deletion had reached the ledger would have refused the create.
    this.#state = { ...this.#state, deleting: false };
  }

  async destroy(host: Environment): Promise<void> {
    const write = this.#begin();
    write({ deleting: true });
    await this.#deleteReplaced(host, write);
    const { machine: its } = this.#state;
    if (its) await machine.delete(host, its.id, its.outs);
    write({ machine: undefined });
    const { slot: there } = this.#state;
    if (there) await slot.delete(host, there.id, there.outs);
    write({ slot: undefined, deleting: false });
  }

  /** A killed engine writes no more state, though its host may live on. */
  #begin(): Write {
    const turn = ++this.#turns;
    return (changes) => {
      if (turn === this.#turns) this.#state = { ...this.#state, ...changes };
    };
  }

  #machineInputs(made: Resource): Properties {
    return { ...this.#inputs, slot: made.id, ledger: made.outs.ledger };
  }
}

/** The engine's check before it creates what is not in its state. Offers play no part in it. */
async function passCheck(host: Environment, inputs: Properties): Promise<void> {
  const glimpse = async () => ({ ...(await host.glimpse()), offers: async () => undefined });
  const [failure] = (await machine.check({ ...host, glimpse }, inputs)).failures;
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
export async function environmentOf(
  process: Process,
  { profile }: LoadedProfile,
  newId: () => string,
): Promise<Environment> {
  const keeper = await process.open();
  const session = sessionOf(keeper, process.ending.signal);
  return {
    problem: () => undefined,
    usedParameters: () => parametersOf(profile),
    session: async () => session,
    ledger: async () => keeper.ledger,
    held: new Set(),
    ledgerThere: async () => keeper.ledger,
    glimpse: async () => session,
    run: async () => undefined,
    whyNotRun: () => undefined,
    ask: async () => ({ kind: "good" }),
    newId,
    host: "host",
    say: () => undefined,
    now: () => keeper.clock.now().mono,
    hide: (text) => text,
    signal: process.ending.signal,
  };
}
