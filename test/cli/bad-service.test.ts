import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { describe, expect, test } from "vitest";
import type { FaultInput, Target } from "../../simulator/index.ts";
import type { Place, Run } from "./cli.ts";
import { alive, FLEET, KEY, place } from "./cli.ts";

/** One clear error, no stack trace, no key in it, nothing launched. */
function expectOneError(on: Place, { code, said, stderr }: Run, exit: number, message: RegExp): void {
  expect(code).toBe(exit);
  expect(stderr).toMatch(message);
  expect(stderr.trim().split("\n")).toHaveLength(1);
  expect(said).not.toMatch(/^\s+at /m);
  expect(said).not.toContain(KEY);
  expect(said).not.toContain("sk-wrong");
  expect(on.simulator.truth().launches).toEqual([]);
  expect(alive(on)).toEqual([]);
}

const COMMANDS = [["agent"], ["plan"]];

async function withFleet(): Promise<Place> {
  const on = await place();
  on.write("fleet.yaml", FLEET);
  return on;
}

describe("the credential", () => {
  test.each([
    [
      "is missing",
      undefined,
      /sends a credential, but none was given: set fleetkeeper:apiKey .*, FLEETKEEPER_API_KEY or FLEETKEEPER_API_KEY_FILE/,
    ],
    ["is empty", "", /none was given/],
    [
      "is wrong",
      "sk-wrong",
      /refused the credential \(401.*check fleetkeeper:apiKey .*, FLEETKEEPER_API_KEY or FLEETKEEPER_API_KEY_FILE/,
    ],
    ["holds a line break", "sk-wrong\nx", /holds a line break/],
  ])("%s", async (_, key, message) => {
    const on = await withFleet();
    for (const command of COMMANDS)
      expectOneError(on, await on.run(command, { FLEETKEEPER_API_KEY: key }), 2, message);
  });

  test("comes from a mounted file, and one that is not there, a folder or empty is named", async () => {
    const on = await withFleet();
    on.write("key", `${KEY}\n`);
    const env = { FLEETKEEPER_API_KEY: undefined, FLEETKEEPER_API_KEY_FILE: "key" };
    expect((await on.run(["account"], env)).code).toBe(0);
    on.write("empty", "\n");
    for (const [file, message] of [
      ["/nowhere/key", /^FLEETKEEPER_API_KEY_FILE: \/nowhere\/key cannot be read: there is no such file\.$/m],
      [".", /^FLEETKEEPER_API_KEY_FILE: \. cannot be read: it is a folder: name the file in it\.$/m],
      ["empty", /^FLEETKEEPER_API_KEY_FILE: empty is empty\. Write the value into it\.$/m],
    ] as const)
      expectOneError(on, await on.run(["account"], { ...env, FLEETKEEPER_API_KEY_FILE: file }), 2, message);
  });
});

describe("the service", () => {
  test("is not there", async () => {
    const on = await withFleet();
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    await new Promise((resolve) => server.close(resolve));
    const FLEETKEEPER_BASE_URL = `http://127.0.0.1:${port}`;
    for (const command of [["agent", "--once"], ["plan"]])
      expectOneError(
        on,
        await on.start(command, { FLEETKEEPER_BASE_URL }).ended,
        1,
        /cannot be reached: .*ECONNREFUSED/,
      );
  });

  test.each([
    ["http://gpu.example.com", /would send the credential unencrypted\. Write https/],
    ["gpu.example.com", /is not a base URL\. Write it whole/],
    ["https://u:sk-wrong@gpu.example.com", /carries a user name or password/],
    ["http://127.0.0.1:1/api/v1", /already ends in \/api\/v1/],
  ])("has no such address: %s", async (FLEETKEEPER_BASE_URL, message) => {
    const on = await withFleet();
    expectOneError(on, await on.run(["agent"], { FLEETKEEPER_BASE_URL }), 2, message);
  });

  const answers: readonly (readonly [string, Target, FaultInput, RegExp])[] = [
    ["with HTML", "account", { kind: "unreadable", how: "html" }, /not with JSON/],
    [
      "with another account object",
      "account",
      { kind: "unreadable", how: "otherJson" },
      /not as the specification says: \/id is missing/,
    ],
    ["with half a list", "deployments", { kind: "unreadable", how: "cut" }, /not with JSON/],
    [
      "with a list that is none",
      "deployments",
      { kind: "unreadable", how: "otherJson" },
      /has no array at \/deployments/,
    ],
    ["with 401 to the list", "deployments", { kind: "errorBefore", status: 401 }, /refused the credential/],
    [
      "with a balance that is none",
      "balance",
      { kind: "unreadable", how: "otherJson" },
      /\/balance is missing/,
    ],
  ];

  test.each(answers)("answers %s", async (_, target, fault, message) => {
    const on = await withFleet();
    on.simulator.control.faults.chance(target, [{ fault, probability: 1 }]);
    const commands = target === "balance" ? [["account"]] : [["agent", "--once"]];
    for (const command of commands) {
      const run = await on.run(command);
      expectOneError(on, run, fault.kind === "errorBefore" ? 2 : 1, message);
    }
  });
});

test("nothing is set: each missing thing is named, with the places where it can be said", async () => {
  const on = await place();
  const none = { FLEETKEEPER_BASE_URL: undefined, FLEETKEEPER_PROFILE: undefined };
  const first = await on.run(["plan"], none);
  expect(first.code).toBe(2);
  expect(first.stderr).toContain("Set service.baseUrl in the fleet file");
  expect(first.stderr).toContain("FLEETKEEPER_BASE_URL");
  expect(first.stderr).toContain(`there is no ${on.folder}/fleet.yaml, and --config names none`);
  const second = await on.run(["plan"], { FLEETKEEPER_PROFILE: undefined });
  expect(second).toMatchObject({ code: 2, stderr: expect.stringContaining("FLEETKEEPER_PROFILE") });
  const third = await on.run(["plan"], { FLEETKEEPER_ACCOUNT: "mine" });
  expect(third).toMatchObject({ code: 2, stderr: expect.stringContaining('"exclusive"') });
  const fourth = await on.run(["plan"], { FLEETKEEPER_PROTOCOL: '{"pol": 1}' });
  expect(fourth).toMatchObject({ code: 2, stderr: expect.stringContaining("FLEETKEEPER_PROTOCOL") });
});

test("a ledger that is none, or is not there", async () => {
  const on = await withFleet();
  on.write("notes.txt", "hello\n");
  for (const command of [["agent"], ["status"]]) {
    const run = await on.run([...command, "--ledger", "notes.txt"]);
    expectOneError(on, run, 1, /notes\.txt: this file is not a ledger/);
  }
  const run = await on.run(["status", "--ledger", "none.db"]);
  expectOneError(on, run, 2, /there is no ledger here yet/);
});
