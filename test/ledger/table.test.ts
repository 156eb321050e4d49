import { queryObjects } from "node:v8";
import { expect, test, vi } from "vitest";
import { Table } from "../../ledger/table.ts";
import { Prng } from "../../simulator/prng.ts";

interface Row {
  readonly id: string;
  readonly owner: string | undefined;
}

test.each([1, 2, 3])("an index finds what a look at all rows finds, in the same order (%i)", (seed) => {
  const random = new Prng(`table ${seed}`);
  const table = new Table<Row, "owner">({ owner: ({ owner }) => owner });
  const deleted = new Set<string>();
  const owners = ["one", "two", "three", undefined];
  for (let step = 0; step < 2_000; step++) {
    const id = `row-${random.integer(0, 60)}`;
    const row = { id, owner: random.pick(owners) };
    if (random.next() < 0.2) {
      table.delete(id);
      deleted.add(id);
    } else if (deleted.delete(id)) table.bringBack(id, row);
    else table.set(id, row);
    // The first steps are made before there is an index.
    if (step < 50 || random.next() < 0.5) continue;
    for (const each of [table, table.copy()])
      for (const owner of owners)
        if (owner !== undefined)
          for (const found of [[...each.of("owner", owner)], [...each.newest("owner", owner)].reverse()])
            expect(found).toEqual([...table.values()].filter((row) => row.owner === owner));
  }
});

const idsOf = (rows: Iterable<Row>): readonly string[] => [...rows].map(({ id }) => id);

test.each([1, 2, 3])(
  "what follows from a group, and what was put, is known after each change (%i)",
  (seed) => {
    const random = new Prng(`changes ${seed}`);
    const table = new Table<Row, "owner">({ owner: ({ owner }) => owner });
    const owners = ["one", "two", undefined];
    let [before, version] = [new Map<string, Row>(), table.version];
    for (let step = 0; step < 20_000; step++) {
      const id = `row-${random.integer(0, 60)}`;
      if (random.next() < 0.01) table.delete(id);
      else table.set(id, { id, owner: random.pick(owners) });
      for (const owner of ["one", "two", "three"]) {
        const known = table.followingFrom("owner", owner, idsOf);
        expect(known).toEqual(idsOf(table.of("owner", owner)));
        expect(table.followingFrom("owner", owner, idsOf)).toEqual(known);
      }
      if (random.next() < 0.9) continue;
      const put = table.changedSince(version);
      const changed = [...table].filter(([key, row]) => before.get(key) !== row);
      if (put) expect(new Set(put)).toEqual(new Set(changed.map(([key]) => key)));
      else expect([...before.keys()].some((key) => table.ever(key) !== before.get(key))).toBe(true);
      [before, version] = [new Map(table), table.version];
    }
  },
);

test("more changes than are remembered: it may be any row", () => {
  const table = new Table<Row>({});
  const { version } = table;
  for (let count = 0; count < 10_000; count++) table.set("one", { id: "one", owner: undefined });
  expect(table.changedSince(version)).toBeUndefined();
  expect(table.changedSince(table.version)).toEqual([]);
});

test("an index that nothing belongs to is empty", () => {
  const table = new Table<Row, "owner">({ owner: ({ owner }) => owner });
  expect([...table.of("owner", "one")]).toEqual([]);
});

test("who asks for the newest of a group looks at what is in it, not at what ever was", () => {
  const table = new Table<Row, "owner">({ owner: ({ owner }) => owner });
  const looks = vi.spyOn(Map.prototype, "get");
  try {
    for (let count = 0; count < 1_000; count++) {
      const id = `row-${count}`;
      table.set(id, { id, owner: "one" });
      looks.mockClear();
      const newest = idsOf(table.newest("owner", "one"));
      const looked = looks.mock.calls.length;
      expect(newest[0]).toBe(id);
      // At each row, at no more that have left, and for the group. The index is built at the first.
      expect(looked).toBeLessThanOrEqual(2 * newest.length + 4);
      if (count >= 10) table.delete(`row-${count - 10}`);
    }
  } finally {
    looks.mockRestore();
  }
});

test("of rows that were deleted no index keeps anything", () => {
  const table = new Table<Row, "owner">({ owner: ({ owner }) => owner });
  const pass = (id: string): void => {
    for (const owner of [`first of ${id}`, `then of ${id}`]) {
      table.set(id, { id, owner });
      expect([...table.of("owner", owner)]).toHaveLength(1);
    }
    table.delete(id);
  };
  pass("one");
  const before = queryObjects(Map, { format: "count" });
  for (let count = 0; count < 1_000; count++) pass(`row-${count}`);
  expect(queryObjects(Map, { format: "count" }) - before).toBeLessThan(500);
  expect(table.size).toBe(0);
});
