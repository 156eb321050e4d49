import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { afterEach, beforeEach, expect, it } from "vitest";
import { runCli } from "../../agent/cli/program.ts";
import { drainFleet } from "../../agent/fleet/phase/fleet-orders.ts";
import { makeToken, newTokenSecret } from "../../agent/orders/tokens.ts";
import { watch } from "../../agent/tell/http/index.ts";
import type { HttpServer } from "../../agent/tell/http/reach/listening.ts";
import { type Shown, startServicesServer } from "../../agent/tell/http/services.ts";
import { contextOf } from "../../launch/keeper.ts";
import { MemoryLedger } from "../../ledger/memory/memory-ledger.ts";
import type { FleetRow } from "../../ledger/rows.ts";
import { VirtualClock } from "../../simulator/index.ts";
import { scripted } from "../cli/scripted.ts";
import { H100, type Stage, stage } from "../support/stage.ts";
import { Person } from "./person.ts";

/* Orders about all parts of a fleet, on the server of an agent with two services that run on one ledger. */

const AGENT = "correct-horse-battery-staple";
const MINUTE = 60_000;
const WISH = { gpus: 16, surge: 8, select: { gpuModel: "H100" } } as const;
let ledger: MemoryLedger;
let all: readonly Stage[];
let server: HttpServer;
let services: Map<string, Shown>;
let closing: (() => unknown)[];

beforeEach(async () => {
  closing = [];
  const clock = new VirtualClock();
  ledger = new MemoryLedger("testledger00");
  const market = (provider: string) => [{ ...H100, provider, capacity: 1 }];
  const made = [];
  for (const [seed, provider] of ["p", "q"].entries())
    made.push(await stage({ clock, ledger, allAccounts: ledger, offers: market(provider), seed }));
  all = made;
  const part = (service: string) => ({ of: "training", service });
  await all[0]?.declare({ training: WISH }, { training: part("north") });
  await all[1]?.declare(
    { "training@south": WISH, solo: { ...WISH, gpus: 0 } },
    { "training@south": part("south") },
  );
  for (const each of all) each.start();
  await clock.advance(10 * MINUTE);
  const watched = all.map(({ keeper }) => watch({ keeper, history: ledger, version: "1" }));
  const [north, south] = watched.map((each, at) => each.pages(`/services/${["north", "south"][at]}`));
  services = new Map([
    ["north", { pages: north }],
    ["south", { pages: south }],
  ]);
  server = await startServicesServer({ address: { host: "127.0.0.1", port: 0 }, token: AGENT, services });
  closing.push(...all.map((each) => () => each.stop()), ...watched.map((each) => () => each.close()), () =>
    server.close(),
  );
});
afterEach(async () => {
  for (const close of closing.reverse()) await close();
});

type Told = Parameters<typeof makeToken>[1];

/** As `fleetkeeper token create` makes it: in each account. `at`: only in this one. */
async function token(
  name: string,
  may: Told["may"],
  of: readonly Partial<Told>[] = [{}, {}],
): Promise<string> {
  const secret = newTokenSecret();
  for (const [at, more] of of.entries()) {
    const keeper = all[at]?.keeper;
    const row = { id: name, name, may, lasts: 60 * MINUTE, secret, ...more };
    await keeper?.ledger.decide(keeper.account, (draft) => makeToken(draft, row, contextOf(keeper)));
  }
  await all[0]?.clock.advance(1_000);
  return secret;
}

