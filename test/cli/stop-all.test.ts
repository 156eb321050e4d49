import { join } from "node:path";
import { expect, test } from "vitest";
import type { Prompts } from "../../agent/cli/init/prompts.ts";
import { runCli } from "../../agent/cli/program.ts";
import { alive, FLEET, type Place, place, running, until, withProfile } from "./cli.ts";

const SMALL = { offer: "l40s-48gb-x1", provider: "dune", location: "us-west" };
const STOP_ALL = ["stop", "--all", "--yes"];

async function twoRun(): Promise<Place> {
  const on = await place();
  on.write("fleet.yaml", FLEET);
  await on.run(["agent", "--once"]);
  await until("both run", () => running(on) === 2);
  return on;
}

test("it shows what it would stop and what that costs, and needs a yes", async () => {
  const on = await twoRun();
  expect(await on.run(["stop"])).toMatchObject({ code: 2, stderr: expect.stringContaining("say --all") });
  const { code, stdout, stderr } = await on.run(["stop", "--all"]);
  expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  for (const { id } of alive(on))
    expect(stderr).toMatch(
      new RegExp(`${id} +(initializing|provisioning|connecting|running) .*fleet training`),
    );
  expect(stderr).toContain("nothing is launched again: training");
  expect(stderr).toContain("Say --yes if it is meant so");
  expect(alive(on)).toHaveLength(2);
  expect((await on.run(["plan"])).stdout).toContain("nothing to do");
});

test("a no does nothing, and a yes does it", async () => {
  const on = await twoRun();
  const answer = async (yes: boolean): Promise<number> => {
    const asked: string[] = [];
    const prompts: Prompts = {
      confirm: async (question) => {
        asked.push(question);
        return yes;
      },
      input: () => expect.unreachable("it only asks once"),
      select: () => expect.unreachable("it only asks once"),
    };
    const code = await runCli(["stop", "--all", "--config", join(on.folder, "fleet.yaml")], "0", {
      environment: on.env,
      signal: new AbortController().signal,
      print: () => undefined,
      tell: () => undefined,
      color: false,
      ask: prompts,
    });
    expect(asked).toEqual(["Stop 2 machines (39.84 USD an hour), drain 1 fleet?"]);
    return code;
  };
  expect(await answer(false)).toBe(130);
  expect(on.simulator.truth().requests.stop).toBe(0);
  expect((await on.run(["status"])).stdout).not.toContain("drained");
  expect(await answer(true)).toBe(0);
  expect(alive(on)).toEqual([]);
});

test("without an agent it stops all, waits for the end, and may be said again", async () => {
  const on = await twoRun();
  const stopped = await on.run(STOP_ALL);
  expect(stopped.code).toBe(0);
  expect(stopped.stdout).toBe(
    "Nothing of ours lives in this account.\nDrained until somebody says fleetkeeper resume NAME: training.\n",
  );
  expect(alive(on)).toEqual([]);
  const { stop } = on.simulator.truth().requests;
  expect(await on.run(STOP_ALL)).toMatchObject({ code: 0, stdout: stopped.stdout, stderr: "" });
  expect(on.simulator.truth().requests.stop).toBe(stop);
  await on.run(["agent", "--once"]);
  expect(on.simulator.truth().launches).toHaveLength(2);
  expect((await on.run(["resume", "training"])).code).toBe(0);
  await on.run(["agent", "--once"]);
  expect(on.simulator.truth().launches).toHaveLength(4);
});

test("beside an agent: it launches nothing again, and goes on running", async () => {
  const on = await place();
  on.write("fleet.yaml", FLEET);
  const agent = on.start(["agent", "--no-http"]);
  await until("both run", () => running(on) === 2);
  expect((await on.run(STOP_ALL)).code).toBe(0);
  expect(alive(on)).toEqual([]);
  const seen = on.simulator.truth().requests.deployments;
  await until("more ticks", () => on.simulator.truth().requests.deployments >= seen + 4);
  expect(on.simulator.truth().launches).toHaveLength(2);
  agent.kill("SIGTERM");
  expect((await agent.ended).code).toBe(0);
});

