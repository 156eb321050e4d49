// @module-tag repeats
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import manifest from "../../package.json" with { type: "json" };
import { sharedServer } from "../support/postgres.ts";

const run = promisify(execFile);
const root = path.resolve(import.meta.dirname, "../..");
const server = await sharedServer();

/** The binary, made once, as `npm run binary` makes it. */
let made: Promise<string> | undefined;
function binary(): Promise<string> {
  made ??= run(process.execPath, [path.join(root, "scripts", "binary.mjs")], { cwd: root }).then(() =>
    path.join(
      root,
      ".fleetkeeper",
      "binary",
      process.platform === "win32" ? "fleetkeeper.exe" : "fleetkeeper",
    ),
  );
  return made;
}

const { RUN_OF_TESTS } = process.env;

/** A machine without Node, and a folder of its own. */
function place(): { readonly folder: string; readonly env: NodeJS.ProcessEnv } {
  const folder = mkdtempSync(path.join(tmpdir(), "fleetkeeper-binary-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return { folder, env: { PATH: path.join(folder, "nothing"), HOME: folder, TMPDIR: folder, RUN_OF_TESTS } };
}

/** The settings that `fleetkeeper simulate` prints. It runs until the test ends. */
async function simulated(
  file: string,
  { folder, env }: ReturnType<typeof place>,
): Promise<{ readonly child: ChildProcess; readonly settings: NodeJS.ProcessEnv }> {
  const child = spawn(file, ["simulate", "--speed", "60"], { cwd: folder, env });
  onTestFinished(() => void child.kill("SIGKILL"));
  const settings: NodeJS.ProcessEnv = { ...env };
  for await (const line of createInterface({ input: child.stdout })) {
    const [, name, value] = /^ {2}export (\w+)=(.*)$/.exec(line) ?? [];
    if (name) settings[name] = value;
    if (line.startsWith("Ctrl-C")) break;
  }
  return { child, settings };
}

const REPORT = "rows: account 1,";

/** What `ledger check` says after one round of the agent. */
async function kept(
  file: string,
  { folder }: ReturnType<typeof place>,
  settings: NodeJS.ProcessEnv,
  ledger: string,
): Promise<string> {
  const env = { ...settings, FLEETKEEPER_LEDGER: ledger };
  const { stdout } = await run(file, ["agent", "--once"], { cwd: folder, env });
  expect(stdout).toContain("No fleets");
  return (await run(file, ["ledger", "check"], { cwd: folder, env })).stdout;
}

test("the single file runs without Node beside it: version, simulate, doctor, and agent on a ledger in a file", async () => {
  const file = await binary();
  const here = place();
  const fleetkeeper = async (args: readonly string[], env: NodeJS.ProcessEnv): Promise<string> =>
    (await run(file, args, { cwd: here.folder, env })).stdout;
  expect(await fleetkeeper(["--version"], here.env)).toBe(`${manifest.version}\n`);

  const { child, settings } = await simulated(file, here);
  const profile = settings.FLEETKEEPER_PROFILE ?? "";
  expect(readFileSync(profile, "utf8")).toBe(
    readFileSync(path.join(root, "profiles/simulated-plain/profile.yaml"), "utf8"),
  );
  expect(await fleetkeeper(["doctor"], settings)).toContain("The account can be read: you@example.com");

  expect(await kept(file, here, settings, path.join(here.folder, "ledger.db"))).toContain(REPORT);

  child.kill("SIGINT");
  await new Promise((resolve) => child.once("close", resolve));
  expect(() => readFileSync(profile)).toThrow("ENOENT");
});

test.skipIf(!server)("the single file keeps a ledger in PostgreSQL [needs PostgreSQL]", async () => {
  const file = await binary();
  const here = place();
  const { settings } = await simulated(file, here);
  const database = await server?.database();
  expect(await kept(file, here, settings, database?.url ?? "")).toContain(REPORT);
});

test("the single file serves the status page, with the files it has inside", async () => {
  const file = await binary();
  const here = place();
  const { settings } = await simulated(file, here);
  const agent = spawn(file, ["agent", "--http", "127.0.0.1:0"], {
    cwd: here.folder,
    env: { ...settings, FLEETKEEPER_LOG_FORMAT: "text" },
  });
  onTestFinished(() => void agent.kill("SIGKILL"));
  const said: string[] = [];
  let url: string | undefined;
  for await (const line of createInterface({ input: agent.stdout })) {
    said.push(line);
    url = /http:\/\/127\.0\.0\.1:\d+(?=\S*$)/.exec(line.includes("page") ? line : "")?.[0];
    if (url) break;
  }
  expect(url, said.join("\n")).toBeDefined();
  // Neither opens a debugger nor ends it.
  for (const signal of ["SIGUSR1", "SIGUSR2", "SIGHUP"] as const) agent.kill(signal);
  expect((await fetch(`${url}/`)).status).toBe(200);
  const style = await fetch(`${url}/page.css`);
  expect(await style.text()).toBe(readFileSync(path.join(root, "agent/tell/http/assets/page.css"), "utf8"));
});
