import { readFileSync } from "node:fs";
import { request } from "node:http";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { declaredPart, withPart } from "../../agent/fleet/phase/part.ts";
import { reaches } from "../../agent/orders/actor.ts";
import { answerTo, keepAnswer } from "../../agent/orders/answers.ts";
import { LEDGER_ORDERS } from "../../agent/orders/ledger-orders.ts";
import { ORDERS } from "../../agent/orders/orders.ts";
import type { NewToken } from "../../agent/orders/tokens.ts";
import { newTokenSecret, revokeToken } from "../../agent/orders/tokens.ts";
import { LEDGER_READS } from "../../agent/status/ledger-reads.ts";
import { READS } from "../../agent/tell/http/api/reads.ts";
import { contextOf } from "../../launch/keeper.ts";
import type { Draft } from "../../ledger/draft.ts";
import type { AccountRow } from "../../ledger/rows.ts";
import type { Json } from "../../service/contract/service.ts";
import { H100 } from "../support/stage.ts";
import { giveToken } from "../support/token.ts";
import { MINUTE, NORTH, type Scene, scene } from "./scene.ts";

const AGENT = "correct-horse-battery-staple";
const HOUR = 60 * MINUTE;
let on: Scene;
let secrets: Map<string, string>;

beforeEach(async () => {
  secrets = new Map();
  on = await scene({ token: AGENT, balance: "5000.0000" });
  await on.declare({
    training: { gpus: 16, candidates: [NORTH] },
    "other-one": { gpus: 0, candidates: [NORTH] },
  });
  on.start();
  await on.clock.advance(5 * MINUTE);
  await token("ci", "operate");
});
afterEach(() => on.close());

async function token(name: string, may: NewToken["may"], more: Partial<NewToken> = {}): Promise<string> {
  const secret = await giveToken(on, { name, may, lasts: HOUR, ...more });
  secrets.set(name, secret);
  return secret;
}

interface Answer {
  readonly status: number;
  readonly body: Record<string, Json>;
  readonly headers: Headers;
}

async function send(
  method: string,
  path: string,
  body: unknown = {},
  headers = {},
  by = "ci",
): Promise<Answer> {
  const answer = await fetch(`${on.server.url}api/v1${path}`, {
    method,
    headers: {
      authorization: `Bearer ${secrets.get(by) ?? by}`,
      "content-type": "application/json",
      ...headers,
    },
    ...(method !== "GET" && { body: typeof body === "string" ? body : JSON.stringify(body) }),
  });
  return { status: answer.status, body: (await answer.json()) as Answer["body"], headers: answer.headers };
}

/** As curl sends it: without a body no length either, and in pieces of which nobody says how many. */
function raw(path: string, pieces: readonly string[]): Promise<number> {
  const { hostname, port } = new URL(on.server.url);
  const headers = { authorization: `Bearer ${secrets.get("ci")}`, "content-type": "application/json" };
  return new Promise((resolve, reject) => {
    const sent = request({ hostname, port, path, method: "POST", headers }, (answer) => {
      answer.resume();
      resolve(answer.statusCode ?? 0);
    });
    sent.on("error", reject);
    if (pieces.length === 0) sent.removeHeader("transfer-encoding");
    for (const piece of pieces) sent.write(piece);
    sent.end();
  });
}

const post = (path: string, body: unknown = {}, headers = {}, by = "ci") =>
  send("POST", path, body, headers, by);
const get = (path: string, by = "ci") => send("GET", path, {}, {}, by);
const fleet = async (name = "training") =>
  (await on.ledger.read(on.keeper.account)).fleets.find((each) => each.name === name);
const machines = async () =>
  (await on.ledger.read(on.keeper.account)).deployments.filter(({ end }) => end === null);
const planOf = ({ body }: Answer, name: string) =>
  (
    body.fleets as unknown as { readonly fleet: string; readonly launches: Json[]; readonly stops: Json[] }[]
  ).find((each) => each.fleet === name);
const events = async () => on.ledger.events(on.keeper.account, 200);
const alive = () => on.simulator.truth().machines.filter(({ endedAt }) => endedAt === null).length;

