import { describe, expect, test } from "vitest";
import { TransportError } from "../../service/contract/transport.ts";
import { failureOf, json, never, serviceOf, virtualClock } from "./support.ts";

const BALANCE = json({ balance: "1.0000", currency: "USD" });

test.each([
  ["NO_ANSWER", new TransportError("NO_ANSWER", "reset")],
  ["NOT_SENT", new TransportError("NOT_SENT", "refused")],
  ["500", { status: 500 }],
  ["503", { status: 503 }],
  ["429", { status: 429 }],
])("a GET is tried again after %s", async (_what, reply) => {
  const { service, requests } = serviceOf({}, [reply, reply, BALANCE]);
  expect((await service.balance(never())).balance).toBe("1.0000");
  expect(requests).toHaveLength(3);
});

test("it is tried four times, with growing waits on the injected clock", async () => {
  const { service, requests, clock } = serviceOf({}, [{ status: 500 }]);
  const error = await failureOf(() => service.balance(never()));
  expect([error.code, error.status]).toEqual(["REFUSED", 500]);
  expect(requests).toHaveLength(4);
  expect(clock.waits).toEqual([500, 1000, 2000]);
});

test("a GET whose kept-alive connection was reset is sent anew at once, and only once so", async () => {
  const reset = new TransportError("NO_ANSWER", "reset", { reused: true });
  const { service, requests, clock } = serviceOf({}, [reset, reset, BALANCE]);
  expect((await service.balance(never())).balance).toBe("1.0000");
  expect(requests).toHaveLength(3);
  expect(clock.waits).toEqual([1000]);
});

test.each([400, 401, 404, 409, 302])("a GET is not tried again after %i", async (status) => {
  const { service, requests } = serviceOf({}, [{ status }]);
  await failureOf(() => service.balance(never()));
  expect(requests).toHaveLength(1);
});

test("an answer that cannot be read is not asked for again", async () => {
  const { service, requests } = serviceOf({}, [{ body: "{" }]);
  await failureOf(() => service.balance(never()));
  expect(requests).toHaveLength(1);
});

test("Retry-After is waited for exactly", async () => {
  const { service, clock } = serviceOf({}, [{ status: 429, headers: { "retry-after": "7" } }, BALANCE]);
  await service.balance(never());
  expect(clock.waits).toEqual([7000]);
});

test("a long Retry-After is handed to the caller at once", async () => {
  const { service, requests, clock } = serviceOf({}, [{ status: 503, headers: { "retry-after": "600" } }]);
  const error = await failureOf(() => service.balance(never()));
  expect(error).toMatchObject({
    message: expect.stringContaining("It asks to wait 600 s."),
    retryAfter: 600,
  });
  expect([requests.length, clock.waits.length]).toEqual([1, 0]);
});

const PAGES = { kind: "page", pageParameter: "page", sizeParameter: "size", first: 1, size: 1 };
const LIST = { items: "/items", pagination: PAGES };

describe("until a long Retry-After is over", () => {
  const WAIT = { status: 429, headers: { "retry-after": "600" } };
  const refused = async (replies: readonly object[] = [WAIT, BALANCE]) => {
    const at = serviceOf({ deployments: { list: LIST } }, replies);
    await failureOf(() => at.service.balance(never()));
    const pass = (seconds: number): Promise<void> => at.clock.sleep(seconds * 1000, never());
    return { ...at, pass };
  };

  test("the address is not asked again, and the error says how long", async () => {
    const { service, requests, pass } = await refused();
    await pass(540);
    const error = await failureOf(() => service.balance(never()));
    expect(error).toMatchObject({ code: "REFUSED", status: 429, retryAfter: 60 });
    expect(error.message).toMatch(
      / is not sent: the service asked to wait \(HTTP 429\), and 60 s of that are left\.$/,
    );
    expect(requests).toHaveLength(1);
    await pass(60);
    expect((await service.balance(never())).balance).toBe("1.0000");
  });

  test("a read waits for what is short of it", async () => {
    const { service, clock, pass } = await refused();
    await pass(570);
    await service.balance(never());
    expect(clock.waits.at(-1)).toBe(30_000);
  });

  test("other addresses are asked", async () => {
    const { service, requests } = await refused([WAIT, json({ items: [] })]);
    await service.deployments(never());
    expect(requests).toHaveLength(2);
  });

  test("what is not found is asked for again: that it was not is no answer to the next question", async () => {
    const running = json({ item: { id: "a", status: "running" } });
    const replies = [{ ...WAIT, status: 404 }, running];
    const { service, requests } = serviceOf({ deployments: { get: { item: "/item" } } }, replies);
    expect(await service.deployment("a", never())).toBeUndefined();
    expect(await service.deployment("a", never())).toMatchObject({ status: "running" });
    expect(requests).toHaveLength(2);
  });

  test("every page of a list is the list", async () => {
    const first = json({ items: [{ id: "a", status: "running" }] });
    const { service, requests, clock } = serviceOf({ deployments: { list: LIST } }, [first, WAIT, first]);
    await failureOf(() => service.deployments(never()));
    await failureOf(() => service.deployments(never()));
    expect([requests.length, clock.waits.length]).toEqual([2, 0]);
  });

  test("a service has itself left alone for 15 minutes at most, and a clock set back is no wait", async () => {
    const long = await refused([{ status: 429, headers: { "retry-after": "86400" } }, BALANCE]);
    await long.pass(15 * 60);
    await long.service.balance(never());
    const { service, clock } = await refused();
    const early = clock.now() - 3_600_000;
    clock.now = () => early;
    await service.balance(never());
  });
});

test("an abort ends the waiting with its own reason", async () => {
  const controller = new AbortController();
  const reason = new Error("shutting down");
  const clock = { ...virtualClock(), sleep: async () => controller.abort(reason) };
  const { service, requests } = serviceOf({}, [{ status: 500 }], { clock });
  await expect(service.balance(controller.signal)).rejects.toBe(reason);
  expect(requests).toHaveLength(1);
});

test("an aborted read sends nothing", async () => {
  const { service, requests } = serviceOf({}, [BALANCE]);
  const reason = new Error("too late");
  await expect(service.balance(AbortSignal.abort(reason))).rejects.toBe(reason);
  expect(requests).toHaveLength(0);
});

test("requests keep to the profile's rate, launches among them", async () => {
  const parts = { limits: { requestsPerSecond: 4 }, launch: { body: { offer: "{offer}" }, id: "/id" } };
  const { service, clock } = serviceOf(parts, [BALANCE]);
  const order = { offer: "o", provider: "p", location: "l", marker: "m", parameters: {} };
  await service.balance(never());
  await service.turn(never());
  await service.launch(order, never());
  await service.balance(never());
  expect(clock.waits).toEqual([250, 250]);
});

test("a launch itself does not wait: its intent was looked at right before", async () => {
  const parts = { limits: { requestsPerSecond: 4 }, launch: { body: { offer: "{offer}" }, id: "/id" } };
  const { service, clock } = serviceOf(parts, [BALANCE]);
  await service.balance(never());
  await service.launch({ offer: "o", provider: "p", location: "l", marker: "m", parameters: {} }, never());
  expect(clock.waits).toEqual([]);
});

test("a clock that was set back does not stop all requests", async () => {
  const clock = virtualClock();
  const { service } = serviceOf({ limits: { requestsPerSecond: 1 } }, [BALANCE], { clock });
  await service.balance(never());
  const early = clock.now() - 3_600_000;
  clock.now = () => early;
  await service.balance(never());
  expect(clock.waits).toEqual([1000]);
});
