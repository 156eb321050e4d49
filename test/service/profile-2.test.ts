import { expect, test } from "vitest";
import type { LaunchRequest } from "../../service/contract/service.ts";
import { AUTH, failureOf, json, never, ORDER, profileOf, SECRET, serviceOf } from "./support.ts";

/*
 * What a profile 2 says of a service that is not the specification's: other calls, places, meanings. The dialect
 * "elsewhere" of the simulator goes through all tests of dialects beside these.
 */

function two(parts: Record<string, unknown>, replies: Parameters<typeof serviceOf>[1]) {
  return serviceOf({ profile: 2, ...parts }, replies);
}

const LIST = { items: "/list", pagination: { kind: "none" } };

test("an account is where the profile says, an id of digits to the last one", async () => {
  const replies = [{ body: '{"me":{"id":90071992547409931234,"mail":"a@b.c"}}' }];
  const { service, requests } = two(
    { account: { id: "/me/id", name: "/me/mail" }, calls: { account: { path: "/v2/me" } } },
    replies,
  );
  expect(await service.account(never())).toMatchObject({ id: "90071992547409931234", email: "a@b.c" });
  expect(requests[0]).toMatchObject({ method: "GET", url: "https://gpu.example.com/v2/me" });
});

test("without an account id at its place nothing is taken for one", async () => {
  const { service } = two({ account: { id: "/me/id" } }, [json({ id: 7 })]);
  expect((await failureOf(() => service.account(never()))).message).toContain(
    "there is no account id at /me/id (account.id)",
  );
});

test("an account that no call shows is the credential's: nothing is asked, and the id is no way back", async () => {
  const parts = { account: { none: true }, auth: AUTH };
  const { service, requests } = two(parts, []);
  const { id } = await service.account(never());
  expect(id).toMatch(/^key:[0-9a-f]{32}$/);
  expect(id).not.toContain(SECRET);
  expect(requests).toEqual([]);
  const other = serviceOf({ profile: 2, ...parts }, [], { secret: "another" }).service;
  expect((await other.account(never())).id).not.toBe(id);
  const elsewhere = serviceOf({ profile: 2, ...parts }, [], { baseUrl: "https://b.example.com" }).service;
  expect((await elsewhere.account(never())).id).not.toBe(id);
});

test.each([
  ["a number", { amount: "/a" }, { a: 12.3456789 }, "12.3456"],
  ["a text", { amount: "/a" }, { a: "7.1" }, "7.1000"],
  ["cents", { amount: "/a", unit: "cents" }, { a: 1234 }, "12.3400"],
  ["what is owed", { amount: "/a", sign: "debt" }, { a: -20 }, "20.0000"],
  ["debts", { amount: "/a", sign: "debt" }, { a: 20 }, "-20.0000"],
  ["dollars by name", { amount: "/a", currency: "/c" }, { a: 1, c: "usd" }, "1.0000"],
])("a balance in %s", async (_what, balance, answer, amount) => {
  const { service } = two({ balance }, [json(answer)]);
  expect(await service.balance(never())).toEqual({ balance: amount, currency: "USD" });
});

test.each([
  ["another currency", { amount: "/a", currency: "/c" }, { a: 1, c: "EUR" }, 'is "EUR", and only USD'],
  ["no currency", { amount: "/a", currency: "/c" }, { a: 1 }, "is not there, and only USD"],
  ["no amount", { amount: "/b" }, { a: 1 }, "there is no amount at /b (balance.amount)"],
])("no balance: %s", async (_what, balance, answer, says) => {
  const { service } = two({ balance }, [json(answer)]);
  expect((await failureOf(() => service.balance(never()))).message).toContain(says);
});

test("a balance that no call shows is not asked for", async () => {
  const { service, requests } = two({ balance: { none: true } }, []);
  expect(service.abilities.balance).toBe(false);
  expect((await failureOf(() => service.balance(never()))).message).toContain("shows no balance");
  expect(requests).toEqual([]);
});

