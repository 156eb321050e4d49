import type { ChildProcess } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createSimulator, type Simulator } from "../../simulator/index.ts";
import { describeWithEngine } from "./engine.ts";
import { beginLaunch, endLeftOver } from "./interrupted.ts";
import type { Language, Wish } from "./languages.ts";
import { A100, CANARY, H100, isAlive, until, type World } from "./world.ts";

type Suite = (make: () => Promise<World>) => void;

/** A suite on the real engine, of programs in a language. Where there is none it is skipped by its name. */
function describeLanguage({ name, missing, prepare }: Language, what: string, suite: Suite): void {
  if (missing) return void describe.skip(`${what} ${name} [skipped: ${missing}]`, () => suite(unprepared));
  describeWithEngine(`${what} ${name}`, () => {
    let shared: string;
    let make: () => Promise<World>;
    beforeAll(() => {
      shared = mkdtempSync(path.join(tmpdir(), "fleetkeeper-language-"));
      make = prepare(shared);
    });
    afterAll(() => rmSync(shared, { recursive: true, force: true }));
    suite(() => make());
  });
}

const unprepared = async (): Promise<World> => {
  throw new Error("this language cannot be had here");
};

/**
 * What holds for a program in any language, judged by what the simulator has. `whole: false` leaves out what npm test says
 * elsewhere: of a fleet in fleet.test.ts, of a deadline in test/provider/adopt-and-end.test.ts, of the plugin's replacements and of
 * its engine that is killed in moving.test.ts, of hooks that refuse a delete in what-users-hook-in.test.ts, and of mistyped
 * arguments in test/plugin/resources.test.ts.
 */
export function languageContract(language: Language, { whole = true } = {}): void {
  describeLanguage(language, "the plugin", (make) => {
    describe("and one machine", () => oneMachine(make, language, whole));
    if (whole) describe("and a fleet without an agent", () => fleetWithoutAgent(make));
    if (whole) describe("and a fleet with an agent", () => fleetWithAgent(make));
    describe("and an up that is interrupted", () => interrupted(make, whole));
    describe("and two services", () => twoServices(make));
    describe("and options", () => options(make, language, whole));
  });
}

const wanted = (world: World, wishes: Readonly<Record<string, Wish>>): Promise<void> => world.want(wishes);

function oneMachine(make: () => Promise<World>, { mistyped }: Language, whole: boolean): void {
  let world: World;
  beforeAll(async () => {
    world = await make();
    await wanted(world, { web: { args: H100 } });
  });
  afterAll(() => world.close());

  it("is previewed without a launch", async () => {
    expect(await world.project.succeed("preview")).toContain("fleetkeeper:half:Machine");
    expect(world.machines()).toEqual([]);
  });

  it("launches one machine and waits until it runs", async () => {
    const printed = await world.up();
    expect(world.alive()).toHaveLength(1);
    const { web } = await world.outputs();
    expect(web).toMatchObject({
      deploymentId: world.alive()[0],
      status: "running",
      pricePerHour: "2.4900",
      provider: "aurora",
      connection: { port: "22" },
    });
    expect(printed).toContain(`${world.alive()[0]} is running`);
    const state = await world.state();
    const types = ["fleetkeeper:index:Deployment", "fleetkeeper:half:Slot", "fleetkeeper:half:Machine"];
    expect(state.map(({ type }) => type)).toEqual(expect.arrayContaining(types));
    expect(printed + JSON.stringify(state)).not.toContain(CANARY);
  });

  it("changes nothing while it runs", async () => {
    expect(await world.up()).toContain("4 unchanged");
    expect(world.machines()).toHaveLength(1);
  });

  if (whole)
    it("replaces the machine when it was interrupted", async () => {
      world.simulator.control.interrupt(world.alive()[0] ?? "", { now: true });
      await world.up();
      expect(world.alive()).toHaveLength(1);
      expect(world.machines()).toHaveLength(2);
    });

  if (whole)
    it("makes another machine for another offer, and stops the first", async () => {
      await wanted(world, { web: { args: A100 } });
      await world.up();
      const alive = world.machines().filter(({ endedAt }) => endedAt === null);
      expect(alive.map(({ combination }) => combination)).toEqual([A100]);
    });

  if (whole && mistyped !== undefined)
    it("names a mistyped argument, and rents nothing for it", async () => {
      await wanted(world, { web: { args: A100 }, other: { args: { ...H100, ofer: "x" } } });
      expect(await world.failingUp()).toContain(mistyped);
      expect(world.machines()).toHaveLength(3);
    });

  it("is over after destroy", async () => {
    await world.destroy();
    expect(world.alive()).toEqual([]);
    expect(await world.state()).toEqual([]);
    expect(await world.decided()).toEqual(expect.arrayContaining(["stop", "launch"]));
  });
}

