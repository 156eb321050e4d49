import { createServer, request, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, it } from "vitest";
import { revokeToken } from "../../agent/orders/tokens.ts";
import { watch } from "../../agent/tell/http/index.ts";
import { type Shown, startServicesServer } from "../../agent/tell/http/services.ts";
import { contextOf } from "../../launch/keeper.ts";
import { giveToken } from "../support/token.ts";
import { Person } from "./person.ts";
import { MINUTE, NORTH, type Scene, scene } from "./scene.ts";

const AGENT = "correct-horse-battery-staple";
const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function stage(token?: string): Promise<Scene> {
  const on = await scene({ ...(token !== undefined && { token }), balance: "5000.0000" });
  closing.push(() => on.close());
  await on.declare({ training: { gpus: 8, candidates: [NORTH] } });
  on.start();
  await on.clock.advance(5 * MINUTE);
  return on;
}

const tokenOf = (on: Scene): Promise<string> => giveToken(on, { name: "ann", may: "operate" });

const isPaused = async (on: Scene): Promise<boolean | undefined> =>
  (await on.ledger.read(on.keeper.account)).fleets[0]?.paused;
const PAUSE = "act?order=pause&fleet=training";

it("on the loopback without a token, being there orders nothing: who acts has signed in, and a foreign name does not reach the form", async () => {
  const on = await stage();
  const somebody = new Person(on.server.url);
  expect((await somebody.get("")).html).toContain('<a href="sign-in">Sign in to act</a>');
  const led = await somebody.get(PAUSE);
  expect([led.status, led.headers.get("location")]).toEqual([
    303,
    `sign-in?${new URLSearchParams({ then: PAUSE })}`,
  ]);
  // A link from another site comes without the cookie, and signs nobody out.
  expect(led.headers.get("set-cookie")).toBeNull();
  expect((await somebody.post(PAUSE, {})).headers.get("location")).toBe("sign-in?over=yes");
  await somebody.signIn(await tokenOf(on));
  const { port } = new URL(on.server.url);
  const rebound = (method: string, path: string): Promise<number | undefined> =>
    new Promise((resolve) => {
      const host = `evil.example:${port}`;
      const headers = {
        host,
        origin: `http://${host}`,
        cookie: somebody.cookie,
        "sec-fetch-site": "same-origin",
      };
      const sent = request({ host: "127.0.0.1", port, path, method, headers }, (answer) => {
        answer.resume();
        resolve(answer.statusCode);
      });
      sent.end();
    });
  for (const [method, path] of [
    ["GET", `/${PAUSE}`],
    ["POST", `/${PAUSE}`],
    ["POST", "/sign-in"],
    ["GET", "/sign-in"],
  ] as const)
    expect(await rebound(method, path), `${method} ${path}`).toBe(403);
  expect((await somebody.does(PAUSE)).status).toBe(303);
  expect(await isPaused(on)).toBe(true);
});

it("behind a proxy that ends TLS, changes the host and puts a folder before it, all links and forms lead back there", async () => {
  const on = await stage(AGENT);
  const upstream = new URL(on.server.url);
  const proxy: Server = createServer((asked, answer) => {
    const headers = { ...asked.headers, host: "10.1.2.3:9470", "x-forwarded-proto": "https" };
    const path = (asked.url ?? "").replace(/^\/ops\/fleet/, "");
    if (path === asked.url) return void answer.writeHead(404).end();
    const sent = request(
      { host: "127.0.0.1", port: upstream.port, path, method: asked.method, headers },
      (got) => {
        answer.writeHead(got.statusCode ?? 500, got.headers);
        got.pipe(answer);
      },
    );
    asked.pipe(sent);
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  closing.push(() => proxy.close());
  const ann = new Person(`http://127.0.0.1:${(proxy.address() as AddressInfo).port}/ops/fleet/`);
  const signed = await ann.signIn(await tokenOf(on));
  expect(signed.headers.get("location")).toBe("./");
  expect(ann.cookie).toMatch(/^__Host-/);
  const done = await ann.does(`${PAUSE}&from=own`);
  expect(new URL(done.headers.get("location") ?? "", `${ann.base}${PAUSE}`).pathname).toBe(
    "/ops/fleet/fleet",
  );
  expect((await ann.get("")).html).toContain("training is paused");
});

it("of several services, a session is of one account, and the agent's own token opens one in each", async () => {
  const all = [await stage(), await stage()];
  const watched = all.map((each) => watch({ keeper: each.keeper, history: each.ledger, version: "1" }));
  const sites = watched.map((each, index) => each.pages(`/services/s${index}`));
  const services = new Map<string, Shown>(sites.map((pages, index) => [`s${index}`, { pages }]));
  const server = await startServicesServer({
    address: { host: "127.0.0.1", port: 0 },
    token: AGENT,
    services,
  });
  closing.push(
    () => Promise.all(watched.map((each) => each.close())),
    () => server.close(),
  );
  const [first, second] = all as [Scene, Scene];
  const ann = new Person(`${server.url}services/s0/`);
  expect((await new Person(`${server.url}services/s1/`).signIn(await tokenOf(first))).status).toBe(422);
  await second.clock.advance(MINUTE);
  const secret = await tokenOf(second);
  const bob = new Person(`${server.url}services/s1/`);
  expect((await bob.signIn(secret)).status).toBe(303);
  expect((await bob.does(PAUSE)).status).toBe(303);
  expect([await isPaused(first), await isPaused(second)]).toEqual([false, true]);
  ann.cookie = bob.cookie;
  expect((await ann.get(PAUSE)).headers.get("location")).toMatch(/^sign-in/);
  const owner = new Person(`${server.url}services/s0/`);
  expect((await owner.signIn(AGENT)).status).toBe(303);
  expect((await owner.does(PAUSE)).status).toBe(303);
  expect(await isPaused(first)).toBe(true);
  // Beside the accounts there is nothing to order.
  const list = new Person(server.url);
  expect([(await list.get("sign-in")).status, (await list.signIn(AGENT)).status]).toEqual([404, 404]);
});

it("an event stream of who has signed in ends with the token", async () => {
  const on = await stage(AGENT);
  const ann = new Person(on.server.url);
  await ann.signIn(await tokenOf(on));
  const stream = (await on.get("/events", { cookie: ann.cookie })).body?.getReader();
  expect((await stream?.read())?.done).toBe(false);
  await on.ledger.decide(on.keeper.account, (draft) => revokeToken(draft, "ann", contextOf(on.keeper)));
  await on.clock.advance(2 * MINUTE);
  for (let next = await stream?.read(); next?.done === false; next = await stream?.read()) {}
});
