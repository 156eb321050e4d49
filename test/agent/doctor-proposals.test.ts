import { expect, test } from "vitest";
import type { Check } from "../../agent/doctor/report.ts";
import type { DialectName } from "../../simulator/index.ts";
import { authOnly, dialectText, handmade, visit, world } from "./doctor-support.ts";

const PARTS = [
  "operation.list",
  "operation.get",
  "deployments.unmapped",
  "operation.offers",
  "operation.refusals",
];

/** Does what the doctor proposes: adds each remedy's lines where it says, that is, in this order at the end. */
function addProposals(
  profile: string,
  checks: readonly Check[],
  pagination: Readonly<Record<string, string>>,
): string {
  const ordered = PARTS.flatMap((id) => checks.filter((check) => check.id === id));
  const lines = ordered.flatMap(({ id, remedy }) =>
    (remedy?.proposed ? (remedy.lines ?? []) : []).map((line) =>
      line.replace(/kind: <none.*/, `kind: ${pagination[id]}`),
    ),
  );
  return `${profile}\n${lines.join("\n")}\n`;
}

test.each([
  ["plain", { "operation.list": "none", "operation.offers": "none" }, 9],
  // Its offers want a query that nobody can guess, so that nothing is proposed for them.
  ["handwritten", { "operation.list": "{ kind: cursor }" }, 9],
  ["link", { "operation.list": "link", "operation.offers": "offset" }, 3],
] as const)(
  "what is proposed for %s, once confirmed, reads the service",
  async (dialect, pagination, fields) => {
    const { clock, simulator } = await world(dialect as DialectName);
    const seen = { clock, transport: simulator.transport };
    const bare = await visit({ ...seen, profile: authOnly(dialect) });
    expect(bare.report.exitCode).toBe(1);
    const kinds: Record<string, string> = { ...pagination };
    if (dialect === "handwritten") {
      kinds["operation.list"] = "cursor\n      cursorParameter: after\n      next: /paging/next";
    }
    if (dialect === "link") {
      kinds["operation.offers"] =
        "offset\n      offsetParameter: offset\n      limitParameter: limit\n      limit: 12\n      total: /count";
    }
    const confirmed = await visit({
      ...seen,
      profile: addProposals(authOnly(dialect), bare.report.checks, kinds),
    });
    expect(confirmed.check("profile")).toMatchObject({ level: "ok" });
    expect(confirmed.check("deployments.list")).toMatchObject({
      level: "ok",
      says: expect.stringContaining("4 deployments"),
    });
    expect(confirmed.check("deployments.one").level).toBe("ok");
    expect(confirmed.check("operation.refusals").says).toMatch(
      /as the answer to an id that does not exist has it/,
    );
    const found = /found: (.*)\./.exec(confirmed.check("deployments.fields").says)?.[1]?.split(", ") ?? [];
    expect(found).toHaveLength(fields);
    if (dialect !== "handwritten")
      expect(confirmed.check("offers.list").says).toContain("32 offers of 4 GPU models");
  },
);

test("each field is proposed where the service really has it", async () => {
  const { clock, simulator } = await world("handwritten");
  const profile = dialectText("handwritten")
    .replace(/ {2}fields:\n {4}offer:[\s\S]*?(?= {2}states:)/, "")
    .replace('      tags: [fleetkeeper, "{marker}"]\n', "");
  const { check } = await visit({ clock, transport: simulator.transport, profile });
  const pointers = (check("deployments.unmapped").remedy?.lines ?? []).map((line) =>
    line.split("  #")[0]?.trim(),
  );
  expect(pointers).toEqual([
    "fields:",
    "offer: /order/what",
    "provider: /order/from",
    "location: /order/where",
    "createdAt: /ordered_at",
    "pricePerHour: /rate/amount",
    "gpus: /hardware/gpus",
    "failureReason: /trouble/text",
    "suggestedAction: /trouble/advice",
    "connection:",
    'host: { pointer: /access, form: "ssh://{user}@{host}:{port}" }',
    'port: { pointer: /access, form: "ssh://{user}@{host}:{port}" }',
    'user: { pointer: /access, form: "ssh://{user}@{host}:{port}" }',
  ]);
});

test("a wrong items pointer gets the right one proposed, with the place to write it", async () => {
  const { clock, simulator } = await world("nested");
  const profile = dialectText("nested").replace(
    "items: /data/items\n    query",
    "items: /data/itms\n    query",
  );
  const { report, check } = await visit({ clock, transport: simulator.transport, profile });
  expect(report.exitCode).toBe(1);
  const { level, remedy } = check("deployments.list");
  expect(level).toBe("problem");
  expect(remedy).toMatchObject({ proposed: true, at: expect.stringMatching(/acme\.profile\.yaml:24:12$/) });
  expect(remedy?.lines).toEqual(["    items: /data/items  # 4 objects with id and status"]);
});

