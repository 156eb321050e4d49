import type { Stretch } from "../../../ledger/chart-history.ts";

export interface Recovery {
  readonly fleet: string;
  readonly ms: number;
}

/**
 * Measures how long a fleet is below its count after a loss. It begins when fewer GPUs run than are asked for
 * and than ran before. It ends when enough run again. A fleet that grows does not recover.
 */
export class Recoveries {
  readonly #since = new Map<string, number>();
  #before: Stretch["fleets"] = {};

  /** Takes the next stretch. Gives the fleets that recovered by it. */
  follow({ at, fleets }: Pick<Stretch, "at" | "fleets">): readonly Recovery[] {
    const recovered: Recovery[] = [];
    for (const [fleet, [asked, running]] of Object.entries(fleets)) {
      const since = this.#since.get(fleet);
      if (running >= asked) {
        if (since !== undefined) recovered.push({ fleet, ms: Math.max(0, at - since) });
        this.#since.delete(fleet);
      } else if (since === undefined && running < (this.#before[fleet]?.[1] ?? 0)) {
        this.#since.set(fleet, at);
      }
    }
    for (const fleet of this.#since.keys()) if (!(fleet in fleets)) this.#since.delete(fleet);
    this.#before = fleets;
    return recovered;
  }

  /** Since when each fleet that has not recovered is below its count, wall time in ms. */
  get short(): ReadonlyMap<string, number> {
    return this.#since;
  }
}
