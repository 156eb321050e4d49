import { expect, test } from "vitest";
import { lookingOnce, measure, measureOurs, retrying, tableOf } from "../../proof/naive.ts";

test("naive clients pay twice where fleetkeeper does not", { timeout: 30 * 60_000 }, async () => {
  const launches = 1_000;
  const naive = await measure(retrying, launches);
  const looking = await measure(lookingOnce, launches);
  const ours = await measureOurs(launches);
  console.log(
    tableOf([
      ["retry around the POST", naive],
      ["looks once, sends again", looking],
      ["fleetkeeper", ours],
    ]),
  );
  expect(naive.duplicates).toBeGreaterThan(launches / 20);
  // Looking once before sending again helps much; that it does not help enough takes more launches to be seen (docs/proof.md).
  expect(looking.duplicates).toBeLessThan(naive.duplicates);
  expect(ours).toMatchObject({ wanted: launches, duplicates: 0, missing: 0 });
});
