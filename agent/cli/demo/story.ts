import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { usdText } from "../../../service/contract/money.ts";
import { type Simulation, startSimulation } from "../../../simulator/simulation.ts";
import { type Child, start } from "./child.ts";
import { short } from "./short-ids.ts";
import { type Numbers, numbers, statement } from "./statement.ts";
import { type Wire, wireOf } from "./wire.ts";

/** So many seconds pass in the service in one real second: an hour of GPUs passes in a minute. */
const SPEED = 60;
/** What is asked for. */
export const GPUS = 16;
/** The times of the protocol in ms, shortened as the service's times are. */
const PROTOCOL = { settle: 2_000, postTimeout: 10_000, gone: 1_000 };
/** A step that takes longer than this, and than the pace of the service explains, has failed. */
const PATIENCE_MS = 45_000;

/** What a demo has at hand while it plays. */
export interface Stage {
  readonly simulation: Simulation;
  readonly wire: Wire;
  /** A folder of this run alone. The agent runs in it. */
  readonly folder: string;
  /** Of every process: the simulated service, and nothing of the user's own settings. */
  readonly env: NodeJS.ProcessEnv;
  /** Starts an agent, whose lines are shown. Resolves with its first line. */
  startAgent(): Promise<Child>;
  /** Runs a command to its end. Throws if it fails, with what it printed. */
  run(command: readonly string[], options?: RunOptions): Promise<void>;
  /** Runs fleetkeeper itself. */
  fleetkeeper(args: readonly string[]): Promise<void>;
  until(what: string, holds: () => boolean): Promise<void>;
  /** So many GPUs run, by the service's own books. */
  running(): number;
  note(text: string): void;
}

export interface RunOptions {
  readonly cwd?: string;
  readonly onLine?: (line: string) => void;
}

/** How the GPUs are asked for, which is all that the demos differ in. */
export interface Asking {
  /** Asks for `GPUS` GPUs, and resolves when they run. */
  readonly ask: Act;
  /** Once more: nothing is rented. */
  readonly again: Act;
  /** Everything stops. */
  readonly end: Act;
}

export interface Act {
  readonly title: string;
  readonly play: (stage: Stage, agent: Child) => Promise<Child | undefined>;
}

export interface StoryOptions {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
  /** The folder where that of this run is made. */
  readonly parent: string;
  /** What starts fleetkeeper: an executable, and its first arguments. */
  readonly self: readonly string[];
  /** The wire that the service speaks: a file, or the name of a profile that ships. */
  readonly profile?: string | undefined;
  /** Prints one line or more. */
  readonly print: (text: string) => void;
}

/**
 * The whole story on one machine: the simulated service, an agent in a process of its own, and everything that goes
 * wrong in a GPU cloud. Every number at the end comes from the service's own books. Throws if the story does not come
 * to its end, or if the end is not what was promised.
 */
export async function playStory(asking: Asking, options: StoryOptions): Promise<void> {
  const begun = Date.now();
  const folder = mkdtempSync(join(options.parent, "fleetkeeper-demo-"));
  const closing: (() => unknown)[] = [() => rmSync(folder, { recursive: true, force: true })];
  try {
    await play(asking, options, folder, (close) => closing.push(close), begun);
  } finally {
    for (const close of closing.reverse()) await close();
  }
}

