import { expect, test } from "vitest";
import { alive, FLEET, place, running, until } from "./cli.ts";

test("agent --once does one whole round: it matches, launches, says what it did, and ends", async () => {
  const on = await place();
  on.write("fleet.yaml", FLEET);
  on.clock.stop();
  // A tick that outlasts a poll takes a second list at once, and need not wait for one.
  const first = await on.run(["agent", "--once"], { FLEETKEEPER_PROTOCOL: '{"poll": 60000, "gone": 400}' });
  expect(first).toMatchObject({ code: 0, stderr: "" });
  expect(first.stdout).toContain(`account you@example.com at ${on.url}, ledger ${on.folder}/ledger.db`);
  expect(first.stdout).toContain("training waits: two agreeing lists");
  expect(first.stdout).toContain("training: 16 GPUs asked for, 0 running, 16 starting");
  expect(alive(on)).toHaveLength(2);
  on.clock.goOn();
  await until("both run", () => running(on) === 2);
  const second = await on.run(["agent", "--once"]);
  expect(second.stdout).toContain("training: 16 GPUs asked for, 16 running, 0 starting");
  expect(on.simulator.truth().launches).toHaveLength(2);
});

test("in JSON, every line of a round is an object, where it left each fleet among them", async () => {
  const on = await place();
  on.write("fleet.yaml", FLEET);
  on.clock.stop();
  const { stdout } = await on.run(["agent", "--once", "--log-format", "json"]);
  const entries = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(entries.at(-1)).toMatchObject({
    kind: "agent",
    fleet: "training",
    msg: "16 GPUs asked for, 0 running, 16 starting",
    desiredGpus: 16,
  });
});

test("an emptied fleet file drains what it had", async () => {
  const on = await place();
  on.write("fleet.yaml", FLEET);
  await on.run(["agent", "--once"]);
  await until("both run", () => running(on) === 2);
  on.write("fleet.yaml", "fleets: []\n");
  expect((await on.run(["agent", "--once"])).code).toBe(0);
  await until("all stopped", () => alive(on).length === 0);
  expect((await on.run(["agent", "--once"])).stdout).toContain("No fleets");
});

test("a fleet file that was moved keeps its machines, and a rename, too", async () => {
  const on = await place();
  on.write("fleet.yaml", FLEET);
  await on.run(["agent", "--once", "-c", "fleet.yaml"]);
  const { renameSync } = await import("node:fs");
  renameSync(`${on.folder}/fleet.yaml`, `${on.folder}/other.yaml`);
  on.write("other.yaml", FLEET.replace("training", "research\n    previousName: training"));
  const { code, stdout } = await on.run(["agent", "--once", "-c", "other.yaml"]);
  expect(code).toBe(0);
  expect(stdout).toContain("research: 16 GPUs asked for");
  expect(stdout).not.toMatch(/^\S+ training/m);
  expect(on.simulator.truth().launches).toHaveLength(2);
  expect(alive(on)).toHaveLength(2);
});
