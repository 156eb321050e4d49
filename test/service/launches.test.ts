import { expect, test } from "vitest";
import type { LaunchAnswer } from "../../service/contract/service.ts";
import { TransportError } from "../../service/contract/transport.ts";
import { json, LAUNCH, never, ORDER, SECRET, serviceOf, virtualClock } from "./support.ts";

const ERRORS = { code: "/error/code", message: "/error/message" };
const refusal = (status: number, code: string, headers = {}) =>
  json({ error: { code, message: "because" } }, { status, headers });

async function launched(
  reply: Parameters<typeof serviceOf>[1] extends infer R
    ? R extends readonly (infer Item)[]
      ? Item
      : never
    : never,
  parts: Record<string, unknown> = { launch: LAUNCH, errors: ERRORS },
): Promise<LaunchAnswer> {
  const { service, requests } = serviceOf(parts, [reply]);
  const answer = await service.launch(ORDER, never());
  expect(requests.map(({ method }) => method)).toEqual(["POST"]);
  return answer;
}

test("the body is the template with types, and the path the specification's", async () => {
  const body = { ...LAUNCH.body, n: "{parameters.n}", tag: "fk-{marker}" };
  const parts = { launch: { body, id: "/id" }, deployments: { fields: { marker: "/tag" } } };
  const { service, requests } = serviceOf(parts, [json({ id: 5 })]);
  await service.launch({ ...ORDER, offer: '","x":"', parameters: { n: 8 } }, never());
  expect(requests[0]?.url).toBe("https://gpu.example.com/api/v1/deployments");
  expect(requests[0]?.headers["content-type"]).toBe("application/json");
  expect(JSON.parse(requests[0]?.body ?? "")).toEqual({
    offer: '","x":"',
    provider: "p",
    location: "l",
    n: 8,
    tag: "fk-m",
  });
});

test("an offer that is no number is not sent where the profile sends one, and the reason says so", async () => {
  const launch = { ...LAUNCH, body: { offer_id: { number: "{offer}" } } };
  const { service, requests } = serviceOf({ launch }, [json({ deployment: { id: 1 } })]);
  expect(await service.launch(ORDER, never())).toMatchObject({
    kind: "notSent",
    permanent: true,
    reason: expect.stringContaining('sends {offer} as a number, and "o" is none'),
  });
  await service.launch({ ...ORDER, offer: "9007199254740993" }, never());
  expect(requests.map(({ body }) => body)).toEqual(['{"offer_id":9007199254740993}']);
});

test.each([200, 201, 202])("accepted: %i with an id", async (status) => {
  expect(await launched(json({ deployment: { id: 42 } }, { status }))).toEqual({
    kind: "accepted",
    id: "42",
    deployment: {},
  });
});

test("accepted: with the record where the answer carries it, readable or not", async () => {
  const parts = {
    launch: { body: LAUNCH.body, deployment: "/d" },
    deployments: { fields: { gpus: "/gpus" }, states: { aliases: { new: "initializing" } } },
  };
  expect(await launched(json({ d: { id: "x", status: "new", gpus: "odd" } }), parts)).toEqual({
    kind: "accepted",
    id: "x",
    deployment: { id: "x", status: "initializing" },
  });
});

test.each([
  [
    "no id at the pointer",
    json({ id: "elsewhere" }, { status: 201 }),
    "there is no deployment id at /deployment/id",
  ],
  ["an empty body", { status: 204 }, "not with JSON"],
  ["HTML", { status: 200, body: "<html>" }, 'not with JSON: it begins "<html>"'],
  [
    "compressed",
    { body: "\u001f\ufffd", headers: { "content-encoding": "br" } },
    "not with JSON: it is compressed (Content-Encoding: br)",
  ],
  ["an id that is no id", json({ deployment: { id: {} } }), "there is no deployment id"],
  ["a redirect", { status: 307 }, "answered 307"],
])("unknown: %s", async (_what, reply, reason) => {
  const answer = await launched(reply);
  expect(answer).toMatchObject({ kind: "unknown" });
  expect("reason" in answer && answer.reason).toContain(reason);
});

