import { expect, test } from "vitest";
import { jsonLog } from "../../agent/tell/log/json-log.ts";
import { learningSecrets, Secrets } from "../../agent/tell/log/secrets.ts";
import { textLog } from "../../agent/tell/log/text-log.ts";
import type { Deployment, Service } from "../../service/contract/service.ts";

const KEY = 'sk-canary-"7"/é';
const at = Date.UTC(2026, 10, 21, 1, 2, 3);

function both(secrets: Secrets, text: string, facts = {}): { text: string; json: string } {
  const lines: string[] = [];
  const print = (line: string): number => lines.push(line);
  const entry = {
    level: "warn",
    kind: "refused",
    text,
    at,
    owner: "fleet:web",
    deployment: "d-1",
    intent: "i-1",
  } as const;
  textLog({ print, tell: print }, secrets)({ ...entry, facts });
  jsonLog(print, { account: "account" }, secrets)({ ...entry, facts });
  const [first = "", second = ""] = lines;
  return { text: first, json: second };
}

test("one decision is one line: in JSON with its level, time, account, fleet, deployment and intent", () => {
  const { text, json } = both(new Secrets(), "HTTP 402");
  expect(text).toMatch(/^\d\d:\d\d:\d\d web refused: HTTP 402$/);
  expect(JSON.parse(json)).toEqual({
    level: "warn",
    time: "2026-11-21T01:02:03.000Z",
    account: "account",
    kind: "refused",
    fleet: "web",
    deployment: "d-1",
    intent: "i-1",
    msg: "HTTP 402",
  });
});

test.each([
  ["as it is", KEY],
  ["inside JSON", JSON.stringify({ key: KEY })],
  ["inside an address", `https://x/?key=${encodeURIComponent(KEY)}`],
])("a secret is hidden by its value, %s", (_, echo) => {
  for (const line of Object.values(both(new Secrets([KEY]), `the service says ${echo}`))) {
    expect(line).toContain("[secret]");
    expect(line).not.toContain("canary");
  }
});

test("a secret at the edge of a text that is cut leaves no half behind", () => {
  for (const line of Object.values(both(new Secrets([KEY]), `${"x".repeat(990)}${KEY}`)))
    expect(line).not.toContain("sk-");
});

test("a secret is hidden by its place, even if nobody knows its value", () => {
  const { json } = both(new Secrets(), "begins", {
    configuration: { apiKey: "unknown-1", baseUrl: "https://x" },
    request: { headers: { "x-key": "unknown-2" } },
  });
  expect(json).not.toContain("unknown");
  expect(JSON.parse(json).configuration).toEqual({ apiKey: "[secret]", baseUrl: "https://x" });
});

test("secret connection details are known once an answer shows them", async () => {
  const secrets = new Secrets();
  const shown: Deployment = {
    id: "d-1",
    status: "running",
    secretConnection: { password: "hunter-22", port: "22" },
  };
  const list = [shown];
  const service = learningSecrets({ deployments: async () => list } as unknown as Service, secrets);
  // A list of null is known by its identity.
  expect(await service.deployments(new AbortController().signal)).toBe(list);
  const { text } = both(secrets, "could not start: password hunter-22, port 22");
  expect(text).toContain("could not start: password [secret], port 22");
});

test("hostile text cannot break a line, turn the direction of writing, or fill a disk", () => {
  const lines = both(new Secrets(), `a\n{"level":"info"}\u001b[2J\u202e${"x".repeat(1_000_000)}`);
  for (const line of Object.values(lines)) {
    for (const harmful of ["\n", "\u001b", "\u202e"]) expect(line).not.toContain(harmful);
    expect(line.length).toBeLessThan(11_000);
  }
});
