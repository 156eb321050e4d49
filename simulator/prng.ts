/**
 * A small seeded generator (sfc32). Two runs with one seed are equal. `fork` gives an independent stream: a
 * draw for one machine cannot change what another one gets.
 */
export class Prng {
  readonly seed: string;
  #state: [number, number, number, number];

  constructor(seed: string) {
    this.seed = seed;
    this.#state = [hash(seed, 1), hash(seed, 2), hash(seed, 3), 1];
    for (let round = 0; round < 12; round += 1) this.next();
  }

  fork(label: string): Prng {
    return new Prng(`${this.seed}/${label}`);
  }

  /** Uniform in [0, 1). */
  next(): number {
    const [a, b, c, counter] = this.#state;
    const sum = (((a + b) | 0) + counter) | 0;
    this.#state = [
      b ^ (b >>> 9),
      (c + (c << 3)) | 0,
      (((c << 21) | (c >>> 11)) + sum) | 0,
      (counter + 1) | 0,
    ];
    return (sum >>> 0) / 2 ** 32;
  }

  /** A whole number, both ends included. */
  integer(from: number, to: number): number {
    return from + Math.floor(this.next() * (to - from + 1));
  }

  pick<T>(items: readonly T[]): T {
    if (items.length === 0) throw new RangeError("nothing to pick from");
    return items[this.integer(0, items.length - 1)] as T;
  }

  shuffle<T>(items: readonly T[]): T[] {
    const shuffled = [...items];
    for (let index = shuffled.length - 1; index > 0; index -= 1) {
      const other = this.integer(0, index);
      [shuffled[index], shuffled[other]] = [shuffled[other] as T, shuffled[index] as T];
    }
    return shuffled;
  }

  /** Time to the next event of a Poisson process with this mean. */
  exponential(mean: number): number {
    return -Math.log(1 - this.next()) * mean;
  }

  /** A version 4 UUID. */
  uuid(): string {
    const hex = Array.from({ length: 32 }, () => this.integer(0, 15).toString(16));
    hex[12] = "4";
    hex[16] = this.pick(["8", "9", "a", "b"]);
    const text = hex.join("");
    return [text.slice(0, 8), text.slice(8, 12), text.slice(12, 16), text.slice(16, 20), text.slice(20)].join(
      "-",
    );
  }
}

/** FNV-1a with a final mix. */
function hash(text: string, salt: number): number {
  let value = 0x811c9dc5 ^ (salt * 0x9e3779b9);
  for (let index = 0; index < text.length; index += 1) {
    value = Math.imul(value ^ text.charCodeAt(index), 0x01000193);
  }
  value = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  value = Math.imul(value ^ (value >>> 13), 0xc2b2ae35);
  return (value ^ (value >>> 16)) | 0;
}
