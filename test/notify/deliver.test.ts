import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import type { IncomingHttpHeaders } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Webhook } from "standardwebhooks";
import { Agent } from "undici";
import { afterAll, expect, onTestFinished, test, vi } from "vitest";
import { refusalOf } from "../../agent/ask/exchange.ts";
import { runHook } from "../../agent/ask/hook.ts";
import type { Target } from "../../agent/fleet/file/notify-settings.ts";
import { delivering } from "../../agent/tell/notify/deliver.ts";
import type { Message } from "../../agent/tell/notify/message.ts";
import { slackBody } from "../../agent/tell/notify/message.ts";
import { receiver } from "./receiver.ts";

const folder = mkdtempSync(join(tmpdir(), "notify-"));
const agent = new Agent();
afterAll(async () => {
  await agent.destroy();
  rmSync(folder, { recursive: true, force: true });
});

const never = new AbortController().signal;
const secret = `whsec_${Buffer.alloc(32, 9).toString("base64")}`;
const message: Message = {
  id: "fk_1",
  at: Date.UTC(2026, 10, 21),
  account: "account",
  alerts: [
    {
      id: "ledger-1",
      kind: "running",
      at: "2026-11-21T00:00:00.000Z",
      fleet: "training",
      slot: null,
      name: "training",
      deployment: "d-1",
      text: "d-1 is running; $(touch owned)",
      connection: { host: "10.0.0.7" },
    },
  ],
  more: 37,
  fleets: { training: [{ deployment: "d-1", status: "running", connection: { host: "10.0.0.7" } }] },
};

const environment = {
  PATH: process.env.PATH,
  FLEETKEEPER_API_KEY: "canary-key",
  FLEETKEEPER_API_KEY_FILE: "canary-file",
};
const deliver = delivering({ agent, folder, environment, now: () => new Date() });
const kinds = ["running"] as const;

