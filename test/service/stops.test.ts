import { expect, test } from "vitest";
import { TransportError } from "../../service/contract/transport.ts";
import { json, never, serviceOf } from "./support.ts";

const STOP = { method: "POST", path: "/api/v1/x/{id}/stop", body: { why: "done", id: "{id}" } };

test("the call is the profile's, its id encoded in the path only", async () => {
  const { service, requests } = serviceOf({ stop: STOP }, [{ status: 202 }]);
  expect(await service.stop({ id: "a/b" }, never())).toEqual({
    kind: "accepted",
    said: "the service answered 202",
    sent: "POST /api/v1/x/a%2Fb/stop",
  });
  expect(requests[0]).toMatchObject({
    method: "POST",
    url: "https://gpu.example.com/api/v1/x/a%2Fb/stop",
    body: '{"why":"done","id":"a/b"}',
  });
});

test("without a body none is sent", async () => {
  const { service, requests } = serviceOf({ stop: { method: "DELETE", path: "/d/{id}" } }, [{ status: 204 }]);
  await service.stop({ id: "a" }, never());
  expect(requests[0]).not.toHaveProperty("body");
  expect(requests[0]?.headers).not.toHaveProperty("content-type");
});

test("gone is what the profile calls gone, by status or by code", async () => {
  const parts = {
    stop: { ...STOP, gone: { statuses: [404], codes: ["already_stopping"] } },
    errors: { code: "/code" },
  };
  const stop = (reply: object) => serviceOf(parts, [reply]).service.stop({ id: "a" }, never());
  expect(await stop({ status: 404 })).toEqual({
    kind: "gone",
    said: "the service answered 404, which the profile takes for nothing left to stop (stop.gone)",
    sent: "POST /api/v1/x/a/stop",
  });
  expect(await stop(json({ code: "already_stopping" }, { status: 409 }))).toMatchObject({ kind: "gone" });
  expect(await stop(json({ code: "busy" }, { status: 409 }))).toEqual({
    kind: "failed",
    reason: "the service answered 409 busy",
    sent: "POST /api/v1/x/a/stop",
  });
});

test("with stop.accepted its words alone accept, and no other place says more", async () => {
  const parts = {
    profile: 2,
    launch: { body: { offer: "{offer}" }, id: "/id", accepted: { pointer: "/ok", is: [true] } },
    calls: { stop: { method: "POST", path: "/teardowns", body: { id: "{id}" } } },
    stop: { accepted: { pointer: "/result", is: ["queued", "down"] }, gone: { codes: ["no_such"] } },
    errors: { code: "/code" },
  } as const;
  const stop = (body: object, status = 200) =>
    serviceOf(parts, [json(body, { status })]).service.stop({ id: "a" }, never());
  expect(await stop({ ok: false, code: "locked", result: "queued" })).toMatchObject({ kind: "accepted" });
  expect(await stop({ ok: true, result: "kept" })).toMatchObject({
    kind: "failed",
    reason: 'the service answered 200; /result says "kept", which is no word of stop.accepted',
  });
  expect(await stop({ ok: true })).toMatchObject({
    kind: "failed",
    reason: "the service answered 200; /result says nothing, which is no word of stop.accepted",
  });
  expect(await stop({ code: "no_such" })).toMatchObject({ kind: "gone" });
  expect(await stop({ result: "queued" }, 500)).toMatchObject({ kind: "failed" });
});

const ENVELOPE = {
  profile: 2,
  launch: { body: { offer: "{offer}" }, id: "/id", accepted: { pointer: "/ok", is: [true] } },
  stop: { gone: { codes: ["already_down"] } },
  calls: { stop: { method: "POST", path: "/teardowns", body: { id: "{id}" } } },
  errors: { code: "/problem/slug", message: "/title" },
} as const;

