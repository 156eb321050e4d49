import { expect, test } from "vitest";
import { formatDoctor } from "../../agent/doctor/format.ts";
import type { Check } from "../../agent/doctor/report.ts";
import { type Transport, TransportError } from "../../service/contract/transport.ts";
import { tlsFailureText } from "../../service/http/tls-failure.ts";
import { ACCOUNT, dialectText, handmade, KEY, visit, world } from "./doctor-support.ts";

const never: Transport = async () => {
  throw new Error("nothing may be sent");
};

test("a profile with mistakes passes through with file, line and column, and nothing is sent", async () => {
  const profile = dialectText("plain").replace("items: /deployments", "itmes: /deployments");
  const { report, check } = await visit({ transport: never, profile });
  expect(report.exitCode).toBe(2);
  expect(report.requests).toBe(0);
  expect(check("profile").details?.join("\n")).toMatch(
    /acme\.profile\.yaml:21:5 deployments\.list\.itmes: is not a known key/,
  );
  expect(check("service").level).toBe("skipped");
});

test("a profile that is not there, and a base URL that would leak the key, are said together", async () => {
  const { report, check } = await visit({
    transport: never,
    profile: "",
    configuration: { profile: "no-such.profile.yaml", baseUrl: "http://user:hunter2@gpu.example.com" },
  });
  expect(report.exitCode).toBe(2);
  expect(check("profile").details?.join()).toMatch(
    /no-such\.profile\.yaml cannot be read: there is no such file/,
  );
  expect(check("base-url").level).toBe("problem");
  expect(JSON.stringify(report)).not.toContain("hunter2");
});

test("a missing credential is a problem of the configuration, and the rest of the profile is still judged", async () => {
  const { report, check } = await visit({
    transport: never,
    profile: dialectText("plain"),
    configuration: { apiKey: undefined },
  });
  expect(report.exitCode).toBe(2);
  expect(check("credential")).toMatchObject({
    level: "problem",
    says: expect.stringMatching(/FLEETKEEPER_API_KEY/),
  });
  expect(check("operation.launch").level).toBe("ok");
});

test("a wrong key is one problem, without the key, and nothing else is asked", async () => {
  const { clock, simulator } = await world("nested");
  const { report, requests, check } = await visit({
    clock,
    transport: simulator.transport,
    profile: dialectText("nested"),
    configuration: { apiKey: "not-the-key-4711" },
  });
  expect(report.exitCode).toBe(2);
  expect(requests).toHaveLength(1);
  expect(report.checks.filter(({ level }) => level === "problem").map(({ id }) => id)).toEqual(["account"]);
  expect(check("account").says).toMatch(/refused the credential \(401/);
  expect(JSON.stringify(report)).not.toContain("4711");
});

test("a profile without auth at a service that wants one: the header it names is proposed", async () => {
  const { check, report } = await visit({
    profile: "profile: 1\nname: acme\n",
    configuration: { apiKey: undefined },
    transport: async () => ({
      status: 401,
      headers: { "www-authenticate": 'Bearer realm="gpus"' },
      body: "",
    }),
  });
  expect(report.exitCode).toBe(2);
  expect(check("account").remedy).toMatchObject({
    proposed: true,
    lines: ["auth:", "  header: Authorization", '  value: "Bearer {secret}"'],
  });
});

test("a service that is down is one problem, and no stack trace", async () => {
  const { report, check } = await visit({
    profile: dialectText("plain"),
    transport: async () => {
      throw new TransportError("NOT_SENT", "connect ECONNREFUSED 127.0.0.1:1");
    },
  });
  expect(report.exitCode).toBe(1);
  expect(check("account")).toMatchObject({
    level: "problem",
    says: expect.stringMatching(/cannot be reached.*ECONNREFUSED/),
  });
  expect(report.checks.filter(({ level }) => level === "problem")).toHaveLength(1);
  expect(formatDoctor(report, { color: false })).not.toMatch(/^\s+at .*:\d+:\d+/m);
});

test("a wrong certificate is told with its own remedy, and without the general one", async () => {
  const failing = async (code: string): Promise<Check> => {
    const cause = Object.assign(new Error("as Node says it"), { code });
    const { check } = await visit({
      profile: dialectText("plain"),
      transport: async () => {
        throw new TransportError("NOT_SENT", tlsFailureText(cause) ?? cause.message, { cause });
      },
    });
    return check("account");
  };
  const expired = await failing("CERT_HAS_EXPIRED");
  expect(expired.says).toContain("Whoever runs the service has to renew it");
  expect(expired.remedy).toBeUndefined();
  const refused = await failing("ECONNREFUSED");
  expect(refused.remedy?.text).toContain("Check the base URL");
});

test("an account that is not as specified is named, and the rest is still looked at", async () => {
  const { id: _id, ...rest } = ACCOUNT;
  const { check } = await visit({
    profile: dialectText("plain"),
    transport: handmade({ "/api/v1/account": rest, "/api/v1/deployments": { deployments: [] } }),
  });
  expect(check("account")).toMatchObject({ level: "problem", says: expect.stringMatching(/\/id.* missing/) });
  expect(check("deployments.list").level).toBe("ok");
});

test("an empty balance stops launches; one that what runs eats up within a day warns", async () => {
  const answers = {
    "/api/v1/account/balance": { balance: "0.0000", currency: "USD" },
    "/api/v1/deployments": { deployments: [] },
  };
  const empty = await visit({ profile: dialectText("plain"), transport: handmade(answers) });
  expect(empty.check("balance")).toMatchObject({
    level: "problem",
    remedy: { text: expect.stringMatching(/dashboard/) },
  });
  const burning = await visit({
    profile: dialectText("plain"),
    transport: handmade({
      "/api/v1/deployments": {
        deployments: [
          { id: "d1", status: "running", price_per_hour: "10.00" },
          { id: "d2", status: "failed", price_per_hour: "90.00" },
        ],
      },
    }),
  });
  expect(burning.check("balance")).toMatchObject({
    level: "warning",
    says: expect.stringMatching(/10\.00 USD an hour.*10\.0 h/),
  });
});

test("a clock that is off is told by the Date of an answer", async () => {
  const at = (ms: number) =>
    visit({
      profile: dialectText("plain"),
      transport: handmade(
        { "/api/v1/deployments": { deployments: [] } },
        { date: new Date(Date.UTC(2030, 0, 1) + ms).toUTCString() },
      ),
    });
  expect((await at(90_000)).check("clock")).toMatchObject({
    level: "warning",
    says: expect.stringMatching(/90 s behind/),
  });
  expect((await at(-90_000)).check("clock").says).toMatch(/90 s ahead of/);
  expect((await at(1_000)).check("clock").level).toBe("ok");
});

test("the key is sent to the base URL alone", async () => {
  const { clock, simulator } = await world("plain");
  const { requests } = await visit({ clock, transport: simulator.transport, profile: dialectText("plain") });
  expect(requests.every(({ url }) => url.startsWith("https://simulator.invalid/api/v1/"))).toBe(true);
  expect(requests.every(({ headers }) => headers["x-api-key"] === KEY)).toBe(true);
});
