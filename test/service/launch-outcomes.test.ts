import { expect, test } from "vitest";
import type { LaunchAnswer } from "../../service/contract/service.ts";
import { failureOf, json, never, ORDER, profileOf, serviceOf } from "./support.ts";

const ERRORS = { code: "/error/code", message: "/error/message" };
const refusal = (status: number, code: string, headers = {}) =>
  json({ error: { code, message: "because" } }, { status, headers });
const MARKED = { fields: { marker: "/label" } };
const BODY = { type: "{offer}" };

/** What a service that says this of its launches answers with. Without `marker` its profile maps none. */
async function answered(
  launch: Record<string, unknown>,
  reply: ReturnType<typeof json>,
  { marker = false, ...more }: { marker?: boolean; [part: string]: unknown } = {},
): Promise<LaunchAnswer> {
  const parts = {
    profile: 2,
    errors: ERRORS,
    launch: { body: marker ? { ...BODY, label: "{marker}" } : BODY, id: "/id", ...launch },
    ...(marker ? { deployments: MARKED } : {}),
    ...more,
  };
  const { service, requests } = serviceOf(parts, [reply]);
  const answer = await service.launch(ORDER, never());
  expect(requests).toHaveLength(1);
  return answer;
}

test("without a marker an error says nothing about machines, unless the profile names it", async () => {
  for (const status of [400, 403, 404, 405, 413, 415, 402, 422]) {
    const answer = await answered({}, refusal(status, "bad"));
    expect(answer).toMatchObject({ kind: "unknown", refused: true });
    expect("reason" in answer && answer.reason).toContain(
      '(launch.refusals: uncertain, as it is without a marker) (if "bad" surely says it, write it into errors.definite.codes of the profile)',
    );
  }
  expect(await answered({}, refusal(401, "bad"))).toMatchObject({ kind: "rejected" });
  const definite = { errors: { ...ERRORS, definite: { codes: ["bad"] } } };
  expect(await answered({}, refusal(400, "bad"), definite)).toMatchObject({ kind: "rejected", code: "bad" });
  expect(await answered({}, refusal(503, "offer_cooling_down"))).toMatchObject({ kind: "rejected" });
});

test.each([
  ["with a marker it is certain", {}, true, "rejected"],
  ["without one it is uncertain", {}, false, "unknown"],
  ["said to be uncertain beside a marker", { refusals: "uncertain" }, true, "unknown"],
  ["said to be certain without a marker", { refusals: "certain" }, false, "rejected"],
])("refusals: %s", async (_what, launch, marker, kind) => {
  expect(await answered(launch, refusal(400, "bad"), { marker })).toMatchObject({ kind });
});

test("a profile 1 without a marker means what it meant", async () => {
  const parts = { launch: { body: BODY, id: "/id" }, errors: ERRORS };
  const { service } = serviceOf(parts, [refusal(400, "bad")]);
  expect(await service.launch(ORDER, never())).toMatchObject({ kind: "rejected" });
});

test.each([
  ["understood", refusal(400, "bad")],
  ["named as definite", refusal(409, "no_port")],
  ["by HTTP's own meaning", refusal(403, "bad")],
  ["a cooldown", refusal(503, "offer_cooling_down", { "retry-after": "60" })],
  ["a server's error", refusal(500, "oops")],
])("an error that carries a machine's id is accepted under it: %s", async (_what, reply) => {
  const body = { ...JSON.parse(reply.body ?? ""), new_contract: 7001 };
  const errors = { ...ERRORS, definite: { codes: ["no_port"] } };
  const answer = await answered(
    { createdAt: "/new_contract" },
    json(body, { status: reply.status as number }),
    {
      marker: true,
      errors,
    },
  );
  expect(answer).toEqual({
    kind: "accepted",
    id: "7001",
    deployment: {},
    though: expect.stringMatching(/^\d{3} \w+: because$/),
  });
});

test("an error without an id where it may carry one is what it would be without that statement", async () => {
  const launch = { createdAt: "/new_contract" };
  for (const body of [{}, { new_contract: null }, { new_contract: "" }, { new_contract: {} }])
    expect(
      await answered(launch, json({ ...body, error: { code: "x" } }, { status: 400 }), { marker: true }),
    ).toMatchObject({ kind: "rejected" });
  expect(await answered(launch, { status: 502, body: "<html>" })).toMatchObject({ kind: "unknown" });
});

const ACCEPTED = { accepted: { pointer: "/success", is: [true, "yes"] } };

test.each([true, "yes"])("accepted: by the word %j, with an id", async (success) => {
  expect(await answered(ACCEPTED, json({ success, id: 5 }))).toEqual({
    kind: "accepted",
    id: "5",
    deployment: {},
  });
});

test.each([
  ["an accepted word without an id", { success: true }, "there is no deployment id at /id"],
  ["another word", { success: false, id: 5 }, "/success says false, which is no word of launch.accepted"],
  ["no word", { id: 5 }, "/success says nothing, which is no word of launch.accepted"],
  ["a word of another kind", { success: "true", id: 5 }, '/success says "true"'],
  ["a word and a code that nobody named", { success: false, error: { code: "odd" } }, '"odd" surely says it'],
])("unknown: %s", async (_what, body, says) => {
  for (const marker of [true, false]) {
    const answer = await answered(ACCEPTED, json(body), { marker });
    expect(answer).toMatchObject({ kind: "unknown", reason: expect.stringContaining(says) });
  }
});