describe("an order", () => {
  it("is carried out, and its actor stands beside what happened", async () => {
    expect(await post("/fleets/training/pause")).toMatchObject({ status: 200, body: { phase: "paused" } });
    expect((await fleet())?.paused).toBe(true);
    expect((await events())[0]).toMatchObject({ kind: "paused", actor: "token:ci" });
    expect(await post("/fleets/training/resume")).toMatchObject({ status: 200, body: { phase: "kept" } });
    expect(await get("/events?by=token:ci&limit=5")).toMatchObject({
      status: 200,
      body: [{ kind: "resumed" }, { kind: "paused" }],
    });
  });

  it("without choices needs no body, and one of unknown length is read as far as the limit", async () => {
    const path = "/api/v1/fleets/training/pause";
    expect(await raw(path, [])).toBe(200);
    expect(await raw(path, ['{"vers', 'ion": 1}'])).toBe(400);
    expect(await raw(path, Array(10).fill(" ".repeat(10_000)))).toBe(413);
  });

  it("that ends later answers 202, and events tell the end", async () => {
    const [machine] = await machines();
    expect(await post(`/deployments/${machine?.id}/stop`, { shrink: true })).toMatchObject({ status: 202 });
    await on.clock.advance(5 * MINUTE);
    expect((await machines()).map(({ id }) => id)).not.toContain(machine?.id);
    expect(await machines()).toHaveLength(1);
    expect(
      (await events()).some(({ kind, deployment }) => kind === "stopped" && deployment === machine?.id),
    ).toBe(true);
  });

  it("on a dry run does nothing, and says what the agent would do", async () => {
    const [machine] = await machines();
    const dry = await post(`/deployments/${machine?.id}/stop?dryRun=true`);
    expect(dry).toMatchObject({ status: 200, body: { answer: { ended: null }, believed: true } });
    expect(dry.body.warning).toContain("an agent rents another machine in its place");
    expect((await machines()).every(({ stop }) => stop === null)).toBe(true);
    const drained = await post("/fleets/training/drain?dryRun=true");
    expect(planOf(drained, "training")?.stops).toHaveLength(2);
    expect((await fleet())?.drained ?? null).toBeNull();
  });

  it("with a key is carried out once: the same again has the first answer", async () => {
    const key = { "idempotency-key": "abc-1" };
    const [machine] = await machines();
    const path = `/deployments/${machine?.id}/hold`;
    const first = await post(path, { for: "1h" }, key);
    await on.clock.advance(10 * MINUTE);
    const second = await post(path, { for: "1h" }, key);
    expect(second.body).toEqual(first.body);
    expect(second.headers.get("idempotent-replayed")).toBe("true");
    expect((await events()).filter(({ kind }) => kind === "keptBack")).toHaveLength(1);
    expect(await post(path, { for: "2h" }, key)).toMatchObject({ status: 422 });
    // Another actor's key is another key.
    await token("bob", "operate");
    expect(await post(path, { for: "2h" }, key, "bob")).toMatchObject({ status: 200 });
  });

  it("that counts on another version of the fleet is a conflict, with the newer one", async () => {
    const { version } = (await get("/fleets/training")).body;
    expect(await post("/fleets/training/pause", { version })).toMatchObject({ status: 200 });
    const conflict = await post("/fleets/training/drain", { version });
    expect(conflict).toMatchObject({
      status: 409,
      body: { detail: expect.stringContaining("changed since") },
    });
    expect(conflict.body.version).not.toBe(version);
    expect((await fleet())?.drained ?? null).toBeNull();
    const newer = await post("/fleets/training/drain", { version: conflict.body.version });
    expect(newer.status).toBe(202);
  });

  it("whose query is not understood is carried out nowhere", async () => {
    for (const query of ["dryrun=true", "dry_run=true", "dryRun=false&dryRun=true", "dryRun=", "dryRun"])
      expect((await post(`/fleets/training/drain?${query}`)).status, query).toBe(400);
    expect((await fleet("training"))?.drained ?? null).toBeNull();
  });

  it("that counts on a version of what has none is carried out nowhere", async () => {
    await token("declarer", "declare");
    const version = "0123456789abcdef";
    const wish = { gpus: 8, candidates: [NORTH], version };
    const answer = await send("PUT", "/fleets/new-one", wish, {}, "declarer");
    expect(answer).toMatchObject({ status: 409, body: { detail: expect.stringContaining("no such fleet") } });
    expect(await fleet("new-one")).toBeUndefined();
    const [machine] = await machines();
    expect((await post(`/deployments/${machine?.id}/stop`, { version })).status).toBe(409);
    expect((await post("/account/resume", { version })).status).toBe(400);
    expect((await machines())[0]?.stop).toBeNull();
  });

  it("that drains a part of a fleet in several services says on a dry run that others rent its share", async () => {
    expect((await post("/fleets/training/drain?dryRun=true")).body.warning).toBeNull();
    await on.ledger.decide(on.keeper.account, (draft) => {
      const row = draft.fleets.get("training")!;
      draft.putFleet(withPart(row, declaredPart({ of: "training", service: "north" }, row.wish, row)));
    });
    expect(await post("/fleets/training/drain?dryRun=true")).toMatchObject({
      status: 200,
      body: { warning: expect.stringContaining("moves to the others, which rent it") },
    });
  });

  it("that only has launches tried anew is found by its actor, too", async () => {
    for (const [path, owner, text] of [
      ["/fleets/training/resume", "fleet:training", "resume of training was ordered"],
      ["/account/resume", null, "resume of the account was ordered"],
    ] as const) {
      expect((await post(path)).status).toBe(200);
      expect((await events())[0]).toMatchObject({ kind: "ordered", actor: "token:ci", owner, text });
    }
    const before = (await events())[0]?.sequence;
    expect((await post("/fleets/training/wake")).status).toBe(200);
    expect((await events())[0]?.sequence).toBe(before);
  });

  it("asks for a count within the range of a fleet, for a time, and takes it back", async () => {
    await on.declare({
      training: { gpus: 16, range: { min: 0, max: 24, at: 16 }, candidates: [NORTH] } as never,
      "other-one": { gpus: 0, candidates: [NORTH] },
    });
    expect(await post("/fleets/training/ask", { gpus: 24, for: "1h" })).toMatchObject({
      status: 200,
      body: { gpus: 24 },
    });
    expect((await post("/fleets/training/ask", { gpus: 32 })).status).toBe(409);
    expect((await post("/fleets/training/ask", { gpus: 24, for: "soon" })).status).toBe(400);
    await on.clock.advance(5 * MINUTE);
    expect(alive()).toBe(3);
    expect(await post("/fleets/training/end-ask")).toMatchObject({ status: 200, body: { gpus: 16 } });
    // What is paid for runs on until its hour is over.
    await on.clock.advance(HOUR);
    expect(alive()).toBe(2);
  });

  it("of what is not there, or with what it does not know, changes nothing", async () => {
    const before = (await events())[0]?.sequence;
    expect(await post("/fleets/nope/pause")).toMatchObject({
      status: 404,
      body: { detail: expect.stringContaining("training") },
    });
    expect((await post("/deployments/nope/stop")).status).toBe(404);
    expect((await post("/fleets/training/dance")).status).toBe(404);
    // A line end in a path makes nobody's token a wrong one.
    for (const end of ["%0a", "%0d", "%e2%80%a8"])
      for (const path of [`/fleets/training${end}`, `/${end}/status`, `/deployments/a${end}b/stop/`])
        for (const method of ["GET", "POST"])
          expect((await send(method, path)).status, `${method} ${path}`).toBe(404);
    expect(await post("/fleets/training/pause", { force: true })).toMatchObject({
      status: 400,
      body: { detail: expect.stringContaining("force") },
    });
    const [machine] = await machines();
    expect(await post(`/deployments/${machine?.id}/hold`, { for: "90d" })).toMatchObject({
      status: 400,
      body: { detail: expect.stringContaining("at most 30d") },
    });
    expect((await post("/fleets/training/pause", "[1]")).status).toBe(400);
    expect((await post("/fleets/training/pause", "{")).status).toBe(400);
    // Whoever gets a 503 asks again, and this never becomes another body.
    const deep = `{"why":"\\"[","x":${"[".repeat(30_000)}${"]".repeat(30_000)}}`;
    expect(await post("/fleets/training/pause", deep)).toMatchObject({
      status: 400,
      body: { detail: "the body: at most 200 lists and objects stand in each other" },
    });
    expect((await post("/fleets/training/pause", "{}", { "content-type": "text/plain" })).status).toBe(415);
    expect((await post("/fleets/training/pause", { why: "x".repeat(70_000) })).status).toBe(413);
    expect((await post("/fleets/training/pause", {}, { "idempotency-key": "x".repeat(129) })).status).toBe(
      400,
    );
    for (const path of ["/events?limit=0", "/events?limt=1", "/spend?month=2026-13", "/spend?days=x"])
      expect((await get(path)).status, path).toBe(400);
    expect((await events())[0]?.sequence).toBe(before);
  });

  it("too many of one actor are refused for a while, and not those of another", async () => {
    await token("bob", "operate");
    const answers = await Promise.all(Array.from({ length: 25 }, () => post("/fleets/training/wake")));
    const late = answers.filter(({ status }) => status === 429);
    expect(late).toHaveLength(5);
    expect(late[0]?.headers.get("retry-after")).toBe("1");
    expect((await post("/fleets/training/wake", {}, {}, "bob")).status).toBe(200);
    await on.clock.advance(MINUTE);
    expect((await post("/fleets/training/wake")).status).toBe(200);
  });
});

