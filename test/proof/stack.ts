import type { Properties } from "../../provider/kinds.ts";
import { MACHINE_PROVIDER, SLOT_PROVIDER } from "../../provider/serialized.ts";
import type { ProviderHost } from "./provider-host.ts";

interface Resource {
  readonly kind: Kind;
  readonly id: string;
  readonly inputs: Properties;
  readonly outs: Properties;
}
type Kind = "slot" | "machine";

const PROVIDER: Readonly<Record<Kind, string>> = { slot: SLOT_PROVIDER, machine: MACHINE_PROVIDER };

/**
 * A stack with one `Deployment`, and the calls that the engine was seen to make for it. What a host has answered is in the
 * state, and nothing else: a create whose host died is called again, and what was replaced is deleted by a later `up`.
 */
export class Stack {
  readonly #state = new Map<Kind, Resource>();
  #replaced: readonly Resource[] = [];

  async up(host: ProviderHost, wish: Properties): Promise<void> {
    const label = "project/dev/one";
    const slot = await this.#bring(host, "slot", { ...wish, label });
    await this.#bring(host, "machine", { ...wish, label, slot: slot.id, ledger: slot.outs.ledger });
    await this.#delete(host, this.#replaced);
  }

  async destroy(host: ProviderHost): Promise<void> {
    await this.#delete(host, this.#all);
  }

  /** The ids in the state. */
  get machines(): readonly string[] {
    return this.#all.filter(({ kind }) => kind === "machine").map(({ id }) => id);
  }

  get isEmpty(): boolean {
    return this.#all.length === 0;
  }

  get #all(): readonly Resource[] {
    return [...this.#replaced, ...this.#state.values()];
  }

  async #bring(host: ProviderHost, kind: Kind, wish: Properties): Promise<Resource> {
    const news = { ...wish, __provider: PROVIDER[kind] };
    const before = this.#state.get(kind);
    const inputs = await host.check(before?.inputs ?? {}, news);
    const put = (id: string, outs: Properties): Resource => {
      const resource = { kind, id, inputs, outs };
      this.#state.set(kind, resource);
      return resource;
    };
    if (before) {
      const { changes, replaces } = await host.diff(before.id, before.outs, inputs);
      if (!changes) return before;
      if (!replaces) return put(before.id, await host.update(before.id, before.outs, inputs));
      // The engine checks what takes its place as something new.
      await host.check({}, news);
    }
    const { id, outs } = await host.create(inputs);
    if (before) this.#replaced = [...this.#replaced, before];
    return put(id, outs);
  }

  /** Children first. */
  async #delete(host: ProviderHost, resources: readonly Resource[]): Promise<void> {
    for (const resource of resources.toSorted((one, other) => one.kind.localeCompare(other.kind))) {
      await host.delete(resource.id, resource.outs);
      this.#replaced = this.#replaced.filter((each) => each !== resource);
      if (this.#state.get(resource.kind) === resource) this.#state.delete(resource.kind);
    }
  }
}
