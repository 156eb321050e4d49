import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { runCli } from "../../agent/cli/program.ts";
import manifest from "../../package.json" with { type: "json" };
import type { Simulator, SimulatorOptions } from "../../simulator/index.ts";
import { createSimulator, dialectProfilePath } from "../../simulator/index.ts";
import { StoppableClock } from "../support/stoppable-clock.ts";
import { heldToSchema } from "./held-to-schema.ts";

/** A key that stands nowhere by chance: it must never be printed. */
export const KEY = "sk-live-Zq81-never-print-me";

/** The protocol's times as a test can wait for them; the service lives 60 seconds in one. */
const PROTOCOL = { poll: 1000, settle: 800, postTimeout: 30_000, gone: 400 };
const SPEED = 60;

export interface Run {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** Both. */
  readonly said: string;
}

interface Running {
  readonly ended: Promise<Run>;
  /** Resolves when standard output holds this text, with all of it so far. */
  shows(text: string): Promise<string>;
  /** Resolves when standard error holds this text, with all of it so far. */
  tells(text: string): Promise<string>;
  kill(signal: NodeJS.Signals): void;
  /** Whoever read what it says goes away, as `head` does. */
  leave(): void;
}

export interface Place {
  readonly simulator: Simulator;
  readonly clock: StoppableClock;
  readonly url: string;
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
  /** Writes a file into the folder where commands run. */
  write(name: string, content: string): void;
  /** Calls the command in this process, in the folder: a process of its own takes half a second to load the sources. */
  run(args: readonly string[], env?: Readonly<Record<string, string | undefined>>): Promise<Run>;
  /** Starts a process of its own. `output`: where all goes that it says, if nobody here reads it. */
  start(
    args: readonly string[],
    env?: Readonly<Record<string, string | undefined>>,
    output?: number,
  ): Running;
}

/** A folder of its own, a simulated service on the loopback, and an environment that points to it. */
export async function place(options: Omit<SimulatorOptions, "clock"> = {}): Promise<Place> {
  const folder = mkdtempSync(join(tmpdir(), "fleetkeeper-cli-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const clock = new StoppableClock(SPEED);
  const simulator = createSimulator({ apiKey: KEY, seed: 7, clock, ...options });
  onTestFinished(() => simulator.close());
  const { url } = await simulator.listen();
  const dialect = typeof options.dialect === "string" ? options.dialect : "plain";
  const env = {
    FLEETKEEPER_BASE_URL: url,
    FLEETKEEPER_API_KEY: KEY,
    FLEETKEEPER_PROFILE: dialectProfilePath(dialect),
    FLEETKEEPER_LEDGER: join(folder, "ledger.db"),
    FLEETKEEPER_ACCOUNT: "exclusive",
    FLEETKEEPER_PROTOCOL: JSON.stringify(PROTOCOL),
    FLEETKEEPER_LOG_FORMAT: "text",
  };
  const start: Place["start"] = (args, more = {}, output) =>
    startCli(args, folder, { ...env, ...more }, output);
  return {
    simulator,
    clock,
    url,
    folder,
    env,
    write: (name, content) => writeFileSync(join(folder, name), content),
    run: (args, more) => callCli(args, folder, { ...env, ...more }),
    start,
  };
}

export async function callCli(
  args: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string | undefined>>,
  person?: string,
): Promise<Run> {
  const before = process.cwd();
  const texts = { stdout: "", stderr: "" };
  process.chdir(cwd);
  try {
    const code = await runCli([...args], manifest.version, {
      environment: environmentOf(env),
      person,
      signal: new AbortController().signal,
      print: (text) => {
        texts.stdout += `${text}\n`;
      },
      tell: (text) => {
        texts.stderr += `${text}\n`;
      },
      color: false,
      terminal: false,
    });
    if (args.includes("--json")) heldToSchema(args, texts.stdout);
    return { code, ...texts, said: texts.stdout + texts.stderr };
  } finally {
    process.chdir(before);
  }
}

function environmentOf(env: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const { PATH, HOME, NODE_COMPILE_CACHE, RUN_OF_TESTS } = process.env;
  const given = Object.entries({ PATH, HOME, NODE_COMPILE_CACHE, RUN_OF_TESTS, ...env });
  return Object.fromEntries(given.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));
}

const CLI = join(import.meta.dirname, "..", "..", "agent", "cli", "entry.ts");

function startCli(
  args: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string | undefined>>,
  output: number | "pipe" = "pipe",
): Running {
  const child = spawn(process.execPath, [CLI, ...args], {
    cwd,
    env: environmentOf(env),
    stdio: ["ignore", output, output],
  });
  const texts = { stdout: "", stderr: "" };
  const watchers = new Set<() => void>();
  for (const stream of ["stdout", "stderr"] as const) {
    child[stream]?.setEncoding("utf8").on("data", (text: string) => {
      texts[stream] += text;
      for (const watch of watchers) watch();
    });
  }
  const ended = new Promise<Run>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => resolve({ code, ...texts, said: texts.stdout + texts.stderr }));
  });
  onTestFinished(async () => {
    if (child.exitCode === null && child.signalCode === null) child.kill("SIGKILL");
    await ended;
  });
  const comes = (stream: "stdout" | "stderr", text: string): Promise<string> =>
    new Promise((resolve, reject) => {
      const watch = (): void => {
        if (texts[stream].includes(text)) resolve(texts[stream]);
      };
      watchers.add(watch);
      watch();
      void ended.then(() => reject(new Error(`ended without "${text}": ${texts.stdout}${texts.stderr}`)));
    });
  return {
    ended,
    kill: (signal) => child.kill(signal),
    leave: () => {
      child.stdout?.destroy();
      child.stderr?.destroy();
    },
    shows: (text) => comes("stdout", text),
    tells: (text) => comes("stderr", text),
  };
}

/** The dialect's profile, changed for the client alone: the environment that names it. */
export function withProfile(
  on: Place,
  alter: (profile: string) => string,
): Readonly<Record<string, string | undefined>> {
  const before = readFileSync(on.env.FLEETKEEPER_PROFILE ?? "", "utf8");
  const after = alter(before);
  if (after === before) throw new Error("the profile was not changed");
  on.write("altered.profile.yaml", after);
  return { FLEETKEEPER_PROFILE: join(on.folder, "altered.profile.yaml") };
}

/** Waits for something that the simulated service will come to. */
export async function until(what: string, isSo: () => boolean): Promise<void> {
  for (let tries = 0; tries < 10_000; tries++) {
    if (isSo()) return;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  throw new Error(`never came: ${what}`);
}

/** Machines that live, by the service's own books. */
export function alive({ simulator }: Place) {
  return simulator.truth().machines.filter(({ endedAt }) => endedAt === null);
}

export function running(on: Place): number {
  return alive(on).filter(({ states }) => states.at(-1)?.state === "running").length;
}

/** 16 GPUs in two machines of the simulator's own catalogue. */
export const FLEET = `fleets:
  - name: training
    gpus: 16
    candidates:
      - { offer: h100-80gb-x8, provider: aurora, location: fi-hel, gpus: 8 }
`;
