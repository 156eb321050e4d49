/** What an index groups rows by; undefined: a row that it leaves out. */
type Keys<Row, Index extends string> = Readonly<Record<Index, (row: Row) => string | undefined>>;

/** Where a row is found that the table does not hold. */
type Elsewhere<Row> = (key: string) => Row | undefined;

const NOWHERE = (): undefined => undefined;

/** Rows of one index that belong together. */
interface Group<Row> {
  rows: Map<string, Row>;
  /** The place of its last row in the table. A row that comes in before that puts the group out of order. */
  last: number;
  isSorted: boolean;
  /**
   * Its keys in order, once the newest were asked for. Those that have left it may still stand here, as many as
   * are in it at most, and none stands here twice.
   */
  keys?: string[] | undefined;
  /** What follows from its rows, by the function that says so. Undefined: nothing was asked since a change. */
  known?: Map<unknown, unknown> | undefined;
}

/** So many changes are remembered. Who has missed more looks at all rows. */
const MOST_CHANGES = 4096;

/**
 * The rows of one table by their key, in the order in which they were first stored. Archived rows are none of them:
 * `ever` finds those, too. It finds rows of an owner or in a state without a look at all others: an index is built
 * when it is first asked, and kept up to date from then on.
 */
export class Table<Row, Index extends string = never> extends Map<string, Row> {
  readonly #keys: Keys<Row, Index>;
  readonly #indexes = new Map<Index, Map<string, Group<Row>>>();
  /** The place of each row in the table, once there is an index. */
  readonly #places = new Map<string, number>();
  #placed = 0;
  /** The keys of the newest changes, and how many came before them. */
  #changed: string[] = [];
  #before = 0;
  readonly #elsewhere: Elsewhere<Row>;
  /** Groups that have lost their last row, and how to forget each: nobody goes through one when a row is deleted. */
  readonly #emptied = new Map<Group<Row>, () => void>();

  constructor(
    keys: Keys<Row, Index>,
    rows: Iterable<readonly [string, Row]> = [],
    elsewhere: Elsewhere<Row> = NOWHERE,
  ) {
    super();
    this.#keys = keys;
    this.#elsewhere = elsewhere;
    for (const [key, row] of rows) super.set(key, row);
  }

