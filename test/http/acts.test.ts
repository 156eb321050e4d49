import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ORDERS } from "../../agent/orders/orders.ts";
import type { NewToken } from "../../agent/orders/tokens.ts";
import { newTokenSecret, revokeToken } from "../../agent/orders/tokens.ts";
import { ACTS } from "../../agent/tell/http/pages/acts.ts";
import { makeShare } from "../../agent/tell/http/reach/share.ts";
import { type Hold, hold } from "../../launch/facts/hold.ts";
import { contextOf } from "../../launch/keeper.ts";
import { deploymentAsFound } from "../support/as-found.ts";
import { H100 } from "../support/stage.ts";
import { giveToken } from "../support/token.ts";
import { formIn, Person } from "./person.ts";
import { MINUTE, NORTH, type Scene, scene } from "./scene.ts";

const AGENT = "correct-horse-battery-staple";
const HOUR = 60 * MINUTE;
let on: Scene;
let ann: Person;

const FLEETS = {
  training: { gpus: 16, range: { min: 0, max: 24, at: 16 }, candidates: [NORTH] },
  "other-one": { gpus: 0, candidates: [NORTH] },
} as never;

beforeEach(async () => {
  on = await scene({ token: AGENT, balance: "5000.0000" });
  await on.declare(FLEETS);
  on.start();
  await on.clock.advance(5 * MINUTE);
  ann = await person("ann", "operate");
});
afterEach(() => on.close());

const token = (name: string, may: NewToken["may"], more: Partial<NewToken> = {}): Promise<string> =>
  giveToken(on, { name, may, ...more });

async function person(name: string, may: NewToken["may"], more: Partial<NewToken> = {}): Promise<Person> {
  const somebody = new Person(on.server.url);
  expect((await somebody.signIn(await token(name, may, more))).status).toBe(303);
  return somebody;
}

const read = async () => on.ledger.read(on.keeper.account);
const fleet = async (name = "training") => (await read()).fleets.find((each) => each.name === name);
const machines = async () => (await read()).deployments.filter(({ end }) => end === null);
const machine = async () => (await machines())[0]!;
const events = async () => on.ledger.events(on.keeper.account, 200);
const alive = () => on.simulator.truth().machines.filter(({ endedAt }) => endedAt === null).length;
const links = (html: string) =>
  [...html.matchAll(/href="(act\?[^"]*)"/g)].map(([, link = ""]) => link.replaceAll("&amp;", "&"));

it("every order of the API but declarations is an act, and none has words without an order", () => {
  expect(ACTS.map(({ order }) => order)).toEqual(ORDERS.filter(({ method }) => method === "POST"));
});

