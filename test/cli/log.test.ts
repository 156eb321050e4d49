import { expect, test } from "vitest";
import { FLEET, KEY, place, running, until } from "./cli.ts";

const json = { FLEETKEEPER_LOG_FORMAT: undefined };

test("where no terminal is, each decision is a line of JSON, with no word of the key that the service echoes", async () => {
  const on = await place();
  on.write("fleet.yaml", FLEET);
  const { control } = on.simulator;
  control.failNext(
    {},
    { code: "BROKEN", reason: `the key ${KEY} was used`, suggestedAction: `do not use ${KEY}` },
  );
  const agent = on.start(["agent"], json);
  await until("both run", () => running(on) === 2);
  agent.kill("SIGTERM");
  const { stdout, stderr, code } = await agent.ended;
  expect(code).toBe(0);
  const entries = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(stdout + stderr).not.toContain(KEY);
  expect(entries[0]).toMatchObject({
    kind: "agent",
    level: "info",
    configuration: { apiKey: "[secret]", baseUrl: on.url },
  });
  const failed = entries.find(({ kind }) => kind === "failed");
  expect(failed).toMatchObject({
    level: "warn",
    fleet: "training",
    deployment: expect.any(String),
    intent: expect.any(String),
  });
  expect(failed?.msg).toContain("the key [secret] was used");
  const launch = entries.find(({ kind }) => kind === "launch");
  expect(launch).toMatchObject({
    fleet: "training",
    intent: expect.any(String),
    account: expect.stringContaining(on.url),
  });
});

test("in text, too", async () => {
  const on = await place();
  on.write("fleet.yaml", FLEET);
  on.simulator.control.failNext(
    {},
    { code: "BROKEN", reason: `the key ${KEY} was used`, suggestedAction: "" },
  );
  const agent = on.start(["agent"]);
  await agent.shows("the key [secret] was used");
  agent.kill("SIGTERM");
  expect((await agent.ended).said).not.toContain(KEY);
});

test("a format that is none is refused before anything is done", async () => {
  const on = await place();
  on.write("fleet.yaml", FLEET);
  expect(await on.run(["agent"], { FLEETKEEPER_LOG_FORMAT: "xml" })).toMatchObject({
    code: 2,
    stderr: 'FLEETKEEPER_LOG_FORMAT: expected text or json, got "xml".\n',
  });
  expect((await on.run(["agent", "--log-format", "xml"])).stderr).toContain("Allowed choices are text, json");
});
