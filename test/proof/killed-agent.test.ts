import type { ChildProcess } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, expect, test } from "vitest";
import type { KilledAgent } from "../../proof/prove/killed.ts";
import { chosenWays, KILLED_AGENT } from "../../proof/prove/killed.ts";
import type { SettingsInput } from "../../simulator/index.ts";
import type { Simulation } from "../../simulator/simulation.ts";
import { startSimulation } from "../../simulator/simulation.ts";
import { ended, fewestMoments, killAt, momentsOf, NotMet, playEach, spawnKillable } from "./killable.ts";

/**
 * The real agent, a real ledger file and real sockets: SIGKILL around every commit, launch and stop, and a new agent after
 * it. Judged by the simulator's truth. The proof in simulated time kills at every effect; this shows that nothing was lost in the simulation.
 */

const CLI = resolve("agent/cli/entry.ts");
const PROTOCOL = { poll: 500, settle: 800, postTimeout: 2_000, gone: 500 };
/** In two lists it runs, or is over: whatever is waited for longer stores nothing but when the last list was. */
const SETTINGS: SettingsInput = {
  initializingSeconds: [0, 0],
  provisioningSeconds: [0, 0],
  connectingSeconds: [0.25, 0.25],
  stoppingSeconds: [0.75, 0.75],
};
const scratch = mkdtempSync(join(tmpdir(), "killed-agent-"));

afterAll(() => rmSync(scratch, { recursive: true, force: true }));

interface Way {
  readonly name: KilledAgent;
  readonly answerIsLost?: true;
  /** The machine runs, and is not wanted any more. */
  readonly isStopped?: true;
}

const WAYS: Readonly<Record<KilledAgent, Omit<Way, "name">>> = {
  "a launch": {},
  "a launch whose answer is lost": { answerIsLost: true },
  "a scale-down": { isStopped: true },
};

test.each(chosenWays(KILLED_AGENT).map((name): Way => ({ name, ...WAYS[name] })))(
  "an agent killed anywhere in $name: what was asked for in the end, and one machine in all",
  {
    timeout: 900_000,
  },
  async (way) => {
    const moments = await fewestMoments(() => momentsIn(way));
    // Else nobody watched the commits.
    expect(moments.filter((moment) => moment.startsWith("after commit")).length).toBeGreaterThan(3);
    expect(await playEach(`agent, ${way.name}`, moments, (moment) => play(way, moment))).toEqual([]);
  },
);

/**
 * Every moment up to the end at which the agent can be killed, from a run that nothing disturbs; but not those before a commit
 * or a request: they leave what the moment after the last one leaves.
 */
async function momentsIn(way: Way): Promise<readonly string[]> {
  await using scene = await begin(way);
  const agent = scene.start();
  await reached(way, scene);
  await lists(scene, 1);
  return momentsOf(await killAt(agent, "never")).filter((moment) => !moment.startsWith("before"));
}

async function play(way: Way, moment: string): Promise<void> {
  await using scene = await begin(way);
  const killed = scene.start(moment);
  await dies(killed, way, scene);
  expect(killed.signalCode).toBe("SIGKILL");
  scene.start();
  await reached(way, scene);
  // Whatever is still believed to be open would be tried again within this many lists.
  await lists(scene, 8);
  expect(aliveOf(scene)).toEqual(way.isStopped ? [] : ["running"]);
  expect(scene.simulation.simulator.truth().machines).toHaveLength(1);
}

/** Waits until the agent has killed itself. It has not met its moment if it has done all that it was to do. */
async function dies(agent: ChildProcess, way: Way, scene: Scene): Promise<void> {
  const isOver = (): boolean => agent.exitCode !== null || agent.signalCode !== null;
  await reached(way, scene, isOver);
  await lists(scene, 8, isOver);
  if (!isOver()) throw new NotMet("it lived to the end of what it had to do");
}

/** All that comes before the agent that is killed. */
async function begin({ answerIsLost, isStopped }: Way): Promise<Scene> {
  const scene = await openScene();
  if (answerIsLost) scene.simulation.simulator.control.faults.next("launch", { kind: "dropAfter" });
  if (isStopped) {
    const agent = scene.start();
    await until(() => aliveOf(scene).join() === "running");
    agent.kill("SIGINT");
    await ended(agent);
    scene.want(0);
  }
  return scene;
}

async function reached({ isStopped }: Way, scene: Scene, isOver = () => false): Promise<void> {
  await until(() => aliveOf(scene).join() === (isStopped ? "" : "running") || isOver());
}

interface Scene extends AsyncDisposable {
  readonly simulation: Simulation;
  /** Writes the fleet file anew. */
  want(gpus: number): void;
  /** An agent that kills itself at that moment, if one is given. */
  start(killAt?: string): ChildProcess;
}

async function openScene(): Promise<Scene> {
  const simulation = await startSimulation({ dialect: "nested", settings: SETTINGS });
  const folder = mkdtempSync(join(scratch, "scene-"));
  const candidate = { offer: "h100-80gb-x1", provider: "aurora", location: "fi-hel", gpus: 1 };
  const want = (gpus: number): void =>
    writeFileSync(
      join(folder, "fleet.yaml"),
      JSON.stringify({ fleets: [{ name: "one", gpus, candidates: [candidate] }] }),
    );
  want(1);
  const agents: ChildProcess[] = [];
  return {
    simulation,
    want,
    start: (killAt = "never") => {
      const env = {
        ...process.env,
        FLEETKEEPER_BASE_URL: simulation.url,
        FLEETKEEPER_API_KEY: simulation.apiKey,
        FLEETKEEPER_PROFILE: simulation.profilePath,
        FLEETKEEPER_ACCOUNT: "exclusive",
        FLEETKEEPER_LEDGER: join(folder, "ledger.db"),
        FLEETKEEPER_PROTOCOL: JSON.stringify(PROTOCOL),
        NODE_COMPILE_CACHE: join(scratch, "compiled"),
        KILL_AT: killAt,
      };
      const agent = spawnKillable([CLI, "agent", "--no-http"], { cwd: folder, env, stdout: "ignore" });
      agents.push(agent);
      return agent;
    },
    async [Symbol.asyncDispose]() {
      for (const agent of agents) agent.kill("SIGKILL");
      await Promise.all(agents.map(ended));
      await simulation.close();
    },
  };
}

/** The states of the machines that are not over, by the simulator's truth. */
function aliveOf({ simulation }: Scene): readonly string[] {
  return simulation.simulator
    .truth()
    .machines.filter(({ endedAt }) => endedAt === null)
    .map(({ states }) => states.at(-1)?.state ?? "");
}

/** Waits for this many more lists. */
async function lists(
  { simulation: { simulator } }: Scene,
  count: number,
  isOver = () => false,
): Promise<void> {
  const before = simulator.truth().requests.deployments;
  await until(() => simulator.truth().requests.deployments > before + count || isOver());
}

/** Ends with the test's own time limit. */
async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 100));
}