test("a launch whose answer was lost is waited for, and its machine stopped", async () => {
  const on = await place();
  on.write("fleet.yaml", FLEET.replace("gpus: 16", "gpus: 8"));
  on.simulator.control.faults.next("launch", { kind: "commitLate", seconds: 120 });
  const impatient = {
    FLEETKEEPER_PROTOCOL: '{"poll": 1000, "settle": 800, "postTimeout": 3000, "gone": 400}',
  };
  await on.run(["agent", "--once"], impatient);
  expect((await on.run(STOP_ALL, impatient)).code).toBe(0);
  expect(on.simulator.truth().machines).toMatchObject([{ endedAt: expect.any(Number) }]);
});

test("what nobody here answers for is reported with its cost, not stopped, and is no success", async () => {
  const on = await twoRun();
  const id = on.simulator.control.launchByHand(SMALL);
  const { code, stdout } = await on.run(STOP_ALL);
  expect(code).toBe(1);
  expect(alive(on).map((each) => each.id)).toEqual([id]);
  expect(stdout).toContain("nobody can say that they are ours, and they bill (0.84 USD an hour)");
  expect(stdout).toContain(id);
  await on.run(["disown", id]);
  expect((await on.run(STOP_ALL)).code).toBe(0);
  expect(alive(on)).toHaveLength(1);
});

test("what it could not stop is stopped by what it says then, though every fleet is drained", async () => {
  const on = await twoRun();
  const id = on.simulator.control.launchByHand(SMALL);
  const { stdout } = await on.run(STOP_ALL);
  expect(stdout).toContain("fleetkeeper adopt ID --fleet NAME");
  const refused = await on.run(["deployments", "stop", id, "--yes"]);
  expect(refused).toMatchObject({
    code: 2,
    stderr: expect.stringContaining(`fleetkeeper adopt ${id} --fleet NAME`),
  });
  expect((await on.run(["adopt", id, "--fleet", "training", "--yes"])).code).toBe(0);
  expect(alive(on)).toEqual([]);
  expect((await on.run(STOP_ALL)).code).toBe(0);
});

test("machines that another ledger launched are named as that, with the ledger that was asked", async () => {
  const on = await twoRun();
  const other = { FLEETKEEPER_LEDGER: join(on.folder, "other.db") };
  const [machine] = alive(on);
  const { code, stdout } = await on.run(STOP_ALL, other);
  expect(code).toBe(1);
  expect(stdout).toContain(
    `Another ledger than ${other.FLEETKEEPER_LEDGER} launched 2 of them, as the marker says`,
  );
  const refused = await on.run(["deployments", "stop", machine?.id ?? "", "--yes"], other);
  expect(refused.stderr).toContain(
    "launched it, as the marker says: if that one is yours, say this with --ledger",
  );
  const shown = await on.run(["deployments", "show", machine?.id ?? ""], other);
  expect(shown.stdout).toMatch(
    new RegExp(`marker +fk-.*, of another ledger than ${other.FLEETKEEPER_LEDGER}`),
  );
  expect((await on.run(["deployments", "show", machine?.id ?? ""])).stdout).not.toContain("another ledger");
  expect((await on.run(["status"], other)).stdout).toMatch(`ledger ${other.FLEETKEEPER_LEDGER}\n`);
  expect(alive(on)).toHaveLength(2);
  expect((await on.run([...STOP_ALL, "--ledger", on.env.FLEETKEEPER_LEDGER ?? ""])).code).toBe(0);
  expect(alive(on)).toEqual([]);
});

test("without a stop mapping nothing is launched any more, and what runs is named", async () => {
  const on = await twoRun();
  const without = withProfile(on, (text) => text.replace(/^stop:\n(?: .*\n)+/m, ""));
  const { code, stdout, stderr } = await on.run(STOP_ALL, without);
  expect(code).toBe(1);
  expect(stderr).toContain('To stop a deployment, the profile needs the part "stop"');
  expect(stderr).toContain("stopped in the service's dashboard");
  expect(stdout).toContain("Not over yet: 2 machines (39.84 USD an hour).");
  for (const { id } of alive(on)) on.simulator.control.stopByHand(id);
  await on.run(["agent", "--once"], without);
  expect(on.simulator.truth().launches).toHaveLength(2);
});

