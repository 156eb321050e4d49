import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, readFileSync, realpathSync } from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { describeWithEngine, Project, pulumi } from "./engine.ts";

/** What the language host owes the engine when an update does not end as planned. */
describeWithEngine("an update that is interrupted", () => {
  let project: Project;

  beforeEach(async () => {
    project = new Project(new URL("./fixtures/slow-resource/", import.meta.url));
    await project.succeed("stack", "init", "dev");
    await project.succeed("config", "set", "milliseconds", "3000");
  });

  afterEach(() => project.remove());

  it("by one Ctrl-C waits for the create and keeps its id", async () => {
    const update = await startUpdate(project);
    update.engine.kill("SIGINT");
    expect(await update.ended).not.toBe(0);
    expect(existsSync(path.join(project.folder, "created"))).toBe(true);
    expect(await idsInState(project)).toContain("slow");
    await until(() => update.languageSide().every((pid) => !isAlive(pid)));
  });

  it("by two Ctrl-C ends at once, and leaves no process of the language host", async () => {
    const update = await startUpdate(project);
    update.engine.kill("SIGINT");
    await new Promise((resolve) => setTimeout(resolve, 200));
    update.engine.kill("SIGINT");
    expect(await update.ended).not.toBe(0);
    await until(() => update.languageSide().every((pid) => !isAlive(pid)));
  });

  it("by a killed engine leaves no process of the language host, and the create goes on", async () => {
    const update = await startUpdate(project);
    update.engine.kill("SIGKILL");
    await update.ended;
    // An official language host may live on for minutes before it looks for its engine.
    const ended = hasOurLanguageHost() ? update.languageSide() : update.languageSide().slice(0, 1);
    await until(() => ended.every((pid) => !isAlive(pid)));
    await until(() => existsSync(path.join(project.folder, "created")));
    // The host of the dynamic provider, the SDK's own, has finished its create and would now wait for ever.
    for (const pid of update.providerSide()) if (isAlive(pid)) process.kill(pid);
  });
});

interface Update {
  readonly engine: ChildProcess;
  readonly ended: Promise<number | null>;
  /** The process ids of the language host and of the program it runs. */
  languageSide(): readonly number[];
  /** Those of the host of the dynamic provider. */
  providerSide(): readonly number[];
}

/** Starts `pulumi up` and returns when the slow create is under way. */
async function startUpdate(project: Project): Promise<Update> {
  const args = ["up", "--yes", "--skip-preview", "--non-interactive"];
  const engine = spawn(pulumi!, args, { cwd: project.folder, env: project.env, stdio: "ignore" });
  const ended = new Promise<number | null>((resolve) => engine.on("close", resolve));
  await until(() => existsSync(path.join(project.folder, "creating")));
  const processesIn = (file: string): number[] =>
    Object.values(JSON.parse(readFileSync(path.join(project.folder, file), "utf8")));
  return {
    engine,
    ended,
    languageSide: () => processesIn("processes.json"),
    providerSide: () => processesIn("creating"),
  };
}

async function idsInState(project: Project): Promise<unknown[]> {
  const { deployment } = JSON.parse(await project.succeed("stack", "export"));
  return deployment.resources.map((resource: { id?: string }) => resource.id);
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

async function until(condition: () => boolean): Promise<void> {
  const deadline = Date.now() + 20_000;
  while (!condition()) {
    if (Date.now() > deadline) throw new Error("it did not happen within 20 s");
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** Whether the engine runs scripts/language-host, or came with one of its own. */
function hasOurLanguageHost(): boolean {
  const file = path.join(path.dirname(pulumi!), "pulumi-language-nodejs");
  return (
    existsSync(file) && realpathSync(file) === path.resolve("scripts/language-host/pulumi-language-nodejs")
  );
}
