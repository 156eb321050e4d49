import type { ChildProcess } from "node:child_process";
import { spawn } from "node:child_process";
import { chmodSync, chownSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import { found } from "./tool.ts";

/** A number that stands in no list of users. */
const USER = 23_456;

export const canConfine: boolean =
  process.platform === "linux" &&
  process.getuid?.() === 0 &&
  found("unshare") !== undefined &&
  found("setpriv") !== undefined;

/**
 * What an engine for containers does, with the kernel's own means: a process tree of its own, everything read-only
 * but the volume, another user, no capability. Arguments: the folders of Node, the program, the configuration, the
 * secret and the volume (or nothing).
 */
const CONFINE = `
mount --make-rprivate /
mount -t tmpfs tmpfs /mnt
mkdir /mnt/node /mnt/app /mnt/etc /mnt/secret /mnt/state
mount --bind "$1" /mnt/node
mount --bind "$2" /mnt/app
mount --bind "$3" /mnt/etc
mount --bind "$4" /mnt/secret
if [ -n "$5" ]; then mount --bind "$5" /mnt/state; fi
mount -o remount,ro /mnt
mount -o remount,bind,ro /
cd /mnt/etc
exec setpriv --reuid ${USER} --regid ${USER} --clear-groups --no-new-privs --inh-caps=-all --bounding-set=-all \\
  /mnt/node/node /mnt/app/dist/bundle/fleetkeeper.js agent
`;

export interface ConfinedOptions {
  readonly app: string;
  /** Holds profile.yaml. */
  readonly config: string;
  readonly env: Readonly<Record<string, string>>;
  /** Where folders for this run are made. */
  readonly folder: string;
  /** Whether a volume for the ledger is mounted. */
  readonly state: boolean;
  /** Whether its user may read the secret. */
  readonly readable?: boolean;
}

/** An agent under the same restrictions as in the image. */
export class Confined {
  readonly ended: Promise<{ readonly code: number | null; readonly stdout: string; readonly stderr: string }>;
  readonly #process: ChildProcess;
  readonly #url: Promise<string>;

  constructor({ app, config, env, folder, state, readable = true }: ConfinedOptions) {
    const secret = mkdtempSync(join(folder, "secret-"));
    const key = join(secret, "api-key");
    writeFileSync(key, env.FLEETKEEPER_API_KEY ?? "", { mode: 0o400 });
    if (readable) chownSync(key, USER, USER);
    const volume = join(secret, "state");
    mkdirSync(volume);
    chownSync(volume, USER, USER);
    for (const each of [secret, config, app]) chmodSync(each, 0o755);
    const {
      FLEETKEEPER_API_KEY: _key,
      FLEETKEEPER_LEDGER: _ledger,
      FLEETKEEPER_LOG_FORMAT: _format,
      ...rest
    } = env;
    const folders = [dirname(process.execPath), app, config, secret, state ? volume : ""];
    this.#process = spawn(
      "unshare",
      [
        "--mount",
        "--pid",
        "--fork",
        "--kill-child",
        "--mount-proc",
        "sh",
        "-ec",
        CONFINE,
        "confine",
        ...folders,
      ],
      {
        env: {
          ...rest,
          PATH: process.env.PATH,
          RUN_OF_TESTS: process.env.RUN_OF_TESTS,
          HOME: "/mnt/state",
          FLEETKEEPER_API_KEY_FILE: "/mnt/secret/api-key",
          FLEETKEEPER_PROFILE: "/mnt/etc/profile.yaml",
          FLEETKEEPER_HTTP: "127.0.0.1:0",
        },
        stdio: ["ignore", "pipe", "pipe"],
      },
    );
    onTestFinished(() => void this.#process.kill("SIGKILL"));
    const texts = { stdout: "", stderr: "" };
    this.#process.stderr?.on("data", (chunk) => {
      texts.stderr += chunk;
    });
    this.#url = new Promise((resolve) => {
      this.#process.stdout?.on("data", (chunk) => {
        texts.stdout += chunk;
        const url = /status page: (http:\/\/[\d.:]+\/)/.exec(texts.stdout)?.[1];
        if (url) resolve(url);
      });
    });
    this.ended = new Promise((resolve) => {
      this.#process.on("close", (code) => resolve({ code, ...texts }));
    });
  }

  /** Where it serves. Throws if it ends before. */
  url(): Promise<string> {
    const early = this.ended.then(({ code, stdout, stderr }) => {
      throw new Error(`it ended with ${code}: ${stdout}${stderr}`);
    });
    return Promise.race([this.#url, early]);
  }

  /** Sends SIGTERM to the agent itself, which is process 1 of its own tree. */
  terminate(): void {
    const { pid } = this.#process;
    const [child] = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ");
    process.kill(Number(child), "SIGTERM");
  }
}
