import { expect, test } from "vitest";
import { TransportError } from "../../service/contract/transport.ts";
import { AUTH, failureOf, json, never, SECRET, serviceOf } from "./support.ts";

const ACCOUNT = {
  id: "7d9c2a52-6f0a-4a53-9d0b-0d2c44b8a3f1",
  email: "a@example.com",
  display_name: "A",
  created_at: "2026-01-02T03:04:05.678901Z",
  something_new: 1,
};

test("the account is read from the specification's path, with the credential", async () => {
  const { service, requests } = serviceOf({ auth: AUTH }, [json(ACCOUNT)]);
  expect(await service.account(never())).toMatchObject({ id: ACCOUNT.id, email: "a@example.com" });
  expect(requests).toEqual([
    {
      method: "GET",
      url: "https://gpu.example.com/api/v1/account",
      headers: { accept: "application/json", "accept-encoding": "identity", "x-key": `Key ${SECRET}` },
    },
  ]);
});

test("the balance is 4 decimals in USD and nothing else", async () => {
  const read = (value: unknown) => serviceOf({}, [json(value)]).service.balance(never());
  expect(await read({ balance: "12.3400", currency: "USD" })).toEqual({
    balance: "12.3400",
    currency: "USD",
  });
  const wrong = await failureOf(() => read({ balance: "12.34", currency: "EUR" }));
  expect(wrong.code).toBe("UNREADABLE_ANSWER");
  expect(wrong.message).toContain(
    "/balance is wrong (expected a decimal string with 4 places, such as 12.3400)",
  );
  expect(wrong.message).toContain("/currency is wrong");
  expect((await failureOf(() => read({ currency: "USD" }))).message).toContain("/balance is missing");
});

test("a path before the API is kept", async () => {
  const { service, requests } = serviceOf({}, [json(ACCOUNT)], { baseUrl: "https://example.com/gpu/" });
  await service.account(never());
  expect(requests[0]?.url).toBe("https://example.com/gpu/api/v1/account");
});

test.each([401, 403])("%i is a refused credential, said in one sentence", async (status) => {
  const { service, requests } = serviceOf({ auth: AUTH }, [{ status, body: "no" }]);
  const error = await failureOf(() => service.account(never()));
  expect([error.code, error.status]).toEqual(["CREDENTIAL", status]);
  expect(error.message).toBe(
    `The service at https://gpu.example.com refused the credential (${status}): check fleetkeeper:apiKey (in a stack, where it wins), the variable that the fleet file names, FLEETKEEPER_API_KEY or FLEETKEEPER_API_KEY_FILE, and the profile's part "auth".`,
  );
  expect(requests).toHaveLength(1);
});

test("a service that cannot be reached is named with its cause", async () => {
  const cause = new TransportError("NOT_SENT", "GET x: connect ECONNREFUSED");
  const { service } = serviceOf({}, [cause]);
  const error = await failureOf(() => service.account(never()));
  expect(error.code).toBe("UNREACHABLE");
  expect(error.message).toContain("https://gpu.example.com cannot be reached: GET x: connect ECONNREFUSED");
});

test("what is not JSON is shown in a short and harmless excerpt", async () => {
  const { service } = serviceOf({}, [{ body: `<html>\u001b[31m\u202e${"x".repeat(500)}` }]);
  const error = await failureOf(() => service.account(never()));
  expect(error.code).toBe("UNREADABLE_ANSWER");
  expect(error.message).toContain("not with JSON: it begins");
  expect(error.message).not.toContain("\u001b");
  expect(error.message).not.toContain("\u202e");
  expect(error.message.length).toBeLessThan(350);
});

test("what is compressed, though identity was asked for, is named as such and not shown", async () => {
  const headers = { "content-encoding": "gzip" };
  for (const status of [200, 500]) {
    const { service } = serviceOf({}, [{ status, headers, body: "\u001f\ufffd" }]);
    const { message } = await failureOf(() => service.account(never()));
    expect(message).toContain(": it is compressed (Content-Encoding: gzip), though identity was asked for");
    expect(message).not.toContain("\ufffd");
  }
});

test("an empty answer is said to be empty", async () => {
  const { service } = serviceOf({}, [{ status: 204 }]);
  expect((await failureOf(() => service.account(never()))).message).toContain(
    "answered 204, but not with JSON: it is empty",
  );
});

test("a redirect is an error that shows where it leads", async () => {
  const { service, requests } = serviceOf({}, [
    { status: 301, headers: { location: "https://www.example.com/" } },
  ]);
  const error = await failureOf(() => service.account(never()));
  expect(error.message).toContain(
    "redirects are not followed, so the base URL must be the address they lead to (https://www.example.com/)",
  );
  expect(requests).toHaveLength(1);
});

test("404 on a path of the specification points to the base URL", async () => {
  const { service } = serviceOf({}, [{ status: 404 }]);
  expect((await failureOf(() => service.account(never()))).message).toContain(
    "answered 404: check the base URL",
  );
});

test("an error's code and message are shown where the profile maps them", async () => {
  const { service } = serviceOf({ errors: { code: "/e/code", message: "/e/text" } }, [
    json({ e: { code: "frozen", text: "pay first" } }, { status: 402 }),
  ]);
  const error = await failureOf(() => service.balance(never()));
  expect([error.code, error.status]).toEqual(["REFUSED", 402]);
  expect(error.message).toContain("answered 402 frozen: pay first");
});
