import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import type { Place } from "./cli.ts";
import { alive, FLEET, place, running, until } from "./cli.ts";

/** The first POST takes effect at once and is answered some seconds later, which is within its time limit. */
async function whilePostHangs(seconds = 3): Promise<Place> {
  const on = await place();
  on.write("fleet.yaml", FLEET);
  on.simulator.control.faults.next("launch", { kind: "slow", seconds: seconds * 60 });
  return on;
}

const launches = (on: Place): number => on.simulator.truth().launches.length;

test.each(["SIGINT", "SIGTERM"] as const)(
  "%s while a POST is under way: its answer is awaited, nothing more is sent, and the agent ends with 0",
  async (signal) => {
    const on = await whilePostHangs();
    const agent = on.start(["agent"]);
    await until("the POST has arrived", () => launches(on) === 1);
    agent.kill(signal);
    const { code, stdout } = await agent.ended;
    expect(code).toBe(0);
    expect(stdout).toMatch(/accepted as \S+, the first launch under this profile/);
    expect(stdout).toContain("fleetkeeper agent: stopped.");
    expect(launches(on)).toBe(1);
  },
);

test("a second signal ends it at once; what the lost answer said is found again, and nothing is paid for twice", async () => {
  const on = await whilePostHangs(20);
  const agent = on.start(["agent"]);
  await until("the POST has arrived", () => launches(on) === 1);
  agent.kill("SIGTERM");
  await agent.tells("once more to exit at once");
  agent.kill("SIGTERM");
  expect((await agent.ended).code).toBe(130);
  const next = on.start(["agent"]);
  await until("both run", () => running(on) === 2);
  const seen = on.simulator.truth().requests.deployments;
  await until("more ticks", () => on.simulator.truth().requests.deployments >= seen + 4);
  next.kill("SIGINT");
  expect((await next.ended).code).toBe(0);
  expect(alive(on)).toHaveLength(2);
  expect(launches(on)).toBe(2);
});

test("SIGHUP and an edited file are obeyed, a bad one is not, and the agent goes on", async () => {
  const on = await place();
  on.write("fleet.yaml", FLEET);
  const agent = on.start(["agent"]);
  await until("both run", () => running(on) === 2);
  on.write("fleet.yaml", FLEET.replace("gpus: 16", "gpus: sixteen"));
  await agent.shows("fleet.yaml:3:11 fleets.0.gpus");
  expect(running(on)).toBe(2);
  on.write("fleet.yaml", FLEET.replace("gpus: 16", "gpus: 24"));
  await agent.shows("training was changed (24 GPUs)");
  await until("three run", () => running(on) === 3);
  agent.kill("SIGHUP");
  await agent.shows("the fleet file was read anew: its fleets are as before");
  on.write("fleet.yaml", FLEET.replace("gpus: 16", "gpus: 8"));
  await until("one runs", () => alive(on).length === 1);
  agent.kill("SIGTERM");
  expect((await agent.ended).code).toBe(0);
});

/** Loaded before the agent: from the first module on that its entry asks for, each one loads under these signals. */
function signalled(on: Place, ...signals: readonly NodeJS.Signals[]): Readonly<Record<string, string>> {
  on.write(
    "signals.mjs",
    `import { registerHooks } from "node:module";
     let begun = false;
     registerHooks({
       load(url, context, next) {
         begun ||= url.endsWith("/agent/cli/main.ts");
         if (begun) for (const signal of ${JSON.stringify(signals)}) process.kill(process.pid, signal);
         return next(url, context);
       },
     });`,
  );
  return { NODE_OPTIONS: `--import=${pathToFileURL(join(on.folder, "signals.mjs")).href}` };
}

test("SIGHUP, SIGUSR1 and SIGUSR2 while the agent is loaded, or waits for its service, neither end it nor open a debugger", async () => {
  const on = await place();
  on.write("fleet.yaml", FLEET);
  await on.simulator.close();
  const agent = on.start(["agent"], signalled(on, "SIGHUP", "SIGUSR1", "SIGUSR2"));
  await agent.tells("Tried again until it answers");
  for (const signal of ["SIGHUP", "SIGUSR1", "SIGUSR2", "SIGTERM"] as const) agent.kill(signal);
  const { code, said } = await agent.ended;
  expect(code).toBe(0);
  expect(said).not.toContain("Debugger");
});

test.each([
  ["SIGTERM", "agent", 0],
  ["SIGINT", "agent", 0],
  ["SIGTERM", "status", 130],
] as const)(
  "%s while %s is loaded ends it at once, with %i, and nothing was begun",
  async (signal, command, ends) => {
    const on = await place();
    on.write("fleet.yaml", FLEET);
    const { code, said } = await on.start([command], signalled(on, signal)).ended;
    expect(said).toBe(`${signal}: ended before anything was begun.\n`);
    expect(code).toBe(ends);
    expect(on.simulator.truth().requests.deployments).toBe(0);
  },
);

test("a command that nobody reads at a terminal still ends by SIGHUP, as any program does", async () => {
  const on = await place();
  const simulator = on.start(["simulate"]);
  await simulator.shows("http://");
  simulator.kill("SIGHUP");
  expect((await simulator.ended).code).toBe(null);
});
