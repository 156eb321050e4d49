import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  appendFileSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished } from "vitest";
import { found, run as runTool } from "../deploy/tool.ts";

export const MACHINES = join(import.meta.dirname, "..", "..", "examples", "machines");
const SSHD = "/usr/sbin/sshd";
export const canLogIn: boolean = existsSync(SSHD) && found("ssh") !== undefined;
/** Only root may give the machine an /etc of its own. */
export const isRoot: boolean = process.getuid?.() === 0;
/** As the script that starts the server does; only root's sshd asks for it. */
if (isRoot && canLogIn) mkdirSync("/run/sshd", { recursive: true, mode: 0o755 });

const ADDRESS = "02c83c6f.fi-hel.example";
export const DEPLOYMENT = "02C83C6F-0326";
type Texts = Readonly<Record<string, string>>;

/**
 * A copy of examples/machines, with a stand-in for its machine behind a real sshd: it has no programs but those of its own
 * folder. `hasEtc`: what it finds at /etc is a folder of its own, too.
 */
export function machine(settings: Texts = {}, { hasEtc = false } = {}) {
  const folder = mkdtempSync(join(tmpdir(), "fleetkeeper-machines-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  cpSync(MACHINES, folder, { recursive: true });
  const home = join(folder, "stand-in", "home");
  const made = runTool("sh", ["stand-in/make.sh"], { cwd: folder });
  expect(made, made.said).toMatchObject({ code: 0 });
  if (hasEtc) giveEtc(join(folder, "stand-in"));
  const set = (more: Texts): void => {
    const lines = Object.entries(more).map(([name, value]) => `${name}=${value}\n`);
    appendFileSync(join(folder, "machines.env"), lines.join(""));
  };
  set({ SSH_USER: "$(id -un)", SSH_CONFIG: "stand-in/ssh_config", IDLE_SECONDS: "1", ...settings });
  const has = (name: string, text = "", mode = 0o644): void =>
    writeFileSync(join(home, name), text, { mode });
  return {
    folder,
    home,
    set,
    has,
    lacks: (name: string): void => rmSync(join(home, name), { recursive: true, force: true }),
    /** A program of the machine that is another one in this test. */
    program: (name: string, text: string): void => {
      rmSync(join(home, "bin", name), { force: true });
      has(`bin/${name}`, `#!/bin/sh\n${text}\n`, 0o755);
    },
    changes: (): string =>
      existsSync(join(home, "changes")) ? readFileSync(join(home, "changes"), "utf8") : "",
    isNotReached: (): void =>
      writeFileSync(join(folder, "stand-in", "ssh_config"), "Host *\n  ProxyCommand false\n"),
    run: (script: string, environment: Texts = {}) => run(folder, script, environment),
  };
}

export type Machine = ReturnType<typeof machine>;

/** As fleetkeeper runs a command: no shell, the fleet file's folder, and nothing else of its own environment. */
async function run(cwd: string, script: string, environment: Texts) {
  const { PATH = "" } = process.env;
  const child = spawn(`./${script}`, {
    cwd,
    env: {
      ...{ PATH, HOME: cwd, FLEETKEEPER_ADDRESS: ADDRESS, FLEETKEEPER_DEPLOYMENT: DEPLOYMENT },
      ...{ FLEETKEEPER_FLEET: "training", ...environment },
    } as NodeJS.ProcessEnv,
    stdio: ["pipe", "pipe", "pipe"],
  });
  const connection = { host: ADDRESS, port: "22", user: "root" };
  child.stdin.on("error", () => undefined);
  child.stdin.end(`${JSON.stringify({ deployment: DEPLOYMENT, fleet: "training", connection })}\n`);
  let said = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => {
      said += text;
    });
  const [code] = await once(child, "close");
  return { code, said };
}

/** Each connection sees this folder as /etc: a mount in a namespace of its own. */
function giveEtc(standIn: string): void {
  const etc = join(standIn, "etc");
  mkdirSync(join(etc, "systemd/system"), { recursive: true });
  mkdirSync(join(etc, "default"));
  for (const name of ["passwd", "group", "shadow", "nsswitch.conf"])
    copyFileSync(join("/etc", name), join(etc, name));
  appendFileSync(join(etc, "passwd"), "munge:x:64123:64123::/nonexistent:/usr/sbin/nologin\n");
  appendFileSync(join(etc, "group"), "munge:x:64123:\n");
  const config = join(standIn, "ssh_config");
  const own = `unshare --mount sh -c 'mount --bind "$0" /etc && exec "$@"' "${etc}" ${SSHD}`;
  writeFileSync(config, readFileSync(config, "utf8").replace(`ProxyCommand ${SSHD}`, `ProxyCommand ${own}`));
}