test("unknown: no pointer to the id at all, and the reason says what to add", async () => {
  const answer = await launched(json({ id: "x" }), { launch: { body: LAUNCH.body } });
  expect(answer).toEqual({
    kind: "unknown",
    reason:
      "the launch was answered with 200, but the profile does not say where the answer carries the deployment id: add launch.id",
  });
});

test("unknown: two pointers that show two ids", async () => {
  const parts = { launch: { body: LAUNCH.body, id: "/a", deployment: "/d" } };
  expect(await launched(json({ a: "1", d: { id: "2" } }), parts)).toMatchObject({ kind: "unknown" });
});

test("rejected: an offer that is cooling down, with its Retry-After", async () => {
  expect(await launched(refusal(503, "offer_cooling_down", { "retry-after": "61" }))).toEqual({
    kind: "rejected",
    status: 503,
    code: "offer_cooling_down",
    message: "because",
    retryAfter: 61,
  });
});

test("rejected: without a readable Retry-After there is none", async () => {
  const answer = await launched(refusal(503, "offer_cooling_down", { "retry-after": "soon" }));
  expect(answer).not.toHaveProperty("retryAfter");
});

test("rejected: a Retry-After in the body, where the profile maps it", async () => {
  const parts = { launch: LAUNCH, errors: { ...ERRORS, retryAfter: "/wait" } };
  const body = JSON.stringify({ error: { code: "offer_cooling_down" }, wait: 12 });
  expect(await launched({ status: 503, body }, parts)).toMatchObject({ kind: "rejected", retryAfter: 12 });
  const both = { status: 503, body, headers: { "retry-after": "30" } };
  expect(await launched(both, parts)).toMatchObject({ retryAfter: 30 });
});

test("a date in Retry-After counts from the answer's Date, else from the injected clock", async () => {
  const clock = virtualClock(Date.parse("Thu, 01 Jan 2026 00:00:00 GMT"));
  const until = "Thu, 01 Jan 2026 00:02:00 GMT";
  const reply = refusal(503, "offer_cooling_down", { "retry-after": until });
  const ours = serviceOf({ launch: LAUNCH, errors: ERRORS }, [reply], { clock }).service;
  expect(await ours.launch(ORDER, never())).toMatchObject({ retryAfter: 120 });
  const dated = refusal(503, "offer_cooling_down", {
    "retry-after": until,
    date: "Thu, 01 Jan 2026 00:01:30 GMT",
  });
  const theirs = serviceOf({ launch: LAUNCH, errors: ERRORS }, [dated], { clock }).service;
  expect(await theirs.launch(ORDER, never())).toMatchObject({ retryAfter: 30 });
});

test("unknown: a 503 whose code cannot be read, and the reason says what would make it definite", async () => {
  const answer = await launched(refusal(503, "offer_cooling_down"), { launch: LAUNCH });
  expect(answer).toEqual({
    kind: "unknown",
    reason:
      "the service answered 503, and the profile does not say where an error carries its code: with errors.code, an offer that is cooling down would be a definite refusal",
  });
});

test("unknown: the code of a cooldown with another status", async () => {
  expect(await launched(refusal(500, "offer_cooling_down"))).toMatchObject({ kind: "unknown" });
});

test.each([401, 403, 404, 405, 413, 415])("rejected: %i by HTTP's own meaning", async (status) => {
  expect(await launched({ status, body: "<html>" })).toEqual({ kind: "rejected", status });
});

