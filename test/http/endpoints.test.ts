import { request } from "node:http";
import { afterEach, expect, it } from "vitest";
import { ledgerStatus } from "../../agent/status/account-status.ts";
import { contextOf } from "../../launch/keeper.ts";
import { saidBy } from "../cli/held-to-schema.ts";
import type { Scene } from "./scene.ts";
import { MINUTE, NORTH, scene } from "./scene.ts";

let on: Scene;
afterEach(() => on.close());

const HOUR = 60 * MINUTE;

async function running(options: Parameters<typeof scene>[0] = {}): Promise<void> {
  on = await scene(options);
  await on.declare({ training: { gpus: 8, candidates: [NORTH] } });
  on.start();
  await on.clock.advance(5 * MINUTE);
}

it("/healthz says 200 with an age while the loop beats, and 503 once it does not come round any more", async () => {
  await running();
  const beating = await on.get("/healthz");
  expect(beating.status).toBe(200);
  expect(await beating.text()).toMatch(/^ok: the loop came round \d+\.\d s ago\n$/);
  // A list that never answers: the loop hangs.
  on.simulator.control.faults.next("deployments", { kind: "slow", seconds: 36_000 });
  await on.clock.advance(HOUR);
  const stuck = await on.get("/healthz");
  expect(stuck.status).toBe(503);
  expect(await stuck.text()).toMatch(/^stuck: /);
});

it("/readyz says 503 before the first list, 200 with a fresh one, and 503 when none can be had; the loop beats on", async () => {
  on = await scene();
  expect((await on.get("/readyz")).status).toBe(503);
  on.start();
  await on.clock.advance(MINUTE);
  expect((await on.get("/readyz")).status).toBe(200);
  on.simulator.control.faults.chance("deployments", [
    { fault: { kind: "errorBefore", status: 500 }, probability: 1 },
  ]);
  await on.clock.advance(10 * MINUTE);
  const stale = await on.get("/readyz");
  expect(stale.status).toBe(503);
  expect(await stale.text()).toMatch(/newest list was taken \d+/);
  expect((await on.get("/healthz")).status).toBe(200);
});

it("a standby says so on /readyz and the page, with who keeps the account since when, and no list of its own makes it unready", async () => {
  await running();
  expect(await on.text("/")).toMatch(/Kept by process \d+ on test since [^<]*00:00[^<]*\.</);
  await on.clock.advance(10 * HOUR);
  on.standBy();
  const ready = await on.get("/readyz");
  expect([ready.status, await ready.text()]).toEqual([200, "standby: another agent keeps the account\n"]);
  expect(await on.text("/")).toContain("This agent stands by.");
  expect((await on.get("/healthz")).status).toBe(200);
  await on.clock.advance(MINUTE);
  expect(await on.text("/")).not.toContain("This agent stands by.");
});

it("/readyz and the page say 503 where the ledger cannot be read", async () => {
  await running();
  on.ledger.close();
  const ready = await on.get("/readyz");
  expect([ready.status, await ready.text()]).toEqual([503, "not ready: the ledger cannot be read\n"]);
  expect((await on.get("/")).status).toBe(503);
  on = await scene();
});

it("/api/status is what status --json says", async () => {
  await running();
  const response = await on.get("/api/status");
  expect(response.headers.get("content-type")).toBe("application/json");
  const expected = await ledgerStatus(on.ledger, contextOf(on.keeper));
  const said = await response.json();
  expect(said).toEqual(JSON.parse(JSON.stringify(expected)));
  saidBy("status", said);
});

it("serves the page's own files, and answers 304 to whom has them", async () => {
  on = await scene();
  for (const [path, type] of [
    ["/page.css", "text/css"],
    ["/page.js", "text/javascript"],
    ["/icon.svg", "image/svg+xml"],
  ] as const) {
    const first = await on.get(path);
    expect([first.status, first.headers.get("content-type")]).toEqual([200, expect.stringContaining(type)]);
    const tag = first.headers.get("etag") ?? "";
    expect((await on.get(path, { "if-none-match": tag })).status).toBe(304);
  }
});

it("knows no other path, and takes nothing but GET and HEAD", async () => {
  on = await scene();
  for (const path of ["/nothing", "/api/v2/deployments", "/page.css/..%2f..%2fserver.ts", "//", "/%"]) {
    expect((await on.get(path)).status).toBe(404);
  }
  for (const method of ["POST", "PUT", "DELETE", "OPTIONS"]) {
    const response = await fetch(on.server.url, { method });
    expect([response.status, response.headers.get("allow")]).toEqual([405, "GET, HEAD"]);
  }
  const head = await fetch(on.server.url, { method: "HEAD" });
  expect([head.status, await head.text()]).toEqual([200, ""]);
});

it("forbids everything that is not its own in every answer", async () => {
  on = await scene();
  for (const path of ["/", "/metrics", "/api/status", "/page.js", "/nothing", "/healthz"]) {
    const { headers } = await on.get(path);
    const policy = headers.get("content-security-policy") ?? "";
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toMatch(/unsafe|\*|http|data:/);
    expect(policy).toContain("frame-ancestors 'none'");
    expect(headers.get("x-content-type-options")).toBe("nosniff");
  }
});

it("answers requests for a name of this machine, and none for a foreign one that points here", async () => {
  on = await scene();
  const status = (host: string): Promise<number | undefined> =>
    new Promise((resolve, reject) => {
      request(on.server.url, { headers: { host } }, (response) => {
        response.resume();
        resolve(response.statusCode);
      })
        .on("error", reject)
        .end();
    });
  for (const own of ["127.0.0.1:9470", "localhost", "localhost:1", "[::1]:9470", "a.localhost:9470"])
    expect(await status(own), own).toBe(200);
  for (const foreign of ["evil.example.com", "127.0.0.1.evil.example.com:9470", "localhost.evil.example.com"])
    expect(await status(foreign), foreign).toBe(403);
});

it("tells pages of each change by an event stream, and ends it when the agent ends", async () => {
  on = await scene();
  const stream = await on.get("/events");
  expect(stream.headers.get("content-type")).toBe("text/event-stream");
  const reader = stream.body?.pipeThrough(new TextDecoderStream()).getReader();
  expect((await reader?.read())?.value).toBe("retry: 3000\n\n");
  on.start();
  await on.clock.advance(MINUTE);
  expect((await reader?.read())?.value).toMatch(/^data: \d+\n\n/);
  await on.close();
  let ended = false;
  while (!ended) ended = (await reader?.read())?.done ?? true;
  on = await scene();
});