async function play(
  asking: Asking,
  { environment, signal, self, profile, print }: StoryOptions,
  folder: string,
  onClose: (close: () => unknown) => void,
  begun: number,
): Promise<void> {
  let steps = 0;
  const step = (text: string): void => {
    steps += 1;
    print(`\n${steps}. ${text}`);
  };
  const note = (text: string): void => print(`   ${text}`);
  const show = (what: string, value: number): void =>
    print(`   ${what.padEnd(48)} ${String(value).padStart(4)}`);

  const spoken = profile === undefined ? {} : { profile };
  const simulation = await startSimulation({ speed: SPEED, ...spoken, seed: 20, balance: "500.0000" });
  onClose(() => simulation.close());
  const { control, truth } = simulation.simulator;
  const wire = wireOf(simulation);
  const env = settings(simulation, wire, folder, environment);
  const running = (): number => gpusRunning(simulation);
  const until = (what: string, holds: () => boolean): Promise<void> =>
    patiently(what, holds, signal, PATIENCE_MS + 10 * (wire.launchEvery + wire.poll));
  const run: Stage["run"] = (command, { cwd = folder, onLine } = {}) =>
    toItsEnd(command, { cwd, env, signal, ...(onLine ? { onLine } : {}) });
  const startAgent = async (): Promise<Child> => {
    const agent = await listening([...self, "agent", "--no-http"], folder, env, (line) =>
      print(`      agent | ${short(line)}`),
    );
    onClose(() => agent.stop());
    return agent;
  };
  const stage: Stage = {
    ...{ simulation, wire, folder, env, startAgent, run, until, running, note },
    fleetkeeper: (args) => run([...self, ...args], { onLine: (line) => print(`fleetkeeper | ${line}`) }),
  };

  step("A GPU service of our own: simulated, 60 times as fast as real time, nothing costs anything");
  const start = usdText(truth().accounts[0]?.balance);
  note(
    `${simulation.url}, balance ${start} ${wire.currency}, and no request can say that it repeats another one`,
  );
  if (profile !== undefined) {
    note(`it speaks by ${profile}; settings and parameters are examples, and any others would do here`);
    wire.differs.forEach(note);
  }

  step("The agent: it keeps what it is asked for");
  if (wire.serviceLines.length > 0)
    writeFileSync(join(folder, "fleet.yaml"), [...wire.serviceLines, "fleets: []\n"].join("\n"));
  let agent = await startAgent();

  step(asking.ask.title);
  const cooled = cheapest(wire, 8);
  control.cooldown(cooled, 1800);
  control.setCapacity(cheapest(wire, 4), 10);
  note(`the cheapest combination is cooling down: ${cooled.offer} @ ${cooled.provider}/${cooled.location}`);
  control.faults.next("launch", { kind: "dropAfter" }, { skip: 1 });
  note("and one launch will take effect, but its answer will be lost on the way back");
  await asking.ask.play(stage, agent);
  show("GPUs running", running());

  step("A provider loses a machine. No mail is sent; the service itself notices at its next health check");
  const [victim] = alive(simulation);
  if (!victim) throw new Error("nothing runs that could be interrupted");
  control.interrupt(victim.id);
  note(`lost: ${short(victim.id)}`);
  await until("the interruption shows", () => !alive(simulation).some(({ id }) => id === victim.id));
  await until("a replacement runs", () => running() >= GPUS);
  show("GPUs running", running());

  if (wire.shows.halted) {
    step("A machine halts: it serves nothing, and bills on until somebody stops it");
    const [halting] = alive(simulation);
    if (!halting) throw new Error("nothing runs that could halt");
    control.halt(halting.id);
    note(`halted: ${short(halting.id)}`);
    await until(
      "the halted machine is stopped",
      () => !alive(simulation).some(({ id }) => id === halting.id),
    );
    await until("a replacement runs", () => running() >= GPUS);
    show("GPUs running", running());
  }

  step(asking.again.title);
  agent = (await asking.again.play(stage, agent)) ?? agent;

  step("The statement of money, from the service's own books");
  print(statement(truth(), wire.currency));

  if (wire.shows.stop) {
    step(asking.end.title);
    await asking.end.play(stage, agent);
    await until("everything has ended", () => alive(simulation).length === 0);
  }

  step("The numbers that matter");
  const all = numbers(truth(), GPUS);
  conclude(all, wire, show);
  const seconds = ((Date.now() - begun) / 1000).toFixed(0);
  print(
    `\n   ${seconds} s. A client that sends again what was not answered would have paid for ${all.unanswered} machine more.`,
  );
  if (all.duplicates > 0 || (wire.shows.stop && all.running > 0) || all.mostGpus > GPUS)
    throw new Error("that is not what was promised");
}