test("a 2xx that refuses is refused by a named code alone, and never where it shows an id", async () => {
  const errors = { ...ERRORS, definite: { codes: ["no_credit"], statuses: [409] } };
  const no = { success: false, error: { code: "no_credit", message: "add funds" } };
  expect(await answered(ACCEPTED, json(no), { errors })).toEqual({
    kind: "rejected",
    status: 200,
    code: "no_credit",
    message: "add funds",
  });
  expect(await answered(ACCEPTED, json({ ...no, id: 5 }), { errors })).toMatchObject({ kind: "unknown" });
  expect(
    await answered({ ...ACCEPTED, createdAt: "/made" }, json({ ...no, made: 6 }), { errors }),
  ).toMatchObject({ kind: "accepted", id: "6" });
});

test.each([
  ["a JSON text", '"b7c1-9"', "b7c1-9"],
  ["a plain text", "b7c1-9", "b7c1-9"],
  ["with a line break at its end", "b7c1-9\r\n", "b7c1-9"],
  ["a number beyond 2^53", "9007199254740993", "9007199254740993"],
])("the id is the text of the answer: %s", async (_what, body, id) => {
  expect(await answered({ id: { text: true } }, { status: 202, body })).toEqual({
    kind: "accepted",
    id,
    deployment: {},
  });
});

test.each([
  ["nothing", ""],
  ["an empty text", '""'],
  ["words", "Instance is being created"],
  ["words in JSON", '"being created"'],
  ["two lines", "a\nb"],
  ["HTML", "<html></html>"],
  ["an object", '{"id": "a"}'],
  ["true", "true"],
  ["null", "null"],
  ["an endless one", "a".repeat(1001)],
])("the text of the answer is no id: %s", async (_what, body) => {
  expect(await answered({ id: { text: true } }, { status: 202, body })).toMatchObject({
    kind: "unknown",
    reason: expect.stringContaining("the launch was answered with 202, but its text is no id (launch.id)"),
  });
});

const SOLD = { ...ERRORS, soldOut: { statuses: [400], codes: ["no_stock"], wait: "90s" } };

test("a sold-out answer cools its combination, by status and code together, and by its own wait if it names one", async () => {
  expect(await answered({}, refusal(400, "no_stock"), { marker: true, errors: SOLD })).toMatchObject({
    kind: "rejected",
    cools: 90,
  });
  expect(
    await answered({}, refusal(400, "no_stock", { "retry-after": "7" }), { marker: true, errors: SOLD }),
  ).toMatchObject({ cools: 7 });
  for (const other of [refusal(400, "bad"), refusal(422, "no_stock")])
    expect(await answered({}, other, { marker: true, errors: SOLD })).not.toHaveProperty("cools");
  const codes = { ...ERRORS, soldOut: { codes: ["no_stock"] } };
  expect(await answered({}, refusal(422, "no_stock"), { marker: true, errors: codes })).toMatchObject({
    cools: 60,
  });
  const statuses = { ...ERRORS, soldOut: { statuses: [507] }, definite: { statuses: [507] } };
  expect(await answered({}, refusal(507, "x"), { marker: true, errors: statuses })).toMatchObject({
    kind: "rejected",
    cools: 60,
  });
});

test("sold out is no proof that nothing was made: it is unknown where refusals are uncertain", async () => {
  expect(await answered({}, refusal(400, "no_stock"), { errors: SOLD })).toEqual({
    kind: "unknown",
    reason: expect.stringContaining("no_stock"),
    cools: 90,
  });
  expect(await answered({}, refusal(500, "oops"))).not.toHaveProperty("refused");
  expect(
    await answered({}, refusal(503, "no_stock"), {
      marker: true,
      errors: { ...SOLD, soldOut: { codes: ["no_stock"] } },
    }),
  ).toMatchObject({
    kind: "unknown",
    cools: 60,
  });
});

test.each<[string, Record<string, unknown>, string]>([
  [
    "refusals in a profile 1",
    { profile: 1, launch: { body: BODY, refusals: "certain" } },
    "launch.refusals: is of a profile 2",
  ],
  [
    "createdAt in a profile 1",
    { profile: 1, launch: { body: BODY, createdAt: "/x" } },
    "launch.createdAt: is of a profile 2",
  ],
  [
    "accepted in a profile 1",
    { profile: 1, launch: { body: BODY, ...ACCEPTED } },
    "launch.accepted: is of a profile 2",
  ],
  [
    "a text as the id in a profile 1",
    { profile: 1, launch: { body: BODY, id: { text: true } } },
    "launch.id: is of a profile 2",
  ],
  ["soldOut in a profile 1", { profile: 1, errors: SOLD }, "errors.soldOut: is of a profile 2"],
  [
    "launchEvery in a profile 1",
    { profile: 1, limits: { launchEvery: "12s" } },
    "limits.launchEvery: is of a profile 2",
  ],
  [
    "neither statuses nor codes",
    { errors: { code: "/c", soldOut: {} } },
    "errors.soldOut: names no answer: add codes",
  ],
  [
    "a code that nobody reads",
    { errors: { soldOut: { codes: ["x"] } } },
    "errors.soldOut.codes: is never read, because errors.code",
  ],
  [
    "a status that means more",
    { errors: { code: "/c", soldOut: { statuses: [503, 400] } } },
    "errors.soldOut.statuses.1: 400 may mean something else, too: name the codes that mean sold out beside it (errors.soldOut.codes)",
  ],
  [
    "a word in an answer that is a text",
    { launch: { body: BODY, id: { text: true }, ...ACCEPTED } },
    "launch.accepted: finds nothing in an answer that is the text of an id",
  ],
  [
    "a wait that is none",
    { errors: { ...ERRORS, soldOut: { codes: ["x"], wait: 60 } } },
    "errors.soldOut.wait: expected a duration such as 90s",
  ],
])("a mistake is named: %s", async (_what, parts, says) => {
  expect((await failureOf(() => profileOf({ profile: 2, ...parts }))).message).toContain(says);
});
