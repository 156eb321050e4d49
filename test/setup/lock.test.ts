import { existsSync, utimesSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { withLock } from "../../scripts/setup/lock.mjs";
import { emptyFolder } from "./folder.ts";

it("lets one run work while the other waits, and says so once", async () => {
  const lock = path.join(emptyFolder(), "new", "the.lock");
  const events: string[] = [];
  let finish = () => {};
  const first = withLock(lock, {}, async () => {
    await new Promise<void>((resolve) => {
      finish = resolve;
    });
    events.push("first done");
  });
  const second = withLock(lock, { onWait: () => events.push("waiting") }, async () => {
    events.push("second");
  });
  finish();
  await Promise.all([first, second]);
  expect(events).toEqual(["waiting", "first done", "second"]);
  expect(existsSync(lock)).toBe(false);
});

it("does not wait for a run that was killed", async () => {
  const lock = path.join(emptyFolder(), "the.lock");
  writeFileSync(lock, "123\n");
  const longAgo = new Date(Date.now() - 60_000);
  utimesSync(lock, longAgo, longAgo);
  const onWait = () => expect.unreachable("waited for a lock that nobody holds");
  expect(await withLock(lock, { onWait }, async () => "worked")).toBe("worked");
});

it("is free again after work that failed", async () => {
  const lock = path.join(emptyFolder(), "the.lock");
  await expect(
    withLock(lock, {}, async () => {
      throw new Error("failed");
    }),
  ).rejects.toThrow("failed");
  expect(existsSync(lock)).toBe(false);
});