test.each([
  [
    "the word of launch.accepted and a code",
    { ok: false, problem: { slug: "locked" }, title: "It is locked." },
  ],
  ["a code alone", { problem: { slug: "locked" }, title: "It is locked." }],
])("a 2xx that refuses by %s is a failure, with its code and its message", async (_what, body) => {
  const { service } = serviceOf(ENVELOPE, [json(body)]);
  expect(await service.stop({ id: "a" }, never())).toEqual({
    kind: "failed",
    reason: "the service answered 200 locked: It is locked.",
    sent: "POST /teardowns",
  });
});

test("a 2xx that refuses without a code is a failure, and one with a code of stop.gone is gone", async () => {
  const stop = (body: object) => serviceOf(ENVELOPE, [json(body)]).service.stop({ id: "a" }, never());
  expect(await stop({ ok: false })).toMatchObject({ kind: "failed", reason: "the service answered 200" });
  expect(await stop({ ok: false, problem: { slug: "already_down" } })).toMatchObject({
    kind: "gone",
    said: "the service answered 200 already_down, which the profile takes for nothing left to stop (stop.gone)",
  });
});

test.each([
  ["the word that accepts a launch", ENVELOPE, { ok: true, problem: { slug: "no_news" } }],
  ["no word", ENVELOPE, { ticket: "t-1" }],
  ["a number of an envelope", { stop: STOP, errors: { code: "/code" } }, { code: 0, message: "locked" }],
  ["success", { stop: STOP, errors: { code: "/status" } }, { status: "SUCCESS" }],
  ["the id", { stop: STOP, errors: { code: "/id" } }, { id: "a" }],
  ["a state", { stop: STOP, errors: { code: "/status" } }, { status: "stopping" }],
  [
    "a state of the profile's",
    { stop: STOP, errors: { code: "/status" }, deployments: { states: { terminal: ["released"] } } },
    { status: "released" },
  ],
])("a 2xx with %s accepts a stop", async (_what, parts, body) => {
  expect(await serviceOf(parts, [json(body)]).service.stop({ id: "a" }, never())).toMatchObject({
    kind: "accepted",
    said: "the service answered 200",
  });
});

test("a 2xx with a code and without the message of errors is accepted, and its code is told", async () => {
  const parts = { stop: STOP, errors: { code: "/id", message: "/message" } };
  expect(await serviceOf(parts, [json({ id: "act-7" })]).service.stop({ id: "a" }, never())).toMatchObject({
    kind: "accepted",
    said: "the service answered 200 act-7",
  });
});

test("without such a part a 404 is a failure: nothing is assumed to be gone", async () => {
  expect(await serviceOf({ stop: STOP }, [{ status: 404 }]).service.stop({ id: "a" }, never())).toMatchObject(
    {
      kind: "failed",
    },
  );
});

test.each([
  ["a server error", { status: 500 }],
  ["a redirect", { status: 302 }],
  ["a refused connection", new TransportError("NOT_SENT", "refused")],
  ["no answer", new TransportError("NO_ANSWER", "reset")],
])("%s is a failure, and the call is made once", async (_what, reply) => {
  const { service, requests } = serviceOf({ stop: STOP }, [reply]);
  expect(await service.stop({ id: "a" }, never())).toMatchObject({ kind: "failed" });
  expect(requests).toHaveLength(1);
});

test("a service that asks to wait is heard", async () => {
  const reply = { status: 429, headers: { "retry-after": "40" } };
  expect(await serviceOf({ stop: STOP }, [reply]).service.stop({ id: "a" }, never())).toMatchObject({
    retryAfter: 40,
  });
});

test.each(["..", ".", ""])("an id that would change the path is a stop that failed: %j", async (id) => {
  const { service, requests } = serviceOf({ stop: STOP }, []);
  expect(await service.stop({ id }, never())).toMatchObject({
    kind: "failed",
    reason: expect.stringContaining("id"),
  });
  expect(requests).toHaveLength(0);
  expect(await service.stop({ id }, never())).not.toHaveProperty("sent");
});
