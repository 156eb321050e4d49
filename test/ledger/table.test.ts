import { expect, test } from "vitest";
import { Table } from "../../ledger/table.ts";
import { Prng } from "../../simulator/prng.ts";

interface Row {
  readonly id: string;
  readonly owner: string | undefined;
}

test.each([1, 2, 3])("an index finds what a look at all rows finds, in the same order (%i)", (seed) => {
  const random = new Prng(`table ${seed}`);
  const table = new Table<Row, "owner">({ owner: ({ owner }) => owner });
  const owners = ["one", "two", "three", undefined];
  for (let step = 0; step < 2_000; step++) {
    const id = `row-${random.integer(0, 60)}`;
    if (random.next() < 0.2) table.delete(id);
    else table.set(id, { id, owner: random.pick(owners) });
    // The first steps are made before there is an index.
    if (step < 50 || random.next() < 0.5) continue;
    for (const each of [table, table.copy()])
      for (const owner of owners)
        if (owner !== undefined)
          for (const found of [[...each.of("owner", owner)], [...each.newest("owner", owner)].reverse()])
            expect(found).toEqual([...table.values()].filter((row) => row.owner === owner));
  }
});

test("an index that nothing belongs to is empty", () => {
  const table = new Table<Row, "owner">({ owner: ({ owner }) => owner });
  expect([...table.of("owner", "one")]).toEqual([]);
});
