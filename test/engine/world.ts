import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { Readable } from "node:stream";
import { parseDocument } from "yaml";
import type { Ledger, Rows } from "../../ledger/index.ts";
import { openSqliteLedger } from "../../ledger/index.ts";
import {
  createSimulator,
  type DialectName,
  dialectProfilePath,
  type Simulator,
  type TruthMachine,
} from "../../simulator/index.ts";
import { StoppableClock } from "../support/stoppable-clock.ts";
import { Project, pulumi } from "./engine.ts";

/** Found anywhere it does not belong, it fails a test. */
export const CANARY = "canary-key-5e1f";

export const H100 = { offer: "h100-80gb-x1", provider: "aurora", location: "fi-hel" };
export const A100 = { offer: "a100-80gb-x1", provider: "cirrus", location: "us-east" };
export const L40S = { offer: "l40s-48gb-x1", provider: "dune", location: "us-west" };

/** What a program is to make, by name: see the fixture. */
export type Wishes = Readonly<Record<string, object>>;

/** Has the program in this folder make what is wished for. */
export type Tell = (folder: string, wishes: Wishes, stack: string) => void;

/** A Pulumi program from test/engine/fixtures, configured for a service of its own. */
export class World {
  readonly simulator: Simulator;
  readonly project: Project;
  readonly clock: StoppableClock;

  readonly #fixture: string;
  readonly #url: string;
  readonly #tell: Tell;

  private constructor(
    fixture: string,
    simulator: Simulator,
    project: Project,
    clock: StoppableClock,
    url: string,
    tell: Tell,
  ) {
    this.#fixture = fixture;
    this.simulator = simulator;
    this.project = project;
    this.clock = clock;
    this.#url = url;
    this.#tell = tell;
  }

  /** `tell`: for a program that does not read its wishes from its configuration. The fixture's folder is its project's name. */
  static async create(
    fixture: string,
    dialect: DialectName = "plain",
    tell: Tell = inConfiguration(fixture),
  ): Promise<World> {
    const clock = new StoppableClock();
    const simulator = createSimulator({
      clock,
      apiKey: CANARY,
      dialect,
      settings: {
        initializingSeconds: [0.1, 0.1],
        provisioningSeconds: [0.3, 0.3],
        connectingSeconds: [0.1, 0.1],
        stoppingSeconds: [0.3, 0.3],
      },
    });
    const { url } = await simulator.listen();
    const project = new Project(new URL(`./fixtures/${fixture}/`, import.meta.url));
    for (const name of Object.keys(project.env)) {
      if (/^FLEETKEEPER_(?!PULUMI)/.test(name)) delete project.env[name];
    }
    project.env.FLEETKEEPER_PROTOCOL = JSON.stringify({
      ...{ poll: 200, settle: 1_000, postTimeout: 20_000, gone: 500 },
    });
    // Paths are relative to the program's folder.
    copyFileSync(dialectProfilePath(dialect), path.join(project.folder, "service.profile.yaml"));
    await project.succeed("stack", "init", "dev");
    await project.succeed(
      ...["config", "set-all"],
      ...["--plaintext", `fleetkeeper:baseUrl=${url}`],
      ...["--plaintext", "fleetkeeper:profile=service.profile.yaml"],
      ...["--plaintext", "fleetkeeper:ledger=ledger.db"],
      ...["--plaintext", "fleetkeeper:account=exclusive"],
      ...["--secret", `fleetkeeper:apiKey=${CANARY}`],
    );
    return new World(fixture, simulator, project, clock, url, tell);
  }

  async want(wishes: Wishes, stack = "dev"): Promise<void> {
    this.#tell(this.project.folder, wishes, stack);
  }

  up(...args: readonly string[]): Promise<string> {
    return this.project.succeed("up", "--yes", "--skip-preview", ...args);
  }

  /** An `up` that must fail: all that it printed. */
  async failingUp(): Promise<string> {
    const { code, stdout, stderr } = await this.project.pulumi("up", "--yes", "--skip-preview");
    if (code === 0) throw new Error(`pulumi up succeeded:\n${stdout}`);
    return stdout + stderr;
  }

  async destroy(): Promise<string> {
    return this.project.succeed("destroy", "--yes", "--skip-preview");
  }

  /** What the program says of its resources, as the state has it: `stack output` would decrypt secrets, too. */
  async outputs(of = "dev"): Promise<Record<string, never>> {
    const stack = (await this.state(of)).find(({ type }) => type === "pulumi:pulumi:Stack");
    return stack?.outputs?.resources as Record<string, never>;
  }

  async allOutputs(): Promise<Record<string, unknown>> {
    return JSON.parse(await this.project.succeed("stack", "output", "--json", "--show-secrets"));
  }

