import { afterEach, describe, expect, it } from "vitest";
import { newTokenSecret, revokeToken } from "../../agent/orders/tokens.ts";
import { checkToken, parseAddress, urlOf } from "../../agent/tell/http/reach/address.ts";
import { makeShare, newShareSecret } from "../../agent/tell/http/reach/share.ts";
import { contextOf } from "../../launch/keeper.ts";
import { isLoopback } from "../../service/http/loopback.ts";
import { giveToken } from "../support/token.ts";
import type { Scene } from "./scene.ts";
import { MINUTE, scene } from "./scene.ts";

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

describe("on the loopback, where reading needs no token", () => {
  const basic = (password: string): string => `Basic ${Buffer.from(`me:${password}`).toString("base64")}`;
  const READ = ["/", "/metrics", "/api/status", "/api/v1/status", "/events"];

  it("one that is wrong, over or revoked is refused all the same", async () => {
    on = await scene();
    const { keeper, clock, get } = on;
    const secret = await giveToken(on, { name: "ci", may: "read" });
    const short = await giveToken(on, { name: "short", may: "read", lasts: MINUTE });
    const status = async (path: string, authorization?: string): Promise<number> => {
      const answer = await get(path, authorization === undefined ? {} : { authorization });
      await answer.body?.cancel();
      return answer.status;
    };
    for (const path of READ) {
      expect(await status(path), path).toBe(200);
      for (const good of [secret, short]) {
        expect(await status(path, `Bearer ${good}`), path).toBe(200);
        expect(await status(path, basic(good)), path).toBe(200);
      }
    }
    await keeper.ledger.decide(keeper.account, (draft) => void revokeToken(draft, "ci", contextOf(keeper)));
    await clock.advance(2 * MINUTE);
    const never = newTokenSecret();
    const wrong = [secret, short, never].flatMap((each) => [`Bearer ${each}`, basic(each)]);
    for (const path of READ)
      for (const authorization of [...wrong, `Bearer ${TOKEN}`])
        expect(await status(path, authorization), `${path} ${authorization}`).toBe(401);
    expect(await (await get("/api/v1/status", { authorization: `Bearer ${secret}` })).json()).toMatchObject({
      detail: expect.stringContaining("was revoked"),
    });
    // What needs none anywhere is answered, and so is who gives none.
    for (const path of ["/healthz", "/page.css", "/sign-in"])
      expect(await status(path, `Bearer ${never}`), path).toBe(200);
    for (const path of READ) expect(await status(path), path).toBe(200);
  });

  it("a share link's secret reads on, and so does who has passed another server's password", async () => {
    on = await scene();
    const { keeper, get } = on;
    const secret = newShareSecret();
    await keeper.ledger.decide(
      keeper.account,
      (draft) => void makeShare(draft, { id: "one", secret, lasts: MINUTE }, contextOf(keeper)),
    );
    expect((await get("/", { authorization: `Bearer ${secret}` })).status).toBe(200);
    await on.clock.advance(2 * MINUTE);
    expect((await get("/", { authorization: `Bearer ${secret}` })).status).toBe(401);
    expect((await get("/", { authorization: basic("of-the-proxy") })).status).toBe(200);
  });
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
