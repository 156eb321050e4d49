import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import {
  accessSync,
  constants,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmdirSync,
} from "node:fs";
import { join } from "node:path";
import { found, root } from "./tool.ts";

const SYSTEMD = "/lib/systemd/systemd";
const PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

const NEEDED = ["curl", "ip", "npm", "nsenter", "pivot_root", "runuser", "setpriv", "unshare", "useradd"];

/** Where this process may make a group for all of the machine's processes: systemd needs one that is its own. */
const GROUPS: readonly string[] = existsSync("/sys/fs/cgroup/cgroup.controllers")
  ? ["/sys/fs/cgroup"]
  : ["/sys/fs/cgroup/systemd", "/sys/fs/cgroup/unified"].filter((folder) => existsSync(folder));

/** Why no such machine can be had here; undefined: it can. */
export const noSystemd: string | undefined =
  process.platform !== "linux" || process.getuid?.() !== 0
    ? "needs root on Linux"
    : !existsSync(SYSTEMD)
      ? "systemd is not installed"
      : GROUPS.length === 0 || !GROUPS.every(isWritable)
        ? "no control group can be made"
        : NEEDED.some((program) => !found(program))
          ? `needs ${NEEDED.filter((program) => !found(program)).join(", ")}`
          : undefined;

function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/**
 * What `systemd-nspawn` does: processes, mounts, network, name and control groups of its own. What it writes is kept in
 * memory over the files of this host, so root's own ledger goes from there alone. Of the kernel it can change nothing. Arguments: the Node to have, the words
 * with which control groups are mounted, and the clone, which may lie under /tmp or on a disk of its own.
 */
const BOOT = `
mount --make-rprivate /
mount -t tmpfs -o size=4g tmpfs /mnt
mkdir /mnt/upper /mnt/work /mnt/clone /mnt/clone-work /mnt/root
mount -t overlay -o lowerdir=/,upperdir=/mnt/upper,workdir=/mnt/work overlay /mnt/root
cd /mnt/root
rm -rf root/.fleetkeeper
mount -t proc proc proc
mount --bind proc/sys proc/sys
mount -o remount,bind,ro proc/sys
mount -t tmpfs tmpfs sys
mkdir -p sys/fs/cgroup
if [ "$2" = unified ]; then
  mount -t cgroup2 cgroup2 sys/fs/cgroup
else
  mount -t tmpfs tmpfs sys/fs/cgroup
  mkdir sys/fs/cgroup/systemd sys/fs/cgroup/unified
  mount -t cgroup -o none,name=systemd cgroup sys/fs/cgroup/systemd
  mount -t cgroup2 cgroup2 sys/fs/cgroup/unified
fi
mount -t tmpfs -o mode=755 tmpfs run
mount -t tmpfs tmpfs tmp
mkdir -p ".$3"
mount -t overlay -o "lowerdir=$3,upperdir=/mnt/clone,workdir=/mnt/clone-work" overlay ".$3"
mount -t tmpfs -o mode=755 tmpfs dev
for device in null zero full random urandom tty; do
  touch dev/$device
  mount --bind /dev/$device dev/$device
done
mkdir dev/shm dev/pts
mount -t tmpfs tmpfs dev/shm
mount -t devpts -o newinstance,ptmxmode=0666 devpts dev/pts
ln -s pts/ptmx dev/ptmx
ln -s /proc/self/fd dev/fd
ln -s /proc/self/fd/0 dev/stdin
touch usr/local/bin/node
mount --bind "$1" usr/local/bin/node
ip link set lo up
: > etc/machine-id
mkdir -p etc/systemd/system
printf '[Unit]\\nWants=systemd-journald.service\\nAfter=systemd-journald.service\\n' > etc/systemd/system/test.target
pivot_root . mnt
cd /
umount --lazy /mnt
mount --make-rshared /
exec env -i container=test PATH=${PATH} ${SYSTEMD} --unit=test.target --show-status=0
`;

/** A command that does not end by then hangs. npm's downloads take most of it. */
const MOST_MS = 4 * 60_000;

interface Typing {
  /** Comes on standard input. */
  readonly pasted?: string;
  readonly online?: boolean;
}

interface Printed {
  readonly code: number | null;
  readonly printed: string;
}