it("answers are kept for a day, and the newest 64, if these are not too long", () => {
  let account = { answers: [] } as unknown as AccountRow;
  const draft = {
    get account() {
      return account;
    },
    putAccount: (row: AccountRow) => {
      account = row;
      return row;
    },
  } as unknown as Draft;
  const keep = (key: string, at: number, answer: Json = null) =>
    keepAnswer(draft, { key, actor: "a", order: "", at, answer });
  keep("old", 0);
  keep("new", 24 * HOUR);
  expect(answerTo(draft, "old", "a")).toBeUndefined();
  for (let index = 0; index < 64; index++) keep(`${index}`, 24 * HOUR + index);
  expect(answerTo(draft, "new", "a")).toBeUndefined();
  expect(answerTo(draft, "0", "a")).toBeDefined();
  expect(answerTo(draft, "0", "b")).toBeUndefined();
  for (let index = 0; index < 64; index++) keep(`long ${index}`, 25 * HOUR + index, "x".repeat(10_000));
  expect(JSON.stringify(account).length).toBeLessThan(70_000);
  expect(answerTo(draft, "long 63", "a")).toBeDefined();
  expect(answerTo(draft, "long 60", "a")).toBeDefined();
  keep("longest", 26 * HOUR, "x".repeat(100_000));
  expect(answerTo(draft, "longest", "a")).toBeDefined();
});

