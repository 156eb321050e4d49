import { expect, test } from "vitest";
import { until } from "./cli.ts";
import type { Two } from "./two-services.ts";
import { runs, serviceLine, two } from "./two-services.ts";

const PLACE = { offer: "h100-80gb-x8", provider: "basalt", location: "is-rey" };

/** A fleet over acme and dune, and what both sell of it: machines of 8 GPUs for 16.00 USD an hour at dune. */
async function world(): Promise<Two> {
  const world = await two();
  world.dune.control.setPrice(PLACE, "16.0000");
  write(world, "spread: { atLeast: 2 }, ");
  return world;
}

function write({ on, duneUrl }: Two, more = ""): void {
  const usual = on.env.FLEETKEEPER_PROFILE ?? "";
  on.write(
    "fleet.yaml",
    `services:\n${serviceLine("acme", on.url, usual, "ACME_KEY")}${serviceLine("dune", duneUrl, usual, "DUNE_KEY")}` +
      `fleets:\n  - { name: training, services: all, ${more}gpus: 16, candidates: [{ offer: h100-80gb-x8, provider: basalt, location: is-rey, gpus: 8 }], budget: { perHour: 90, total: 900 } }\n`,
  );
}

test("one plan says for each service what it gives, and why the others do not, and it does nothing", async () => {
  const services = await world();
  const { on, dune, env } = services;
  const { code, stdout } = await on.run(["plan"], env);
  expect(code).toBe(0);
  expect(stdout.replace(/ [0-9.]+ USD/g, " N USD").split("\n")).toEqual([
    "fleet training over 2 services: 0 of 16 GPUs running, 0 starting, N USD an hour of 90.00",
    expect.stringMatching(/^ {2}acme {2}nothing; launches 8 GPUs$/),
    expect.stringMatching(/^ {4}launch {2}h100-80gb-x8 @ \S+ \(8 GPUs\): /),
    expect.stringMatching(/^ {2}dune {2}nothing; launches 8 GPUs$/),
    expect.stringMatching(/^ {4}launch {2}h100-80gb-x8 @ basalt\/is-rey \(8 GPUs\): /),
    expect.stringMatching(/^ {2}costs {3}N USD an hour for 16 GPUs, /),
    expect.stringMatching(
      /^ {2}at most N USD an hour \(budget.perHour\), N USD in all \(budget.total\)\. On top: /,
    ),
    "",
  ]);
  write(services);
  const asked = JSON.parse((await on.run(["plan", "--json"], env)).stdout);
  expect(asked.wholes[0].services).toMatchObject([
    {
      service: "acme",
      fleet: "training",
      state: "dearer",
      why: expect.stringContaining("and others were chosen"),
    },
    { service: "dune", fleet: "training@dune", state: "launches", portion: 16 },
  ]);
  expect(asked.fleets.map((fleet: { launches: unknown[] }) => fleet.launches.length)).toEqual([0, 2]);
  const without = await on.run(["plan"], { ...env, DUNE_KEY: "sk-live-wrong" });
  expect(without.stdout).toMatch(/^ {2}dune {2}nothing; away: .*refused the credential/m);
  expect(without.stdout).toMatch(/^ {2}acme {2}nothing; launches 16 GPUs$/m);
  for (const each of [on.simulator, dune]) expect(each.truth().launches).toEqual([]);
});

test("what the plan said is what the agent launches, and status shows it as one", async () => {
  const { on, dune, env } = await world();
  const planned = JSON.parse((await on.run(["plan", "--json"], env)).stdout);
  const agent = on.start(["agent"], env);
  await until("all run", () => runs(on.simulator) === 1 && runs(dune) === 1);
  const launched = [on.simulator, dune].map((each) => each.truth().launches.length);
  expect(launched).toEqual(planned.fleets.map(({ launches }: { launches: unknown[] }) => launches.length));
  const before = [on.simulator, dune].map((each) => each.truth().requests.deployments);
  await until("more ticks of both", () =>
    [on.simulator, dune].every(
      (each, index) => each.truth().requests.deployments >= (before[index] ?? 0) + 3,
    ),
  );
  const { stdout } = await on.run(["status"], env);
  expect(stdout).toMatch(
    /^fleet training over 2 services: 16 of 16 GPUs running, 0 starting, \S+ USD an hour of 90.00$/m,
  );
  expect(stdout).toMatch(/^ {2}goes on for .* more at this cost: then its total is spent$/m);
  expect(stdout).toMatch(/^ {2}dune {2}8 GPUs running, 16.00 USD an hour$/m);
  agent.kill("SIGTERM");
  await agent.ended;
});