describe("an order on a page", () => {
  it("says first what would follow, is given by a form, leads back, and says what was done and how to take it back", async () => {
    const asked = await ann.get("act?order=pause&fleet=training");
    expect(asked.status).toBe(200);
    expect(asked.html).toContain("What would follow");
    expect(asked.html).toContain("paused by an operator");
    expect((await fleet())?.paused).toBe(false);
    const done = await ann.order(asked);
    expect([done.status, done.headers.get("location")]).toEqual([303, "./"]);
    expect((await fleet())?.paused).toBe(true);
    expect((await events())[0]).toMatchObject({ kind: "paused", actor: "token:ann" });
    const after = await ann.get("");
    expect(after.html).toContain("training is paused");
    const undo = /<a href="([^"]*)">Take it back/.exec(after.html)?.[1]?.replaceAll("&amp;", "&");
    expect(undo).toBe("act?order=resume&fleet=training");
    expect((await ann.does(undo!)).status).toBe(303);
    expect((await fleet())?.paused).toBe(false);
    // What was there before is what takes a resume back.
    expect((await ann.get("")).html).toMatch(/act\?order=pause&amp;fleet=training">Take it back/);
    await on.clock.advance(2 * MINUTE);
    expect((await ann.get("")).html).not.toContain("Take it back");
  });

  it("drains a fleet, names the machines and their price first, and resumes it", async () => {
    const asked = await ann.get("act?order=drain&fleet=training&from=own");
    for (const { id } of await machines()) expect(asked.html).toContain(id);
    expect(asked.html).toMatch(/2 machines, <strong>\$32.00 an hour<\/strong> less/);
    expect((await ann.order(asked)).headers.get("location")).toBe("fleet?name=training");
    await on.clock.advance(5 * MINUTE);
    expect(alive()).toBe(0);
    const back = await ann.get("act?order=resume&fleet=training");
    expect(back.html).toMatch(
      /2 × h100-8 @ north\/oslo \(8 GPUs each, price not known\): 16 of 16 GPUs are missing/,
    );
    expect(back.html).toContain("2 machines, <strong>of unknown price</strong>");
    await ann.order(back);
    await on.clock.advance(5 * MINUTE);
    expect(alive()).toBe(2);
  });

  it("changes a count within its range for a time, and takes it back", async () => {
    expect((await ann.get("act?order=ask&fleet=training")).html).not.toContain('method="post"');
    const path = "act?order=ask&fleet=training&gpus=24&for=1h&why=a%20big%20run";
    expect((await ann.does(path)).status).toBe(303);
    expect((await fleet())?.ask?.now).toMatchObject({ gpus: 24, why: "a big run" });
    await on.clock.advance(5 * MINUTE);
    expect(alive()).toBe(3);
    for (const wrong of ["gpus=32", "gpus=-1", "gpus=1.5", "gpus=x", "gpus=24&for=soon"]) {
      const refused = await ann.get(`act?order=ask&fleet=training&${wrong}`);
      expect([refused.status, refused.html.includes('method="post"')], wrong).toEqual([409, false]);
    }
    expect((await ann.does("act?order=end-ask&fleet=training")).status).toBe(303);
    expect((await fleet())?.ask?.now).toBeUndefined();
  });

  it("stops a machine for good with its fleet's count, and one that is replaced", async () => {
    const { id } = await machine();
    const asked = await ann.get(`act?order=stop&deployment=${id}`);
    expect(asked.html).toContain("an agent rents another machine in its place");
    expect(asked.html).toMatch(/Stopped<\/dt><dd>1 machine, <strong>\$16.00/);
    await ann.does(`act?order=stop&deployment=${id}&shrink=yes&from=own`);
    await on.clock.advance(5 * MINUTE);
    expect((await machines()).map((each) => each.id)).not.toContain(id);
    expect(alive()).toBe(1);
    expect((await ann.does("act?order=wake&fleet=training")).status).toBe(303);
    await on.clock.advance(5 * MINUTE);
    expect(alive()).toBe(2);
  });

  it("holds and releases a machine", async () => {
    const { id } = await machine();
    await ann.does(`act?order=hold&deployment=${id}&for=2h&why=a%20save`);
    expect((await machine()).hold?.why).toBe("a save");
    // What is held is not stopped: release comes first.
    expect((await ann.get(`machine?id=${id}`)).html).not.toContain("order=stop&amp;deployment");
    expect((await ann.get(`act?order=stop&deployment=${id}`)).status).toBe(409);
    await ann.does(`act?order=release&deployment=${id}`);
    expect((await machine()).hold).toBeUndefined();
  });

  it("does nothing by a page of a machine that is another fleet's by now", async () => {
    const { id } = await machine();
    const asked = await ann.get(`act?order=stop&deployment=${id}`);
    const held = await ann.get(`act?order=hold&deployment=${id}&for=2h`);
    await on.ledger.decide(on.keeper.account, (draft) => {
      const row = draft.deployments.get(id);
      if (row) deploymentAsFound(draft, { ...row, owner: "fleet:other" });
    });
    for (const page of [asked, held]) {
      const late = await ann.order(page);
      expect(late.status).toBe(409);
      expect(late.html).toContain("was changed since you looked");
    }
    expect((await read()).deployments.find((each) => each.id === id)).toMatchObject({ stop: null });
    expect((await machine()).hold).toBeUndefined();
  });

  it("adopts a machine, and says what is stopped because of it", async () => {
    on.simulator.control.launchByHand(H100);
    await on.clock.advance(MINUTE);
    const stranger = (await machines()).find(({ owner }) => owner === null)!;
    const page = await ann.get("");
    expect(links(page.html)).toContain(`act?order=adopt&deployment=${stranger.id}`);
    const first = await ann.get(`act?order=adopt&deployment=${stranger.id}`);
    expect(first.html).toContain('<option value="fleet:training"');
    expect(first.html).not.toContain('method="post"');
    const asked = await ann.get(`act?order=adopt&deployment=${stranger.id}&by=fleet:training`);
    expect(asked.html).toContain("Because of it");
    expect((await ann.order(asked)).status).toBe(303);
    await on.clock.advance(HOUR);
    const { deployments } = await read();
    expect(deployments.find(({ id }) => id === stranger.id)).toMatchObject({
      owner: "fleet:training",
      end: null,
    });
    expect(alive()).toBe(2);
  });

  it("that adopts stops nothing that was not shown", async () => {
    on.simulator.control.launchByHand(H100);
    await on.clock.advance(MINUTE);
    const stranger = (await machines()).find(({ owner }) => owner === null)!;
    await ann.does("act?order=ask&fleet=training&gpus=24");
    const asked = await ann.get(`act?order=adopt&deployment=${stranger.id}&by=fleet:training`);
    expect(asked.html).not.toContain("Because of it");
    await ann.does("act?order=ask&fleet=training&gpus=0");
    const late = await ann.order(asked);
    expect(late.status).toBe(409);
    expect(late.html).toContain("Because of it");
    expect((await read()).deployments.find(({ id }) => id === stranger.id)?.owner).toBeNull();
    expect((await ann.order(late)).status).toBe(303);
  });

  it("disowns for who may declare, and is not offered to who may only operate", async () => {
    const { id } = await machine();
    expect(links((await ann.get(`machine?id=${id}`)).html).join()).not.toContain("disown");
    expect((await ann.get(`act?order=disown&deployment=${id}`)).status).toBe(403);
    const dora = await person("dora", "declare");
    expect(links((await dora.get(`machine?id=${id}`)).html).join()).toContain("disown");
    expect((await dora.does(`act?order=disown&deployment=${id}`)).status).toBe(303);
    expect((await read()).deployments.find((each) => each.id === id)?.claim).toBe("foreign");
  });

  it("puts a failure away", async () => {
    on.simulator.control.failNext({}, { code: "UNKNOWN" });
    await ann.does("act?order=ask&fleet=training&gpus=24");
    await on.clock.advance(5 * MINUTE);
    const failed = (await read()).deployments.find(({ end }) => end === "failed")!;
    expect((await ann.does(`act?order=seen&deployment=${failed.id}`)).status).toBe(303);
    expect((await read()).deployments.find(({ id }) => id === failed.id)?.seen).toBe(true);
  });

  it("stops all for an admin who ticks the box, and nothing without", async () => {
    expect((await ann.get("act?order=stop")).status).toBe(403);
    expect((await ann.get("")).html).not.toContain("Stop everything");
    const boss = await person("boss", "admin");
    expect((await boss.get("")).html).toContain("Stop everything");
    const asked = await boss.get("act?order=stop");
    expect(asked.html).toContain("2 machines");
    const careless = await boss.order(asked);
    expect(careless.status).toBe(422);
    expect(careless.html).toContain("tick the box");
    expect((await machines()).every(({ stop }) => stop === null)).toBe(true);
    expect((await boss.order(careless, { sure: "yes" })).status).toBe(303);
    await on.clock.advance(5 * MINUTE);
    expect(alive()).toBe(0);
  });

  it("stops all although the service cannot say what would follow", async () => {
    const boss = await person("boss", "admin");
    on.simulator.control.faults.chance("deployments", [{ fault: { kind: "refuse" }, probability: 1 }]);
    const asked = await boss.get("act?order=stop");
    expect(asked.html).toContain("What would follow cannot be said");
    expect((await boss.order(asked, { sure: "yes" })).status).toBe(303);
    expect((await machines()).every(({ stop }) => stop !== null)).toBe(true);
  });

  it("lets launches go on in the account", async () => {
    expect((await ann.does("act?order=resume")).status).toBe(303);
    expect((await events())[0]).toMatchObject({ kind: "ordered", actor: "token:ann" });
  });
});