test("a launch by PUT with the offer in its path, a form for its body, a query and a header", async () => {
  const { service, requests } = two(
    {
      calls: {
        launch: {
          method: "PUT",
          path: "/v0/asks/{offer}/",
          query: { where: "{location}" },
          headers: { "X-Label": "{marker}" },
          as: "form",
        },
      },
      launch: { body: { image: "{parameters.image}", keys: ["a", "b"], label: "{marker}" }, id: "/new" },
      deployments: { list: LIST, fields: { marker: "/label" } },
    },
    [json({ new: 12 })],
  );
  const order: LaunchRequest = { ...ORDER, offer: "a/1", marker: "fk-1", parameters: { image: "x&y" } };
  expect(await service.launch(order, never())).toMatchObject({ kind: "accepted", id: "12" });
  expect(requests[0]).toMatchObject({
    method: "PUT",
    url: "https://gpu.example.com/v0/asks/a%2F1/?where=l",
    body: "image=x%26y&keys=a&keys=b&label=fk-1",
    headers: { "content-type": "application/x-www-form-urlencoded", "x-label": "fk-1" },
  });
});

test("a stop with the id in its body", async () => {
  const { service, requests } = two(
    { calls: { stop: { method: "PUT", path: "/v1/instances", body: { action: "delete", id: ["{id}"] } } } },
    [{ status: 204 }],
  );
  expect(service.abilities.stop).toBe(true);
  expect(await service.stop({ id: "i-1" }, never())).toMatchObject({
    kind: "accepted",
    sent: "PUT /v1/instances",
  });
  expect(requests[0]?.body).toBe('{"action":"delete","id":["i-1"]}');
});

test("a record's id and state stand anywhere; the first place at which anything stands; a word for none", async () => {
  const { service } = two(
    {
      deployments: {
        list: LIST,
        fields: { id: "/key", status: { first: ["/now", "/planned"], none: "queued" }, failureCode: "/why" },
        states: { aliases: { queued: "initializing", up: "running" } },
      },
    },
    [
      json({
        list: [
          { key: 1, now: "up" },
          { key: 2, now: null, planned: "up" },
          { key: 3, why: "x" },
        ],
      }),
    ],
  );
  expect(await service.deployments(never())).toEqual([
    { id: "1", status: "running" },
    { id: "2", status: "running" },
    { id: "3", status: "initializing", failureCode: "x" },
  ]);
});

test("words beside a state count as far as the profile names the whole, and a machine that is switched off does not serve", async () => {
  const states = { aliases: { up: "running", "up off": "provisioning" }, replace: ["up off well"] };
  const { service } = two(
    {
      deployments: {
        list: LIST,
        fields: { status: { pointer: "/now", beside: ["/power", "/own"] } },
        states,
      },
    },
    [
      json({
        list: [
          { id: "a", now: "up", power: "on", own: "well" },
          { id: "b", now: "up", power: "off", own: "well" },
          { id: "c", now: "up", power: "off", own: "new" },
          { id: "d", now: "up", power: null, own: "well" },
          { id: "e", now: "over there" },
        ],
      }),
    ],
  );
  const read = await service.deployments(never());
  expect(read?.map((each) => "status" in each && each.status)).toEqual([
    "running",
    "up off well",
    "provisioning",
    "running",
    "over there",
  ]);
  expect(service.isUnserving("up off well")).toBe(true);
});

const RECORDS = { list: LIST, get: { item: "" }, records: { where: "/kind", is: ["gpu"] } };

test("records that are no GPU machines are left out of lists, and refused by their id", async () => {
  const { service } = two({ deployments: RECORDS }, ({ url }) =>
    json(
      url.endsWith("/b")
        ? { id: "b", status: "running", kind: "cpu" }
        : {
            list: [
              { id: "a", status: "running", kind: "gpu" },
              { id: "b", status: "running", kind: "cpu" },
            ],
          },
    ),
  );
  expect(await service.deployments(never())).toEqual([{ id: "a", status: "running" }]);
  expect((await failureOf(() => service.deployment("b", never()))).message).toContain("deployments.records");
});

const OFFERS = {
  id: "2/name",
  provider: { value: "acme" },
  location: "/where",
  gpus: "2/specs/gpus",
  gpuModel: "2/specs/model",
  pricePerHour: { pointer: "2/cents", unit: "cents" },
  available: { value: true },
};