const fleetOf = (gpus: number, more = {}): Readonly<Record<string, Wish>> => ({
  training: { kind: "Fleet", args: { gpus, candidates: [{ ...H100, gpus: 1 }], ...more } },
});

function fleetWithoutAgent(make: () => Promise<World>): void {
  let world: World;
  beforeAll(async () => {
    world = await make();
  });
  afterAll(() => world.close());

  it("says how to start one, and rents nothing", async () => {
    await wanted(world, fleetOf(2));
    expect(await world.failingUp()).toContain("fleetkeeper agent");
    expect(world.machines()).toEqual([]);
  });

  it("brings the fleet about itself, if that is wanted", async () => {
    await wanted(world, fleetOf(2, { reconcile: "inline" }));
    await world.up();
    expect(world.alive()).toHaveLength(2);
    expect(await world.outputs()).toMatchObject({
      training: { runningGpus: 2, reasons: [], pricePerHour: "4.9800" },
    });
  });

  it("heals and grows it at the next up, and drains it at destroy", async () => {
    world.simulator.control.interrupt(world.alive()[0] ?? "", { now: true });
    await wanted(world, fleetOf(3, { reconcile: "inline" }));
    await world.up();
    expect(world.alive()).toHaveLength(3);
    await world.destroy();
    expect(world.alive()).toEqual([]);
  });
}

function fleetWithAgent(make: () => Promise<World>): void {
  let world: World;
  let agent: ChildProcess;
  beforeAll(async () => {
    world = await make();
    agent = await world.keptByAgent();
    await wanted(world, fleetOf(2));
  });
  afterAll(async () => {
    agent.kill("SIGKILL");
    await world.close();
  });

  it("has the agent launch its machines, and waits until they run", async () => {
    await world.up();
    expect(world.alive()).toHaveLength(2);
    expect(await world.outputs()).toMatchObject({ training: { runningGpus: 2 } });
    const senders = (await world.rows()).intents.map(({ sender }) => sender.pid);
    expect(new Set(senders)).toEqual(new Set([agent.pid]));
  });

  it("changes nothing while it is met", async () => {
    expect(await world.up()).toContain("4 unchanged");
    expect(world.machines()).toHaveLength(2);
  });

  it("is healed by the agent", async () => {
    world.simulator.control.interrupt(world.alive()[0] ?? "", { now: true });
    await until(() => world.alive().length === 2 && world.machines().length === 3);
  });

  it("names in the preview of a change a command that its agent has not", async () => {
    await wanted(world, fleetOf(2, { setup: { command: ["join.sh"] } }));
    const { code, stdout, stderr } = await world.project.pulumi("preview");
    expect(code).not.toBe(0);
    expect(stdout + stderr).toContain("setup.command: expected no command, got join.sh");
  });

  it("grows by the machines that are missing", async () => {
    await wanted(world, fleetOf(3));
    await world.up();
    expect(world.alive()).toHaveLength(3);
    expect(world.machines()).toHaveLength(4);
  });

  it("is drained by destroy", async () => {
    await world.destroy();
    expect(world.alive()).toEqual([]);
    expect(world.machines()).toHaveLength(4);
    expect(await world.state()).toEqual([]);
  });
}

/** Each test leaves an empty stack for the next one, and none may launch a second machine. */
function interrupted(make: () => Promise<World>, whole: boolean): void {
  let world: World;
  beforeAll(async () => {
    world = await make();
    await wanted(world, { web: { args: H100 } });
  });
  afterAll(async () => {
    await endLeftOver(world);
    await world.close();
  });
  const gone = async (launched: number): Promise<void> => {
    expect(world.machines()).toHaveLength(launched);
    expect(world.alive()).toEqual([]);
    expect(await world.state()).toEqual([]);
  };

  it("by kill -9 of the plugin: destroy stops what was launched", async () => {
    const { ended, plugin, launched } = await beginLaunch(world);
    process.kill(plugin, "SIGKILL");
    await ended;
    world.clock.goOn();
    await world.destroy();
    await gone(launched);
  });

  if (whole)
    it("by kill -9 of the engine: the plugin ends by itself, and destroy stops what was launched", async () => {
      const { engine, ended, plugin, launched } = await beginLaunch(world);
      engine.kill("SIGKILL");
      await ended;
      engine.stdout?.destroy();
      engine.stderr?.destroy();
      await until(() => !isAlive(plugin));
      world.clock.goOn();
      await world.project.succeed("cancel", "--yes");
      await world.destroy();
      await gone(launched);
    });

  it("by two Ctrl-C: the next up goes on with what was launched", async () => {
    const { engine, ended, plugin, launched } = await beginLaunch(world);
    engine.kill("SIGINT");
    engine.kill("SIGINT");
    await ended;
    await until(() => !isAlive(plugin));
    world.clock.goOn();
    await world.up();
    expect(world.machines()).toHaveLength(launched);
    expect(world.alive()).toHaveLength(1);
    expect(await world.outputs()).toMatchObject({
      web: { deploymentId: world.alive()[0], status: "running" },
    });
  });
}

