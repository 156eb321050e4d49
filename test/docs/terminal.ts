import { type ChildProcess, spawn } from "node:child_process";
import {
  closeSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { freePorts } from "./free-ports.ts";
import { isSameOutput } from "./same-output.ts";
import type { Step } from "./steps.ts";

const ROOT = join(import.meta.dirname, "..", "..");
/** Times of the protocol that a test can wait for. The pages say those of the product. */
const PROTOCOL = JSON.stringify({ poll: "1s", settle: "1s", postTimeout: "30s", gone: "1s" });
/** Ports that pages name, because a reader has them free. A test takes others. */
const PORTS = ["4010", "4011", "9470"];
/** What does not come in so many looks does not come: a minute and more. */
const MOST_TRIES = 200;

interface Staying {
  readonly child: ChildProcess;
  readonly ended: Promise<unknown>;
  printed: string;
  /** How much of it earlier blocks have shown. */
  seen: number;
}

interface TerminalOptions {
  readonly onPrinted?: (printed: string) => void;
  readonly servers?: Readonly<Record<string, string>>;
  readonly commands?: Readonly<Record<string, string>>;
  readonly standIns?: (home: string) => Readonly<Record<string, string>>;
}

/** A home folder of its own with a clone in it, as far as pages use one, and shells that carry on from block to block. */
export class Terminal {
  readonly #home = mkdtempSync(join(tmpdir(), "fleetkeeper-docs-"));
  readonly #staying = new Map<string, Staying>();
  readonly #ports: ReadonlyMap<string, string>;
  readonly #standIns: Readonly<Record<string, string>>;

  readonly #onPrinted: (printed: string) => void;

  private constructor(
    ports: ReadonlyMap<string, string>,
    commands: Readonly<Record<string, string>>,
    standIns: (home: string) => Readonly<Record<string, string>>,
    onPrinted: (printed: string) => void,
  ) {
    this.#ports = ports;
    this.#standIns = standIns(this.#home);
    this.#onPrinted = onPrinted;
    const clone = join(this.#home, "fleetkeeper");
    // npx takes a second of its own each time. test/package/npx.test.ts has the real one.
    const fleetkeeper = `exec "${process.execPath}" "${join(ROOT, "dist", "bundle", "fleetkeeper.js")}" "$@"`;
    const npx = `shift\n${fleetkeeper}`;
    mkdirSync(join(this.#home, ".bin"));
    for (const [name, script] of Object.entries({ npx, fleetkeeper, ...commands }))
      writeFileSync(join(this.#home, ".bin", name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    for (const folder of ["profiles", "examples", "policy"])
      cpSync(join(ROOT, folder), join(clone, folder), { recursive: true, filter: isCommitted });
    // The package, as a clone has it, and the one copy of @pulumi/pulumi.
    symlinkSync(join(ROOT, "node_modules"), join(clone, "node_modules"));
    writeFileSync(this.#state, `cd "${clone}"\n`);
  }

  /**
   * `servers`: by the port that a page names, the one where such a server listens already.
   * `commands`: by their names, scripts of what a reader has installed.
   * `standIns`: by what a page calls a host or a folder of the reader's, what is here in its place, given the home folder.
   */
  static async open({
    onPrinted = () => undefined,
    servers = {},
    commands = {},
    standIns = () => ({}),
  }: TerminalOptions = {}): Promise<Terminal> {
    const free = await freePorts(PORTS.length);
    const taken = PORTS.map((port, index) => [port, String(free[index])] as const);
    return new Terminal(new Map([...taken, ...Object.entries(servers)]), commands, standIns, onPrinted);
  }

  /** @throws Error that says what was printed in the place of what the page shows */
  async follow(step: Step): Promise<void> {
    if (step.kind === "file") return this.#write(step.name, step.content);
    if (step.kind === "interrupt") return this.#interrupt(step.name);
    if (step.kind === "shows") return this.#comesToShow(step);
    const { script, how, output } = step;
    if (how.kind === "stays") {
      await this.#begin(how.name, script, how.until);
      if (output !== undefined) await this.#comesToShow({ name: how.name, output });
      return;
    }
    const isShown = (printed: string): boolean => output === undefined || isSameOutput(output, printed);
    for (let tries = 1; ; tries++) {
      const { code, printed } = await this.#run(script, how.kind === "ends" ? how.typed : undefined);
      if (how.kind === "again" && !(printed.includes(how.until) && isShown(printed))) {
        if (tries === MOST_TRIES)
          throw new Error(`${script}never printed "${how.until}" as the page shows:\n${printed}`);
        await new Promise((resolve) => setTimeout(resolve, 200));
        continue;
      }
      this.#onPrinted(printed);
      const expected = how.kind === "ends" ? how.code : 0;
      if (code !== expected) throw new Error(`${script}ended with ${code}:\n${printed}`);
      if (!isShown(printed))
        throw new Error(`${script}printed something else than the page shows:\n${printed}`);
      return;
    }
  }

  get #state(): string {
    return join(this.#home, ".state");
  }

  #write(name: string, content: string): void {
    const [, folder = ""] = /^cd "?(.*?)"?$/m.exec(readFileSync(this.#state, "utf8")) ?? [];
    const file = join(folder, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, this.#here(content));
  }

  async #run(
    script: string,
    typed = "",
  ): Promise<{ readonly code: number | null; readonly printed: string }> {
    const carryOn = `trap 'export -p > "${this.#state}"; printf "cd %q\\n" "$PWD" >> "${this.#state}"' EXIT\n`;
    const { child, ended } = this.#spawn(carryOn + script, typed);
    const texts = collect(child);
    await ended;
    return { code: child.exitCode, printed: this.#asOnPage(texts.join("")) };
  }

  async #begin(name: string, script: string, until: string): Promise<void> {
    const { child, ended } = this.#spawn(script);
    const staying: Staying = { child, ended, printed: "", seen: 0 };
    this.#staying.set(name, staying);
    for (const stream of [child.stdout, child.stderr])
      stream?.setEncoding("utf8").on("data", (text: string) => {
        staying.printed += text;
      });
    await this.#wait(name, (text) => text.includes(until), `"${until}"`);
  }

  async #comesToShow({ name, output }: { readonly name: string; readonly output: string }): Promise<void> {
    const staying = this.#of(name);
    await this.#wait(name, (text) => isSameOutput(output, text.slice(staying.seen)), "what the page shows");
    this.#onPrinted(this.#asOnPage(staying.printed).slice(staying.seen));
    staying.seen = this.#asOnPage(staying.printed).length;
  }

  async #wait(name: string, isThere: (printed: string) => boolean, what: string): Promise<void> {
    const staying = this.#of(name);
    const isOver = (): boolean => staying.child.exitCode !== null || staying.child.signalCode !== null;
    for (let tries = 0; tries < 2_400; tries++) {
      const hasEnded = isOver();
      if (isThere(this.#asOnPage(staying.printed))) return;
      if (hasEnded) break;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    throw new Error(`${name} did not print ${what}:\n${this.#asOnPage(staying.printed.slice(staying.seen))}`);
  }

  async #interrupt(name: string): Promise<void> {
    const staying = this.#of(name);
    signal(staying.child, "SIGINT");
    await staying.ended;
    this.#staying.delete(name);
  }

  #of(name: string): Staying {
    const staying = this.#staying.get(name);
    if (!staying) throw new Error(`there is no ${name} that stays`);
    return staying;
  }

  #spawn(script: string, typed = ""): { readonly child: ChildProcess; readonly ended: Promise<unknown> } {
    const env = {
      RUN_OF_TESTS: process.env.RUN_OF_TESTS,
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      PATH: [join(this.#home, ".bin"), dirname(process.execPath), process.env.PATH].join(":"),
      HOME: this.#home,
      PULUMI_HOME: join(this.#home, ".pulumi"),
      FLEETKEEPER_PROTOCOL: PROTOCOL,
      FLEETKEEPER_LOG_FORMAT: "text",
      PULUMI_SKIP_UPDATE_CHECK: "1",
    };
    // A variable that a block sets is there in the next one, as in a terminal.
    const whole = `set -ea\n. "${this.#state}"\n${this.#here(script)}`;
    // A group of its own, so that Ctrl-C reaches all that the shell has begun, as a terminal's does.
    // A file: what a pipe of Node's is cannot be opened as /dev/stdin.
    const input = join(this.#home, ".typed");
    writeFileSync(input, typed === "" ? "" : this.#here(`${typed}\n`));
    const stdin = openSync(input, "r");
    const child = spawn("bash", ["-c", whole], { env, detached: true, stdio: [stdin, "pipe", "pipe"] });
    closeSync(stdin);
    const ended = new Promise((resolve, reject) => child.once("error", reject).once("close", resolve));
    return { child, ended };
  }

  /** With the ports of this test, and its home: Pulumi takes `~` for the user's own, whatever HOME says. */
  #here(text: string): string {
    const here = Object.entries(this.#standIns).reduce(
      (sum, [word, here]) => sum.replaceAll(word, here),
      text,
    );
    return replaceAll(here, this.#ports).replaceAll("file://~", `file://${this.#home}`);
  }

  #asOnPage(printed: string): string {
    const back = new Map([...this.#ports].map(([named, taken]) => [taken, named]));
    return replaceAll(printed, back)
      .replaceAll(ROOT, "/home/you/fleetkeeper")
      .replaceAll(this.#home, "/home/you");
  }

  async close(): Promise<void> {
    for (const { child, ended } of this.#staying.values()) {
      signal(child, "SIGKILL");
      await ended;
    }
    rmSync(this.#home, { recursive: true, force: true });
  }
}

/** What a try of somebody's has left in an example is no part of the clone. */
function isCommitted(file: string): boolean {
  return !/[/\\](node_modules|\.fleetkeeper|Pulumi\.[\w-]+\.yaml)$/.test(file);
}

function collect({ stdout, stderr }: ChildProcess): string[] {
  const texts: string[] = [];
  for (const stream of [stdout, stderr])
    stream?.setEncoding("utf8").on("data", (text: string) => texts.push(text));
  return texts;
}

/** To all of its group: a shell passes no signal on. */
function signal({ pid, exitCode, signalCode }: ChildProcess, name: NodeJS.Signals): void {
  if (pid !== undefined && exitCode === null && signalCode === null) process.kill(-pid, name);
}

function replaceAll(text: string, words: ReadonlyMap<string, string>): string {
  return text.replaceAll(
    new RegExp(`\\b(${[...words.keys()].join("|")})\\b`, "g"),
    (word) => words.get(word) ?? word,
  );
}