async function order(
  path: string,
  by: string,
  body: object = {},
  headers: Readonly<Record<string, string>> = {},
  method = "POST",
) {
  const answer = await fetch(`${server.url}api/v1/ledger${path}`, {
    method,
    headers: { authorization: `Bearer ${by}`, "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  });
  return {
    status: answer.status,
    body: JSON.parse(await answer.text()),
    again: answer.headers.get("idempotent-replayed"),
  };
}

async function get(path: string, by: string) {
  const headers = { authorization: `Bearer ${by}` };
  return JSON.parse(await (await fetch(`${server.url}api/v1/ledger${path}`, { headers })).text());
}

/** Of each account, the part of the fleet. */
async function parts(): Promise<readonly (FleetRow | undefined)[]> {
  const rows = await Promise.all(all.map(({ keeper }) => ledger.read(keeper.account)));
  return rows.map(({ fleets }) => fleets.find(({ part }) => part));
}

const paused = async () => (await parts()).map((part) => part?.paused);

it("one order is for all parts: with the actor in each account, a dry run, a key and a version", async () => {
  const ci = await token("ci", "operate", [{ fleets: ["train*"] }, { fleets: ["train*"] }]);
  const { version } = await get("/fleets/training", ci);
  const dry = await order("/fleets/training/drain?dryRun=true", ci, { version });
  expect(dry.status).toBe(200);
  expect(dry.body.wholes[0]).toMatchObject({ name: "training", desiredGpus: 0, runningGpus: 16 });
  expect(dry.body.fleets.map(({ stops }: { stops: [] }) => stops.length)).toEqual([1, 0, 1]);
  expect(await paused()).toEqual([false, false]);
  expect(await order("/fleets/training/pause", ci, { version: "training=0 training@south=0" })).toMatchObject(
    {
      status: 409,
      body: { version },
    },
  );
  const first = await order("/fleets/training/pause", ci, { version }, { "idempotency-key": "k" });
  const why = (name: string) => `paused by an operator, until fleetkeeper resume ${name}`;
  const said = (fleet: string, service: string) => ({
    ...{ fleet, of: "training", service, hasAgent: true },
    answer: { phase: "paused", why: why(fleet) },
  });
  expect(first).toEqual({
    status: 200,
    again: null,
    body: { parts: [said("training", "north"), said("training@south", "south")] },
  });
  expect(await paused()).toEqual([true, true]);
  expect(await order("/fleets/training/pause", ci, { version }, { "idempotency-key": "k" })).toEqual({
    ...first,
    again: "true",
  });
  expect(await order("/fleets/training/resume", ci, {}, { "idempotency-key": "k" })).toMatchObject({
    status: 422,
  });
  expect(await order("/fleets/training/resume", ci, { version })).toMatchObject({ status: 409 });
  expect(await paused()).toEqual([true, true]);
  for (const { keeper } of all) {
    const [newest] = await ledger.events(keeper.account, 1);
    expect(newest).toMatchObject({ kind: "paused", actor: "token:ci" });
  }
  expect((await order("/fleets/training/drain", ci)).status).toBe(202);
  await all[0]?.clock.advance(10 * MINUTE);
  expect(all.map((each) => [each.alive().length, each.launches()])).toEqual([
    [0, 1],
    [0, 1],
  ]);
});

it("who may not order about each part orders about none", async () => {
  const solo = [{ fleets: ["solo"] }, { fleets: ["solo"] }];
  const refused: readonly (readonly [string, number])[] = [
    [await token("reads", "read"), 403],
    [await token("solo", "operate", solo), 403],
    // What a token may stands in each account: it is not taken from the first one.
    [await token("half", "operate", [{}, { fleets: ["solo"] }]), 403],
    [await token("one", "operate", [{}]), 401],
    [newTokenSecret(), 401],
  ];
  for (const [secret, status] of refused)
    for (const path of [
      "/fleets/training/pause",
      "/fleets/training/drain?dryRun=true",
      "/services/south/drain",
    ])
      expect((await order(path, secret)).status, `${secret} ${path}`).toBe(status);
  expect(await paused()).toEqual([false, false]);
  expect((await order("/fleets/solo/pause", refused[1]?.[0] ?? "")).status).toBe(200);
  expect((await order("/fleets/trainin/pause", AGENT)).status).toBe(404);
  // The agent's own token is this agent's: another one may keep the account of the other part.
  services.set("south", { problem: "its key is refused" });
  const own = await order("/fleets/training/pause", AGENT);
  expect([own.status, own.body.detail]).toEqual([403, expect.stringContaining("known to this agent alone")]);
  expect(await paused()).toEqual([false, false]);
  const plan = await get("/plan", AGENT);
  expect(plan.errors).toEqual([{ service: "south", error: "its key is refused", code: "BUSY" }]);
  expect(plan.wholes[0].services[1]).toMatchObject({ state: "away", why: "its key is refused" });
  expect((await order("/fleets/training/pause", await token("ops", "operate"))).status).toBe(200);
  expect(await paused()).toEqual([true, true]);
});

it("what fleets have in one service is paused, left and taken back, and somebody is left to take it", async () => {
  const ops = await token("ops", "operate");
  expect((await order("/services/south/pause", ops, { fleet: "training" })).body.parts).toMatchObject([
    { fleet: "training@south", answer: { phase: "paused" } },
  ]);
  expect(await paused()).toEqual([false, true]);
  expect((await order("/services/south/resume", ops)).status).toBe(200);
  const dry = await order("/services/south/drain?dryRun=true", ops);
  expect(dry.body.answer.parts).toMatchObject([{ of: "training", service: "south", answer: { surge: 8 } }]);
  expect((await order("/services/south/drain", ops)).status).toBe(202);
  expect((await parts()).map((row) => row?.part?.leaving)).toEqual([undefined, "operator"]);
  expect(await order("/services/north/drain", ops)).toMatchObject({
    status: 409,
    body: { detail: expect.stringContaining("the only service left") },
  });
  expect(await order("/services/nowhere/pause", ops)).toMatchObject({
    status: 409,
    body: { detail: expect.stringContaining("there are: north, south") },
  });
  expect((await order("/services/south/pause", ops, { fleet: "solo" })).status).toBe(409);
  services.set("north", {}).set("south", {});
  // A token of its ledger is not known before one of them is open: it would look like one that is over.
  expect(await order("/fleets/training/pause", ops)).toMatchObject({ status: 503, body: { code: "BUSY" } });
});

it("on the loopback, where reading needs no token, one that no account knows is refused", async () => {
  const address = { host: "127.0.0.1", port: 0 };
  const open = await startServicesServer({ address, token: undefined, services });
  closing.push(() => open.close());
  const status = async (path: string, secret: string): Promise<number> =>
    (await fetch(`${open.url}${path}`, { headers: { authorization: `Bearer ${secret}` } })).status;
  // One of the accounts is newer than this token.
  const one = await token("one", "read", [{}]);
  for (const path of [
    "",
    "api/v1/accounts",
    "services/north/api/v1/status",
    "services/south/api/v1/status",
  ]) {
    expect(await status(path, one), path).toBe(200);
    expect(await status(path, newTokenSecret()), path).toBe(401);
  }
  services.set("north", {}).set("south", {});
  expect(await status("", newTokenSecret())).toBe(200);
});

it("of a fleet that is taken out, what one account wants still takes orders", async () => {
  const ops = await token("ops", "operate");
  const keeper = all[0]?.keeper;
  await keeper?.ledger.decide(keeper.account, (draft) => {
    draft.putFleet({ ...(draft.fleets.get("training") as FleetRow), removed: true });
  });
  expect((await order("/fleets/training/drain", ops)).body.parts).toMatchObject([
    { fleet: "training@south" },
  ]);
  await all[0]?.clock.advance(10 * MINUTE);
  expect(all.map((each) => each.alive().length)).toEqual([0, 0]);
});

it("who drains by the agent of one part is asked about the parts of other agents, too", async () => {
  services.delete("south");
  const prompts = scripted({ "Drain training (": "yes", "Drain training@south (": "no" });
  const code = await runCli(["--agent", server.url, "drain", "training"], "0", {
    environment: { FLEETKEEPER_TOKEN: await token("ops", "operate") },
    signal: new AbortController().signal,
    print: expect.unreachable,
    tell: () => undefined,
    color: false,
    ask: prompts,
  });
  expect([code, prompts.asked]).toEqual([
    130,
    [
      "Drain training (1 of its machines live, 16.00 USD an hour)?",
      "Drain training@south (this agent does not keep it now, and does not know its machines)?",
    ],
  ]);
  expect((await parts()).map((part) => part?.drained?.by)).toEqual([undefined, undefined]);
});

it("no service is left for one whose part is drained: it would take nothing", async () => {
  const ops = await token("ops", "operate");
  const keeper = all[0]?.keeper;
  await keeper?.ledger.decide(keeper.account, (draft) => drainFleet(draft, "training", contextOf(keeper)));
  expect(await order("/services/south/drain", ops)).toMatchObject({
    status: 409,
    body: { detail: expect.stringContaining("the only service left") },
  });
  expect((await parts())[1]?.part?.leaving).toBe(undefined);
});

it("a fleet file is declared in both services by who may declare all of it, as it was seen", async () => {
  const fleets = [
    { name: "night", gpus: 8, services: "all", select: { gpuModel: "H100" } },
    { name: "lone", gpus: 0, service: "south", select: { gpuModel: "H100" } },
  ];
  const put = (by: string, body: object = {}, query = "", key = {}) =>
    order(`/fleet-files/ml${query}`, by, { fleets, ...body }, key, "PUT");
  const limits: readonly (readonly [Told["may"], readonly Partial<Told>[]])[] = [
    ["operate", [{}, {}]],
    ["declare", [{ fleets: ["night"] }, { fleets: ["night"] }]],
    ["declare", [{}, { fleets: ["lone"] }]],
  ];
  for (const [at, [may, of]] of limits.entries())
    expect((await put(await token(`no${at}`, may, of))).status).toBe(403);
  const ci = await token("ci", "declare", [{ fleets: ["night", "lone"] }, { fleets: ["night", "lone"] }]);
  const dry = await put(ci, {}, "?dryRun=true");
  expect([dry.status, dry.body.answer.parts.length, dry.body.wholes[0].name]).toEqual([200, 2, "night"]);
  expect(await get("/fleet-files/ml", ci)).toEqual({ name: "ml", version: "none", parts: [] });
  const first = await put(ci, { version: "none" }, "", { "idempotency-key": "k" });
  expect(first.body.parts).toMatchObject([
    { service: "south", answer: { changes: [expect.any(String), "lone is new (0 GPUs)"], drains: [] } },
    { service: "north", answer: { changes: ["night is new (a part of 8 GPUs)"], drains: [] } },
  ]);
  expect((await put(ci, { version: "none" }, "", { "idempotency-key": "k" })).again).toBe("true");
  const { version, parts: its } = await get("/fleet-files/ml", ci);
  expect(its.map(({ fleet }: { fleet: string }) => fleet).sort()).toEqual(["lone", "night", "night@south"]);
  expect(await put(ci, { version: "none" })).toMatchObject({ status: 409, body: { version } });
  const broken = await put(ci, { fleets: [{ ...fleets[0], services: ["north", "west"] }] });
  expect([broken.status, broken.body.detail]).toEqual([422, expect.stringContaining("north, south")]);
  // Its account was never open here, so nobody could write there.
  services.set("south", { problem: "its key is refused" });
  expect(await put(ci)).toMatchObject({ status: 503, body: { code: "BUSY" } });
});

it("a program orders about all parts by one tool, of which all plans are shown first", async () => {
  const asked = async (secret: string) => {
    const made = new Client({ name: "test", version: "1" });
    const requestInit = { headers: { authorization: `Bearer ${secret}` } };
    await made.connect(
      new StreamableHTTPClientTransport(new URL(`${server.url}api/v1/mcp`), { requestInit }),
    );
    closing.push(() => made.close());
    const call = async (name: string, asked: Record<string, unknown> = {}) => {
      const { content, isError } = await made.callTool({ name, arguments: asked });
      const [ours = "", raw = "{}"] = content.map((each) => (each.type === "text" ? each.text : ""));
      const data: Record<string, unknown> = raw.startsWith("{") ? JSON.parse(raw) : {};
      return { ours, data, isError, id: /confirm-[0-9a-f]{32}/.exec(ours)?.[0] };
    };
    return { call, names: (await made.listTools()).tools.map(({ name }) => name) };
  };
  const [reads, ops] = [await asked(await token("r", "read")), await asked(await token("ops", "operate"))];
  expect(reads.names).toContain("getLedgerPlan");
  expect(reads.names.filter((name) => !name.startsWith("get"))).toEqual([]);
  expect(ops.names).not.toContain("declareAllOfFile");
  const shown = await ops.call("drainAllOfFleet", { fleet: "training" });
  expect(JSON.stringify(shown.data.plan)).toMatch(/stop .*stop /);
  expect(await paused()).toEqual([false, false]);
  // What was shown is not so any more.
  expect((await order("/services/south/drain", AGENT)).status).toBe(202);
  expect(await ops.call("confirm", { confirmation: shown.id })).toMatchObject({ isError: true });
  const again = await ops.call("drainAllOfFleet", { fleet: "training" });
  const south = services.get("south") as Shown;
  services.set("south", { problem: "its key is refused" });
  expect((await ops.call("resumeAllOfFleet", { fleet: "training" })).id).toBe(undefined);
  services.set("south", south);
  expect(await ops.call("confirm", { confirmation: again.id })).toMatchObject({
    data: { answer: { parts: [{ fleet: "training" }, { fleet: "training@south" }] } },
  });
  expect((await parts()).map((part) => part?.drained?.by)).toEqual(["operator", "operator"]);
  const leave = await ops.call("drainService", { service: "south" });
  expect([leave.id, leave.isError]).toEqual([undefined, true]);
  // Why is said by the order, and not by the shape of what was asked.
  expect(leave.data.error).toContain("the only service left");
});

it("a page orders about all parts by one form, after the plans of all, and not where it is not as it was shown", async () => {
  const person = new Person(`${server.url}services/north/`);
  expect((await person.get("act?order=drain&whole=training")).headers.get("location")).toContain(
    "sign-in?then=act",
  );
  await person.signIn(await token("ann", "operate"));
  const page = await person.get("");
  expect(page.html).toContain('href="act?order=drain&amp;whole=training"');
  const south = services.get("south") as Shown;
  services.set("south", { problem: "its key is refused" });
  const away = await person.get("act?order=pause&whole=training");
  expect(away.html).toContain(
    "south cannot be asked, so what would follow there is not known: its key is refused",
  );
  expect(await person.order(away)).toMatchObject({ status: 303 });
  services.set("south", south);
  expect(await paused()).toEqual([true, true]);
  expect(await person.does("act?order=resume&whole=training")).toMatchObject({ status: 303 });
  const shown = await person.get("act?order=drain&whole=training");
  expect(shown.html.match(/<span class="kind">stop<\/span>/g)).toHaveLength(2);
  expect(shown.html).toContain(">training@south: ");
  expect(shown.html).toContain("<dt>Stopped</dt><dd>2 machines</dd>");
  expect(shown.html).toContain("<dd>$32.00 an hour in all of its services</dd>");
  expect((await order("/services/south/drain", AGENT)).status).toBe(202);
  const changed = await person.order(shown);
  expect([changed.status, changed.html]).toEqual([409, expect.stringContaining("was changed since")]);
  expect(await paused()).toEqual([false, false]);
  expect(await person.order(changed)).toMatchObject({ status: 303 });
  expect((await parts()).map((part) => part?.drained?.by)).toEqual(["operator", "operator"]);
  // Once more is the same form, and so the same order.
  expect(await person.order(changed)).toMatchObject({ status: 303 });
  expect((await person.get("")).html).toContain('href="act?order=resume&amp;whole=training"');
  expect((await person.post("act", { shown: "x", csrf: "y" })).status).toBe(403);
  expect((await person.get("act?order=drain&whole=nonesuch")).status).toBe(404);
  expect((await person.get("act?order=ask&whole=training")).status).toBe(404);
  const half = new Person(`${server.url}services/north/`);
  await half.signIn(await token("half", "operate", [{}, { fleets: ["solo"] }]));
  expect((await half.get("act?order=resume&whole=training")).status).toBe(403);
});
