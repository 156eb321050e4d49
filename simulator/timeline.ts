import TinyQueue from "tinyqueue";

interface Entry<Event> {
  readonly at: number;
  readonly order: number;
  readonly event: Event;
}

/** What will happen, by time, then by the order of planning. A priority queue: an idle year costs nothing. */
export class Timeline<Event> {
  readonly #queue = new TinyQueue<Entry<Event>>(
    [],
    (one, other) => one.at - other.at || one.order - other.order,
  );
  #planned = 0;

  plan(at: number, event: Event): void {
    this.#queue.push({ at, order: this.#planned, event });
    this.#planned += 1;
  }

  /** Takes the earliest event that is due at `until` or before. */
  take(until: number): { readonly at: number; readonly event: Event } | undefined {
    const at = this.next();
    return at === undefined || at > until ? undefined : this.#queue.pop();
  }

  /** When the next event is due. Undefined if nothing is planned. */
  next(): number | undefined {
    return this.#queue.peek()?.at;
  }
}