  /** The resources in the state. */
  async state(stack = "dev"): Promise<readonly StateResource[]> {
    return JSON.parse(readFileSync(this.#stateFile(stack), "utf8")).checkpoint.latest.resources ?? [];
  }

  /** Puts others in their place. */
  putState(resources: readonly StateResource[], stack = "dev"): void {
    const state = JSON.parse(readFileSync(this.#stateFile(stack), "utf8"));
    state.checkpoint.latest.resources = resources;
    writeFileSync(this.#stateFile(stack), JSON.stringify(state));
  }

  #stateFile(stack: string): string {
    return path.join(this.project.folder, ".state/.pulumi/stacks", this.#fixture, `${stack}.json`);
  }

  machines(): readonly TruthMachine[] {
    return this.simulator.truth().machines;
  }

  alive(): readonly string[] {
    return this.machines().flatMap(({ id, endedAt }) => (endedAt === null ? [id] : []));
  }

  /** Starts `pulumi up` and leaves it. */
  start(stack = "dev"): Update {
    const args = ["up", "--yes", "--skip-preview", "--non-interactive", "--color=never", "--stack", stack];
    const stdio = ["ignore", "pipe", "pipe"] as const;
    const engine = spawn(pulumi!, args, {
      cwd: this.project.folder,
      env: this.project.env,
      stdio: [...stdio],
    });
    let said = "";
    for (const stream of [engine.stdout, engine.stderr])
      stream?.on("data", (chunk) => {
        said += chunk;
      });
    // Of the engine alone: a host that outlives it keeps the pipes open.
    return { engine, ended: new Promise((resolve) => engine.on("exit", resolve)), said: () => said };
  }

  /** `fleetkeeper agent` on the ledger of the stack, until it is killed. */
  startAgent(...flags: readonly string[]): ChildProcess {
    return this.agentWith({}, ...flags);
  }

  /** The same, with more in its environment. */
  agentWith(more: NodeJS.ProcessEnv, ...flags: readonly string[]): ChildProcess {
    const { FLEETKEEPER_PROTOCOL } = this.project.env;
    // Without HOME a process takes the home of whoever runs it.
    const { PATH, HOME, NODE_COMPILE_CACHE, RUN_OF_TESTS } = process.env;
    const args = [
      ...[path.join(import.meta.dirname, "../../agent/cli/entry.ts"), "agent"],
      ...(flags.includes("--http") ? [] : ["--no-http"]),
      ...["--base-url", this.#url, "--profile", "service.profile.yaml", "--ledger", "ledger.db", ...flags],
    ];
    return spawn(process.execPath, args, {
      cwd: this.project.folder,
      env: {
        ...{ PATH, HOME, NODE_COMPILE_CACHE, RUN_OF_TESTS },
        FLEETKEEPER_PROTOCOL,
        FLEETKEEPER_API_KEY: CANARY,
        FLEETKEEPER_ACCOUNT: "exclusive",
        ...more,
      },
      stdio: ["ignore", "pipe", "pipe"],
    });
  }

  /** An agent that keeps the account of the ledger. Whoever asks for it ends it. */
  async keptByAgent(more: NodeJS.ProcessEnv = {}): Promise<ChildProcess> {
    const agent = this.agentWith(more);
    await once(agent.stdout as Readable, "data");
    // It has opened the ledger; it keeps the account from its first beat on.
    await until(async () => (await this.rows()).account.agent !== null);
    return agent;
  }

  /** A file beside the program. Gives its path. */
  write(name: string, content: string): string {
    const file = path.join(this.project.folder, name);
    writeFileSync(file, content);
    return file;
  }

  rows(): Promise<Rows> {
    return this.#read((ledger, account) => ledger.read(account));
  }

  /** The kinds of what the stack decided by the ledger's events, the newest first. */
  async decided(): Promise<readonly string[]> {
    const events = await this.#read((ledger, account) => ledger.events(account, 1_000));
    const actor = `stack:${this.#fixture}/dev`;
    return events.filter((each) => each.actor === actor).map(({ kind }) => kind);
  }

  async #read<T>(ask: (ledger: Ledger, account: string) => Promise<T>): Promise<T> {
    const file = path.join(this.project.folder, "ledger.db");
    const ledger = openSqliteLedger({ path: file, newId: "unused", now: Date.now() });
    try {
      const [account] = await ledger.accounts();
      return await ask(ledger, account!.key);
    } finally {
      ledger.close();
    }
  }

  /** The process that sent the newest launch: the host of dynamic providers. */
  async hostOfLaunch(): Promise<number> {
    return (await this.rows()).intents.at(-1)!.sender.pid;
  }

  async close(): Promise<void> {
    await this.simulator.close();
    this.project.remove();
  }
}

/** As `pulumi config set` writes it, without its process. */
function inConfiguration(project: string): Tell {
  return (folder, wishes, stack) => {
    const file = path.join(folder, `Pulumi.${stack}.yaml`);
    const settings = parseDocument(readFileSync(file, "utf8"));
    settings.setIn(["config", `${project}:resources`], JSON.stringify(wishes));
    writeFileSync(file, String(settings));
  };
}

export interface Update {
  readonly engine: ChildProcess;
  readonly ended: Promise<unknown>;
  /** What it has printed so far. At its end some of it may still be in the pipes. */
  said(): string;
}

export interface StateResource {
  readonly urn: string;
  readonly type: string;
  readonly id?: string;
  readonly inputs?: Readonly<Record<string, unknown>>;
  readonly outputs?: Readonly<Record<string, unknown>>;
}

/** Waits for something that other processes bring about, for as long as a busy machine may take for it. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 240_000;
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error(`it did not happen within 4 minutes: ${condition}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