it("a resume is offered for what it forgives, and for nothing else", async () => {
  const offered = async (held: Hold) => {
    // The page that was made before is given for a moment.
    await on.clock.advance(1_000);
    await on.ledger.decide(on.keeper.account, (draft) =>
      draft.putFleet({ ...draft.fleets.get("training")!, holds: [held] }),
    );
    return links((await ann.get("fleet?name=training")).html).some((link) => link.includes("order=resume"));
  };
  expect(await offered(hold("blocked", { place: "x", why: "QUOTA", fleet: "training" }))).toBe(true);
  expect(await offered(hold("leftAlone", { place: "x", why: "failed" }))).toBe(true);
  expect(await offered(hold("givenBack", { gpus: 16, within: "10m", next: "" }))).toBe(true);
  expect(await offered(hold("soldOut", { gpus: 16 }))).toBe(false);
});

describe("a form", () => {
  const pause = () => ann.get("act?order=pause&fleet=training");

  it("is one order, however often it is sent", async () => {
    const { id } = await machine();
    const asked = await ann.get(`act?order=hold&deployment=${id}&for=1h`);
    const both = await Promise.all([ann.order(asked), ann.order(asked)]);
    expect(both.map(({ status }) => status)).toEqual([303, 303]);
    await on.clock.advance(10 * MINUTE);
    expect((await ann.order(asked)).status).toBe(303);
    expect((await events()).filter(({ kind }) => kind === "keptBack")).toHaveLength(1);
  });

  it("orders what it showed, whatever its address says", async () => {
    const { fields } = formIn((await pause()).html);
    expect((await ann.post("act?order=drain&fleet=other-one", fields)).status).toBe(303);
    expect((await fleet("other-one"))?.drained ?? null).toBeNull();
    expect((await fleet())?.paused).toBe(true);
  });

  it("that was made before the fleet changed is a conflict, and the page has the newer plan", async () => {
    const asked = await ann.get("act?order=drain&fleet=training");
    await ann.order(await pause());
    const late = await ann.order(asked);
    expect(late.status).toBe(409);
    expect(late.html).toContain("training was changed since you looked");
    expect((await fleet())?.drained ?? null).toBeNull();
    expect((await ann.order(late)).status).toBe(303);
    expect((await fleet())?.drained?.by).toBe("operator");
  });

  it("needs the CSRF token of its own session", async () => {
    const asked = await pause();
    const bob = await person("bob", "operate");
    for (const csrf of ["", "x", "x".repeat(43)]) expect((await ann.order(asked, { csrf })).status).toBe(403);
    expect((await bob.order(asked)).status).toBe(403);
    const { csrf: _left, ...rest } = formIn(asked.html).fields;
    expect((await ann.post("act?order=pause&fleet=training", rest)).status).toBe(403);
    expect((await fleet())?.paused).toBe(false);
    expect((await ann.order(asked)).status).toBe(303);
  });

  it("has stood on this server, by the browser's own word", async () => {
    const { action, fields } = formIn((await pause()).html);
    const { host } = new URL(on.server.url);
    const from = async (headers: Record<string, string>) => {
      const answer = await fetch(on.server.url + action, {
        method: "POST",
        headers: { "content-type": "application/x-www-form-urlencoded", cookie: ann.cookie, ...headers },
        body: new URLSearchParams(fields).toString(),
        redirect: "manual",
      });
      return answer.status;
    };
    for (const headers of [
      {},
      { origin: "null" },
      { origin: "https://evil.example" },
      { origin: `http://${host}.evil.example` },
      { "sec-fetch-site": "cross-site", origin: `http://${host}` },
      { "sec-fetch-site": "same-site" },
      { "sec-fetch-site": "none" },
    ] as Record<string, string>[])
      expect(await from(headers), JSON.stringify(headers)).toBe(403);
    expect((await fleet())?.paused).toBe(false);
    expect(await from({ origin: `http://${host}` })).toBe(303);
    // The sign-in asks the same.
    const secret = await token("carl", "operate");
    expect((await new Person(on.server.url).signIn(secret, { "sec-fetch-site": "cross-site" })).status).toBe(
      403,
    );
  });

  it("is none as JSON, as a part, at great length, or with what no page has made", async () => {
    const asked = await pause();
    const { action, fields } = formIn(asked.html);
    for (const type of ["application/json", "multipart/form-data; boundary=x", "text/plain"])
      expect((await ann.post(action, fields, { "content-type": type })).status).toBe(415);
    expect((await ann.order(asked, { why: "x".repeat(70_000) })).status).toBe(413);
    const shown = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
    for (const wrong of [
      "",
      "!",
      shown([]),
      shown({ chosen: {}, key: "x" }),
      shown({ chosen: { gpus: 1 }, key: `page-${"a".repeat(36)}` }),
    ])
      expect((await ann.order(asked, { shown: wrong })).status).toBe(400);
    expect((await fleet())?.paused).toBe(false);
  });

  it("orders nothing for a password, a header, a share link, or for being on this machine", async () => {
    const secret = await token("carl", "admin");
    const asked = await pause();
    const link = "s".repeat(43);
    await on.ledger.decide(on.keeper.account, (draft) =>
      makeShare(draft, { id: "share", secret: link, lasts: HOUR }, contextOf(on.keeper)),
    );
    await on.clock.advance(1_000);
    ann.cookie = "";
    for (const headers of [
      { authorization: `Basic ${Buffer.from(`me:${secret}`).toString("base64")}` },
      { authorization: `Bearer ${secret}` },
      { cookie: `fleetkeeper-share=${link}` },
      {},
    ] as Record<string, string>[]) {
      const { action, fields } = formIn(asked.html);
      const answer = await ann.post(action, fields, headers);
      expect([answer.status, answer.headers.get("location")]).toEqual([303, "sign-in?over=yes"]);
    }
    expect((await fleet())?.paused).toBe(false);
    const seen = await ann.get("", { cookie: `fleetkeeper-share=${link}` });
    expect(seen.status).toBe(200);
    expect(seen.html).not.toMatch(/act\?|sign-in/);
    const { id } = await machine();
    for (const path of [`machine?id=${id}`, "fleet?name=training"])
      expect((await ann.get(path, { cookie: `fleetkeeper-share=${link}` })).html).not.toMatch(
        /act\?|sign-in/,
      );
  });
});

