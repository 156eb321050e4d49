import { cpSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { usdText } from "../service/money.ts";
import { DEFAULT_OFFERS } from "../simulator/index.ts";
import type { Simulation } from "../simulator/simulation.ts";
import { startSimulation } from "../simulator/simulation.ts";
import type { Child } from "./child.ts";
import { start } from "./child.ts";
import { numbers, statement } from "./statement.ts";

/**
 * The whole story on one machine: the simulated service, the agent, a real `pulumi up`, and everything that
 * goes wrong in a GPU cloud. Every number at the end comes from the service's own books.
 */

const ROOT = resolve(import.meta.dirname, "..");
/** So many seconds pass in the service in one real second: an hour of GPUs passes in a minute. */
const SPEED = 60;
/** What examples/fleet asks for. */
const GPUS = 16;
/** The times of the protocol in ms, shortened as the service's times are. */
const PROTOCOL = { poll: 500, settle: 2_000, postTimeout: 10_000, gone: 1_000 };
const UP = ["up", "--yes", "--skip-preview", "--suppress-outputs"];
const DESTROY = ["destroy", "--yes", "--skip-preview"];
/** A step that takes longer than this has failed. */
const PATIENCE_MS = 45_000;

const begun = Date.now();
let steps = 0;
const { FLEETKEEPER_PULUMI: pulumi } = process.env;
if (!pulumi) {
  say(
    "The demo needs the Pulumi engine, and the set-up above could not get one. Without it: npm test runs all the rest.",
  );
  process.exit(1);
}

const scratch = join(ROOT, ".fleetkeeper", "demo");
mkdirSync(scratch, { recursive: true });
const folder = mkdtempSync(join(scratch, "run-"));
const closing: (() => Promise<unknown>)[] = [];
const stopping = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"] as const)
  process.once(signal, () => stopping.abort(new Error(signal)));

try {
  await play(pulumi);
} catch (error) {
  say(`\nThe demo did not come to its end: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
} finally {
  for (const close of closing.reverse()) await close();
  rmSync(folder, { recursive: true, force: true });
}

async function play(engine: string): Promise<void> {
  const simulation = await startSimulation({ speed: SPEED, dialect: "plain", seed: 20, balance: "500.0000" });
  closing.push(() => simulation.close());
  const { control, truth } = simulation.simulator;
  const env = environment(simulation);
  const project = join(folder, "fleet");
  cpSync(join(ROOT, "examples", "fleet"), project, { recursive: true });

  step("A GPU service of our own: simulated, 60 times as fast as real time, nothing costs anything");
  note(
    `${simulation.url}, balance ${usdText(truth().accounts[0]?.balance)} USD, no idempotency key, as the specification says`,
  );

  step("The agent: it keeps what it is asked for");
  await startAgent(env);

  step(`A real pulumi up asks for ${GPUS} GPUs, while the service has a bad day`);
  const cooled = cheapest(8);
  control.cooldown(cooled, 1800);
  control.setCapacity(cheapest(4), 10);
  note(`the cheapest combination is cooling down: ${cooled.offer} @ ${cooled.provider}/${cooled.location}`);
  control.faults.next("launch", { kind: "dropAfter" }, { skip: 1 });
  note("and one launch will take effect, but its answer will be lost on the way back");
  await run(engine, ["stack", "init", "demo"], project, env, () => undefined);
  await run(engine, UP, project, env, quoter());
  show("GPUs running", running(simulation));

  step("A provider loses a machine. No mail is sent; the service itself notices at its next health check");
  const [victim] = alive(simulation);
  if (!victim) throw new Error("nothing runs that could be interrupted");
  control.interrupt(victim.id);
  note(`lost: ${short(victim.id)}`);
  await until("the interruption shows", () => !alive(simulation).some(({ id }) => id === victim.id));
  await until("a replacement runs", () => running(simulation) >= GPUS);
  show("GPUs running", running(simulation));

  step("pulumi up again: it takes note of the new machine, and rents nothing");
  await run(engine, UP, project, env, quoter());

  step("The statement of money, from the service's own books");
  say(statement(truth()));

  step("pulumi destroy: everything stops");
  await run(engine, DESTROY, project, env, quoter());

  step("The numbers that matter");
  conclude(simulation);
}

async function startAgent(env: NodeJS.ProcessEnv): Promise<Child> {
  let ready = (): void => undefined;
  const isReady = new Promise<void>((resolve) => {
    ready = resolve;
  });
  const agent = start("node", [join(ROOT, "dist", "bundle", "fleetkeeper.js"), "agent"], {
    env,
    cwd: folder,
    onLine: (line) => {
      say(`      agent | ${short(line)}`);
      ready();
    },
  });
  closing.push(() => agent.stop());
  await Promise.race([isReady, agent.ended]);
  return agent;
}

async function run(
  engine: string,
  args: readonly string[],
  cwd: string,
  env: NodeJS.ProcessEnv,
  onLine: (line: string) => void,
): Promise<void> {
  const printed: string[] = [];
  const child = start(engine, [...args, "--non-interactive", "--color=never"], {
    env,
    cwd,
    onLine: (line) => {
      printed.push(line);
      onLine(line);
    },
  });
  const stop = (): void => void child.stop();
  stopping.signal.addEventListener("abort", stop, { once: true });
  const code = await child.ended;
  stopping.signal.removeEventListener("abort", stop);
  stopping.signal.throwIfAborted();
  if (code !== 0) throw new Error(`pulumi ${args[0]} ended with ${code}\n${printed.join("\n")}`);
}

/** Keeps the demo away from the user's own Pulumi: nothing of it is read or changed. */
function environment(simulation: Simulation): NodeJS.ProcessEnv {
  const state = join(folder, "state");
  mkdirSync(state);
  const { PULUMI_ACCESS_TOKEN: _, ...inherited } = process.env;
  return {
    ...inherited,
    PULUMI_BACKEND_URL: pathToFileURL(state).href,
    PULUMI_CONFIG_PASSPHRASE: "demo",
    PULUMI_HOME: join(folder, "home"),
    PULUMI_SKIP_UPDATE_CHECK: "1",
    FLEETKEEPER_BASE_URL: simulation.url,
    FLEETKEEPER_API_KEY: simulation.apiKey,
    FLEETKEEPER_PROFILE: simulation.profilePath,
    FLEETKEEPER_LEDGER: join(folder, "ledger.db"),
    FLEETKEEPER_ACCOUNT: "exclusive",
    FLEETKEEPER_PROTOCOL: JSON.stringify(PROTOCOL),
    FLEETKEEPER_LOG_FORMAT: "text",
  };
}

function cheapest(count: number): { offer: string; provider: string; location: string } {
  const offers = DEFAULT_OFFERS.filter(({ gpuModel, gpus }) => gpuModel === "h100-80gb" && gpus === count);
  const [first] = offers.toSorted((one, other) => Number(one.pricePerHour) - Number(other.pricePerHour));
  if (!first) throw new Error("the simulated catalogue has no H100 machine");
  const { offer, provider, location } = first;
  return { offer, provider, location };
}

function alive({ simulator }: Simulation) {
  return simulator.truth().machines.filter(({ endedAt }) => endedAt === null);
}

function running(simulation: Simulation): number {
  return alive(simulation)
    .filter(({ states, lostAt }) => states.at(-1)?.state === "running" && lostAt === null)
    .reduce((sum, { gpus }) => sum + gpus, 0);
}

async function until(what: string, holds: () => boolean): Promise<void> {
  const end = Date.now() + PATIENCE_MS;
  while (!holds()) {
    stopping.signal.throwIfAborted();
    if (Date.now() > end) throw new Error(`${what}: not within ${PATIENCE_MS / 1000} s`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

function conclude(simulation: Simulation): void {
  const all = numbers(simulation.simulator.truth(), GPUS);
  show("GPUs asked for", GPUS);
  show("launch requests the service received", all.posts);
  show("  of those refused (cooling down)", all.refused);
  show("  of those carried out, the answer lost", all.unanswered);
  show("machines rented, one of them as a replacement", all.machines);
  show("most GPUs at one time", all.mostGpus);
  show("machines paid for twice", all.duplicates);
  show("machines still running", all.running);
  const seconds = ((Date.now() - begun) / 1000).toFixed(0);
  say(
    `\n   ${seconds} s. A client that sends again what was not answered would have paid for ${all.unanswered} machine more.`,
  );
  if (all.duplicates > 0 || all.running > 0 || all.mostGpus > GPUS)
    throw new Error("that is not what was promised");
}

function step(text: string): void {
  steps += 1;
  say(`\n${steps}. ${text}`);
}

function show(what: string, value: number): void {
  say(`   ${what.padEnd(48)} ${String(value).padStart(4)}`);
}

function note(text: string): void {
  say(`   ${text}`);
}

/** Prints Pulumi's lines, but not the repetition: Pulumi repeats every message under Diagnostics. */
function quoter(): (line: string) => void {
  let repeating = false;
  return (line) => {
    if (line.startsWith("Diagnostics:")) repeating = true;
    if (line.startsWith("Resources:")) repeating = false;
    const idle = line.trim() === "" || /^@ |If you want to remove|still maintained| messages?$/.test(line);
    if (!repeating && !idle) say(`     pulumi | ${short(line)}`);
  };
}

/** Shortens every id to its first 8 letters: they are enough to follow it through the story. */
function short(text: string): string {
  return text.replace(/([0-9a-f]{8})-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, "$1");
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}
