import type { Stretch } from "../../../ledger/history.ts";

export interface Recovery {
  readonly fleet: string;
  readonly ms: number;
}

/**
 * How long fleets were below their count after they had lost something: from the moment when fewer ran than
 * were asked for and than had run before, until as many ran again. Growing because more is asked for is no
 * recovery.
 */
export class Recoveries {
  readonly #since = new Map<string, number>();
  #before: Stretch["fleets"] = {};

  /** Follows on; returns what has recovered by it. */
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

  /** Since when each fleet that has not recovered yet is below its count, wall time. */
  get short(): ReadonlyMap<string, number> {
    return this.#since;
  }
}