describe("a session", () => {
  it("is a cookie that no script reads and no other site sends, and that stands for nothing outside of the agent", async () => {
    const secret = await token("carl", "operate");
    const plain = (await new Person(on.server.url).signIn(secret)).headers.get("set-cookie") ?? "";
    expect(plain).toMatch(/^fleetkeeper-[\da-f]{12}=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict$/);
    const tls = { "x-forwarded-proto": "https" };
    const carl = new Person(on.server.url);
    const behindTls = (await carl.signIn(secret, tls)).headers.get("set-cookie") ?? "";
    expect(behindTls).toMatch(
      /^__Host-fleetkeeper-[\da-f]{12}=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Secure$/,
    );
    // By TLS, a cookie without the prefix may be another site's.
    expect((await carl.get("", { ...tls, cookie: carl.cookie.replace("__Host-", "") })).status).toBe(401);
    expect((await carl.get("", tls)).status).toBe(200);
    expect(JSON.stringify(await read())).not.toContain(carl.cookie.split("=")[1]);
    // What a form has of the session is drawn, and may have any letters.
    for (const { html } of [await ann.get(""), await ann.get("sign-in")])
      expect(html.replaceAll(/name="csrf" value="[^"]*"/g, "")).not.toContain("fk_");
  });

  it("is given for no wrong token, and not over a network in clear", async () => {
    const nobody = new Person(on.server.url);
    for (const wrong of ["", "x", newTokenSecret(), `${AGENT}x`, "s".repeat(43)]) {
      const answer = await nobody.signIn(wrong);
      expect([answer.status, nobody.cookie], wrong).toEqual([422, ""]);
      await on.clock.advance(MINUTE);
    }
    const { port } = new URL(on.server.url);
    const { request } = await import("node:http");
    const secret = await token("carl", "operate");
    const status = await new Promise((resolve) => {
      const headers = {
        host: `10.0.0.5:${port}`,
        origin: `http://10.0.0.5:${port}`,
        "content-type": "application/x-www-form-urlencoded",
      };
      const sent = request({ port, host: "127.0.0.1", path: "/sign-in", method: "POST", headers }, (answer) =>
        resolve(answer.statusCode),
      );
      sent.end(`token=${secret}`);
    });
    expect(status).toBe(403);
  });

  it("is refused for a while to who guesses", async () => {
    await on.clock.advance(MINUTE);
    const secret = await token("carl", "operate");
    const nobody = new Person(on.server.url);
    const answers = [];
    for (let time = 0; time < 7; time++) answers.push(await nobody.signIn(newTokenSecret()));
    expect(answers.map(({ status }) => status)).toEqual([422, 422, 422, 422, 422, 429, 429]);
    expect(answers.at(-1)?.headers.get("retry-after")).toBe("6");
    // Behind a proxy all have its address.
    expect((await nobody.signIn(secret)).status).toBe(303);
    await on.clock.advance(MINUTE);
    expect((await nobody.signIn(newTokenSecret())).status).toBe(422);
  });

  it("opens the pages, ends with its sign-out, and leads to the sign-in after that", async () => {
    expect((await ann.get("")).html).toContain("Acting as");
    const { cookie } = ann;
    const page = await ann.get("sign-in");
    expect(page.html).toContain("token:ann");
    expect((await ann.order(page, { csrf: "x" })).status).toBe(403);
    expect((await ann.order(page)).status).toBe(303);
    expect(ann.cookie).toBe("");
    const late = await ann.get("", { cookie, accept: "text/html" });
    expect([late.status, late.headers.get("location")]).toEqual([303, "sign-in"]);
    expect((await ann.get("", { cookie })).status).toBe(401);
  });

  it("ends with its token, at once for orders, and after 8 hours", async () => {
    const asked = await ann.get("act?order=pause&fleet=training");
    await on.ledger.decide(on.keeper.account, (draft) => revokeToken(draft, "ann", contextOf(on.keeper)));
    // The pages still know it for a second: the transaction does not.
    const late = await ann.order(asked);
    expect(late.headers.get("location")).toBe("sign-in?over=yes");
    expect((await ann.get("sign-in?over=yes")).html).toContain("nothing was done");
    expect((await fleet())?.paused).toBe(false);
    await on.clock.advance(1_000);
    expect((await ann.get("")).status).toBe(401);
    const bob = await person("bob", "operate");
    const short = await person("short", "operate", { lasts: HOUR });
    await on.clock.advance(2 * HOUR);
    expect([(await bob.get("")).status, (await short.get("")).status]).toEqual([200, 401]);
    await on.clock.advance(6 * HOUR);
    expect((await bob.get("act?order=pause&fleet=training")).headers.get("location")).toMatch(
      /^sign-in\?then=act/,
    );
  });

  it("of who may only read offers nothing, and orders nothing", async () => {
    const reader = await person("reader", "read");
    const { id } = await machine();
    for (const path of ["", `machine?id=${id}`, "fleet?name=training", "sign-in"])
      expect(links((await reader.get(path)).html), path).toEqual([]);
    expect((await reader.get("act?order=pause&fleet=training")).status).toBe(403);
    const asked = await ann.get("act?order=pause&fleet=training");
    const csrf = formIn((await reader.get("sign-in")).html).fields.csrf!;
    expect((await reader.order(asked, { csrf })).status).toBe(403);
    expect((await fleet())?.paused).toBe(false);
  });

  it("for some fleets is offered these alone, and orders about them alone", async () => {
    const team = await person("team", "operate", { fleets: ["other-*"] });
    on.simulator.control.launchByHand(H100);
    await on.clock.advance(MINUTE);
    const stranger = (await machines()).find(({ owner }) => owner === null)!;
    const offered = links((await team.get("")).html);
    expect(offered).toContain("act?order=pause&fleet=other-one");
    expect(offered).toContain(`act?order=adopt&deployment=${stranger.id}`);
    expect(offered.join()).not.toContain("training");
    const adopt = await team.get(`act?order=adopt&deployment=${stranger.id}`);
    expect(adopt.html).not.toContain("fleet:training");
    const both = await person("both", "operate", { fleets: ["other-*", "training"] });
    const choice = await both.get(`act?order=adopt&deployment=${stranger.id}`);
    expect([choice.status, choice.html.includes("fleet:training")]).toEqual([200, true]);
    const { id } = await machine();
    expect(links((await team.get(`machine?id=${id}`)).html)).toEqual([]);
    for (const path of [
      "act?order=pause&fleet=training",
      `act?order=stop&deployment=${id}`,
      `act?order=adopt&deployment=${stranger.id}&by=fleet:training`,
      "act?order=resume",
    ])
      expect((await team.get(path)).status, path).toBe(403);
    expect((await team.does("act?order=pause&fleet=other-one")).status).toBe(303);
    expect((await fleet("other-one"))?.paused).toBe(true);
  });

  it("of the agent's own token may do all", async () => {
    const owner = new Person(on.server.url);
    expect((await owner.signIn(AGENT)).status).toBe(303);
    await owner.does("act?order=pause&fleet=training");
    expect((await events())[0]?.actor).toBe("token:FLEETKEEPER_HTTP_TOKEN");
  });

  it("leads on to what was asked for before it, and to no other place", async () => {
    const secret = await token("carl", "operate");
    const to = async (then: string) => {
      await on.clock.advance(MINUTE);
      const nobody = new Person(on.server.url);
      const answer = await nobody.post(`sign-in?${new URLSearchParams({ then })}`, { token: secret });
      return answer.headers.get("location");
    };
    expect(await to("act?order=pause&fleet=training")).toBe("act?order=pause&fleet=training");
    for (const evil of [
      "https://evil.example",
      "//evil.example",
      "/\\evil",
      "javascript:alert(1)",
      "act",
      "act?\n",
    ])
      expect(await to(evil), evil).toBe("./");
  });
});

it("too many orders and looks of one actor are refused for a while, those of the API among them", async () => {
  const secret = await token("carl", "operate");
  const carl = new Person(on.server.url);
  await carl.signIn(secret);
  for (let time = 0; time < 10; time++)
    await fetch(`${on.server.url}api/v1/fleets/training/wake`, {
      method: "POST",
      headers: { authorization: `Bearer ${secret}` },
    });
  const looks = [];
  for (let time = 0; time < 12; time++) looks.push((await carl.get("act?order=pause&fleet=training")).status);
  expect(looks).toEqual([...Array(10).fill(200), 429, 429]);
});

it("a name that is markup is text on every step, and a form about it is about it", async () => {
  const id = `"><img src=x onerror="document.title='owned'">`;
  await on.ledger.decide(on.keeper.account, (draft) => {
    const row = [...draft.deployments.values()].find(({ end }) => end === null)!;
    deploymentAsFound(draft, { ...row, id, sequence: 900, marker: null, intent: null });
  });
  const page = await ann.get(`machine?${new URLSearchParams({ id })}`);
  const hold = links(page.html).find((link) => link.includes("order=hold"))!;
  const asked = await ann.get(hold);
  for (const { html } of [page, asked]) expect(html).not.toContain("<img");
  expect((await ann.order(asked)).status).toBe(303);
  expect((await machines()).find((each) => each.id === id)?.hold).toBeDefined();
  const answer = await ann.get(`act?${new URLSearchParams({ order: "pause", fleet: id })}`);
  expect(answer.status).toBe(404);
  expect(answer.html).not.toContain("<img");
  expect((await ann.get(`act?${new URLSearchParams({ order: id, fleet: "training" })}`)).status).toBe(404);
});