it("plans, which read the service, have the same bound", async () => {
  const answers = await Promise.all(Array.from({ length: 22 }, () => get("/plan")));
  expect(answers.filter(({ status }) => status === 429)).toHaveLength(2);
  expect((await get("/status")).status).toBe(200);
});

it("a wish, whose parameters may be secret, is shown to who may declare it alone", async () => {
  await on.declare({
    training: { gpus: 0, candidates: [NORTH], parameters: { key: "hunter2" } },
    "other-one": { gpus: 0, candidates: [NORTH] },
  });
  await token("declarer", "declare", { fleets: ["other-*"] });
  const seen = async (path: string, by: string) => JSON.stringify((await get(path, by)).body);
  for (const by of ["ci", "declarer"])
    for (const { path } of READS) {
      const at = path.replace("{fleet}", "training").replace("{id}", (await machines())[0]?.id ?? "");
      expect(await seen(at, by), `${by} ${at}`).not.toContain("hunter2");
    }
  expect(await seen("/fleets/other-one", "declarer")).toContain('"gpus"');
  expect(await seen("/fleets/training", AGENT)).toContain("hunter2");
});

describe("a token", () => {
  it("may what its right says, and no more", async () => {
    await token("reader", "read");
    await token("declarer", "declare");
    await token("boss", "admin");
    expect((await get("/status", "reader")).status).toBe(200);
    const wish = { gpus: 8, candidates: [NORTH] };
    expect((await post("/fleets/training/pause", {}, {}, "reader")).status).toBe(403);
    expect((await send("PUT", "/fleets/new-one", wish)).status).toBe(403);
    expect((await send("PUT", "/fleets/new-one", wish, {}, "declarer")).status).toBe(200);
    expect((await post("/account/stop", {}, {}, "declarer")).status).toBe(403);
    // Each disowned machine bills on, and its fleet rents another one for it.
    const [machine] = await machines();
    expect((await post(`/deployments/${machine?.id}/disown`)).status).toBe(403);
    expect((await post(`/deployments/${machine?.id}/disown?dryRun=true`, {}, {}, "declarer")).status).toBe(
      200,
    );
    expect(await post("/account/stop?dryRun=true", {}, {}, "boss")).toMatchObject({ status: 200 });
    expect((await post("/account/stop", {}, {}, "boss")).status).toBe(202);
    await on.clock.advance(5 * MINUTE);
    expect(alive()).toBe(0);
    expect((await events()).find(({ kind }) => kind === "drained")?.actor).toBe("token:boss");
  });

  it("for some fleets orders about these alone", async () => {
    await token("team", "operate", { fleets: ["other-*"] });
    const [machine] = await machines();
    expect((await post("/fleets/other-one/pause", {}, {}, "team")).status).toBe(200);
    expect((await post("/fleets/training/pause", {}, {}, "team")).status).toBe(403);
    expect((await post(`/deployments/${machine?.id}/stop`, {}, {}, "team")).status).toBe(403);
    expect((await post(`/deployments/${machine?.id}/adopt`, { fleet: "other-one" }, {}, "team")).status).toBe(
      403,
    );
    expect((await post("/account/resume", {}, {}, "team")).status).toBe(403);
    // Nobody's machine may be taken in; one that was disowned for good is no team's to decide about.
    on.simulator.control.launchByHand(H100);
    await on.clock.advance(MINUTE);
    const stranger = (await machines()).find(({ owner }) => owner === null);
    const adopt = () =>
      post(`/deployments/${stranger?.id}/adopt?dryRun=true`, { fleet: "other-one" }, {}, "team");
    expect((await adopt()).status).toBe(200);
    await token("owner", "declare");
    expect((await post(`/deployments/${stranger?.id}/disown`, {}, {}, "owner")).status).toBe(200);
    expect((await adopt()).status).toBe(403);
    expect((await fleet())?.paused).toBe(false);
  });

  it("that was revoked or is over orders nothing more, at once", async () => {
    expect((await get("/status")).status).toBe(200);
    await on.ledger.decide(on.keeper.account, (draft) => revokeToken(draft, "ci", contextOf(on.keeper)));
    // The server still knows it for a second: the transaction does not.
    expect(await post("/fleets/training/pause")).toMatchObject({ status: 401 });
    expect((await fleet())?.paused).toBe(false);
    await on.clock.advance(1_000);
    expect((await get("/status")).status).toBe(401);
    await token("short", "operate", { lasts: MINUTE });
    await on.clock.advance(2 * MINUTE);
    expect((await post("/fleets/training/pause", {}, {}, "short")).status).toBe(401);
  });

  it("is needed as a header of its own: a browser sends no order by a password or a cookie", async () => {
    const basic = `Basic ${Buffer.from(`me:${secrets.get("ci")}`).toString("base64")}`;
    for (const headers of [
      { authorization: basic },
      { authorization: "" },
      { authorization: `Bearer ${newTokenSecret()}` },
    ])
      expect((await post("/fleets/training/pause", {}, headers)).status).toBe(401);
    expect((await post("/fleets/training/pause", {}, {}, AGENT)).status).toBe(200);
    expect((await events())[0]?.actor).toBe("token:FLEETKEEPER_HTTP_TOKEN");
    const page = await fetch(on.server.url, {
      method: "POST",
      headers: { authorization: `Bearer ${AGENT}` },
    });
    expect(page.status).toBe(405);
  });

  it("has not the name of the agent's own one, under which it would order", async () => {
    await expect(token("FLEETKEEPER_HTTP_TOKEN", "read")).rejects.toThrow(
      "the agent's own token has this name",
    );
  });

  it("is known by its digest alone", async () => {
    const { account } = await on.ledger.read(on.keeper.account);
    expect(JSON.stringify(account)).not.toContain(secrets.get("ci"));
    expect(JSON.stringify(await events())).not.toContain(secrets.get("ci"));
  });

  it.each([
    ["train-*", "train-a", true],
    ["train-*", "a-train-a", false],
    ["*", "anything", true],
    ["a*b*c", "a-b-c", true],
    ["a*b*c", "abc", true],
    ["a*bc", "abc", true],
    ["ab*ba", "aba", false],
    ["exact", "exactly", false],
  ])("pattern %s and fleet %s", (pattern, name, expected) =>
    expect(reaches({ fleets: [pattern] }, name)).toBe(expected),
  );
});