/** Keeps the demo away from the user's own service, ledger and Pulumi: nothing of them is read or changed. */
function settings(
  simulation: Simulation,
  { poll }: Wire,
  folder: string,
  environment: StoryOptions["environment"],
): NodeJS.ProcessEnv {
  const inherited = Object.entries(environment).filter(
    ([name]) => !/^FLEETKEEPER_/.test(name) && name !== "PULUMI_ACCESS_TOKEN",
  );
  return {
    ...Object.fromEntries(inherited),
    FLEETKEEPER_BASE_URL: simulation.url,
    FLEETKEEPER_API_KEY: simulation.apiKey,
    FLEETKEEPER_PROFILE: simulation.profilePath,
    FLEETKEEPER_LEDGER: join(folder, "ledger.db"),
    FLEETKEEPER_ACCOUNT: "exclusive",
    FLEETKEEPER_PROTOCOL: JSON.stringify({ poll, ...PROTOCOL }),
    FLEETKEEPER_LOG_FORMAT: "text",
  };
}

/** Starts a process, and resolves when it has printed a line. Throws if it ends before. */
async function listening(
  [command = "", ...args]: readonly string[],
  cwd: string,
  env: NodeJS.ProcessEnv,
  onLine: (line: string) => void,
): Promise<Child> {
  const { promise: isReady, resolve: ready } = Promise.withResolvers<undefined>();
  const child = start(command, args, {
    ...{ cwd, env },
    onLine: (line) => {
      onLine(line);
      ready(undefined);
    },
  });
  const code = await Promise.race([isReady, child.ended]);
  if (code !== undefined) throw new Error(`the agent ended with ${code}`);
  return child;
}

async function toItsEnd(
  [command = "", ...args]: readonly string[],
  options: RunOptions & {
    readonly cwd: string;
    readonly env: NodeJS.ProcessEnv;
    readonly signal: AbortSignal;
  },
): Promise<void> {
  const { cwd, env, signal, onLine } = options;
  signal.throwIfAborted();
  const printed: string[] = [];
  const child = start(command, args, {
    ...{ cwd, env },
    onLine: (line) => {
      printed.push(line);
      onLine?.(line);
    },
  });
  const stop = (): void => void child.stop();
  signal.addEventListener("abort", stop, { once: true });
  const code = await child.ended;
  signal.removeEventListener("abort", stop);
  signal.throwIfAborted();
  if (code !== 0)
    throw new Error(`${[command, ...args].join(" ")} ended with ${code}\n${printed.join("\n")}`);
}

async function patiently(what: string, holds: () => boolean, signal: AbortSignal, ms: number): Promise<void> {
  const end = Date.now() + ms;
  while (!holds()) {
    signal.throwIfAborted();
    if (Date.now() > end) throw new Error(`${what}: not within ${ms / 1000} s`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

function cheapest({ machines }: Wire, count: number): { offer: string; provider: string; location: string } {
  const first = machines.find(({ gpus }) => gpus === count);
  if (!first) throw new Error(`the service has no H100 machine with ${count} GPUs`);
  const { offer, provider, location } = first;
  return { offer, provider, location };
}

function alive({ simulator }: Simulation) {
  return simulator.truth().machines.filter(({ endedAt }) => endedAt === null);
}

function gpusRunning(simulation: Simulation): number {
  return alive(simulation)
    .filter(({ states, lostAt }) => states.at(-1)?.state === "running" && lostAt === null)
    .reduce((sum, { gpus }) => sum + gpus, 0);
}

function conclude(all: Numbers, { shows }: Wire, show: (what: string, value: number) => void): void {
  show("GPUs asked for", GPUS);
  show("launch requests the service received", all.posts);
  show("  of those refused (cooling down)", all.refused);
  show("  of those carried out, the answer lost", all.unanswered);
  show(`machines rented, ${shows.halted ? "two" : "one"} of them as a replacement`, all.machines);
  show("most GPUs at one time", all.mostGpus);
  show("machines paid for twice", all.duplicates);
  show("machines still running", all.running);
}
