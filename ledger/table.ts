/** What an index groups rows by; undefined: a row that it leaves out. */
type Keys<Row, Index extends string> = Readonly<Record<Index, (row: Row) => string | undefined>>;

/** The rows of one index that belong together, by their keys in the table's order. */
interface Group {
  keys: string[];
  /** The place of its last row in the table. */
  last: number;
  /** How many of its keys may lead to no row of it any more. */
  left: number;
  /** False once its keys may be out of order, or one may stand here twice. */
  isSorted: boolean;
}

/**
 * The rows of one table by their key, in the order in which they were first stored. It finds those of an owner
 * or in a state without a look at all others: an index is built when it is first asked, and kept up to date
 * from then on.
 */
export class Table<Row, Index extends string = never> extends Map<string, Row> {
  readonly #keys: Keys<Row, Index>;
  readonly #indexes = new Map<Index, Map<string, Group>>();
  /** The place of each row in the table, once there is an index. */
  readonly #places = new Map<string, number>();
  #placed = 0;

  constructor(keys: Keys<Row, Index>, rows: Iterable<readonly [string, Row]> = []) {
    super();
    this.#keys = keys;
    for (const [key, row] of rows) super.set(key, row);
  }

  /** The same rows in a table of its own. */
  copy(): Table<Row, Index> {
    return new Table(this.#keys, this);
  }

  /** The same rows in a table of its own, in another order. */
  sorted(order: (one: Row, other: Row) => number): Table<Row, Index> {
    return new Table(
      this.#keys,
      [...this].sort(([, one], [, other]) => order(one, other)),
    );
  }

  override set(key: string, row: Row): this {
    const before = this.get(key);
    super.set(key, row);
    if (this.#indexes.size === 0) return this;
    if (before === undefined) this.#places.set(key, this.#next());
    for (const [index, groups] of this.#indexes) {
      const from = before === undefined ? undefined : this.#keys[index](before);
      const to = this.#keys[index](row);
      if (from === to) continue;
      if (from !== undefined) this.#leave(groups, from);
      if (to !== undefined) this.#enter(groups, to, key);
    }
    return this;
  }

  override delete(key: string): boolean {
    const before = this.get(key);
    if (before === undefined) return false;
    for (const [index, groups] of this.#indexes) {
      const from = this.#keys[index](before);
      if (from !== undefined) this.#leave(groups, from);
      // Should a row of this key ever come back, no group that it was in may have it twice.
      for (const group of groups.values()) group.isSorted &&= group.left === 0;
    }
    this.#places.delete(key);
    return super.delete(key);
  }

  override clear(): never {
    throw new Error("no rule deletes all rows of a table");
  }

  /**
   * The rows of this group, in the table's order. Rows may be put meanwhile: each is given as it is when its
   * turn comes, if it is still of the group. One that comes into the group meanwhile is left out.
   */
  *of(index: Index, name: string): Iterable<Row> {
    const keys = this.#sorted(index, name);
    for (let place = 0, count = keys.length; place < count; place++) {
      const row = this.#rowOf(index, name, keys[place] as string);
      if (row !== undefined) yield row;
    }
  }

  /** The same, the last one first: who asks for the newest looks at no other. */
  *newest(index: Index, name: string): Iterable<Row> {
    const keys = this.#sorted(index, name);
    for (let place = keys.length - 1; place >= 0; place--) {
      const row = this.#rowOf(index, name, keys[place] as string);
      if (row !== undefined) yield row;
    }
  }

  /** Undefined if the row has left the group. */
  #rowOf(index: Index, name: string, key: string): Row | undefined {
    const row = this.get(key);
    return row !== undefined && this.#keys[index](row) === name ? row : undefined;
  }

  #sorted(index: Index, name: string): readonly string[] {
    const group = this.#groups(index).get(name);
    if (!group) return [];
    if (!group.isSorted || group.left * 2 > group.keys.length) {
      const place = (key: string): number => this.#places.get(key) ?? 0;
      const here = new Set(group.keys.filter((key) => this.#rowOf(index, name, key) !== undefined));
      group.keys = [...here].sort((one, other) => place(one) - place(other));
      group.last = place(group.keys.at(-1) ?? "");
      group.left = 0;
      group.isSorted = true;
    }
    return group.keys;
  }

  #groups(index: Index): Map<string, Group> {
    const known = this.#indexes.get(index);
    if (known) return known;
    if (this.#indexes.size === 0) for (const key of this.keys()) this.#places.set(key, this.#next());
    const groups = new Map<string, Group>();
    this.#indexes.set(index, groups);
    for (const [key, row] of this) {
      const to = this.#keys[index](row);
      if (to !== undefined) this.#enter(groups, to, key);
    }
    return groups;
  }

  #enter(groups: Map<string, Group>, name: string, key: string): void {
    const group = groups.get(name) ?? { keys: [], last: 0, left: 0, isSorted: true };
    groups.set(name, group);
    const place = this.#places.get(key) ?? 0;
    // A row that comes back may still stand here, at its old place.
    if (place <= group.last) group.isSorted = false;
    group.last = Math.max(group.last, place);
    group.keys.push(key);
  }

  #leave(groups: Map<string, Group>, name: string): void {
    const group = groups.get(name);
    if (group) group.left += 1;
  }

  #next(): number {
    this.#placed += 1;
    return this.#placed;
  }
}
