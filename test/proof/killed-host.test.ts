import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import type { KilledHost } from "../../proof/prove/killed.ts";
import { chosenWays, KILLED_HOST } from "../../proof/prove/killed.ts";
import { peakAlive, type SettingsInput } from "../../simulator/index.ts";
import type { Simulation } from "../../simulator/simulation.ts";
import { startSimulation } from "../../simulator/simulation.ts";
import { fewestMoments, killAt, momentsOf, playEach } from "./killable.ts";
import { ProviderHost } from "./provider-host.ts";
import { Stack } from "./stack.ts";

/**
 * The real host of dynamic providers, a real ledger file and real sockets: SIGKILL around every commit, launch and stop of a
 * command, and the next commands in a new host. Judged by the simulator's truth. With the engine around the host:
 * test/engine/killed-host.test.ts.
 */

const H100 = { offer: "h100-80gb-x1", provider: "aurora", location: "fi-hel" };
const A100 = { offer: "a100-80gb-x1", provider: "cirrus", location: "us-east" };
const PROTOCOL = { poll: 1_000, settle: 1_000, postTimeout: 2_000, gone: 500 };
/**
 * A list right after a launch or a stop sees one state, the next list the following one: so each run has the same commits.
 */
const SETTINGS: SettingsInput = {
  initializingSeconds: [0, 0],
  provisioningSeconds: [0, 0],
  connectingSeconds: [0.5, 0.5],
  stoppingSeconds: [1.5, 1.5],
};
const scratch = mkdtempSync(join(tmpdir(), "killed-host-"));

afterAll(() => rmSync(scratch, { recursive: true, force: true }));

type Command = (scene: Scene, host: ProviderHost) => Promise<void>;

const upOf =
  (wish: typeof H100): Command =>
  ({ stack }, host) =>
    stack.up(host, wish);
const destroy: Command = ({ stack }, host) => stack.destroy(host);
const upAndLose: Command = async (scene, host) => {
  await scene.stack.up(host, H100);
  scene.simulation.simulator.control.interrupt(scene.alive()[0] ?? "", { now: true });
};

interface Way {
  readonly name: KilledHost;
  /** What was before. */
  readonly given?: Command;
  /** The command whose host is killed. */
  readonly command: Command;
  /** The ledger is lost before that. */
  readonly ledgerIsLost?: true;
  /** Machines that it takes in all, and at the same time. */
  readonly machines: number;
  readonly peak: number;
}

const WAYS: Readonly<Record<KilledHost, Omit<Way, "name">>> = {
  up: { command: upOf(H100), machines: 1, peak: 1 },
  "up after an interruption": { given: upAndLose, command: upOf(H100), machines: 2, peak: 1 },
  "up with another offer": { given: upOf(H100), command: upOf(A100), machines: 2, peak: 2 },
  destroy: { given: upOf(H100), command: destroy, machines: 1, peak: 1 },
  "destroy with another ledger": {
    given: upOf(H100),
    command: destroy,
    ledgerIsLost: true,
    machines: 1,
    peak: 1,
  },
};

test.each(chosenWays(KILLED_HOST).map((name): Way => ({ name, ...WAYS[name] })))(
  "the host killed anywhere in pulumi $name: what was asked for, once, and nothing after destroy",
  {
    timeout: 900_000,
  },
  async (way) => {
    const moments = await fewestMoments(() => momentsIn(way));
    // Else nobody watched the commits.
    expect(moments.filter((moment) => moment.startsWith("after commit")).length).toBeGreaterThan(3);
    expect(await playEach(`pulumi ${way.name}`, moments, (moment) => play(way, moment))).toEqual([]);
  },
);

/** Every moment of the command at which its host can be killed, from a run that nothing disturbs. */
async function momentsIn(way: Way): Promise<readonly string[]> {
  await using scene = await Scene.open();
  const host = await begin(way, scene, "never");
  await way.command(scene, host);
  return momentsOf(await killAt(host.process, "never"));
}

/** All that comes before the command, and the host of the command, which will kill itself at that moment. */
async function begin(way: Way, scene: Scene, moment: string): Promise<ProviderHost> {
  const before = await scene.startHost();
  await way.given?.(scene, before);
  const host = way.ledgerIsLost ? await scene.startHost(way) : before;
  await killAt(host.process, moment);
  return host;
}

/**
 * Kills the host of the command at this moment, and throws what is wrong after the next commands. Before and after a commit
 * or a request the ledger and the service are as they were after the last and before the next: so one half of the moments is
 * followed by the same command again, and the other by a destroy at once.
 */
async function play(way: Way, moment: string): Promise<void> {
  await using scene = await Scene.open();
  const killed = await begin(way, scene, moment);
  await killed.diesIn(way.command(scene, killed));
  const host = await scene.startHost(way);
  const again = way.command !== destroy && !moment.startsWith("before");
  if (again) {
    await way.command(scene, host);
    expect(scene.alive()).toEqual(scene.stack.machines);
  }
  await destroy(scene, host);
  expect(scene.alive()).toEqual([]);
  expect(scene.stack.isEmpty).toBe(true);
  const truth = scene.simulation.simulator.truth();
  if (again) expect(truth.machines).toHaveLength(way.machines);
  expect(truth.machines.length).toBeLessThanOrEqual(way.machines);
  expect(peakAlive(truth).count).toBeLessThanOrEqual(way.peak);
}

/** A service, a stack, and the ledgers and hosts of its commands. */
class Scene {
  readonly simulation: Simulation;
  readonly stack = new Stack();
  readonly #folder = mkdtempSync(join(scratch, "scene-"));
  readonly #hosts: ProviderHost[] = [];

  private constructor(simulation: Simulation) {
    this.simulation = simulation;
  }

  static async open(): Promise<Scene> {
    return new Scene(await startSimulation({ dialect: "nested", settings: SETTINGS }));
  }

  async startHost({ ledgerIsLost }: Pick<Way, "ledgerIsLost"> = {}): Promise<ProviderHost> {
    const { url, profilePath, apiKey } = this.simulation;
    const config = {
      "fleetkeeper:baseUrl": url,
      "fleetkeeper:profile": profilePath,
      "fleetkeeper:apiKey": apiKey,
      "fleetkeeper:account": "exclusive",
      "fleetkeeper:ledger": join(this.#folder, ledgerIsLost ? "another.db" : "ledger.db"),
    };
    const host = await ProviderHost.start(config, {
      PATH: process.env.PATH,
      FLEETKEEPER_PROTOCOL: JSON.stringify(PROTOCOL),
      NODE_COMPILE_CACHE: join(scratch, "compiled"),
    });
    this.#hosts.push(host);
    return host;
  }

  /** By the simulator's truth. */
  alive(): readonly string[] {
    const { machines } = this.simulation.simulator.truth();
    return machines.filter(({ endedAt }) => endedAt === null).map(({ id }) => id);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#hosts.map((host) => host.kill()));
    await this.simulation.close();
  }
}
