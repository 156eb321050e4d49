import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { receiver } from "../notify/receiver.ts";
import { REPEATS } from "../support/repeats.ts";
import { KEY, until } from "./cli.ts";
import type { Two } from "./two-services.ts";
import { fleetLine, pageOf, runs, serviceLine, two, writeFleets } from "./two-services.ts";

test("one agent keeps the accounts of two services on one ledger, each with its own credential", async () => {
  const world = await two();
  const { on, dune, env } = world;
  writeFleets(world, { acme: 16 });
  const agent = on.start(["agent"], env);
  await until("all run", () => runs(on.simulator) === 2 && runs(dune) === 1);
  await agent.shows("acme: ");
  const url = await pageOf(agent);
  const text = async (path: string): Promise<string> => (await fetch(new URL(path, url))).text();
  const list = await text("");
  expect(list).toContain('href="services/acme/"');
  expect(list).toContain("2 services");
  expect(await text("services/dune/")).toContain("notebooks");
  expect(await text("services/dune/")).not.toContain("training");
  expect(await text("services/acme/metrics")).toContain(
    'fleetkeeper_fleet_desired_gpus{fleet="training"} 16',
  );
  expect(await text("readyz")).toBe("ready: acme, dune\n");
  expect(await text("healthz")).toBe("ok: acme, dune\n");
  const status = JSON.parse((await on.run(["status", "--json"], env)).stdout);
  expect(status.accounts).toHaveLength(2);
  agent.kill("SIGTERM");
  const { code, said } = await agent.ended;
  expect(code).toBe(0);
  expect(said).toMatch(/^dune: .*notebooks launch: /m);
  expect(said).not.toContain("never-print-me");
});

type Delay = readonly [
  what: string,
  change: (world: Two) => Parameters<typeof writeFleets>[1],
  more: Readonly<Record<string, string>>,
  says: string,
];
const DELAYS: readonly Delay[] = [
  ["does not answer", () => ({ url: "http://127.0.0.1:9" }), {}, "dune: "],
  ["has a profile that cannot be read", () => ({ profile: "/nowhere.yaml" }), {}, "/nowhere.yaml"],
  ["refuses the key", () => ({}), { DUNE_KEY: "sk-live-wrong" }, "refused the credential"],
  ["has no credential", () => ({}), { DUNE_KEY: "" }, "services.dune.apiKey: DUNE_KEY is not set"],
];
const DELAYS_NOBODY = "a service that %s when the agent starts delays no other";
const delaysNobody = async (...[, change, more, says]: Delay): Promise<void> => {
  const world = await two();
  const { on, env } = world;
  writeFleets(world, { ...change(world), acme: 16 });
  const agent = on.start(["agent"], { ...env, ...more });
  await agent.tells(says);
  await until("both run", () => runs(on.simulator) === 2);
  const before = on.simulator.truth().requests.deployments;
  await until("many more ticks", () => on.simulator.truth().requests.deployments >= before + 5);
  const url = await pageOf(agent);
  const ready = await fetch(new URL("readyz", url));
  expect([ready.status, await ready.text()]).toEqual([503, "dune: not ready: its account is not open\n"]);
  expect((await fetch(new URL("healthz", url))).status).toBe(200);
  expect((await fetch(new URL("services/acme/readyz", url))).status).toBe(200);
  agent.kill("SIGTERM");
  const { code, said } = await agent.ended;
  expect(code).toBe(0);
  expect(said).not.toContain("never-print-me");
};
// What opens no account at all, and what reads no profile. A credential that is none ends as the first of them does.
test.each(DELAYS.slice(0, 2))(DELAYS_NOBODY, delaysNobody);
test.each(DELAYS.slice(2))(DELAYS_NOBODY, REPEATS, delaysNobody);

test("a service whose lists hang delays no tick of another one", async () => {
  const world = await two();
  const { on, dune, env } = world;
  writeFleets(world);
  const agent = on.start(["agent"], env);
  await until("all run", () => runs(on.simulator) === 1 && runs(dune) === 1);
  dune.control.faults.chance("deployments", [{ fault: { kind: "slow", seconds: 86_400 }, probability: 1 }]);
  const [lost] = on.simulator.truth().machines;
  on.simulator.control.interrupt(lost?.id ?? "", { now: true });
  await until(
    "a replacement runs",
    () => on.simulator.truth().launches.length === 2 && runs(on.simulator) === 1,
  );
  const before = on.simulator.truth().requests.deployments;
  await until("many more ticks", () => on.simulator.truth().requests.deployments >= before + 5);
  dune.control.faults.clear();
  agent.kill("SIGKILL");
});

