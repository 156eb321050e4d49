interface Entry<Event> {
  readonly at: number;
  readonly order: number;
  readonly event: Event;
}

/** What is going to happen, by time, then by the order of planning. A binary heap: an idle year costs nothing. */
export class Timeline<Event> {
  readonly #heap: Entry<Event>[] = [];
  #planned = 0;

  plan(at: number, event: Event): void {
    this.#heap.push({ at, order: this.#planned, event });
    this.#planned += 1;
    this.#rise(this.#heap.length - 1);
  }

  /** Takes the earliest event that is due at `until` or before. */
  take(until: number): { readonly at: number; readonly event: Event } | undefined {
    const first = this.#heap[0];
    if (first === undefined || first.at > until) return undefined;
    const last = this.#heap.pop() as Entry<Event>;
    if (this.#heap.length > 0) {
      this.#heap[0] = last;
      this.#sink(0);
    }
    return first;
  }

  /** When the next thing happens; undefined if nothing is planned. */
  next(): number | undefined {
    return this.#heap[0]?.at;
  }

  #rise(start: number): void {
    for (let index = start; index > 0; ) {
      const parent = (index - 1) >> 1;
      if (!this.#before(index, parent)) return;
      this.#swap(index, parent);
      index = parent;
    }
  }

  #sink(start: number): void {
    for (let index = start; ; ) {
      const left = 2 * index + 1;
      const right = left + 1;
      let least = index;
      if (left < this.#heap.length && this.#before(left, least)) least = left;
      if (right < this.#heap.length && this.#before(right, least)) least = right;
      if (least === index) return;
      this.#swap(index, least);
      index = least;
    }
  }

  #before(left: number, right: number): boolean {
    const one = this.#heap[left] as Entry<Event>;
    const other = this.#heap[right] as Entry<Event>;
    return one.at < other.at || (one.at === other.at && one.order < other.order);
  }

  #swap(left: number, right: number): void {
    const kept = this.#heap[left] as Entry<Event>;
    this.#heap[left] = this.#heap[right] as Entry<Event>;
    this.#heap[right] = kept;
  }
}
