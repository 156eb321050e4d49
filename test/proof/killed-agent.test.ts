import type { ChildProcess } from "node:child_process";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer, request as send } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { peakAlive } from "../../simulator/index.ts";
import type { Simulation } from "../../simulator/simulation.ts";
import { startSimulation } from "../../simulator/simulation.ts";

/**
 * The real agent, a real ledger file and real sockets: SIGKILL at a commit, or while its POST is under way, and a new
 * agent after it. The proof in simulated time kills at every effect; this shows that nothing was lost in the simulation.
 */

const CLI = resolve("agent/cli.ts");
const KILLER = resolve("test/proof/kill-at.ts");
/** Commits from the opening of the ledger to the machine's first `running`; a later one is past all that is of interest. */
const COMMITS = 26;
/** From the first look at the fleet file to after the call that stops its machine. */
const COMMITS_OF_STOP = { first: 5, last: 16 };
/** The commits around a POST without an answer and around what resolves it. */
const COMMITS_OF_LOST = { first: 10, last: 22 };
const PROTOCOL = { poll: 200, settle: 800, postTimeout: 2_000, gone: 500 };
const scratch = mkdtempSync(join(tmpdir(), "killed-agent-"));
const children = new Set<ChildProcess>();

afterAll(() => {
  for (const child of children) child.kill("SIGKILL");
  rmSync(scratch, { recursive: true, force: true });
});

function pointsOf(first: number, last: number): readonly string[] {
  const commits = Array.from({ length: last - first + 1 }, (_, index) => first + index);
  return commits.flatMap((commit) => [`${commit} before`, `${commit} after`]);
}

describe.concurrent("SIGKILL", { timeout: 180_000 }, () => {
  test.each(pointsOf(1, COMMITS))(
    "killed at commit %s: one machine in the end, and never two",
    async (point) => killedAt(point, await prepare()),
  );

  test.each(pointsOf(COMMITS_OF_LOST.first, COMMITS_OF_LOST.last))(
    "killed at commit %s, with an answer that was lost: one machine in the end, and never two",
    async (point) => {
      const scene = await prepare();
      scene.simulation.simulator.control.faults.next("launch", { kind: "dropAfter" });
      await killedAt(point, scene);
    },
  );

  test.each(pointsOf(COMMITS_OF_STOP.first, COMMITS_OF_STOP.last))(
    "killed at commit %s of a scale-down: the machine is stopped in the end, and no other is rented",
    async (point) => {
      const scene = await prepare();
      const { simulation } = scene;
      const first = scene.start(simulation.url, {}, []);
      await until(() => aliveOf(simulation).join() === "running");
      first.kill("SIGINT");
      await ended(first);
      scene.want(0);
      const killed = scene.start(simulation.url, { KILL_AT: point }, ["--import", KILLER]);
      await ended(killed);
      expect(killed.signalCode).toBe("SIGKILL");
      const last = scene.start(simulation.url, {}, []);
      await until(() => aliveOf(simulation).length === 0);
      await lists(simulation, 20);
      last.kill("SIGINT");
      await ended(last);
      expect(simulation.simulator.truth().machines).toHaveLength(1);
      await simulation.close();
    },
  );

  test.each([
    ["arrives", false],
    ["has taken effect and is not answered", true],
  ] as const)("killed when its POST %s: one machine in the end, and never two", async (_, takesEffect) => {
    const scene = await prepare();
    const between = await gate(scene.simulation, takesEffect, () => killed.kill("SIGKILL"));
    const killed = scene.start(between.url, {}, []);
    await ended(killed);
    expect(scene.simulation.simulator.truth().machines).toHaveLength(takesEffect ? 1 : 0);
    // The address is part of who an account is: the second agent comes by the same way.
    await oneMachine(scene, between.url);
    await between.close();
  });
});

interface Scene {
  readonly simulation: Simulation;
  /** Writes the fleet file anew. */
  want(gpus: number): void;
  start(url: string, env: Record<string, string>, flags: readonly string[]): ChildProcess;
}

async function prepare(): Promise<Scene> {
  const simulation = await startSimulation({ dialect: "nested", speed: 60, seed: 1 });
  const folder = mkdtempSync(join(scratch, "scene-"));
  const candidate = { offer: "h100-80gb-x1", provider: "aurora", location: "fi-hel", gpus: 1 };
  const want = (gpus: number): void =>
    writeFileSync(
      join(folder, "fleet.yaml"),
      JSON.stringify({ fleets: [{ name: "one", gpus, candidates: [candidate] }] }),
    );
  want(1);
  return {
    simulation,
    want,
    start: (url, env, flags) => {
      const child = spawn(process.execPath, ["--no-warnings", ...flags, CLI, "agent", "--no-http"], {
        cwd: folder,
        stdio: "ignore",
        env: {
          ...process.env,
          FLEETKEEPER_BASE_URL: url,
          FLEETKEEPER_API_KEY: simulation.apiKey,
          FLEETKEEPER_PROFILE: simulation.profilePath,
          FLEETKEEPER_ACCOUNT: "exclusive",
          FLEETKEEPER_LEDGER: join(folder, "ledger.db"),
          FLEETKEEPER_PROTOCOL: JSON.stringify(PROTOCOL),
          ...env,
        },
      });
      children.add(child);
      return child;
    },
  };
}

async function killedAt(point: string, scene: Scene): Promise<void> {
  const killed = scene.start(scene.simulation.url, { KILL_AT: point }, ["--import", KILLER]);
  await ended(killed);
  expect(killed.signalCode).toBe("SIGKILL");
  await oneMachine(scene, scene.simulation.url);
}

async function oneMachine({ simulation, start }: Scene, url: string): Promise<void> {
  const agent = start(url, {}, []);
  await until(() => aliveOf(simulation).join() === "running");
  // Whatever is still believed to be open would be tried again within this many lists.
  await lists(simulation, 20);
  expect(aliveOf(simulation)).toEqual(["running"]);
  expect(peakAlive(simulation.simulator.truth()).count).toBe(1);
  agent.kill("SIGINT");
  await ended(agent);
  await simulation.close();
}

/** The states of the machines that are not over, by the simulator's truth. */
function aliveOf({ simulator }: Simulation): readonly string[] {
  return simulator
    .truth()
    .machines.filter(({ endedAt }) => endedAt === null)
    .map(({ states }) => states.at(-1)?.state ?? "");
}

/** Waits for this many more lists. */
async function lists({ simulator }: Simulation, count: number): Promise<void> {
  const before = simulator.truth().requests.deployments;
  await until(() => simulator.truth().requests.deployments > before + count);
}

/** Ends with the test's own time limit. */
async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 100));
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
  children.delete(child);
}

/** A relay that calls `onPost` at the first POST, before or after the service saw it, and lets that one go unanswered. */
async function gate(simulation: Simulation, forward: boolean, onPost: () => void) {
  let met = false;
  const relay = (
    incoming: IncomingMessage,
    outgoing: ServerResponse,
    answered: (answer: IncomingMessage) => void,
  ): void => {
    const { method, url, headers } = incoming;
    const onward = send(new URL(url ?? "/", simulation.url), { method: method ?? "GET", headers }, answered);
    onward.on("error", () => outgoing.destroy());
    incoming.pipe(onward);
  };
  const server = createServer((incoming, outgoing) => {
    const first = incoming.method === "POST" && !met;
    if (!first) {
      relay(incoming, outgoing, (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(outgoing);
      });
      return;
    }
    met = true;
    if (forward) relay(incoming, outgoing, onPost);
    else onPost();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