  /** A copy: these rows in a table of its own. */
  copy(elsewhere = this.#elsewhere): Table<Row, Index> {
    return new Table(this.#keys, this, elsewhere);
  }

  /** These rows in a table of its own, in another order. */
  sorted(order: (one: Row, other: Row) => number): Table<Row, Index> {
    return new Table(
      this.#keys,
      [...this].sort(([, one], [, other]) => order(one, other)),
      this.#elsewhere,
    );
  }

  /** The row with this key, archived or not. `get` and `has` know those alone that are gone through. */
  ever(key: string): Row | undefined {
    return this.get(key) ?? this.#elsewhere(key);
  }

  override set(key: string, row: Row): this {
    this.#note(key);
    if (this.#indexes.size > 0) {
      const before = this.get(key);
      if (before === undefined) this.#places.set(key, this.#next());
      for (const [index, groups] of this.#indexes) {
        const from = before === undefined ? undefined : this.#keys[index](before);
        const to = this.#keys[index](row);
        if (from !== undefined && from !== to) this.#leave(groups, from, key);
        if (to !== undefined) this.#enter(groups, to, key, row);
      }
    }
    return super.set(key, row);
  }

  override delete(key: string): boolean {
    const before = this.get(key);
    if (before !== undefined)
      for (const [index, groups] of this.#indexes) {
        const from = this.#keys[index](before);
        if (from !== undefined) this.#leave(groups, from, key);
      }
    for (const [group, forget] of this.#emptied) if (group.rows.size === 0) forget();
    this.#emptied.clear();
    this.#places.delete(key);
    // A row that is gone is none that changed: all must be looked at.
    this.#before += this.#changed.length + 1;
    this.#changed = [];
    return super.delete(key);
  }

  /** Sets a row that was deleted, as the last one of all. */
  bringBack(key: string, row: Row): void {
    this.set(key, row);
    for (const groups of this.#indexes.values()) for (const group of groups.values()) group.keys = undefined;
  }

  override clear(): never {
    throw new Error("no rule deletes all rows of a table");
  }

  /**
   * The rows of this group, in the table's order. As with any map, rows may be put meanwhile: each is given as
   * it is when its turn comes.
   */
  of(index: Index, name: string): IteratorObject<Row> {
    return (this.#sorted(index, name)?.rows ?? new Map<string, Row>()).values();
  }

  /** The rows of this group, the last one first: who asks for the newest looks at no other. */
  *newest(index: Index, name: string): Iterable<Row> {
    const group = this.#sorted(index, name);
    if (!group) return;
    group.keys ??= [...group.rows.keys()];
    const { keys, rows } = group;
    for (let place = keys.length - 1; place >= 0; place--) {
      const row = rows.get(keys[place] as string);
      if (row !== undefined) yield row;
    }
  }

  /**
   * What follows from the rows of this group alone. It is found out once, and again after one of them changed:
   * so `of` is always the same function, and asks for nothing but its rows.
   */
  followingFrom<T>(index: Index, name: string, of: (rows: Iterable<Row>) => T): T {
    const group = this.#sorted(index, name);
    if (!group) return of([]);
    group.known ??= new Map();
    if (!group.known.has(of)) group.known.set(of, of(group.rows.values()));
    return group.known.get(of) as T;
  }

  /** Counts the changes. As long as it is the same, all rows are. */
  get version(): number {
    return this.#before + this.#changed.length;
  }

  /** The keys of the rows that were put since this version, maybe twice. Undefined: it may be any row. */
  changedSince(version: number): readonly string[] | undefined {
    return version < this.#before ? undefined : this.#changed.slice(version - this.#before);
  }

  #note(key: string): void {
    this.#changed.push(key);
    if (this.#changed.length < 2 * MOST_CHANGES) return;
    this.#before += MOST_CHANGES;
    this.#changed = this.#changed.slice(MOST_CHANGES);
  }

  #sorted(index: Index, name: string): Group<Row> | undefined {
    const group = this.#groups(index).get(name);
    if (group && !group.isSorted) {
      const place = (key: string): number => this.#places.get(key) ?? 0;
      group.rows = new Map([...group.rows].sort(([one], [other]) => place(one) - place(other)));
      group.isSorted = true;
    }
    return group;
  }

  #groups(index: Index): Map<string, Group<Row>> {
    const known = this.#indexes.get(index);
    if (known) return known;
    if (this.#indexes.size === 0) for (const key of this.keys()) this.#places.set(key, this.#next());
    const groups = new Map<string, Group<Row>>();
    this.#indexes.set(index, groups);
    for (const [key, row] of this) {
      const to = this.#keys[index](row);
      if (to !== undefined) this.#enter(groups, to, key, row);
    }
    return groups;
  }

  #enter(groups: Map<string, Group<Row>>, name: string, key: string, row: Row): void {
    let group = groups.get(name);
    if (!group) {
      group = { rows: new Map(), last: 0, isSorted: true };
      groups.set(name, group);
    }
    const place = this.#places.get(key) ?? 0;
    if (!group.rows.has(key)) {
      if (place < group.last) group.isSorted = false;
      // It may stand there already, from before it left.
      if (place <= group.last) group.keys = undefined;
      else group.keys?.push(key);
      group.last = Math.max(group.last, place);
    }
    group.rows.set(key, row);
    group.known = undefined;
  }

  #leave(groups: Map<string, Group<Row>>, name: string, key: string): void {
    const group = groups.get(name);
    if (!group) return;
    group.rows.delete(key);
    group.known = undefined;
    // Else what is archived would be held, and gone through, for good.
    if (group.keys && group.keys.length > 2 * group.rows.size) group.keys = undefined;
    if (group.rows.size === 0) this.#emptied.set(group, () => groups.delete(name));
  }

  #next(): number {
    this.#placed += 1;
    return this.#placed;
  }
}
