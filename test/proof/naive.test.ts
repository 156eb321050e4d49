import { expect, test } from "vitest";
import { lookingOnce, measure, measureOurs, retrying, tableOf } from "../../proof/naive.ts";

test("naive clients pay twice where fleetkeeper does not, and the oracles say so", {
  timeout: 30 * 60_000,
}, async () => {
  const launches = 1_000;
  const naive = await measure(retrying, launches);
  // A quarter of a percent comes later than its look: it takes more launches to be seen.
  const looking = await measure(lookingOnce, 3 * launches);
  const ours = await measureOurs(launches);
  console.log(
    tableOf([
      ["retry around the POST", naive],
      ["looks once, sends again", looking],
      ["fleetkeeper", ours],
    ]),
  );
  expect(naive.duplicates).toBeGreaterThan(launches / 20);
  expect(naive).toMatchObject({ worlds: 10, doubled: 10, resent: 10 });
  expect(looking.duplicates).toBeGreaterThan(0);
  expect(looking.duplicates).toBeLessThan(naive.duplicates);
  expect(looking.doubled).toBeGreaterThan(0);
  expect(looking.resent).toBeGreaterThan(0);
  expect(ours).toMatchObject({
    wanted: launches,
    duplicates: 0,
    missing: 0,
    worlds: 10,
    doubled: 0,
    resent: 0,
  });
});