test("plan and --once are about each service, and about one with --service", async () => {
  const world = await two();
  const { on, dune, env } = world;
  writeFleets(world, { url: "http://127.0.0.1:9" });
  const plan = await on.run(["plan"], env);
  expect(plan).toMatchObject({ code: 1 });
  expect(plan.stdout).toMatch(/^acme\n {2}training: 8 GPUs asked for/m);
  expect(plan.stdout).toMatch(/^dune\n {2}.*127\.0\.0\.1:9/m);
  const { fleets, errors } = JSON.parse((await on.run(["plan", "--json"], env)).stdout);
  expect(fleets).toMatchObject([{ service: "acme", fleet: "training" }]);
  expect(errors).toMatchObject([{ service: "dune" }]);
  expect(await on.run(["plan", "--service", "acme"], env)).toMatchObject({ code: 0 });
  const once = await on.run(["agent", "--once"], env);
  expect(once.code).toBe(1);
  expect(once.stderr).toMatch(/^dune: .*127\.0\.0\.1:9/m);
  expect(on.simulator.truth().launches).toHaveLength(1);
  writeFleets(world);
  expect(await on.run(["agent", "--once"], env)).toMatchObject({ code: 0 });
  expect(dune.truth().launches).toHaveLength(1);
  expect(on.simulator.truth().launches).toHaveLength(1);
});

test.each<[string, readonly string[], Record<string, string>, string]>([
  ["a command for one service", ["account"], {}, "say which one with --service NAME. There are: acme, dune."],
  [
    "a service that is not there",
    ["plan", "--service", "acne"],
    {},
    "acne: the fleet file has no such service; there are: acme, dune",
  ],
  [
    "a flag for all of them",
    ["agent", "--base-url", "http://127.0.0.1:9"],
    {},
    "--base-url is set, and the fleet file has several services",
  ],
  ["a variable for all of them", ["agent"], { FLEETKEEPER_ACCOUNT: "shared" }, "FLEETKEEPER_ACCOUNT is set"],
])("%s is refused, with what to do", async (_, args, more, says) => {
  const world = await two();
  writeFleets(world);
  const { code, stderr } = await world.on.run(args, { ...world.env, ...more });
  expect([code, stderr]).toEqual([2, expect.stringContaining(says)]);
});

test.each<[string, (url: string) => string]>([
  ["one address", (url) => `${url}/`],
  ["two addresses", (url) => url.replace("127.0.0.1", "localhost")],
])(
  "two credentials of one account at %s are not kept side by side, and neither ends the other's machines",
  async (_, address) => {
    const world = await two();
    const { on, env } = world;
    writeFleets(world, { url: address(on.url) });
    const same = { ...env, DUNE_KEY: KEY };
    for (const _ of ["first", "again"]) {
      const agent = on.start(["agent"], same);
      await agent.tells("opens the same account as that of services.");
      await until("one runs", () => runs(on.simulator) === 1);
      agent.kill("SIGTERM");
      await agent.ended;
    }
    expect(on.simulator.truth().launches).toHaveLength(1);
    expect(runs(on.simulator)).toBe(1);
  },
);

test("a fleet that is written under another service drains nowhere, and says so", async () => {
  const world = await two();
  const { on, dune, env } = world;
  writeFleets(world);
  const agent = on.start(["agent"], env);
  await until("all run", () => runs(on.simulator) === 1 && runs(dune) === 1);
  const usual = on.env.FLEETKEEPER_PROFILE ?? "";
  on.write(
    "fleet.yaml",
    `services:\n${serviceLine("acme", on.url, usual, "ACME_KEY")}${serviceLine("dune", world.duneUrl, usual, "DUNE_KEY")}` +
      `fleets:\n${fleetLine("training", "dune", 8)}${fleetLine("notebooks", "dune", 8)}`,
  );
  await agent.shows("fleet training: it stands under service dune in the file");
  await agent.shows("belongs to another account");
  const { stdout: planned } = await on.run(["plan"], env);
  expect(planned).toMatch(
    /^dune\n {2}fleet training: another account \(\S+ \S+\) has a fleet of this name in the ledger /m,
  );
  expect(planned).not.toContain("launch ");
  const asked = await on.run(["doctor", "--service", "dune"], env);
  expect(asked.stdout).toMatch(
    /problem +training: its name is kept at http:\S+ in this ledger, and is one account's/,
  );
  on.write("other.yaml", readFileSync(join(on.folder, "fleet.yaml"), "utf8"));
  const other = await on.run(["doctor", "--service", "dune", "--config", "other.yaml"], env);
  expect(other.stdout).toMatch(
    /problem +notebooks: file:\S+fleet.yaml has declared this name in the same\s+ledger: an agent/,
  );
  const before = on.simulator.truth().requests.deployments;
  await until("more ticks", () => on.simulator.truth().requests.deployments >= before + 3);
  expect([runs(on.simulator), runs(dune)]).toEqual([1, 1]);
  agent.kill("SIGTERM");
  expect((await agent.ended).code).toBe(0);
  // The same address, as another person would write it.
  writeFleets(world, { url: `${world.duneUrl}/` });
  const slashed = await on.run(["doctor", "--service", "dune"], env);
  expect(slashed.stdout).toContain("notebooks: ");
  expect(slashed.stdout).not.toContain("its name is kept");
});

