import type { Numbers } from "./numbers.ts";

/** Which states lead to which, turned round: the sources of each state stand side by side. */
export class Graph {
  readonly #states: number;
  readonly #starts: Int32Array;
  readonly #sources: Int32Array;

  /** `edges` are pairs: from, to. */
  constructor(edges: Numbers, states: number) {
    this.#states = states;
    this.#starts = new Int32Array(states + 2);
    const starts = this.#starts;
    for (let edge = 1; edge < edges.length; edge += 2) starts[edges.at(edge) + 2]! += 1;
    for (let state = 2; state < starts.length; state++) starts[state]! += starts[state - 1]!;
    this.#sources = new Int32Array(edges.length / 2);
    for (let edge = 0; edge < edges.length; edge += 2) {
      this.#sources[starts[edges.at(edge + 1) + 1]!++] = edges.at(edge);
    }
  }

  /**
   * 1 for each state that leads to a goal. In a finite world a goal that can always be reached is reached, if
   * no step is put off for ever.
   */
  reaching(goals: readonly number[]): Uint8Array {
    const reached = new Uint8Array(this.#states);
    for (const goal of goals) reached[goal] = 1;
    const queue = [...goals];
    for (let state = queue.pop(); state !== undefined; state = queue.pop()) {
      for (let at = this.#starts[state]!; at < this.#starts[state + 1]!; at++) {
        const from = this.#sources[at]!;
        if (reached[from] === 1) continue;
        reached[from] = 1;
        queue.push(from);
      }
    }
    return reached;
  }
}
