import { expect, test } from "vitest";
import type { ServicesFacts } from "../../agent/json/services.ts";
import { until } from "./cli.ts";
import { runs, serviceLine, type Two, two } from "./two-services.ts";

const CANDIDATES =
  "candidates: [{ offer: h100-80gb-x8, provider: aurora, location: fi-hel, gpus: 8, pricePerHour: 20 }]";

function writeFleet({ on, duneUrl }: Two, more = ""): void {
  const profile = on.env.FLEETKEEPER_PROFILE ?? "";
  on.write(
    "fleet.yaml",
    `services:\n${serviceLine("acme", on.url, profile, "ACME_KEY")}${serviceLine("dune", duneUrl, profile, "DUNE_KEY")}` +
      `fleets:\n  - { name: training, services: all, gpus: 8, ${CANDIDATES}${more} }\n`,
  );
}

async function services({ on, env }: Two): Promise<ServicesFacts["services"]> {
  const { code, stdout } = await on.run(["services", "--json"], env);
  expect(code).toBe(0);
  return JSON.parse(stdout).fleets[0]?.services ?? [];
}

async function eventually(what: string, world: Two, isSo: (now: ServicesFacts["services"]) => boolean) {
  for (let tries = 0; tries < 1000; tries++) {
    if (isSo(await services(world))) return;
    // The service lives in this process.
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  throw new Error(`never came: ${what}: ${JSON.stringify(await services(world))}`);
}

test("services are shown, drained, paused and taken back by their name in the fleet file", async () => {
  const world = await two();
  const { on, dune, env } = world;
  writeFleet(world, ", surge: 8");
  const none = await on.run(["services"], env);
  expect([none.code, none.stderr]).toEqual([2, expect.stringContaining("there is no ledger here yet")]);
  const agent = on.start(["agent"], env);
  await until("it runs somewhere", () => runs(on.simulator) + runs(dune) === 1);
  const [first, other] = runs(on.simulator) === 1 ? ["acme", "dune"] : ["dune", "acme"];
  await eventually("the ledger says so", world, (now) =>
    now.some(({ running, why }) => running === 8 && why.length === 0),
  );
  const shown = (await services(world)).find(({ service }) => service === first);
  expect(shown).toMatchObject({ state: "taking", portion: 8, running: 8, unknown: 0, why: [] });
  const text = await on.run(["services"], env);
  expect(text.stdout).toMatch(/^training: 8 GPUs\n {2}SERVICE +STATE +PORTION/);

  const refused = await on.run(["services", "drain", "nowhere", "--yes"], env);
  expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining("there are: acme, dune")]);
  const unasked = await on.run(["services", "drain", first], env);
  expect(unasked.code).not.toBe(0);
  const all = await on.run(["stop", "--all", "--service", first], env);
  expect([all.code, all.stderr]).toEqual([
    2,
    expect.stringContaining("before this: fleetkeeper drain training"),
  ]);
  const drained = await on.run(["services", "drain", first, "--yes"], env);
  expect([drained.code, drained.stdout]).toEqual([
    0,
    `training: ${first} is left: its share moves to the other services.\n`,
  ]);
  const last = await on.run(["services", "drain", other, "--yes"], env);
  expect([last.code, last.stderr]).toEqual([2, expect.stringContaining("it is the only service left")]);
  await eventually("it has moved", world, (now) => {
    const left = now.find(({ service }) => service === first);
    const has = now.find(({ service }) => service === other);
    return left?.state === "drained" && left.running === 0 && has?.running === 8;
  });
  expect(runs(on.simulator) + runs(dune)).toBe(1);

  expect((await on.run(["services", "resume", first], env)).stdout).toContain("takes its part again");
  expect((await on.run(["services", "pause", first, "--fleet", "training"], env)).code).toBe(0);
  expect((await services(world)).find(({ service }) => service === first)?.state).toBe("paused");
  const wrong = await on.run(["services", "pause", first, "--fleet", "other"], env);
  expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining("there are: training")]);
  agent.kill("SIGTERM");
  expect((await agent.ended).code).toBe(0);
  const left = await on.run(["services", "resume", first], env);
  expect(left.stdout).toContain("No agent keeps its account now");
});

test("a ledger without such a fleet says how one is asked for", async () => {
  const world = await two();
  const { on, env } = world;
  writeFleet(world);
  on.write("fleet.yaml", `service: { baseUrl: "${on.url}" }\nfleets: []\n`);
  const own = { ...on.env };
  await on.run(["agent", "--once"], own);
  expect((await on.run(["services"], own)).stdout).toContain("No fleet is kept by several services");
  expect((await on.run(["services", "--json"], own)).stdout).toBe('{\n  "fleets": []\n}\n');
  const refused = await on.run(["services", "pause", "acme"], env);
  expect(refused.code).toBe(2);
});