describe("a declaration", () => {
  const wish = { gpus: 8, candidates: [NORTH] };
  beforeEach(() => token("declarer", "declare"));
  const put = (name: string, body: unknown, path = "") =>
    send("PUT", `/fleets/${name}${path}`, body, {}, "declarer");

  it("is planned first, then kept, changed and taken back", async () => {
    const dry = await put("new-one", wish, "?dryRun=true");
    expect(planOf(dry, "new-one")).toMatchObject({ desired: 8, launches: [{ gpus: 8 }] });
    expect(await fleet("new-one")).toBeUndefined();
    const made = await put("new-one", wish);
    expect(made.status).toBe(200);
    await on.clock.advance(5 * MINUTE);
    expect(alive()).toBe(3);
    expect((await put("new-one", { ...wish, gpus: 16, version: made.body.version })).status).toBe(200);
    expect((await put("new-one", { ...wish, gpus: 24, version: made.body.version })).status).toBe(409);
    expect((await send("DELETE", "/fleets/new-one", {}, {}, "declarer")).status).toBe(202);
    await on.clock.advance(10 * MINUTE);
    expect(alive()).toBe(2);
  });

  it("counts on it that there is no such fleet, where that was seen", async () => {
    const made = await put("new-one", { ...wish, version: "none" });
    expect(made.status).toBe(200);
    expect(await put("new-one", { ...wish, gpus: 16, version: "none" })).toMatchObject({
      status: 409,
      body: { version: made.body.version },
    });
    expect((await send("DELETE", "/fleets/another", { version: "none" }, {}, "declarer")).status).toBe(404);
  });

  it("neither takes nor removes what a file declared", async () => {
    expect(await put("training", wish)).toMatchObject({
      status: 422,
      body: { detail: expect.stringContaining("file:fleet.yaml") },
    });
    expect(await send("DELETE", "/fleets/training", {}, {}, "declarer")).toMatchObject({ status: 409 });
    expect((await fleet())?.removed).toBe(false);
  });

  it("that a fleet file could not have is refused, and names the key", async () => {
    const http = { url: "https://metrics.example", pointer: "/queue", secret: { env: "TOKEN" } };
    const metered = { ...wish, gpus: { min: 0, max: 8, at: 8 }, metric: { http, target: 10 } };
    for (const [body, key] of [
      [{ ...wish, gpu: 3 }, "gpu"],
      [{ gpus: -1, candidates: [NORTH] }, "gpus"],
      [{ ...wish, previousName: "training" }, "previousName"],
      [{ ...wish, name: "other-one" }, "name"],
      [{ ...wish, setup: { command: ["/bin/sh", "-c", "id"] } }, "setup.command"],
      [{ ...wish, ready: { address: "ip", command: ["../join.sh"] } }, "ready.command"],
      [metered, "metric.http.secret"],
    ] as const)
      expect(await put("new-one", body)).toMatchObject({
        status: 422,
        body: { detail: expect.stringContaining(key) },
      });
    expect(await fleet("new-one")).toBeUndefined();
  });
});

