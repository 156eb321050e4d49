import { spawn } from "node:child_process";
import { readFileSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { programProblems } from "../../agent/ask/programs.ts";
import { parseFleetFile } from "../../agent/fleet/file/fleet-file.ts";
import { describeWith, found, run as runTool } from "../deploy/tool.ts";
import { REPEATS } from "../support/repeats.ts";
import { canLogIn, DEPLOYMENT, isRoot, MACHINES, type Machine, machine } from "./machine.ts";

/* The scripts of examples/machines, each over a real sshd. What would change a machine is a line of its `changes`. */

const kernelSays = (line: string) => (it: Machine) => it.has("kernel-log", `[ 4711.332215] ${line}\n`);
const notReached = (it: Machine): void => it.isNotReached();

const HEALTH: readonly [string, (it: Machine) => void, number, string][] = [
  ["all is well", () => undefined, 0, "2 GPUs are there\nhealthy\n"],
  [
    "a GPU fell off the bus",
    kernelSays("NVRM: Xid (PCI:0000:06:00): 79, GPU has fallen off the bus."),
    1,
    "79",
  ],
  [
    "the driver says so without a number",
    kernelSays("NVRM: GPU 0000:06:00.0: GPU has fallen off the bus."),
    1,
    "off the bus",
  ],
  [
    "the GPU's own processor hangs",
    kernelSays("NVRM: Xid (PCI:0000:9b:00): 119, pid=202, name=python, Timeout after 6s of waiting for RPC"),
    1,
    "119",
  ],
  [
    "a program's own fault",
    kernelSays("NVRM: Xid (PCI:0000:06:00): 13, pid=79, name=python, Graphics Exception"),
    0,
    "healthy",
  ],
  [
    "a row that is remapped at the next reset",
    kernelSays("NVRM: Xid (PCI:0000:06:00): 63, pid=1896, Row Remapper: New row marked for remapping"),
    0,
    "healthy",
  ],
  [
    "an XID of the reader's own list",
    (it) => {
      it.set({ FATAL_XIDS: '"31 63"' });
      kernelSays("NVRM: Xid (PCI:0000:06:00): 63, pid=1896, Row Remapper")(it);
    },
    1,
    "63",
  ],
  ["nvidia-smi says that one is lost", (it) => it.has("lost"), 1, "GPU is lost"],
  [
    "an older nvidia-smi cannot reach one",
    (it) =>
      it.program(
        "nvidia-smi",
        'echo "Unable to determine the device handle for GPU 0000:02:00.0: Unknown Error"; exit 255',
      ),
    1,
    "0000:02:00.0: Unknown Error",
  ],
  ["nvidia-smi says it by its exit code alone", (it) => it.program("nvidia-smi", "exit 15"), 1, "sick"],
  ["fewer GPUs than it should have", (it) => it.set({ GPUS: "8" }), 1, "2 of 8 GPUs are there"],
  ["no GPU", (it) => it.has("gpus"), 1, "0 of 1 GPUs are there"],
  [
    "nvidia-smi hangs",
    (it) => {
      it.has("hangs");
      it.program("timeout", `shift; exec ${found("timeout")} 0.2 "$@"`);
    },
    2,
    "did not end within 20 s",
  ],
  ["there is no nvidia-smi", (it) => it.lacks("bin/nvidia-smi"), 2, "unknown: the machine's script ended"],
  ["the kernel's log may not be read", (it) => it.lacks("kernel-log"), 2, "set FATAL_XIDS="],
  [
    "the reader does without the log",
    (it) => {
      it.lacks("kernel-log");
      it.set({ FATAL_XIDS: "" });
    },
    0,
    "healthy",
  ],
  ["the machine is not reached", notReached, 2, "not reached by SSH"],
  ["there are no settings", (it) => rmSync(join(it.folder, "machines.env")), 2, "machines.env"],
  [
    "the hosts' keys can be kept nowhere",
    (it) => writeFileSync(join(it.folder, "known-hosts"), ""),
    2,
    "no folder for host keys can be written",
  ],
  ["the settings are no shell", (it) => it.set({ GPUS: "'" }), 2, ""],
];

const sessions = (line: string) => (it: Machine) => it.has("processes", `${line}\n`);
const fileOf = (minutes: number) => (it: Machine) => {
  it.has("busy file");
  const changed = Date.now() / 1000 - minutes * 60;
  utimesSync(join(it.home, "busy file"), changed, changed);
  it.set({ IDLE_FILE: `"${join(it.home, "busy file")}"` });
};

const IDLE: readonly [string, (it: Machine) => void, number, string][] = [
  ["nobody", () => undefined, 0, "no session, GPUs used by 0 % at most\nidle\n"],
  ["one GPU of two is used", (it) => it.has("use", "0\n40\n"), 1, "a GPU is used by 40 %\nbusy\n"],
  ["less than the limit", (it) => it.has("use", "0\n4\n"), 0, "used by 4 %"],
  [
    "a GPU that pauses for a second",
    (it) => {
      it.set({ IDLE_SECONDS: "3" });
      it.program(
        "nvidia-smi",
        `echo . >>"$HOME/asked"; if [ "$(grep -c . "$HOME/asked")" -gt 1 ]; then echo 90; else echo 0; fi`,
      );
    },
    1,
    "used by 90 %",
  ],
  ["a person is logged in", sessions("    3 sshd: ubuntu@pts/0"), 1, "sshd: ubuntu@pts/0\nbusy\n"],
  ["so by a newer OpenSSH", sessions("    3 sshd-session: ubuntu@pts/0,pts/1"), 1, "busy"],
  ["an editor is connected", sessions("    900 sshd: ubuntu@notty"), 1, "sshd: ubuntu@notty for 900 s"],
  ["a script such as this one is there", sessions("    90 sshd: ubuntu@notty"), 0, "idle"],
  ["a file changed lately", fileOf(20), 1, "busy file changed within 30 minutes"],
  ["a file changed long ago", fileOf(40), 0, "idle"],
  ["a GPU that says no number", (it) => it.has("use", "[N/A]\n0\n"), 2, "[N/A]"],
  ["there is no nvidia-smi", (it) => it.lacks("bin/nvidia-smi"), 2, "unknown"],
  ["the processes cannot be listed", (it) => it.lacks("processes"), 2, "unknown"],
  ["the machine is not reached", notReached, 2, "not reached by SSH"],
];

/** A token that a shell or a JSON would not leave as it is. */
const TOKEN = `K10'"$(id)\\n::server:é`;

interface SetUp {
  readonly name: string;
  readonly settings: Readonly<Record<string, string>>;
  /** What the machine lacks at the first try, and what is said of it. */
  readonly lacks: string;
  readonly says: string;
  readonly changes: RegExp;
}

const SETUPS: readonly SetUp[] = [
  {
    name: "docker",
    settings: { DOCKER_IMAGE: "vllm/vllm-openai:v0.6.3" },
    lacks: "no-packages",
    says: "Unable to locate package docker.io",
    changes:
      /apt-get .*docker\.io\nsystemctl enable --now docker\ndocker run .* -- vllm\/vllm-openai:v0\.6\.3\n$/,
  },
  {
    name: "ray",
    settings: { RAY_ADDRESS: "10.0.0.5:6379", RAY_VERSION: "2.60.0" },
    lacks: "no-packages",
    says: "No matching distribution found for ray==2.60.0",
    changes: /pip install -q ray==2\.60\.0\nray start --address=10\.0\.0\.5:6379 --disable-usage-stats\n$/,
  },
  {
    name: "k3s",
    settings: { K3S_URL: "https://10.0.0.5:6443", K3S_TOKEN_FILE: "token" },
    lacks: "no-network",
    says: "the installer of k3s cannot be fetched",
    changes: /^k3s-installer\nsystemctl restart k3s-agent\n$/,
  },
  {
    name: "slurm",
    settings: {
      SLURM_SERVER: "10.0.0.5",
      SLURM_MUNGE_KEY_FILE: "token",
      SLURM_NODE: '"Gres=gpu:2 Feature=h100"',
    },
    lacks: "no-packages",
    says: "Unable to locate package",
    changes:
      /apt-get .*slurmd munge slurm-client\n[\s\S]*systemctl restart munge\n[\s\S]*systemctl restart slurmd\n$/,
  },
];
/** What these write stands in /etc. */
const isInEtc = ({ name }: SetUp): boolean => ["k3s", "slurm"].includes(name);

function setUp(one: SetUp): Machine {
  const it = machine(one.settings, { hasEtc: isInEtc(one) });
  writeFileSync(join(it.folder, "token"), TOKEN);
  return it;
}

async function isDoneOnce(one: SetUp): Promise<void> {
  const it = setUp(one);
  const script = `setup/${one.name}.sh`;
  it.has(one.lacks);
  const first = await it.run(script, { FLEETKEEPER_TRY: "1" });
  expect(first).toEqual({ code: 1, said: expect.stringContaining(one.says) });
  it.lacks(one.lacks);
  it.lacks("changes");
  const second = await it.run(script, { FLEETKEEPER_TRY: "2" });
  expect(second).toEqual({ code: 0, said: expect.stringContaining("done at try 2\n") });
  const changes = it.changes();
  expect(changes).toMatch(one.changes);
  expect(await it.run(script, { FLEETKEEPER_TRY: "3" })).toMatchObject({ code: 0 });
  expect(it.changes()).toBe(changes);
  expect(first.said + second.said + changes).not.toContain("K10");
}

describe.skipIf(!canLogIn)("over SSH [needs OpenSSH's server; npm test installs Debian's in a CI]", () => {
  const saysOf =
    (script: string) =>
    async (_name: string, given: (it: Machine) => void, code: number, says: string): Promise<void> => {
      const it = machine();
      given(it);
      expect(await it.run(script)).toEqual({ code, said: expect.stringContaining(says) });
    };
  // Two answers of each script show that the agent can use it: what else it finds is its own matter, and each is a login.
  for (const [what, script, all] of [
    ["health", "health/nvidia-smi.sh", HEALTH],
    ["idle", "idle/idle.sh", IDLE],
  ] as const) {
    test.each(all.slice(0, 2))(`${what}: %s`, saysOf(script));
    test.each(all.slice(2))(`${what}: %s`, REPEATS, saysOf(script));
  }

  test("health: another machine at the address is not asked", async () => {
    const it = machine();
    expect(await it.run("health/nvidia-smi.sh")).toMatchObject({ code: 0 });
    for (const name of ["host-key", "host-key.pub"]) rmSync(join(it.folder, "stand-in", name));
    runTool("sh", ["stand-in/make.sh"], { cwd: it.folder });
    expect(await it.run("health/nvidia-smi.sh")).toEqual({
      code: 2,
      said: expect.stringContaining("Host key verification failed"),
    });
  });

  const inEtc = SETUPS.filter(isInEtc);
  test.each(SETUPS.filter((one) => !isInEtc(one)))(
    "setup/$name is done once, whatever tries there were",
    isDoneOnce,
  );
  test.skipIf(!isRoot).each(inEtc)(
    "setup/$name is done once, whatever tries there were [needs root, for an /etc of its own]",
    isDoneOnce,
  );

  test.skipIf(!isRoot)("what a machine needs to join comes to it letter by letter [needs root]", async () => {
    const [k3s, slurm] = inEtc.map(setUp) as [Machine, Machine];
    expect(await k3s.run("setup/k3s.sh")).toMatchObject({ code: 0 });
    expect(await slurm.run("setup/slurm.sh")).toMatchObject({ code: 0 });
    const etc = (it: Machine, name: string): string =>
      readFileSync(join(it.folder, "stand-in/etc", name), "utf8");
    expect(etc(k3s, "systemd/system/k3s-agent.service.env")).toBe(
      `K3S_NODE_NAME='${DEPLOYMENT.toLowerCase()}'\nK3S_TOKEN='${TOKEN}'\nK3S_URL='https://10.0.0.5:6443'\n`,
    );
    expect(etc(slurm, "munge/munge.key")).toBe(TOKEN);
    const { mode, uid } = statSync(join(slurm.folder, "stand-in/etc/munge/munge.key"));
    expect([mode & 0o777, uid === 0]).toEqual([0o600, false]);
    expect(etc(slurm, "default/slurmd")).toBe(
      `SLURMD_OPTIONS='-Z -N ${DEPLOYMENT} --conf-server 10.0.0.5 --conf "Gres=gpu:2 Feature=h100"'\n`,
    );
  });

  test.skipIf(!isRoot)("setup: a slurmd that no controller answers has not joined [needs root]", async () => {
    const [it] = SETUPS.filter(({ name }) => name === "slurm").map(setUp) as [Machine];
    it.has("ends");
    const { code, said } = await it.run("setup/slurm.sh");
    expect([code, said]).toEqual([
      1,
      expect.stringContaining(`10.0.0.5 does not know the node ${DEPLOYMENT}`),
    ]);
  });

  test("setup: Docker sees the GPUs where NVIDIA's toolkit is", async () => {
    const it = machine({ DOCKER_IMAGE: "job" });
    runTool("ln", ["-sf", "apt-get", join(it.home, "bin/nvidia-ctk")]);
    expect(await it.run("setup/docker.sh")).toEqual({ code: 0, said: expect.stringContaining("with GPUs") });
    expect(it.changes()).toMatch(
      /nvidia-ctk runtime configure .*\nsystemctl restart docker\n.*--gpus all -- job\n$/,
    );
  });

  const starting = SETUPS.filter(({ name }) => name !== "slurm");
  test.each(isRoot ? starting : starting.filter((one) => !isInEtc(one)))(
    "setup: what does not start is a failed try, and the next one starts it: $name",
    async (one) => {
      const it = setUp(one);
      const script = `setup/${one.name}.sh`;
      it.has("does-not-start");
      expect(await it.run(script)).toEqual({
        code: 1,
        said: expect.stringMatching(/Job for|Unable to connect to GCS/),
      });
      it.lacks("does-not-start");
      expect(await it.run(script)).toMatchObject({ code: 0 });
    },
  );

  test("setup: a try waits for the one before, which may still run there", async () => {
    const it = machine();
    const flock = found("flock");
    const holder = spawn("flock", [join(it.home, ".fleetkeeper-setup"), "sh", "-c", "echo held; cat"], {
      stdio: ["pipe", "pipe", "ignore"],
    });
    onTestFinished(() => void holder.kill());
    await new Promise((resolve) => void holder.stdout.once("data", resolve));
    it.program("flock", `shift 3; exec ${flock} --close --wait 0 "$@"`);
    expect(await it.run("setup/docker.sh")).toEqual({
      code: 1,
      said: "an earlier try still runs on the machine\n",
    });
    expect(it.changes()).toBe("");
  });

  test.each(["setup/docker.sh", "beforeStop/checkpoint.sh"])(
    "%s fails where the machine is not reached",
    async (script) => {
      const it = machine({ CHECKPOINT_MARKER: "saved", CHECKPOINT_PROCESS: "train.py" });
      it.isNotReached();
      expect(await it.run(script, { FLEETKEEPER_UNTIL: soon(60) })).toEqual({
        code: 1,
        said: expect.stringContaining("not reached by SSH"),
      });
    },
  );

  test("a machine without an address is not asked", async () => {
    expect(await machine().run("health/nvidia-smi.sh", { FLEETKEEPER_ADDRESS: "" })).toEqual({
      code: 2,
      said: expect.stringContaining("write address in the fleet file"),
    });
  });

  test.each([
    [0, 2],
    [1, 2],
    [3, 3],
  ])("what ends a script with %i, and says nothing, is no answer", async (code, is) => {
    const it = machine();
    writeFileSync(join(it.folder, "own.sh"), `#!/bin/sh\n. ./common.sh\nexit ${code}\n`, { mode: 0o755 });
    expect(await it.run("own.sh")).toMatchObject({ code: is });
  });

  test.each(["k3s", "slurm", "ray"])("setup/%s.sh names a setting that it lacks", async (name) => {
    expect(await machine().run(`setup/${name}.sh`)).toEqual({
      code: 2,
      said: expect.stringMatching(/^machines\.env has no [A-Z0-9_]+\n$/),
    });
  });
});

/** In so many seconds, as fleetkeeper says it. */
function soon(seconds: number): string {
  return new Date(Date.now() + seconds * 1000).toISOString();
}

/** A job on the machine that does this at SIGUSR1; undefined: it does not handle it. */
async function withJob(
  atSignal: string | undefined,
  how: "CHECKPOINT_PROCESS" | "CHECKPOINT_UNIT" = "CHECKPOINT_PROCESS",
): Promise<Machine> {
  const it = machine({ [how]: "train", CHECKPOINT_MARKER: '"$PWD/stand-in/home/saved it"' });
  const job = spawn(
    "sh",
    [
      "-c",
      `${atSignal === undefined ? "" : `trap ${JSON.stringify(atSignal)} USR1;`} echo up; while :; do sleep 0.1; done`,
    ],
    {
      cwd: it.home,
      stdio: ["ignore", "pipe", "ignore"],
    },
  );
  onTestFinished(() => void job.kill("SIGKILL"));
  await new Promise((resolve) => void job.stdout.once("data", resolve));
  it.has(how === "CHECKPOINT_UNIT" ? "units/train" : "pids/train", String(job.pid));
  return it;
}

describe.skipIf(!canLogIn)("before a stop [needs OpenSSH's server]", () => {
  const checkpoint = (it: Machine, seconds: number) =>
    it.run("beforeStop/checkpoint.sh", { FLEETKEEPER_UNTIL: soon(seconds), FLEETKEEPER_WHY: "scale-down" });

  test.each(["CHECKPOINT_PROCESS", "CHECKPOINT_UNIT"] as const)("a job saves: %s", async (how) => {
    const it = await withJob(": >'saved it'", how);
    expect(await checkpoint(it, 300)).toEqual({
      code: 0,
      said: expect.stringMatching(/saved it is written\ndone before: scale-down\n$/),
    });
  });

  test("what an earlier save has left is none", async () => {
    const it = await withJob(":");
    it.has("saved it");
    expect(await checkpoint(it, 7)).toEqual({
      code: 1,
      said: expect.stringMatching(/did not write .*saved it within [12] s/),
    });
  });

  test("a job that does not handle the signal is not ended by it", async () => {
    const it = await withJob(undefined);
    const pid = readFileSync(join(it.home, "pids/train"), "utf8");
    const said = `process ${pid} does not handle SIGUSR1, and was not sent it\n`;
    expect(await checkpoint(it, 300)).toEqual({ code: 1, said: expect.stringContaining(said) });
    expect(process.kill(Number(pid), 0)).toBe(true);
  });

  test("a job that ends and has saved nothing is a failure, at once", async () => {
    const it = await withJob("exit 1");
    expect(await checkpoint(it, 300)).toEqual({
      code: 1,
      said: expect.stringContaining("it ended, and did not write"),
    });
  });

  test.each([
    ["CHECKPOINT_PROCESS", 0, "there is nothing to save"],
    ["CHECKPOINT_UNIT", 1, "No files found for train"],
  ])("there is no job: %s", async (how, code, says) => {
    const it = machine({ [how]: "train", CHECKPOINT_MARKER: "saved" });
    expect(await checkpoint(it, 300)).toEqual({ code, said: expect.stringContaining(says) });
  });

  test("no job is asked when its time is over", async () => {
    const it = await withJob(": >'saved it'");
    expect(await checkpoint(it, 4)).toEqual({
      code: 1,
      said: expect.stringContaining("no time is left until 2"),
    });
  });
});

const SCRIPTS = [
  "health/nvidia-smi.sh",
  "idle/idle.sh",
  "beforeStop/checkpoint.sh",
  ...SETUPS.map(({ name }) => `setup/${name}.sh`),
];

test("the fleet file is one, and what it has run can be run", () => {
  const file = join(MACHINES, "fleet.yaml");
  const { fleets } = parseFleetFile(readFileSync(file, "utf8"), file);
  expect(fleets.map(({ name }) => name)).toEqual(["training"]);
  expect(programProblems(fleets, {})).toEqual([]);
});

describeWith("shellcheck", "shellcheck finds nothing", () => {
  const text = (name: string): string => readFileSync(join(MACHINES, name), "utf8");
  test.each([...SCRIPTS, "common.sh", "try.sh", "stand-in/make.sh", "stand-in/program"])("in %s", (name) => {
    expect(runTool("shellcheck", ["-x", "-P", MACHINES, join(MACHINES, name)])).toEqual({
      code: 0,
      said: "",
    });
  });
  test.each(SCRIPTS)("in what %s runs on the machine", (name) => {
    const [, there = ""] = text(name).split(/<<'MACHINE'\n|^MACHINE$/m);
    expect(there).toContain("main </dev/null\n");
    expect(runTool("shellcheck", ["-s", "sh", "-"], { input: there })).toEqual({ code: 0, said: "" });
  });
});
