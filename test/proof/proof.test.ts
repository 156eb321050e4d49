import { expect, test } from "vitest";
import { prove } from "./support.ts";

/** No assertion on time: this is only when a run that hangs is given up. */
const GIVE_UP_MS = 30 * 60_000;

test("2,000 seeded worlds break no rule", { timeout: GIVE_UP_MS }, async () => {
  const { code } = await prove("run.ts", "--seeds", "2000", "--from", "1", "--jobs", "2");
  expect(code).toBe(0);
});

test("every directed story ends well", { timeout: GIVE_UP_MS }, async () => {
  const { code } = await prove("run.ts", "--directed", "all");
  expect(code).toBe(0);
});

test("a process killed at any effect of any path does no harm", { timeout: GIVE_UP_MS }, async () => {
  const { code, output } = await prove("explore.ts", "crash-points");
  // Deaths that were seen, of the points that an undisturbed play has: fallen.test.ts shows that they can differ.
  expect(output).toMatch(/^crash points: (\d{4,}) of \1 covered, 0 broken$/m);
  expect(code).toBe(0);
});

test("every set of up to two faults on a small fleet is survived, on every wire", {
  timeout: GIVE_UP_MS,
}, async () => {
  const { code } = await prove("explore.ts", "combinations", "--most", "2");
  expect(code).toBe(0);
});

test("every set of up to three faults is survived where lists tell nothing apart", {
  timeout: GIVE_UP_MS,
}, async () => {
  const { code } = await prove("explore.ts", "combinations", "--most", "3", "--wire", "nothing");
  expect(code).toBe(0);
});

test("every planted bug is caught", { timeout: GIVE_UP_MS }, async () => {
  const { code } = await prove("planted.ts", "--seeds", "200");
  expect(code).toBe(0);
});
