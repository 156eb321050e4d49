import { expect, test } from "vitest";
import { formatDoctor } from "../../agent/doctor/format.ts";
import { dialectText, handmade, KEY, visit } from "./doctor-support.ts";

const machine = { id: "d1", status: "running" };

/** `plain` with another way to say where the list is and how it goes on. */
function plain(items: string, pagination = "{ kind: none }"): string {
  return dialectText("plain").replace(
    "items: /deployments\n    pagination: { kind: none }",
    `items: ${items}\n    pagination: ${pagination}`,
  );
}

test("an empty list beside one that holds deployments is the wrong list", async () => {
  const transport = handmade({ "/api/v1/deployments": { archived: [], deployments: [machine] } });
  const wrong = await visit({ profile: plain("/archived"), transport });
  expect(wrong.report.exitCode).toBe(1);
  expect(wrong.check("deployments.list")).toMatchObject({
    level: "problem",
    says: expect.stringMatching(/bought again/),
    remedy: { lines: ["    items: /deployments"] },
  });
  const right = await visit({ profile: plain("/deployments"), transport });
  expect(right.check("deployments.list").level).toBe("ok");
});

test.each([
  ["a cursor", { deployments: [machine], next_cursor: "abc" }, /cursor at \/next_cursor/],
  ["a total", { deployments: [machine], meta: { total: 7 } }, /\/meta\/total: 7/],
])("a list that is said to be one answer, with %s beside it, may be cut", async (_name, answer, words) => {
  const { report, check } = await visit({
    profile: plain("/deployments"),
    transport: handmade({ "/api/v1/deployments": answer }),
  });
  expect(report.exitCode).toBe(1);
  expect(check("deployments.pages").says).toMatch(words);
});

test.each([
  { deployments: [machine], total: 1 },
  { deployments: [machine], next_billing_at: "2026-01-01", total_spent: 700, last_login: true },
])("and one with nothing of the kind is whole", async (answer) => {
  const { report } = await visit({
    profile: plain("/deployments"),
    transport: handmade({ "/api/v1/deployments": answer }),
  });
  expect(report.checks.map(({ id }) => id)).not.toContain("deployments.pages");
});

test.each([
  [
    "cut",
    ["fk-0gyi4tg9rs6i7853-1hok4nxq23n3", "by hand"],
    "warning",
    /cut to 32 characters of 36, as "fk-0gyi/,
  ],
  ["whole", ["fk-0gyi4tg9rs6i7853-1hok4nxq23n31ihz", "fk-0gyi4tg9rs6i7853-1hok"], "ok", /by a marker/],
  ["a stranger's", ["fk-2", "by hand"], "ok", /by a marker/],
])("a marker that is shown back %s", async (_how, labels, level, words) => {
  const deployments = labels.map((label, index) => ({ ...machine, id: `d${index}`, label }));
  const { check } = await visit({
    profile: plain("/deployments"),
    transport: handmade({ "/api/v1/deployments": { deployments } }),
  });
  expect(check("launches.apart")).toMatchObject({ level, says: expect.stringMatching(words) });
});

test("unknown states are named and never taken for an end by themselves", async () => {
  const deployments = [machine, { id: "d2", status: "hibernated", stop_reason: "user" }];
  const { report, check } = await visit({
    profile: plain("/deployments"),
    transport: handmade({ "/api/v1/deployments": { deployments } }),
  });
  expect(report.exitCode).toBe(0);
  const { level, says, remedy } = check("deployments.states");
  expect(level).toBe("warning");
  expect(says).toMatch(/knows "hibernated".*looks like an end/);
  expect(remedy).toMatchObject({ proposed: true, lines: ["    terminal: [stopped, hibernated]"] });
});

test("an unknown state without an end is shown with what it could be, and left open", async () => {
  const deployments = [machine, { id: "d2", status: "booting" }];
  const profile = plain("/deployments");
  const { check } = await visit({ profile, transport: handmade({ "/api/v1/deployments": { deployments } }) });
  expect(check("deployments.states").remedy?.lines?.join("\n")).toMatch(
    /booting: <initializing, .*> \} {2}# booting: by its look provisioning or connecting$/,
  );
});

test("a state that looks halted is proposed to be replaced, where the profile can say so", async () => {
  const deployments = [machine, { id: "d2", status: "SHUTOFF" }];
  const profile = plain("/deployments")
    .replace("profile: 1", "profile: 2")
    .replace(/^stop:\n( .*\n?)*/m, "");
  const { check } = await visit({ profile, transport: handmade({ "/api/v1/deployments": { deployments } }) });
  const { remedy } = check("deployments.states");
  expect(remedy).toMatchObject({ proposed: true, lines: ["    replace: [SHUTOFF]"] });
  expect(remedy?.text).toContain("if a machine in it is billed and does not serve");
});

const HOSTILE = {
  deployments: [
    {
      id: "d1",
      status: `evil\u001b]0;owned\u0007\u202e${"x".repeat(100_000)}`,
      offer: `\u001b[2J${KEY}`,
      provider: "y".repeat(1_000_000),
      "key\u001b[31m": { "\u202e": "2026-01-01T00:00:00Z" },
      [KEY]: "p",
      label: "l\r\nfaked line",
      ssh_password: "do-not-show-me",
      ssh_host: "198.51.100.7",
      failure_reason: `Look, ${KEY} and\u001b[31m more`,
    },
  ],
};

test("hostile texts do no harm in the report: no control characters, no key, no endless line", async () => {
  const bare = `profile: 1\nname: acme\nauth: { header: X-Key, value: "{secret}" }\n`;
  for (const profile of [plain("/deployments"), bare]) {
    const { report } = await visit({
      profile,
      transport: handmade({
        "/api/v1/deployments": HOSTILE,
        "/api/v1/offers": { offers: HOSTILE.deployments },
      }),
    });
    const text = formatDoctor(report, { color: false });
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be there.
    expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u200b-\u200f\u202a-\u202e]/);
    expect(text + JSON.stringify(report)).not.toContain(KEY);
    expect(text).not.toContain("do-not-show-me");
    expect(Math.max(...text.split("\n").map((line) => line.length))).toBeLessThan(1200);
    expect(text.length).toBeLessThan(20_000);
  }
});

test("addresses and passwords of machines are proposed by pointer at most, never shown", async () => {
  const bare = `profile: 1\nname: acme\nauth: { header: X-Key, value: "{secret}" }\n`;
  const { report, check } = await visit({
    profile: bare,
    transport: handmade({ "/api/v1/deployments": HOSTILE }),
  });
  expect(check("deployments.unmapped").remedy?.lines).toContain(
    "      host: /ssh_host  # seen: a text, which is not shown here",
  );
  expect(JSON.stringify(report)).not.toContain("198.51.100.7");
  expect(JSON.stringify(report)).not.toContain("ssh_password");
});

test("deep and wide answers are looked at for a bounded time", async () => {
  let deep: unknown = [machine];
  for (let depth = 0; depth < 3_000; depth++) deep = { deeper: deep };
  const wide = Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`k${index}`, []]));
  const bare = `profile: 1\nname: acme\nauth: { header: X-Key, value: "{secret}" }\n`;
  for (const answer of [deep, wide]) {
    const { report } = await visit({ profile: bare, transport: handmade({ "/api/v1/deployments": answer }) });
    expect(report.exitCode).toBe(1);
    expect(JSON.stringify(report).length).toBeLessThan(20_000);
  }
});