test.each([
  [
    "of an object, by key",
    { big: { specs: { gpus: 8, model: "h100" }, cents: 1992, places: [{ where: "x" }, { where: "y" }] } },
    "2#",
  ],
  [
    "of an array",
    [{ specs: { gpus: 8, model: "h100" }, cents: 1992, places: [{ where: "x" }, { where: "y" }] }],
    undefined,
  ],
])("offers below their types: %s", async (_what, data, key) => {
  const id = key === undefined ? { value: "big" } : "2#";
  const { service } = two(
    { offers: { list: { ...LIST, items: "/data/*/places/*" }, fields: { ...OFFERS, id } } },
    [json({ data })],
  );
  expect(await service.offers(never())).toEqual(
    ["x", "y"].map((location) => ({
      offer: "big",
      provider: "acme",
      location,
      gpus: 8,
      gpuModel: "h100",
      pricePerHour: "19.92",
      available: true,
    })),
  );
});

test("an offer that is had nowhere is none, but a machine list that lacks a level is no list", async () => {
  const data = { list: [{ name: "a", places: null }, { name: "b" }, { name: "c", places: [] }] };
  const items = { ...LIST, items: "/list/*/places/*" };
  const offers = two({ offers: { list: items, fields: { ...OFFERS, gpus: { value: 1 } } } }, [json(data)]);
  expect(await offers.service.offers(never())).toEqual([]);
  const machines = two({ deployments: { list: items } }, [json(data)]);
  expect((await failureOf(() => machines.service.deployments(never()))).code).toBe("LIST_INCOMPLETE");
});

test("machines that are the members of an object", async () => {
  const { service } = two(
    {
      deployments: {
        list: { ...LIST, items: "/*" },
        fields: { id: "0#", location: "/zone" },
        get: { item: "" },
      },
    },
    ({ url }) =>
      json(url.endsWith("/m1") ? { id: "m1", status: "running" } : { m1: { status: "running", zone: "x" } }),
  );
  expect(await service.deployments(never())).toEqual([{ id: "m1", status: "running", location: "x" }]);
});

test("GPUs that are sold in any of some numbers are as many offers, priced by the GPU", async () => {
  const { service } = two(
    {
      offers: {
        list: { ...LIST, items: "/gpus/*/zones/*" },
        counts: [1, 4],
        fields: {
          id: { text: "{2/id} x{count}" },
          provider: { value: "secure" },
          location: "/zone",
          gpus: { count: true },
          pricePerGpuHour: "2/usd",
        },
      },
    },
    [json({ gpus: [{ id: "H100", usd: "2.5", zones: [{ zone: "x" }] }] })],
  );
  expect(await service.offers(never())).toEqual([
    { offer: "H100 x1", provider: "secure", location: "x", gpus: 1, pricePerHour: "2.5" },
    { offer: "H100 x4", provider: "secure", location: "x", gpus: 4, pricePerHour: "10" },
  ]);
});

test("a deployment's offer that is composed as the offer's id is", async () => {
  const fields = { offer: { text: "{/gpu/id} x{/gpu/count}" } };
  const { service } = two({ deployments: { list: LIST, fields } }, [
    json({
      list: [
        { id: "a", status: "running", gpu: { id: "H100", count: 4 } },
        { id: "b", status: "running", gpu: { id: "H100" } },
      ],
    }),
  ]);
  expect(await service.deployments(never())).toEqual([
    { id: "a", status: "running", offer: "H100 x4" },
    { id: "b", status: "running" },
  ]);
});

test("a list that is asked for by POST, which reads by the profile's word", async () => {
  const { service, requests } = two(
    {
      calls: { offers: { method: "POST", path: "/search", body: { q: "gpu" }, reads: true } },
      offers: {
        list: LIST,
        fields: { ...OFFERS, id: "/id", gpus: "/gpus", gpuModel: undefined, pricePerHour: undefined },
      },
    },
    [json({ list: [{ id: "a", where: "x", gpus: 1 }] }), json({ list: [] })],
  );
  expect(await service.offers(never())).toHaveLength(1);
  expect(requests[0]).toMatchObject({
    method: "POST",
    url: "https://gpu.example.com/search",
    body: '{"q":"gpu"}',
  });
});