describe("a file of declarations", () => {
  const wish = { gpus: 8, candidates: [NORTH] };
  beforeEach(() => token("declarer", "declare"));
  const put = (fleets: unknown, by = "declarer", path = "/fleet-files/ml") =>
    send("PUT", path, { fleets }, {}, by);
  const [one, two] = ["one", "two"].map((name) => ({ name, ...wish }));

  it("is planned first; what it leaves out drains, and another file's fleets do not", async () => {
    const dry = await put([one, two], "declarer", "/fleet-files/ml?dryRun=true");
    expect(planOf(dry, "two")).toMatchObject({ desired: 8 });
    expect(await fleet("one")).toBeUndefined();
    expect((await put([{ ...one, name: "theirs" }], "declarer", "/fleet-files/theirs")).status).toBe(200);
    expect((await put([one, two])).body).toMatchObject({ drains: [] });
    await on.clock.advance(5 * MINUTE);
    expect(alive()).toBe(5);
    const less = (drains: readonly string[]) =>
      send("PUT", "/fleet-files/ml", { fleets: [one], drains }, {}, "declarer");
    expect(await less(["one"])).toMatchObject({
      status: 422,
      body: { detail: expect.stringMatching(/^two would drain/) },
    });
    expect(await fleet("two")).toMatchObject({ removed: false });
    expect(await less(["two"])).toMatchObject({ status: 200, body: { drains: ["two"] } });
    await on.clock.advance(10 * MINUTE);
    expect(alive()).toBe(4);
    expect((await send("DELETE", "/fleet-files/ml", {}, {}, "declarer")).status).toBe(202);
    expect((await send("DELETE", "/fleet-files/ml", {}, {}, "declarer")).status).toBe(409);
    await on.clock.advance(10 * MINUTE);
    expect(alive()).toBe(3);
    expect(await fleet("theirs")).toMatchObject({ removed: false });
  });

  it("takes and drains no fleet that the token does not reach, or that is another owner's", async () => {
    await put([one, two]);
    await token("of-two", "declare", { fleets: ["two", "three"] });
    for (const [fleets, by, status] of [
      [[two], "of-two", 403],
      [[one, two], "of-two", 403],
      [[{ ...two, name: "three", previousName: "one" }], "of-two", 403],
      [[{ ...one, name: "training" }], "declarer", 422],
      [[one, two], "ci", 403],
    ] as const)
      expect((await put(fleets, by)).status).toBe(status);
    expect((await send("DELETE", "/fleet-files/ml", {}, {}, "of-two")).status).toBe(403);
    expect((await send("DELETE", "/fleets/one", {}, {}, "declarer")).status).toBe(409);
    expect(await put([two], "of-two", "/fleet-files/theirs")).toMatchObject({ status: 422 });
    for (const name of ["one", "two", "training"])
      expect(await fleet(name)).toMatchObject({ removed: false });
  });

  it("renames no fleet that the token does not reach, also one that drains", async () => {
    await put([one, two]);
    await on.clock.advance(5 * MINUTE);
    await put([two]);
    await token("of-two", "declare", { fleets: ["two", "three"] });
    const taken = await put([two, { ...one, name: "three", previousName: "one" }], "of-two");
    expect(taken.status).toBe(403);
    expect(await fleet("one")).toMatchObject({ removed: true });
    expect(await fleet("three")).toBeUndefined();
  });

  it("that renames a fleet drains nothing", async () => {
    await put([one]);
    const renamed = await put(
      [{ ...one, name: "uno", previousName: "one" }],
      "declarer",
      "/fleet-files/ml?dryRun=true",
    );
    expect(renamed.body).toMatchObject({ answer: { drains: [] } });
  });

  it("of 200 fleets is one short event, which names what drains", async () => {
    const many = Array.from({ length: 200 }, (_, index) => ({ ...one, gpus: 0, name: `f${index}` }));
    await put([one]);
    expect((await put(many)).status).toBe(200);
    const [event] = (await on.ledger.events(on.keeper.account, 50)).filter(({ kind }) => kind === "drained");
    expect(event?.text).toContain("one is left out, and drains");
    expect(event?.text).toContain("and 181 more");
  });

  it("adds none to the 500 fleets that an account may have of the API, one by one neither", async () => {
    const some = (from: number, to: number) =>
      Array.from({ length: to - from }, (_, at) => ({ ...one, gpus: 0, name: `many-${from + at}` }));
    const files = ["a", "b", "c"].map((file) => `/fleet-files/${file}`);
    for (const [at, path] of files.entries())
      expect((await put(some(at * 200, Math.min(at * 200 + 200, 500)), "declarer", path)).status).toBe(200);
    const [, , last = ""] = files;
    const single = (path = "") => send("PUT", `/fleets/single${path}`, { ...wish, gpus: 0 }, {}, "declarer");
    const full = { status: 422, body: { code: "CONFIG", detail: expect.stringContaining("take back some") } };
    expect(await put(some(400, 501), "declarer", last)).toMatchObject(full);
    expect(await single()).toMatchObject(full);
    expect(await single("?dryRun=true")).toMatchObject(full);
    expect([await fleet("many-500"), await fleet("single")]).toEqual([undefined, undefined]);
    // What is there may change, in the place of one that is left out another one may come, and others declare on.
    const changed = some(401, 501).map((each) => ({ ...each, labels: { team: "vision" } }));
    expect((await put(changed, "declarer", last)).status).toBe(200);
    await on.declare({ training: { gpus: 16, candidates: [NORTH] }, more: { gpus: 0, candidates: [NORTH] } });
    expect((await put(some(402, 501), "declarer", last)).status).toBe(200);
    expect((await single()).status).toBe(200);
    expect((await send("DELETE", "/fleets/single", {}, {}, "declarer")).status).toBe(202);
    expect((await put(some(401, 501), "declarer", last)).status).toBe(200);
  });

  it("with a mistake changes nothing, and each is named", async () => {
    for (const [fleets, key] of [
      [[one, { ...two, gpus: -1 }], "fleets.1.gpus"],
      [[one, one], "names are unique"],
      [[one, { ...two, setup: { command: ["/bin/sh"] } }], "setup.command"],
      [[{ ...one, service: "north" }], "service"],
    ] as const)
      expect(await put(fleets)).toMatchObject({
        status: 422,
        body: { detail: expect.stringContaining(key) },
      });
    expect((await put([one], "declarer", "/fleet-files/m%20l")).status).toBe(422);
    expect(
      await send("PUT", "/fleet-files/ml", { fleets: [one], budgets: [] }, {}, "declarer"),
    ).toMatchObject({ status: 400 });
    expect(await fleet("one")).toBeUndefined();
  });
});

