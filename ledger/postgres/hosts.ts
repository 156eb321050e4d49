import type { Address, Host } from "./address.ts";

/**
 * Which one of several hosts is asked. It stays with one that works, since of several only one writes, and goes on to the
 * next one where one cannot be reached, or only reads. Whoever asks tries again within its patience.
 */
export class Hosts {
  #hosts: Address["hosts"];

  constructor({ hosts }: Address) {
    this.#hosts = hosts;
  }

  get current(): Host {
    return this.#hosts[0];
  }

  /** This one did not do. Others may have found so, too, and gone on. */
  leave(host: Host): void {
    const [first, second, ...others] = this.#hosts;
    if (host === first && second) this.#hosts = [second, ...others, first];
  }
}