const script = (name: string, text: string): Target & { way: "command" } => {
  writeFileSync(join(folder, name), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
  return { id: name, way: "command", command: [`./${name}`, "an argument"], kinds };
};
const read = (name: string): string => readFileSync(join(folder, name), "utf8");

test("a webhook can be verified by any library for Standard Webhooks, and carries a stable id", async () => {
  const { url, received } = await receiver();
  await deliver({ id: "w", way: "webhook", url, secret, kinds }, message, never);
  const [{ headers, body } = { headers: {} as IncomingHttpHeaders, body: "" }] = received;
  const verified = new Webhook(secret).verify(body, headers as Record<string, string>);
  expect(verified).toMatchObject({
    type: "fleetkeeper.alerts",
    timestamp: "2026-11-21T00:00:00.000Z",
    data: {
      account: "account",
      more: 37,
      alerts: [{ kind: "running", fleet: "training" }],
      fleets: message.fleets,
    },
  });
  expect(headers["webhook-id"]).toBe("fk_1");
  expect(() =>
    new Webhook(secret).verify(body.replace("d-1", "d-2"), headers as Record<string, string>),
  ).toThrow();
  expect(JSON.stringify(received)).not.toContain("canary");
});

test.each([
  [410, {}, { status: 410 }],
  [429, { "retry-after": "30" }, { status: 429, retryAfter: 30 }],
  [
    503,
    { date: "Sat, 21 Nov 2026 00:00:00 GMT", "retry-after": "Sat, 21 Nov 2026 00:02:00 GMT" },
    { status: 503, retryAfter: 120 },
  ],
] as const)("what an answer with %s and %o asks for is in its error", async (status, headers, refusal) => {
  const at = await receiver();
  Object.assign(at, { status, headers });
  const told = deliver({ id: "s", way: "slack", url: at.url, kinds }, message, never);
  expect(
    refusalOf(
      await told.then(
        () => new Error("taken"),
        (error: Error) => error,
      ),
    ),
  ).toMatchObject(refusal);
});

test.each([500, 404, 302, 308])(
  "an answer with %s is no delivery, and no other address is asked",
  async (status) => {
    const at = await receiver();
    at.status = status;
    await expect(deliver({ id: "s", way: "slack", url: at.url, kinds }, message, never)).rejects.toThrow(
      `answered HTTP ${status}`,
    );
    expect(at.received).toHaveLength(1);
  },
);

test("a receiver that never answers is left when the agent ends", async () => {
  const at = await receiver();
  at.status = 0;
  const ending = new AbortController();
  const told = deliver({ id: "s", way: "slack", url: at.url, kinds }, message, ending.signal);
  await expect.poll(() => at.received.length).toBe(1);
  ending.abort(new Error("the agent ends"));
  await expect(told).rejects.toThrow();
});

test("text of the service formats nothing, links nothing and calls nobody in Slack", () => {
  const hostile = "<!channel> <https://evil.example|click> @here & https://evil.example";
  const [first] = message.alerts;
  const body = slackBody({ ...message, alerts: first ? [{ ...first, text: hostile }] : [] });
  const { text } = JSON.parse(body) as { text: string };
  expect(text).not.toMatch(/[<>]|@here|https:\/\//);
  expect(text).toContain("&lt;!channel&gt;");
  expect(text).toContain("and 37 more: fleetkeeper history");
  expect(JSON.parse(body)).toMatchObject({ mrkdwn: false, unfurl_links: false });
});

test("a command gets what a webhook gets on its input and the same in short in its environment, and not the credential", async () => {
  await deliver(script("tell.sh", 'cat > seen.json; env > seen.env; echo "$1" > seen.arg'), message, never);
  const { url, received } = await receiver();
  await deliver({ id: "w", way: "webhook", url, secret, kinds }, message, never);
  expect(read("seen.json")).toBe(`${received[0]?.body}\n`);
  expect(read("seen.env")).toContain("FLEETKEEPER_ALERT_KINDS=running\n");
  expect(read("seen.env")).toContain(
    "FLEETKEEPER_ALERT_TEXT=training running: d-1 is running; $(touch owned)",
  );
  expect(read("seen.env")).not.toContain("canary");
  expect(read("seen.arg")).toBe("an argument\n");
  expect(() => read("owned")).toThrow();
});

test("a command that fails is no delivery, and says why; one that is not there, too", async () => {
  await expect(deliver(script("bad.sh", "echo it is full >&2; exit 3"), message, never)).rejects.toThrow(
    "./bad.sh: it ended with 3: it is full",
  );
  const missing: Target & { way: "command" } = { id: "m", way: "command", command: ["./none.sh"], kinds };
  await expect(deliver(missing, message, never)).rejects.toThrow("ENOENT");
});

test("a command that hangs is ended with all that it started, and what it says is bounded", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  script("hang.sh", 'sleep 300 & head -c 3000000 /dev/zero | tr "\\0" x; echo $! > child.pid; wait');
  const hook = { command: ["./hang.sh"], folder, environment, input: "", timeoutMs: 6_000 };
  const ended = runHook(hook, never).catch((caught: Error) => caught);
  // Its output has been read by then, but for what a pipe holds.
  await expect.poll(() => existsSync(join(folder, "child.pid")) && Number(read("child.pid"))).toBeTruthy();
  vi.advanceTimersByTime(6_000);
  const error = await ended;
  expect((error as Error).message).toMatch(/^\.\/hang\.sh: it was ended after 6 s: x+$/);
  expect((error as Error).message.length).toBeLessThan(3_000);
  const child = Number(read("child.pid"));
  await expect.poll(() => isRunning(child)).toBe(false);
});

test("what a command leaves behind ends with it", async () => {
  await deliver(script("leave.sh", "sleep 300 & echo $! > left.pid"), message, never);
  await expect.poll(() => isRunning(Number(read("left.pid")))).toBe(false);
});

/** A zombie that nobody has waited for yet does not run any more. */
function isRunning(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return stat.slice(stat.lastIndexOf(")") + 2, stat.lastIndexOf(")") + 3) !== "Z";
  } catch {
    return false;
  }
}
