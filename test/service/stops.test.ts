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
