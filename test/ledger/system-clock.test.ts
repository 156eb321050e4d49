import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, it } from "vitest";
import { systemClock } from "../../ledger/system-clock.ts";

const script = `
  import { systemClock } from ${JSON.stringify(new URL("../../ledger/system-clock.ts", import.meta.url).href)};
  process.stdout.write(JSON.stringify(systemClock().self) + "\\n");
  process.stdin.resume().on("end", () => process.exit());
`;

it("knows whether another process lives, and a pid that is used again from the process that had it", async () => {
  const clock = systemClock();
  expect(clock.isAlive(clock.self)).toBe(true);
  const other = spawn(process.execPath, ["--input-type=module", "-e", script], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const [line] = await once(other.stdout, "data");
  const identity = JSON.parse(String(line));
  expect(identity).toMatchObject({ boot: clock.self.boot, pid: other.pid });
  expect(clock.isAlive(identity)).toBe(true);
  const space = identity.started.replace(/^[^@]*/, "");
  expect(clock.isAlive({ ...identity, started: `1${space}` })).toBe(false);
  other.stdin.end();
  await once(other, "close");
  expect(clock.isAlive(identity)).toBe(false);
});

it("takes every process of an earlier boot for dead", () => {
  const clock = systemClock();
  expect(clock.isAlive({ ...clock.self, boot: "another" })).toBe(false);
});

it.skipIf(process.platform !== "linux")("cannot say that a process of another container is dead", () => {
  const clock = systemClock();
  expect(clock.isAlive({ ...clock.self, pid: 999_999_999, started: "1@pid:[1]" })).toBe(true);
  expect(clock.isAlive({ ...clock.self, pid: 999_999_999 })).toBe(false);
});

it("cannot say that a process outside of a sandbox that hides the boot's id is dead", () => {
  const clock = systemClock();
  expect(clock.isAlive({ ...clock.self, boot: "guessed:host-1" })).toBe(true);
});

it("counts on from one moment of this boot", () => {
  const clock = systemClock();
  const [one, other] = [clock.now(), clock.now()];
  expect(other.mono).toBeGreaterThanOrEqual(one.mono);
  expect(other.boot).toBe(one.boot);
});

it.each([2 ** 31, 40 * 86_400_000, Number.POSITIVE_INFINITY])(
  "sleeps for %d ms, which no timer can",
  async (ms) => {
    const ending = new AbortController();
    const sleeping = systemClock().sleep(ms, ending.signal);
    setTimeout(() => ending.abort(new Error("woken")), 50);
    await expect(sleeping).rejects.toThrow();
  },
);