test("a mapped field that no deployment has is told, with the pointer that looks like it", async () => {
  const { clock, simulator } = await world("plain");
  const profile = dialectText("plain").replace(
    "gpus: /gpus\n    failureReason",
    "gpus: /gpu_count\n    failureReason",
  );
  const { check } = await visit({ clock, transport: simulator.transport, profile });
  expect(check("deployments.fields.gpus")).toMatchObject({
    level: "warning",
    remedy: { proposed: true, lines: [expect.stringMatching(/^ {4}gpus: \/gpus {2}# seen: 8/)] },
  });
});

test("a field that is something else is told by name, and the list does not pass for well read", async () => {
  const { clock, simulator } = await world("plain");
  const profile = dialectText("plain").replace(
    "pricePerHour: /price_per_hour\n    gpus",
    "pricePerHour: /ssh_host\n    gpus",
  );
  const { report, check } = await visit({ clock, transport: simulator.transport, profile });
  expect(report.exitCode).toBe(1);
  expect(check("deployments.flaws")).toMatchObject({
    level: "problem",
    details: expect.arrayContaining([expect.stringMatching(/pricePerHour/)]),
  });
  expect(check("deployments.flaws").remedy?.lines?.join("\n")).toContain("pricePerHour: /price_per_hour");
});

test("a wrong pointer to the error code is found by the answer to an id that does not exist", async () => {
  const { clock, simulator } = await world("plain");
  const profile = dialectText("plain").replace("code: /error\n", "code: /error/code\n");
  const { check } = await visit({ clock, transport: simulator.transport, profile });
  expect(check("operation.refusals")).toMatchObject({
    level: "warning",
    remedy: { proposed: true, lines: [expect.stringMatching(/^ {2}code: \/error {2}#/)] },
  });
});

test("a profile without a stop, a launch or the errors says which lines to add and what it costs", async () => {
  const { clock, simulator } = await world("plain");
  const { check } = await visit({ clock, transport: simulator.transport, profile: authOnly("plain") });
  expect(check("operation.launch")).toMatchObject({
    level: "problem",
    remedy: { lines: expect.arrayContaining(["launch:"]) },
  });
  expect(check("operation.launch").remedy?.proposed).toBeUndefined();
  expect(check("operation.stop")).toMatchObject({
    level: "warning",
    says: expect.stringMatching(/in the dashboard/),
  });
  expect(check("operation.stop").remedy?.lines?.[0]).toBe("stop:");
});

test("a provider that launches do not send is told, unless it is the same for all machines", async () => {
  const { clock, simulator } = await world("plain");
  const unsent = dialectText("plain").replace('    provider: "{provider}"\n', "");
  const constant = unsent.replaceAll("provider: /provider", "provider: { value: aurora }");
  const look = (profile: string) => visit({ clock, transport: simulator.transport, profile });
  expect((await look(unsent)).check("operation.launch").says).toMatch(/^Launches do not send \{provider\}:/);
  expect((await look(constant)).check("operation.launch").level).toBe("ok");
});

test("values that the offers have tell a field better than any name", async () => {
  const record = {
    id: "d1",
    status: "running",
    offer: "spot",
    a: "x8",
    b: "aurora",
    c: "fi-hel",
    region: "EMEA",
  };
  const offer = { id: "x8", provider: "aurora", location: "fi-hel", gpus: 8 };
  const { check } = await visit({
    profile: dialectText("plain").replace(/ {4}offer: \/offer\n.*\n.*\n/, ""),
    transport: handmade({
      "/api/v1/deployments": { deployments: [record] },
      "/api/v1/offers": { offers: [offer] },
    }),
  });
  const lines = check("deployments.unmapped").remedy?.lines ?? [];
  expect(lines[0]).toMatch(/^ {4}offer: \/a {2}# its values are known: "x8"; or \/offer/);
  expect(lines[2]).toMatch(/^ {4}location: \/c .*; or \/region$/);
});

test("a record that cannot be read is named, with the place where it stands, and the others are looked at", async () => {
  const { clock, simulator } = await world("plain");
  simulator.control.faults.chance("deployments", [
    { fault: { kind: "unreadable", how: "halfIds" }, probability: 1 },
  ]);
  const { report, check } = await visit({
    clock,
    transport: simulator.transport,
    profile: dialectText("plain"),
  });
  expect(report.exitCode).toBe(1);
  expect(check("deployments.records")).toMatchObject({
    level: "problem",
    details: expect.arrayContaining([
      expect.stringMatching(/^deployments\[0\]: id \(\/id\) should be a text .* \(half of a character/),
    ]),
  });
});

test("a provider at by and a location at at are proposed as guesses; who made it, and when, are not taken for them", async () => {
  const record = { id: "m1", status: "running", born: "2026-03-01T10:00:00Z" };
  const proposedFor = async (more: object): Promise<string> => {
    const transport = handmade({ "/api/v1/deployments": { all: [{ ...record, ...more }] } });
    const list = "deployments:\n  list: { items: /all, pagination: { kind: none } }\n";
    const { check } = await visit({ transport, profile: `${authOnly("plain")}\n${list}` });
    return (check("deployments.unmapped").remedy?.lines ?? []).join("\n");
  };
  const short = await proposedFor({ by: "aurora", at: "fi-hel" });
  expect(short).toContain('createdAt: /born  # seen: "2026-03-01T10:00:00Z"');
  expect(short).toContain('provider: /by  # seen: "aurora"; a guess: so short a name may mean anything');
  expect(short).toContain('location: /at  # seen: "fi-hel"; a guess: so short a name may mean anything');
  const other = await proposedFor({ changed: { by: "anna", at: "oslo" }, at: "2026-03-01T10:00:00Z" });
  expect(other).not.toMatch(/provider:|location:/);
});