test.each([400, 402, 422])("%i: rejected if its body was understood, else unknown", async (status) => {
  expect(await launched(refusal(status, "bad"))).toMatchObject({ kind: "rejected", status, code: "bad" });
  expect(await launched(json({ error: { message: "m" } }, { status }))).toMatchObject({
    kind: "rejected",
    message: "m",
  });
  for (const body of ["<html>", "{}", '{"error": {"code": ""}}', ""]) {
    const answer = await launched({ status, body });
    expect(answer).toMatchObject({ kind: "unknown" });
    expect("reason" in answer && answer.reason).toContain(
      "with errors.code or errors.message in the profile",
    );
  }
});

test.each([402 + 4, 408, 409, 410, 418, 425, 429, 500, 501, 502, 503, 504, 599, 300, 302, 304])(
  "unknown: %i, even if its body was understood",
  async (status) => {
    expect(await launched(refusal(status, "some_code"))).toMatchObject({ kind: "unknown" });
  },
);

test.each([
  [
    409,
    "no_capacity",
    / \(if "no_capacity" surely says it, write it into errors\.definite\.codes of the profile\)$/,
  ],
  [500, "oops", /, which does not say that nothing was launched$/],
])(
  "unknown: %i %s, and the reason says how it would be definite, if it can be",
  async (status, code, says) => {
    const answer = await launched(refusal(status, code));
    expect(answer).toMatchObject({ kind: "unknown", reason: expect.stringMatching(says) });
  },
);

test("rejected: what the profile names as definite, by status or by code", async () => {
  const errors = { ...ERRORS, definite: { statuses: [409], codes: ["no_capacity"] } };
  const parts = { launch: LAUNCH, errors };
  expect(await launched({ status: 409 }, parts)).toMatchObject({ kind: "rejected", status: 409 });
  expect(await launched(refusal(500, "no_capacity"), parts)).toMatchObject({ kind: "rejected", status: 500 });
  expect(await launched(refusal(500, "other"), parts)).toMatchObject({ kind: "unknown" });
  expect(await launched(refusal(302, "no_capacity"), parts)).toMatchObject({ kind: "unknown" });
});

test("not sent and unknown by what the transport knows, and the POST goes out once", async () => {
  expect(await launched(new TransportError("NOT_SENT", "refused"))).toEqual({
    kind: "notSent",
    reason: "refused",
  });
  expect(await launched(new TransportError("NO_ANSWER", "reset"))).toEqual({
    kind: "unknown",
    reason: "reset",
    lost: true,
  });
  expect(await launched(new Error("a bug"))).toEqual({ kind: "unknown", reason: "a bug" });
});

test("an aborted launch is not sent", async () => {
  const { service, requests } = serviceOf({ launch: LAUNCH }, []);
  expect(await service.launch(ORDER, AbortSignal.abort())).toMatchObject({ kind: "notSent" });
  expect(requests).toHaveLength(0);
});

test("a missing parameter is not sent, and is named", async () => {
  const { service, requests } = serviceOf(
    { launch: { body: { ...LAUNCH.body, image: "{parameters.image}" } } },
    [],
  );
  const answer = await service.launch({ ...ORDER, parameters: { img: "x" } }, never());
  expect(answer).toMatchObject({
    kind: "notSent",
    reason: expect.stringContaining('needs the parameter "image", which was not given'),
  });
  expect(requests).toHaveLength(0);
});

test("a parameter that only the prototype has is missing, too", async () => {
  const { service } = serviceOf({ launch: { body: { ...LAUNCH.body, x: "{parameters.toString}" } } }, []);
  expect(await service.launch(ORDER, never())).toMatchObject({ kind: "notSent" });
});

test("a service that echoes the secret does not get it into an answer", async () => {
  const parts = { launch: LAUNCH, errors: ERRORS, auth: { header: "X-Key", value: "{secret}" } };
  const answer = await launched(
    json({ error: { code: SECRET, message: `bad key ${SECRET}` } }, { status: 401 }),
    parts,
  );
  expect(JSON.stringify(answer)).not.toContain(SECRET);
});