test("a list that cannot be had keeps nothing from being stopped", async () => {
  const on = await twoRun();
  on.simulator.control.faults.chance("deployments", [
    { fault: { kind: "errorBefore", status: 500 }, probability: 1 },
  ]);
  const stopping = on.start(STOP_ALL);
  await stopping.tells("Going by what the ledger knows");
  await until("both end", () => alive(on).length === 0);
  on.simulator.control.faults.clear();
  expect((await stopping.ended).code).toBe(0);
});

test("in an outage the drain is written down before the service is asked, and Ctrl-C leaves it in force", async () => {
  const on = await twoRun();
  const fault = [{ fault: { kind: "errorBefore" as const, status: 503 }, probability: 1 }];
  for (const operation of ["account", "deployments"] as const)
    on.simulator.control.faults.chance(operation, fault);
  expect((await on.run(["stop", "--all"])).stderr).toContain("Say --yes if it is meant so");
  expect((await on.run(["status"])).stdout).not.toContain("drained");
  const stopping = on.start(STOP_ALL);
  const told = await stopping.tells("Tried again until it answers");
  for (const { id } of alive(on)) expect(told).toContain(id);
  expect((await on.run(["status"])).stdout).toContain("drained");
  stopping.kill("SIGINT");
  const { code, stderr } = await stopping.ended;
  expect(code).toBe(130);
  expect(stderr).toContain("Drained until somebody says fleetkeeper resume NAME: training.");
  expect(stderr).toContain("The stop is written down, but no agent runs");
  expect((await on.run(["status"])).stdout).toContain("drained");
  on.simulator.control.faults.clear();
  // Whoever keeps the account next carries it out.
  await on.run(["agent", "--once"]);
  await until("nothing lives", () => alive(on).length === 0);
  expect(on.simulator.truth().launches).toHaveLength(2);
});

test("a key that the service refuses keeps no drain from being in force", async () => {
  const on = await twoRun();
  const refused = await on.run(STOP_ALL, { FLEETKEEPER_API_KEY: "another" });
  expect(refused.code).toBe(2);
  expect(refused.stderr).toContain("Drained until somebody says fleetkeeper resume NAME: training.");
  expect((await on.run(["status"])).stdout).toContain("drained");
  expect(alive(on)).toHaveLength(2);
});

test("pause and drain work on the ledger alone, and say that no agent acts on it", async () => {
  const on = await twoRun();
  const offline = {
    FLEETKEEPER_BASE_URL: undefined,
    FLEETKEEPER_API_KEY: undefined,
    FLEETKEEPER_PROFILE: undefined,
  };
  const paused = await on.run(["pause", "training"], offline);
  expect(paused).toMatchObject({
    code: 0,
    stderr: "",
    stdout: expect.stringContaining("training is paused"),
  });
  expect(paused.stdout).toContain("No agent runs now; the next one keeps to it.");
  on.simulator.control.interrupt(alive(on)[0]?.id ?? "", { now: true });
  await on.run(["agent", "--once"]);
  expect(on.simulator.truth().launches).toHaveLength(2);
  expect((await on.run(["pause", "nope"], offline)).stderr).toContain("there are: training");

  const asked = await on.run(["drain", "training"], offline);
  expect(asked).toMatchObject({ code: 2, stderr: expect.stringContaining("Say --yes") });
  const drained = await on.run(["drain", "training", "--yes"], offline);
  expect(drained.stdout).toContain("training drains");
  expect(drained.stdout).toContain("No agent runs that stops them");
  await on.run(["agent", "--once"]);
  await until("nothing lives", () => alive(on).length === 0);
  expect((await on.run(["resume", "training"], offline)).stdout).toContain("training is kept");
  await on.run(["agent", "--once"]);
  expect(on.simulator.truth().launches).toHaveLength(4);
});