test.each<[string, Record<string, unknown>, string]>([
  [
    "parts of a profile 2 in a profile 1",
    { profile: 1, account: { none: true } },
    'account: is of a profile 2, which this file says it is not: write "profile: 2" at its top',
  ],
  [
    "a star in a profile 1",
    { profile: 1, deployments: { list: { ...LIST, items: "/a/*" } } },
    "deployments.list.items: is of a profile 2",
  ],
  [
    "words for what is not there in a profile 1",
    { profile: 1, deployments: { get: { item: "", missing: { empty: true } } } },
    "deployments.get.missing: is of a profile 2",
  ],
  [
    "an id that may vanish in a profile 1",
    { profile: 1, launch: { body: { offer: "{offer}" }, mayVanish: "30m" } },
    "launch.mayVanish: is of a profile 2",
  ],
  [
    "a state to replace in a profile 1",
    { profile: 1, deployments: { states: { replace: ["off"] } } },
    "deployments.states.replace: is of a profile 2, which this file says it is not",
  ],
  [
    "a relative pointer in a profile 1",
    {
      profile: 1,
      offers: { list: LIST, fields: { ...OFFERS, gpuModel: "/m", pricePerHour: "/p", gpus: "/g" } },
    },
    "offers.fields.id: is of a profile 2",
  ],
  [
    "a stop that stands where a profile 1 has it",
    { stop: { method: "DELETE", path: "/x/{id}" } },
    "stop.path: stands at calls.stop.path in a profile 2: write it there",
  ],
  [
    "a query that stands where a profile 1 has it",
    { deployments: { list: { ...LIST, query: { a: 1 } } } },
    "deployments.list.query: stands at calls.list.query in a profile 2",
  ],
  [
    "a POST that nobody says to read",
    { calls: { list: { method: "POST", path: "/x" } } },
    'calls.list.method: POST may change something, and this call is made again and again: if it only reads, say "reads: true" beside it',
  ],
  [
    "a launch by GET",
    { calls: { launch: { method: "GET", path: "/x" } } },
    "calls.launch.method: a GET changes nothing, so it is no launch",
  ],
  [
    "a launch that is said to read",
    { calls: { launch: { path: "/x", reads: true } } },
    "calls.launch.reads: is wrong: a launch changes something",
  ],
  [
    "a stop without an id",
    { calls: { stop: { method: "POST", path: "/x" } } },
    "calls.stop: has {id} nowhere",
  ],
  ["a stop without a path", { calls: { stop: { method: "POST" } } }, "calls.stop: lacks method or path"],
  ["a body for a GET", { calls: { list: { body: { a: 1 } } } }, "calls.list.body: is not sent with a GET"],
  [
    "a placeholder that a call does not have",
    { calls: { list: { path: "/x/{id}" } } },
    "calls.list.path: the placeholder {id} does not exist",
  ],
  [
    "a query in a path",
    { calls: { list: { path: "/x?a=1" } } },
    "calls.list.path: expected a path that begins with /, without a query",
  ],
  [
    "the credential's own header",
    { auth: AUTH, calls: { list: { headers: { "x-key": "1" } } } },
    "calls.list.headers: x-key is written by the client itself",
  ],
  [
    "a body of the launch in calls",
    { calls: { launch: { body: { a: 1 } } } },
    "calls.launch.body: stands at launch.body",
  ],
  [
    "neither account nor none",
    { account: {} },
    "account: expected { id: /data/id, name: /data/email }; or { none: true }",
  ],
])("a mistake is named: %s", async (_what, parts, says) => {
  expect((await failureOf(() => profileOf({ profile: 2, ...parts }))).message).toContain(says);
});

test.each([".", "..", ""])("no launch leaves for another address: an offer %j in a path", async (offer) => {
  const { service, requests } = two(
    { calls: { launch: { method: "PUT", path: "/asks/{offer}/" } }, launch: { body: {}, id: "/new" } },
    [json({ new: 1 })],
  );
  expect(await service.launch({ ...ORDER, offer }, never())).toMatchObject({
    kind: "notSent",
    permanent: true,
  });
  expect(requests).toEqual([]);
});

