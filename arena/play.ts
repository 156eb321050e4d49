import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { env } from "node:process";
import { setTimeout as sleep } from "node:timers/promises";
import type { CatalogueOffer } from "../simulator/index.ts";
import { type Simulation, startSimulation } from "../simulator/simulation.ts";
import { type Books, booksOf } from "./books.ts";
import type { Scenario } from "./scenarios.ts";

/** A program that keeps GPUs. docs/how/arena.md says what it is given. */
export interface Client {
  readonly name: string;
  /** For a shell. */
  readonly command: string;
}

/** So long may a machine that is wanted no more live on, in seconds of the service; what is longer is too much. */
const GRACE = 180;
/** So long a client has at the end to stop all. */
const AFTERWARDS = 600;

/** Plays one scenario against a service of its own, then ends the client. `speed`: seconds of the service in one. */
export async function playOne(
  client: Client,
  scenario: Scenario,
  speed: number,
  signal: AbortSignal,
): Promise<Books> {
  const folder = mkdtempSync(join(tmpdir(), "arena-"));
  const simulation = await startSimulation({ speed, seed: scenario.name, balance: "100000.0000" });
  const { simulator, offers } = simulation;
  const offer = offers[0] as CatalogueOffer;
  simulator.control.setCapacity(offer, 1000);
  const wanted: { at: number; gpus: number }[] = [];
  const want = (gpus: number): void => {
    wanted.push({ at: simulator.truth().now, gpus });
    writeFileSync(join(folder, "wanted"), `${gpus}\n`);
    writeFileSync(join(folder, "fleet.yaml"), fleetFile(gpus, offer));
  };
  const began = simulator.truth().now;
  const reach = async (second: number): Promise<void> => {
    const left = (began + second * 1000 - simulator.truth().now) / speed;
    if (left > 0) await sleep(left, undefined, { signal });
  };
  let child: ChildProcess | undefined;
  try {
    for (const { at, wants, happens } of [...scenario.steps, { at: scenario.endsAt, wants: 0 }]) {
      await reach(at);
      happens?.(simulation);
      if (wants !== undefined) want(wants);
      child ??= start(client, folder, simulation, offer, speed);
    }
    await reach(scenario.endsAt + AFTERWARDS);
    const truth = simulator.truth();
    return booksOf(truth, wanted, truth.now, GRACE * 1000);
  } finally {
    if (child) end(child);
    await simulation.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A group of its own: what the shell started ends with it. */
function start(
  { command }: Client,
  folder: string,
  { url, apiKey, profilePath }: Simulation,
  { offer, provider, location }: CatalogueOffer,
  speed: number,
): ChildProcess {
  return spawn("/bin/sh", ["-c", command], {
    cwd: folder,
    env: {
      ...{ PATH: env.PATH, HOME: folder },
      ...{ ARENA_URL: url, ARENA_API_KEY: apiKey, ARENA_PROFILE: profilePath, ARENA_SPEED: `${speed}` },
      ...{ ARENA_OFFER: offer, ARENA_PROVIDER: provider, ARENA_LOCATION: location },
    },
    stdio: ["ignore", "ignore", "inherit"],
    detached: true,
  });
}

/** Also what a client that ended by itself has left behind. */
function end({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // Nothing is left.
  }
}

function fleetFile(count: number, { offer, provider, location, gpus }: CatalogueOffer): string {
  const candidate = JSON.stringify({ offer, provider, location, gpus });
  return `fleets:\n  - name: arena\n    gpus: ${count}\n    candidates: [${candidate}]\n`;
}