it("adopting stops nothing that was not named", async () => {
  on.simulator.control.launchByHand(H100);
  await on.clock.advance(MINUTE);
  const stranger = (await machines()).find(({ owner }) => owner === null);
  const path = `/deployments/${stranger?.id}/adopt`;
  const refused = await post(path, { fleet: "training" });
  expect(refused).toMatchObject({ status: 409, body: { detail: expect.stringContaining('"stops"') } });
  const dry = await post(`${path}?dryRun=true`, { fleet: "training" });
  const { stops } = dry.body.answer as { stops: readonly string[] };
  expect(stops).toHaveLength(1);
  expect((await post(path, { fleet: "training", stops })).status).toBe(200);
  expect((await machines()).find(({ id }) => id === stranger?.id)).toMatchObject({
    claim: "certain",
    owner: "fleet:training",
  });
});

it("where the profile cannot stop, no machine is told to, also none that would be adopted for it", async () => {
  await on.close();
  const alter = (profile: string): string => profile.replace(/^stop:\n(?: .*\n)+/m, "");
  on = await scene({ token: AGENT, balance: "5000.0000", alter });
  await on.declare({ training: { gpus: 8, candidates: [NORTH] } });
  on.start();
  await on.clock.advance(5 * MINUTE);
  await token("ci", "operate");
  expect((await post("/fleets/training/drain")).status).toBe(202);
  on.simulator.control.launchByHand(H100);
  await on.clock.advance(MINUTE);
  const [mine, stranger] = await machines();
  expect([mine?.owner, stranger?.owner]).toEqual(["fleet:training", null]);
  const refused = { status: 409, body: { code: "PROFILE_PART_MISSING" } };
  expect(await post(`/deployments/${mine?.id}/stop`)).toMatchObject(refused);
  const stops = [stranger?.id];
  expect(await post(`/deployments/${stranger?.id}/adopt`, { fleet: "training", stops })).toMatchObject(
    refused,
  );
  expect((await machines())[1]).toMatchObject({ owner: null, stop: null });
});

