import { afterEach, describe, expect, it } from "vitest";
import { checkToken, parseAddress, urlOf } from "../../agent/tell/http/reach/address.ts";
import { isLoopback } from "../../service/http/loopback.ts";
import type { Scene } from "./scene.ts";
import { scene } from "./scene.ts";

const TOKEN = "correct-horse-battery-staple";
let on: Scene | undefined;
afterEach(() => on?.close());

it("with a token, answers whoever carries it and nobody else; probes need none, since they tell nothing", async () => {
  on = await scene({ token: TOKEN });
  const get = on.get;
  const basic = (pair: string): string => `Basic ${Buffer.from(pair).toString("base64")}`;
  for (const path of ["/", "/metrics", "/api/status", "/events", "/page.js"]) {
    const refused = await get(path);
    expect(refused.status, path).toBe(401);
    expect(refused.headers.get("www-authenticate")).toMatch(/^Bearer .*Basic /);
  }
  for (const wrong of [
    `Bearer ${TOKEN}x`,
    "Bearer",
    `Bearer x${TOKEN}`,
    TOKEN,
    basic(`me:${TOKEN}x`),
    basic(`${TOKEN}:`),
  ])
    expect((await get("/", { authorization: wrong })).status, wrong).toBe(401);
  for (const right of [`Bearer ${TOKEN}`, `bearer ${TOKEN}`, basic(`me:${TOKEN}`), basic(`:${TOKEN}`)])
    expect((await get("/", { authorization: right })).status, right).toBe(200);
  expect((await get("/healthz")).status).toBe(200);
  const ready = await get("/readyz");
  expect([ready.status, await ready.text()]).toEqual([503, "not ready: no list has been taken yet\n"]);
});

describe("an address", () => {
  it.each([
    ["127.0.0.1:9470", "127.0.0.1", 9470],
    ["0.0.0.0:80", "0.0.0.0", 80],
    ["[::1]:9470", "::1", 9470],
    ["localhost:0", "localhost", 0],
    ["9471", "127.0.0.1", 9471],
  ])("reads %s", (text, host, port) => expect(parseAddress(text)).toEqual({ host, port }));

  it.each([
    "",
    "127.0.0.1",
    "127.0.0.1:",
    "127.0.0.1:70000",
    "::1:9470",
    "[127.0.0.1]:1",
    "http://127.0.0.1:1",
    "a b:1 2",
  ])("refuses %j, with an example", (text) =>
    expect(() => parseAddress(text)).toThrow(/expected an address and a port, such as 127\.0\.0\.1:9470/),
  );

  it("stands in a URL as browsers want it", () => {
    expect(urlOf({ host: "::1", port: 1 })).toBe("http://[::1]:1/");
    expect(urlOf({ host: "127.0.0.1", port: 1 })).toBe("http://127.0.0.1:1/");
  });

  it("is this machine's own or not", () => {
    expect(["127.0.0.1", "127.1.2.3", "::1", "localhost"].map(isLoopback)).toEqual([true, true, true, true]);
    expect(["0.0.0.0", "::", "10.0.0.1", "example.com", "127.example.com"].some(isLoopback)).toBe(false);
  });

  it("that others reach needs a token, and says how to make one", () => {
    expect(() => checkToken(undefined, { host: "0.0.0.0", port: 1 })).toThrow(
      /FLEETKEEPER_HTTP_TOKEN_FILE.*openssl rand -hex 32.*127\.0\.0\.1/s,
    );
    expect(checkToken(undefined, { host: "127.0.0.1", port: 1 })).toBeUndefined();
    expect(checkToken(TOKEN, { host: "0.0.0.0", port: 1 })).toBe(TOKEN);
    for (const bad of ["short", "with a space in the middle", "", "ünicode-is-no-header"])
      expect(() => checkToken(bad, { host: "127.0.0.1", port: 1 }), bad).toThrow(/16 to 512/);
  });
});