function twoServices(make: () => Promise<World>): void {
  let world: World;
  let second: Simulator;
  let wishes: Readonly<Record<string, Wish>>;
  beforeAll(async () => {
    world = await make();
    second = createSimulator({ apiKey: `second-${CANARY}`, dialect: "plain" });
    const provider = {
      baseUrl: (await second.listen()).url,
      apiKey: `second-${CANARY}`,
      profile: "service.profile.yaml",
      ledger: path.join(world.project.folder, "second.db"),
      account: "exclusive",
    };
    wishes = { one: { args: H100 }, two: { args: { ...A100, awaitRunning: false }, provider } };
  });
  afterAll(async () => {
    await second.close();
    await world.close();
  });

  it("rents at each, with its own key and ledger", async () => {
    await wanted(world, wishes);
    await world.up();
    expect(world.machines().map(({ combination }) => combination)).toEqual([H100]);
    expect(second.truth().machines.map(({ combination }) => combination)).toEqual([A100]);
    // The key of the explicit provider was no secret in the program; in the state it is.
    const kept = (await world.state()).filter(({ type }) => type === "pulumi:providers:fleetkeeper");
    expect(kept).toHaveLength(2);
    expect(JSON.stringify(await world.state())).not.toContain(CANARY);
  });

  it("answers functions from the service of the default provider", async () => {
    const [id = ""] = world.alive();
    await wanted(world, {
      ...wishes,
      account: { kind: "getAccount", args: {} },
      balance: { kind: "getBalance", args: {} },
      offers: { kind: "getOffers", args: {} },
      found: { kind: "getDeployment", args: { id } },
      all: { kind: "getDeployments", args: {} },
    });
    const printed = await world.up();
    expect(printed).not.toContain(CANARY);
    const { account, balance, offers, found, all } = await world.outputs();
    const [truth] = world.simulator.truth().accounts;
    expect(account).toMatchObject({ id: truth?.id, email: truth?.email });
    expect(balance).toMatchObject({ balance: truth?.balance, currency: "USD" });
    expect(offers).toMatchObject({ offers: expect.arrayContaining([expect.objectContaining(H100)]) });
    expect(found).toMatchObject({ id, status: "running", ...H100 });
    expect(all).toMatchObject({ deployments: [{ id, status: "running" }] });
  });
}

function options(make: () => Promise<World>, { hooks }: Language, whole: boolean): void {
  let world: World;
  beforeAll(async () => {
    world = await make();
  });
  afterAll(() => world.close());

  if (hooks)
    it("hooks: one that refuses the Deployment has nothing launched", async () => {
      await wanted(world, { web: { args: H100, vetoed: "create" } });
      expect(await world.failingUp()).toContain("not without a signature");
      expect(world.machines()).toEqual([]);
    });

  it("additionalSecretOutputs: the state has them encrypted, in the machine and in the Deployment", async () => {
    const opts = { additionalSecretOutputs: ["connection"] };
    await wanted(world, { web: { args: H100, opts, vetoed: "delete" } });
    await world.up();
    const [host] = world.machines().map(({ id }) => `${id.slice(0, 8)}.fi-hel.example`);
    expect(JSON.stringify(await world.state())).not.toContain(host);
  });

  if (whole && hooks)
    it("hooks: one that refuses the delete keeps the machine", async () => {
      const { stdout } = await world.project.pulumi("destroy", "--yes", "--skip-preview", "--run-program");
      expect(stdout).toContain("not without a signature");
      expect(world.alive()).toHaveLength(1);
    });

  if (whole)
    it("until: a machine past its deadline is stopped by up, and no other is rented", async () => {
      await wanted(world, { web: { args: { ...H100, until: "2020-01-01T00:00:00Z" } } });
      await world.up();
      expect(world.machines()).toHaveLength(1);
      expect(world.alive()).toEqual([]);
    });
}
