import { expect, test } from "vitest";
import type { FaultInput } from "../../simulator/index.ts";
import { REPEATS } from "../support/repeats.ts";
import { alive, FLEET, place, running, until } from "./cli.ts";

test.each(["SIGINT", "SIGTERM"] as const)(
  "the agent keeps the count until %s, and leaves what runs",
  async (signal) => {
    const on = await place();
    on.write("fleet.yaml", FLEET);
    const agent = on.start(["agent"]);
    await until("both run", () => running(on) === 2);
    const [lost] = alive(on);
    on.simulator.control.interrupt(lost?.id ?? "", { now: true });
    await until("a replacement runs", () => on.simulator.truth().launches.length === 3 && running(on) === 2);
    await agent.shows(`${lost?.id} interrupted`);
    const status = await on.run(["status"]);
    expect(status.stdout).toMatch(/agent {4}process \d+ on /);
    const second = await on.run(["agent"]);
    expect(second).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("an agent keeps this account already"),
    });
    agent.kill(signal);
    const { code, stdout, stderr } = await agent.ended;
    expect(code).toBe(0);
    expect(stderr).toContain(`${signal}: finishing what is in flight; once more to exit at once.`);
    expect(stdout).toContain("fleetkeeper agent: stopped. What runs goes on running");
    expect(stdout).not.toContain("is provisioning for");
    expect(running(on)).toBe(2);
    expect((await on.run(["status"])).stdout).toContain("agent    none: start one with fleetkeeper agent");
  },
);

test("trouble with the service is said once, and its end, too", async () => {
  const on = await place();
  on.write("fleet.yaml", FLEET);
  const agent = on.start(["agent"]);
  await until("both run", () => running(on) === 2);
  const before = on.simulator.truth().requests.deployments;
  on.simulator.control.faults.chance("deployments", [
    { fault: { kind: "errorBefore", status: 401 }, probability: 1 },
  ]);
  await until("several ticks failed", () => on.simulator.truth().requests.deployments >= before + 3);
  on.simulator.control.faults.clear();
  await agent.shows("what failed works again");
  agent.kill("SIGINT");
  const { stderr, stdout } = await agent.ended;
  expect(stderr.split("refused the credential")).toHaveLength(2);
  expect(stdout + stderr).not.toContain("never-print-me");
  expect(on.simulator.truth().launches).toHaveLength(2);
});

const isAwaited = async (fault: FaultInput): Promise<void> => {
  const on = await place();
  on.write("fleet.yaml", FLEET);
  on.simulator.control.faults.chance("account", [{ fault, probability: 1 }]);
  expect((await on.run(["agent", "--once"])).code).toBe(1);
  const before = on.simulator.truth().requests.account;
  const agent = on.start(["agent"]);
  await until("it asked again", () => on.simulator.truth().requests.account >= before + 6);
  on.simulator.control.faults.clear();
  await until("both run", () => running(on) === 2);
  agent.kill("SIGINT");
  const { code, stderr } = await agent.ended;
  expect(code).toBe(0);
  expect(stderr.match(/Tried again until it answers/g)).toHaveLength(1);
};
// A ledger that knows the account goes on without the service: outage.test.ts.
test("a service that is asked too often when the agent starts is waited for", () =>
  isAwaited({ kind: "tooMany", seconds: 1 }));
test("a service that is down when the agent starts is waited for", REPEATS, () =>
  isAwaited({ kind: "errorBefore", status: 503 }),
);

test("what a fleet waits for is said once, not at each tick", async () => {
  const on = await place();
  on.write("fleet.yaml", FLEET.replace("gpus: 16", "gpus: 9"));
  const agent = on.start(["agent"]);
  await agent.shows("no mix of machines with 8 GPUs makes 9 GPUs exactly");
  const seen = on.simulator.truth().requests.deployments;
  await until("more ticks", () => on.simulator.truth().requests.deployments >= seen + 3);
  agent.kill("SIGINT");
  const { stdout } = await agent.ended;
  expect(stdout.split("no mix of machines")).toHaveLength(2);
});

test("a machine that nobody answers for is reported", async () => {
  const on = await place();
  on.write("fleet.yaml", "fleets: []\n");
  const id = on.simulator.control.launchByHand({
    offer: "l40s-48gb-x1",
    provider: "dune",
    location: "us-west",
  });
  const agent = on.start(["agent"]);
  await agent.shows("and costs 0.84 USD an hour, and nobody here answers for it");
  agent.kill("SIGINT");
  expect((await agent.ended).stdout).toContain(id);
  expect(alive(on)).toHaveLength(1);
});

test("an agent that waits for its next poll comes round at once for an order and for a resume", async () => {
  const on = await place();
  on.write("fleet.yaml", FLEET);
  const first = on.start(["agent"]);
  await until("both run", () => running(on) === 2);
  first.kill("SIGINT");
  await first.ended;
  const times = JSON.parse(on.env.FLEETKEEPER_PROTOCOL ?? "") as object;
  // Nobody waits for the next one here.
  const seldom = { FLEETKEEPER_PROTOCOL: JSON.stringify({ ...times, poll: 600_000 }) };
  const before = on.simulator.truth().requests.deployments;
  const agent = on.start(["agent"], seldom);
  await until("its first list", () => on.simulator.truth().requests.deployments > before);
  expect(await on.run(["drain", "training", "--yes"], seldom)).toMatchObject({ code: 0 });
  await until("both are stopped", () => alive(on).length === 0);
  expect(await on.run(["resume", "training"], seldom)).toMatchObject({ code: 0 });
  await until("another is launched", () => on.simulator.truth().launches.length > 2);
  agent.kill("SIGINT");
  expect((await agent.ended).code).toBe(0);
});
