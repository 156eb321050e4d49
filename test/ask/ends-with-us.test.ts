import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { type Hook, runHook } from "../../agent/ask/hook.ts";
import { identityOf } from "../../ledger/system-clock.ts";

const never = new AbortController().signal;
const ASK = join(import.meta.dirname, "../../agent/ask");

function folderOfTest(): string {
  const folder = mkdtempSync(join(tmpdir(), "fleetkeeper-ends-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

function program(folder: string, text: string): string {
  const file = join(folder, "save.sh");
  writeFileSync(file, `#!/bin/sh\n${text}\n`, { mode: 0o755 });
  return file;
}

const hookOf = (folder: string, text: string, more: Partial<Hook> = {}): Hook => ({
  ...{ command: [program(folder, text), "a b", "$(c)"], folder, input: "a line\n", timeoutMs: 60_000 },
  environment: { PATH: process.env.PATH },
  endsWithUs: true,
  ...more,
});

/** Has said who it is, is deaf to SIGTERM, and has a child. */
const STUBBORN = 'trap "" TERM\nsleep 1000 &\necho "$$ $!" > pids.new\nmv pids.new pids\nwait';

/** An agent: a process that runs a command, by these words of its program, and `onStart` as those say. */
function agent(folder: string, run: string, onStart = ""): ChildProcess {
  const file = join(folder, "agent.ts");
  writeFileSync(
    file,
    `import { writeFileSync } from "node:fs";
import { runHook } from ${JSON.stringify(join(ASK, "hook.ts"))};
import { setupRunner } from ${JSON.stringify(join(ASK, "setup.ts"))};
const onStart = ({ pid }) => { writeFileSync("first", String(pid)); ${onStart} };
const signal = new AbortController().signal;
await ${run}.catch(() => undefined);
`,
  );
  const child = spawn(process.execPath, [file], { cwd: folder, stdio: "ignore" });
  onTestFinished(() => void child.kill("SIGKILL"));
  return child;
}

function byHook(folder: string, endsWithUs: boolean): string {
  return `runHook({ ...${JSON.stringify(hookOf(folder, STUBBORN, { endsWithUs }))}, onStart }, signal)`;
}

function bySetup(folder: string): string {
  const setup = { command: [program(folder, STUBBORN)], within: "1m" };
  const fleet = { name: "web", source: `program:${folder}` };
  const one = { fleet, setup, row: { id: "d-1", connection: null, setup: { tries: 1 } } };
  return `setupRunner(process.env).run(${JSON.stringify(one)}, onStart, signal)`;
}

function pidsIn(folder: string, name = "pids"): readonly number[] {
  const file = join(folder, name);
  return existsSync(file) ? readFileSync(file, "utf8").trim().split(" ").map(Number) : [];
}

const alive = (pids: readonly number[]) => pids.filter((pid) => identityOf(pid) !== undefined);
const WAIT = { timeout: 60_000, interval: 20 };

describe("a command that ends with its agent", () => {
  test("never begins where the agent dies before its process is stored", async () => {
    const folder = folderOfTest();
    // Time in which a command that waits for nothing would begin.
    const later = "Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_000)";
    await once(agent(folder, byHook(folder, true), `${later}; process.kill(process.pid, "SIGKILL")`), "exit");
    const [guard = 0] = pidsIn(folder, "first");
    expect(guard).toBeGreaterThan(0);
    await vi.waitFor(() => expect(alive([guard])).toEqual([]), WAIT);
    expect(pidsIn(folder)).toEqual([]);
  });

  test("and not while that is not stored", async () => {
    const folder = folderOfTest();
    const begun: string[] = [];
    const stored = Promise.withResolvers<void>();
    const onStart = async (): Promise<void> => {
      await stored.promise;
      begun.push("stored");
    };
    const running = runHook(hookOf(folder, "echo begun > pids", { onStart }), never);
    // The control of the next line: so long the command itself takes.
    await runHook(hookOf(folderOfTest(), "exit 0"), never);
    expect(existsSync(join(folder, "pids"))).toBe(false);
    stored.resolve();
    await running;
    expect([...begun, readFileSync(join(folder, "pids"), "utf8")]).toEqual(["stored", "begun\n"]);
  });

  test("ends with its children, deaf or not, once the agent is killed, as a setup does; another one outlives it", async () => {
    for (const run of ["setup", true, false] as const) {
      const folder = folderOfTest();
      const killed = agent(folder, run === "setup" ? bySetup(folder) : byHook(folder, run));
      await vi.waitFor(() => expect(alive(pidsIn(folder))).toHaveLength(2), WAIT);
      const pids = pidsIn(folder);
      // Its group is ended by that below. 0 would be the group of these tests.
      const leader = (): number => pidsIn(folder, "first")[0] ?? 0;
      await vi.waitFor(() => expect(leader()).toBeGreaterThan(0), WAIT);
      const group = leader();
      killed.kill("SIGKILL");
      await once(killed, "exit");
      if (run) await vi.waitFor(() => expect(alive(pids)).toEqual([]), WAIT);
      else {
        expect(alive(pids)).toEqual(pids);
        process.kill(-group, "SIGKILL");
      }
    }
  });

  test("is run as any other: its arguments, input, output, code and time", async () => {
    const folder = folderOfTest();
    const echo = 'read -r line\necho "$line|$1|$2|$0"';
    const said = await runHook(hookOf(folder, echo), never);
    expect(said).toBe(`a line|a b|$(c)|${join(folder, "save.sh")}`);
    await expect(runHook(hookOf(folder, "echo why; exit 7"), never)).rejects.toMatchObject({
      exitCode: 7,
      message: expect.stringMatching(/save\.sh: it ended with 7: why$/),
    });
    // No word of the shell is a program.
    writeFileSync(join(folder, "exit"), "#!/bin/sh\necho a program", { mode: 0o755 });
    const builtin = { ...hookOf(folder, ""), command: ["exit", "7"], environment: { PATH: folder } };
    expect(await runHook(builtin, never)).toBe("a program");
    const grace = 'trap "sleep 0.3; echo saved; exit 0" TERM\nsleep 1000 & wait';
    await expect(runHook(hookOf(folder, grace, { timeoutMs: 1_000 }), never)).rejects.toMatchObject({
      exitCode: null,
      message: expect.stringContaining("it was ended after 1 s: saved"),
    });
  });
});