it("every GET answers as its schema says", async () => {
  const [machine] = await machines();
  for (const { path, answers } of READS) {
    const at = path.replace("{fleet}", "training").replace("{id}", machine?.id ?? "");
    const { status, body } = await get(at);
    expect([status, answers.safeParse(body).error?.issues], path).toEqual([200, undefined]);
  }
});

it("the OpenAPI document has every path, and the page of the docs, too", async () => {
  const { openapi, paths } = (await get("/openapi.json")).body as unknown as {
    readonly openapi: string;
    readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly operationId: string }>>>>;
  };
  expect(openapi).toBe("3.1.1");
  const ids = Object.values(paths).flatMap((its) => Object.values(its).map(({ operationId }) => operationId));
  expect(new Set(ids).size).toBe(ids.length);
  for (const id of ids) expect(id).toMatch(/^[a-z][A-Za-z]+$/);
  const page = readFileSync("docs/reference/agent-api.md", "utf8");
  for (const [path, its] of Object.entries(paths)) {
    const [below = "", last = ""] = [path.slice("/api/v1".length), path.slice(path.lastIndexOf("/"))];
    for (const method of Object.keys(its))
      expect(
        page.includes(`\`${below}`) ||
          page.includes(`\`${method.toUpperCase()} ${below}`) ||
          page.includes(`\`${last}\``),
        `${method} ${below}`,
      ).toBe(true);
  }
  const ofAgent = ["accounts", ...Object.keys(LEDGER_READS)];
  expect(Object.values(paths).flatMap((its) => Object.keys(its))).toHaveLength(
    // Two are of what stacks ask, one is a plan, and two are what a fleet and a file have in all accounts.
    ofAgent.length + READS.length + ORDERS.length + LEDGER_ORDERS.length + 2 + 3,
  );
});
