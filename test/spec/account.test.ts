import { expect, test } from "vitest";
import { failureOf, json, never, serviceOf } from "../service/support.ts";

const ACCOUNT = {
  id: "7d9c2a52-6f0a-4a53-9d0b-0d2c44b8a3f1",
  email: "a@example.com",
  display_name: "A",
  created_at: "2026-01-02T03:04:05.678901Z",
};

const read = (account: object) => serviceOf({}, [json(account)]).service.account(never());

test("an account is read as it is shown, its time to the last digit", async () => {
  expect(await read(ACCOUNT)).toEqual(ACCOUNT);
});

test.each([
  ["id", "account-1"],
  ["id", undefined],
  ["email", 7],
  ["email", undefined],
  ["display_name", null],
  ["display_name", undefined],
  ["created_at", "2026-01-02 03:04:05"],
  ["created_at", "2026-01-02T03:04:05.678+01:00"],
  ["created_at", undefined],
])("an account whose %s is %j is not as specified, and the field is named", async (field, value) => {
  const error = await failureOf(() => read({ ...ACCOUNT, [field]: value }));
  expect(error.code).toBe("UNREADABLE_ANSWER");
  expect(error.message).toContain(`/${field} is ${value === undefined ? "missing" : "wrong"}`);
});