test("a service that joins or leaves the file while the agent runs is said to need a restart, and nothing is stopped", async () => {
  const world = await two();
  const { on, dune, env } = world;
  const usual = on.env.FLEETKEEPER_PROFILE ?? "";
  writeFleets(world);
  const agent = on.start(["agent"], env);
  await until("all run", () => runs(on.simulator) === 1 && runs(dune) === 1);
  on.write(
    "fleet.yaml",
    `services:\n${serviceLine("acme", on.url, usual, "ACME_KEY")}${serviceLine("elm", "https://e.example.com", usual, "ELM_KEY")}` +
      `fleets:\n${fleetLine("training", "acme", 16)}`,
  );
  await agent.shows("added since this agent began, and kept only after a restart: services elm");
  await agent.shows("dune: the fleet file has no such service");
  await until("the other one's change is obeyed", () => runs(on.simulator) === 2);
  expect(runs(dune)).toBe(1);
  agent.kill("SIGTERM");
  expect((await agent.ended).code).toBe(0);
});

test("what was wrong with a service is tried again until it is right", async () => {
  const world = await two();
  const { on, dune, env } = world;
  writeFleets(world, { profile: "./late.yaml" });
  const agent = on.start(["agent"], env);
  await until("acme's runs", () => runs(on.simulator) === 1);
  writeFileSync(join(on.folder, "late.yaml"), readFileSync(on.env.FLEETKEEPER_PROFILE ?? ""));
  await until("dune's runs", () => runs(dune) === 1);
  agent.kill("SIGTERM");
  expect((await agent.ended).code).toBe(0);
});

test("a ping is sent once all accounts are ready, and not while one of them is not", async () => {
  const world = await two();
  const { on, dune, env } = world;
  const dead = await receiver();
  const more = `notify:\n  - ping: ${dead.url}\n    every: 1s\n`;
  writeFleets(world, { url: "http://127.0.0.1:9", more });
  const agent = on.start(["agent"], env);
  await until("acme's runs", () => runs(on.simulator) === 1);
  const before = on.simulator.truth().requests.deployments;
  await until("many more ticks", () => on.simulator.truth().requests.deployments >= before + 5);
  expect(dead.received).toEqual([]);
  writeFleets(world, { more });
  await until("dune's runs", () => runs(dune) === 1);
  await until("it pings again and again", () => dead.received.length > 1);
  agent.kill("SIGTERM");
  expect((await agent.ended).code).toBe(0);
});

test("of two services at one address that is down, neither goes by the ledger for the other's account", async () => {
  const world = await two();
  const { on, dune, env } = world;
  const at = (url: string) => {
    const profile = on.env.FLEETKEEPER_PROFILE ?? "";
    const services = `${serviceLine("acme", url, profile, "ACME_KEY")}${serviceLine("dune", url, profile, "DUNE_KEY")}`;
    on.write("fleet.yaml", `services:\n${services}fleets:\n${fleetLine("training", "acme", 8)}`);
  };
  at(on.url);
  const first = on.start(["agent"], env);
  await until("acme's runs", () => runs(on.simulator) === 1);
  first.kill("SIGTERM");
  await first.ended;
  await on.simulator.close();
  const agent = on.start(["agent"], env);
  for (const name of ["acme", "dune"]) await agent.tells(`${name}: `);
  agent.kill("SIGTERM");
  const { code, said } = await agent.ended;
  expect(code).toBe(0);
  expect(said.match(/^(acme|dune): .*Tried again, now in/gm)?.length).toBe(2);
  expect(said).not.toContain("Going by the ledger");
  expect(runs(dune)).toBe(0);
});