/** A machine that systemd has booted, with the files and programs of this one. Nothing on it can be seen from outside. */
export class SystemdMachine {
  readonly #outer: ChildProcess;
  readonly #groups: readonly string[];
  readonly #ended: Promise<unknown>;
  #booting = "";

  constructor() {
    this.#groups = GROUPS.map((folder) => mkdtempSync(join(folder, "fleetkeeper-test-")));
    const enter = this.#groups.map((group) => `echo $$ > "${group}/cgroup.procs"\n`).join("");
    const namespaces = ["--mount", "--pid", "--net", "--uts", "--ipc", "--cgroup", "--fork", "--kill-child"];
    this.#outer = spawn(
      "bash",
      [
        ...[
          "-ec",
          `${enter}exec "$@"`,
          "enter",
          "setpriv",
          "--pdeathsig",
          "KILL",
          "unshare",
          ...namespaces,
          "bash",
          "-ec",
          BOOT,
          "boot",
        ],
        ...[process.execPath, GROUPS.length === 1 ? "unified" : "hybrid", root],
      ],
      { stdio: ["ignore", "pipe", "pipe"] },
    );
    for (const stream of [this.#outer.stdout, this.#outer.stderr])
      stream?.on("data", (chunk) => {
        this.#booting += chunk;
      });
    this.#ended = new Promise((resolve) => this.#outer.once("close", resolve));
  }

  /** Waits until it has booted. */
  async up(): Promise<void> {
    for (let tries = 0; tries < 1_200; tries++) {
      if (this.#outer.exitCode !== null) break;
      // A question that comes while systemd still begins may stay without an answer.
      const asked = "timeout --signal KILL 10 systemctl is-system-running";
      if (this.#isSystemd() && this.type(asked).printed.trim() === "running") return;
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
    throw new Error(`it did not boot: ${this.#booting}${this.type("systemctl --failed --no-pager").printed}`);
  }

  /** Types it as root, in the clone, and waits for its end. `online`: on this host's network, which npm needs. */
  type(script: string, { pasted = "", online = false }: Typing = {}): Printed {
    const { status, stdout, stderr } = spawnSync("nsenter", this.#inside(script, online), {
      env: { PATH, HOME: "/root", LANG: "C.UTF-8" },
      input: pasted,
      encoding: "utf8",
      timeout: MOST_MS,
    });
    return { code: status, printed: `${stdout}${stderr}` };
  }

  /** As a person would in another window: it goes on until the machine ends. */
  begin(script: string): void {
    spawn("nsenter", this.#inside(script, false), { env: { PATH, HOME: "/root" }, stdio: "ignore" });
  }

  async end(): Promise<void> {
    const init = this.#init();
    // The kernel ends every other process of the machine with the first one.
    if (init === undefined) this.#outer.kill("SIGKILL");
    else process.kill(init, "SIGKILL");
    await this.#ended;
    for (const group of this.#groups) removeGroup(group);
  }

  #inside(script: string, online: boolean): string[] {
    const spaces = [
      "--mount",
      "--pid",
      ...(online ? [] : ["--net"]),
      "--uts",
      "--ipc",
      "--cgroup",
      "--root",
      "--wd",
    ];
    // Standard input is a pipe, as in a shell: what Node gives cannot be opened as /dev/stdin. It is a socket, and for one
    // bash would read what root has set up for logins.
    const typed = ["bash", "--norc", "-c", 'cat | bash -c "$1"', "typed", `cd "${root}"\n${script}`];
    return ["--target", String(this.#init()), ...spaces, ...typed];
  }

  /** Whether its first process has become systemd: before that it still mounts. */
  #isSystemd(): boolean {
    const init = this.#init();
    return init !== undefined && readFileSync(`/proc/${init}/comm`, "utf8") === "systemd\n";
  }

  /** Its first process, as this host numbers it. */
  #init(): number | undefined {
    const { pid } = this.#outer;
    if (pid === undefined || this.#outer.exitCode !== null) return undefined;
    const [child = ""] = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ");
    return child === "" ? undefined : Number(child);
  }
}

function removeGroup(folder: string): void {
  for (const entry of readdirSync(folder, { withFileTypes: true }))
    if (entry.isDirectory()) removeGroup(join(folder, entry.name));
  rmdirSync(folder);
}