test("a header cannot be broken in two by a parameter, and the value is not repeated", async () => {
  const { service, requests } = two(
    {
      calls: { launch: { path: "/x/{offer}", headers: { "x-image": "{parameters.image}" } } },
      launch: { body: {}, id: "/new" },
    },
    [json({ new: 1 })],
  );
  const answer = await service.launch({ ...ORDER, parameters: { image: "a\r\nb-secret" } }, never());
  expect(answer).toMatchObject({ kind: "notSent", permanent: true });
  expect(JSON.stringify(answer)).not.toContain("b-secret");
  expect(requests).toEqual([]);
});

test.each<[string, Record<string, unknown>, string]>([
  [
    "a record without a state that would be an end",
    {
      deployments: {
        list: LIST,
        fields: { status: { first: ["/s"], none: "quiet" } },
        states: { aliases: { quiet: "over" }, terminal: ["over"] },
      },
    },
    'deployments.fields.status.none: "quiet" ends a machine, and a record without a state proves no end',
  ],
  [
    "an absence that no answer says",
    { deployments: { get: { item: "", missing: {} } } },
    "deployments.get.missing: names no answer: write statuses, codes or empty: true",
  ],
  ...[200, 401, 403, 429, 503].map((status): [string, Record<string, unknown>, string] => [
    `an absence that the status ${status} says`,
    { deployments: { get: { item: "", missing: { statuses: [404, status] } } } },
    `deployments.get.missing.statuses.1: ${status} says nothing of a deployment`,
  ]),
  [
    "an absence by a code that nothing shows",
    { deployments: { get: { item: "", missing: { codes: ["no_such"] } } } },
    "deployments.get.missing.codes: is never read, because errors.code does not say where",
  ],
  ...["9m59s", "25h"].map((mayVanish): [string, Record<string, unknown>, string] => [
    `an id that may vanish for ${mayVanish}`,
    { launch: { body: { offer: "{offer}" }, mayVanish } },
    `launch.mayVanish: ${mayVanish} is not within 10m and 24h`,
  ]),
  [
    "a record without a state as one of a machine that does not serve",
    {
      deployments: {
        fields: { status: { first: ["/now"], none: "off" } },
        states: { replace: ["off"] },
      },
    },
    'deployments.fields.status.none: "off" has a machine stopped (states.replace), and a record without a state may be of one that serves',
  ],
  [
    "a state in which machines live",
    { deployments: { states: { replace: ["running"] } } },
    'deployments.states.replace.0: "running" is an active state of the specification: good machines would be stopped',
  ],
  [
    "a state that ends machines",
    { deployments: { states: { replace: ["failed"] } } },
    'deployments.states.replace.0: "failed" ends a machine by the specification, so nothing is left to stop',
  ],
  [
    "a state that bills and does not",
    { deployments: { states: { terminal: ["off"], replace: ["off"] } } },
    'deployments.states.replace.0: "off" stands under terminal, too: a machine in it is billed (replace) or costs nothing any more (terminal), so keep one of the two',
  ],
  [
    "a state that an alias makes running",
    { deployments: { states: { aliases: { off: "running" }, replace: ["off"] } } },
    'deployments.states.replace.0: "off" is also an alias for "running", so that it would never be seen: keep one of the two',
  ],
  [
    "an alias for a state that is none",
    { deployments: { states: { aliases: { cold: "SHUTOF" }, replace: ["SHUTOFF"] } } },
    'deployments.states.aliases.cold: "SHUTOF" is no state: did you mean "SHUTOFF"?',
  ],
  [
    "a reading call that is the launch",
    { calls: { list: { method: "POST", path: "/pods", reads: true }, launch: { path: "/pods" } } },
    "calls.list.reads: is wrong: a call that launches or stops has this method and path, too",
  ],
])("what would cost money is named: %s", async (_what, parts, says) => {
  expect((await failureOf(() => profileOf({ profile: 2, ...parts }))).message).toContain(says);
});

test("a base URL that ends in what the paths begin with is named, and what to write", async () => {
  const parts = { profile: 2, calls: { list: { path: "/v2/pods" } } };
  const error = await failureOf(() => serviceOf(parts, [], { baseUrl: "https://gpu.example.com/v2" }));
  expect(error.message).toBe(
    "The base URL https://gpu.example.com/v2 ends in /v2, which the paths of test.profile.yaml begin with, too. Write https://gpu.example.com instead.",
  );
});
