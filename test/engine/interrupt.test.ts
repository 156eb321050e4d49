import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { describeWithEngine, Project, pulumi } from "./engine.ts";
import { isAlive, until } from "./world.ts";

/** What the language host owes the engine when an update does not end as planned. */
describeWithEngine("an update that is interrupted", () => {
  let project: Project;

  beforeEach(async () => {
    project = new Project(new URL("./fixtures/slow-resource/", import.meta.url));
    await project.succeed("stack", "init", "dev");
  });

  afterEach(() => project.remove());

  it("by one Ctrl-C waits for the create and keeps its id", async () => {
    const update = await startUpdate(project);
    await interrupt(update);
    finishCreate(project);
    expect(await update.ended).not.toBe(0);
    expect(existsSync(path.join(project.folder, "created"))).toBe(true);
    expect(await idsInState(project)).toContain("slow");
    await until(() => update.languageSide().every((pid) => !isAlive(pid)));
  });

  it("by two Ctrl-C ends at once, and leaves no process of the language host", async () => {
    const update = await startUpdate(project);
    await interrupt(update);
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
    finishCreate(project);
    await until(() => existsSync(path.join(project.folder, "created")));
    // The host of the dynamic provider, the SDK's own, has finished its create and would now wait for ever.
    for (const pid of update.providerSide()) if (isAlive(pid)) process.kill(pid);
  });
});

interface Update {
  readonly engine: ChildProcess;
  readonly ended: Promise<number | null>;
  /** What it has printed so far. */
  said(): string;
  /** The process ids of the language host and of the program it runs. */
  languageSide(): readonly number[];
  /** Those of the host of the dynamic provider. */
  providerSide(): readonly number[];
}

/** Starts `pulumi up` and returns when the slow create is under way. */
async function startUpdate(project: Project): Promise<Update> {
  const args = ["up", "--yes", "--skip-preview", "--non-interactive"];
  const engine = spawn(pulumi!, args, {
    cwd: project.folder,
    env: project.env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let said = "";
  for (const stream of [engine.stdout, engine.stderr])
    stream.on("data", (chunk) => {
      said += chunk;
    });
  // Of the engine alone: a host that outlives it keeps the pipes open.
  const ended = new Promise<number | null>((resolve) => engine.on("exit", resolve));
  await until(() => existsSync(path.join(project.folder, "creating")));
  const processesIn = (file: string): number[] =>
    Object.values(JSON.parse(readFileSync(path.join(project.folder, file), "utf8")));
  return {
    engine,
    ended,
    said: () => said,
    languageSide: () => processesIn("processes.json"),
    providerSide: () => processesIn("creating"),
  };
}

async function idsInState(project: Project): Promise<unknown[]> {
  const { deployment } = JSON.parse(await project.succeed("stack", "export"));
  return deployment.resources.map((resource: { id?: string }) => resource.id);
}

/** One Ctrl-C, which the engine has seen. */
async function interrupt({ engine, said }: Update): Promise<void> {
  engine.kill("SIGINT");
  await until(() => said().includes("^C received"));
}

/** Lets the slow create come to its end. */
function finishCreate(project: Project): void {
  writeFileSync(path.join(project.folder, "finish"), "");
}

/** Whether the engine runs scripts/language-host, or came with one of its own. */
function hasOurLanguageHost(): boolean {
  const file = path.join(path.dirname(pulumi!), "pulumi-language-nodejs");
  return (
    existsSync(file) && realpathSync(file) === path.resolve("scripts/language-host/pulumi-language-nodejs")
  );
}
