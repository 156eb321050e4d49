import { expect, test } from "vitest";
import { DIALECT_NAMES } from "../../simulator/index.ts";
import { dialectText, handmade, KEY, visit, world } from "./doctor-support.ts";

test.each(DIALECT_NAMES)(
  "a right profile leaves no problem, and the doctor only reads: %s",
  async (dialect) => {
    const { clock, simulator } = await world(dialect);
    const before = simulator.truth();
    const { report, requests, check } = await visit({
      clock,
      transport: simulator.transport,
      profile: dialectText(dialect),
    });
    expect(report.checks.filter(({ level }) => level === "problem")).toEqual([]);
    expect(report.exitCode).toBe(0);
    const acts = requests
      .filter(({ method }) => method !== "GET")
      .map(({ method, url }) => `${method} ${new URL(url).pathname}`);
    // A search for offers, of which the profile says that it reads.
    expect(new Set(acts)).toEqual(new Set(dialect === "elsewhere" ? ["POST /v3/types/search"] : []));
    expect(report.requests).toBe(requests.length);
    expect(check("account").says).toContain("you@example.com");
    expect(check("deployments.list")).toMatchObject({
      level: "ok",
      says: expect.stringContaining("4 deployments"),
    });
    expect(check("deployments.states").says).toMatch(/2 running.*All of them are known/);
    expect(check("deployments.one").level).toBe("ok");
    // Wherever the profile says it: under stop, or under calls.
    expect(check("operation.stop").says).toMatch(/^How to stop a deployment: [A-Z]+ \/\S*\. Only/);
    expect(check("offers.list").says).toContain("32 offers");
    const after = simulator.truth();
    expect(after.machines.map(({ id }) => id)).toEqual(before.machines.map(({ id }) => id));
    expect(JSON.stringify(report)).not.toContain(KEY);
    expect(JSON.parse(JSON.stringify(report))).toEqual(report);
  },
);

test.each([
  ["plain", /by a marker/],
  ["nested", /by offer, provider and location: one at a time of each combination/],
  ["link", /Nothing tells two launches apart: one launch at a time in the whole account/],
  ["handwritten", /by a marker/],
] as const)("says what tells launches apart, and what it means for speed: %s", async (dialect, words) => {
  const { clock, simulator } = await world(dialect);
  const { check } = await visit({ clock, transport: simulator.transport, profile: dialectText(dialect) });
  expect(check("launches.apart").says).toMatch(words);
});

test("what a poor service does not show is named with its cost, and is no problem", async () => {
  const { clock, simulator } = await world("link");
  const { check } = await visit({ clock, transport: simulator.transport, profile: dialectText("link") });
  const unmapped = check("deployments.unmapped");
  expect(unmapped.level).toBe("warning");
  expect(unmapped.details?.join("\n")).toMatch(/connection: .*how to reach a machine/);
  expect(unmapped.details?.join("\n")).not.toMatch(/createdAt/);
});

test("an account that nobody called exclusive or shared stops launches, unless a marker shows what is ours", async () => {
  const link = await world("link");
  const without = await visit({
    clock: link.clock,
    transport: link.simulator.transport,
    profile: dialectText("link"),
    configuration: { account: undefined },
  });
  expect(without.check("account.tenure")).toMatchObject({
    level: "problem",
    remedy: { lines: ["service:", "  account: <exclusive or shared>"] },
  });
  expect(without.report.exitCode).toBe(1);
  const plain = await world("plain");
  const marked = await visit({
    clock: plain.clock,
    transport: plain.simulator.transport,
    profile: dialectText("plain"),
    configuration: { account: undefined },
  });
  expect(marked.check("account.tenure").level).toBe("ok");
});

test("machines that are there already are announced where a fleet would wait for a word about them", async () => {
  const { clock, simulator } = await world("plain");
  const seen = { clock, transport: simulator.transport, profile: dialectText("plain") };
  const shared = await visit({ ...seen, configuration: { account: "shared" } });
  const announced = shared.check("deployments.present");
  expect(announced.says).toMatch(/^2 machines are active here/);
  expect(announced.remedy?.text).toContain("or set match: none");
  const exclusive = await visit(seen);
  expect(exclusive.report.checks.map(({ id }) => id)).not.toContain("deployments.present");
});

test("nested offers of which some can be read stand where the profile says, and what ends unlisted has no state to name", async () => {
  const profile = `profile: 2
name: acme
auth: { header: x-key, value: "{secret}" }
calls: { offers: { path: /types }, stop: { method: DELETE, path: "/machines/{id}" } }
deployments: { ended: unlisted }
offers:
  list: { items: "/types/*/zones/*", pagination: { kind: none } }
  fields: { id: 2/name, provider: { value: acme }, location: "", gpus: 2/gpus }
`;
  const types = [
    { name: "cpu", zones: ["a"] },
    { name: "h100", gpus: 8, zones: ["a"] },
  ];
  const { check } = await visit({ transport: handmade({ "/types": { types } }), profile });
  expect(check("offers.list").says).toContain("1 offer");
  expect(check("offers.records")).toMatchObject({
    level: "warning",
    says: expect.stringContaining("1 of 2"),
  });
  expect(check("offers.records").remedy).toBeUndefined();
  expect(check("operation.stop").level).toBe("ok");
});
