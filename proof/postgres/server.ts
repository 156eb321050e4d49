import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { Client } from "pg";

interface Launched {
  readonly child: ChildProcess;
  readonly port: number;
  /** The folder of its socket. */
  readonly socket: string;
  readonly answers: AsyncIterator<string>;
}

/** A PostgreSQL server for tests and for the proof. It ends with the process that started it. */
export class PostgresServer {
  readonly port: number;
  readonly #socket: string;
  readonly #process: ChildProcess;
  readonly #answers: AsyncIterator<string>;
  #databases = 0;
  #hasEnded = false;

  protected constructor({ child, port, socket, answers }: Launched) {
    this.#process = child;
    this.port = port;
    this.#socket = socket;
    this.#answers = answers;
  }

  static async start(): Promise<PostgresServer> {
    return new PostgresServer(await PostgresServer.launch());
  }

  /** `under`: a command that runs the one that it is given. `words`: see server-process.ts. */
  protected static async launch(
    under: readonly string[] = [],
    words: readonly string[] = [],
  ): Promise<Launched> {
    const script = new URL("./server-process.ts", import.meta.url).pathname;
    const [file = "", ...parameters] = [...under, process.execPath, script, ...words];
    const child = spawn(file, parameters, { stdio: ["pipe", "pipe", "pipe"] });
    let said = "";
    child.stderr.on("data", (chunk: Buffer) => {
      said += chunk;
    });
    const answers = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    const { value } = await answers.next();
    if (value === undefined) throw new Error(`no PostgreSQL server: ${said}`);
    // It holds no process back that would end.
    child.unref();
    for (const stream of child.stdio) (stream as { unref?: () => void } | null)?.unref?.();
    const { port, socket } = JSON.parse(value) as { readonly port: number; readonly socket: string };
    return { child, port, socket, answers };
  }

  /** The server dies at once, as by kill -9. */
  kill(): Promise<void> {
    return this.#tell("kill");
  }

  /** Starts it again after that. */
  restart(): Promise<void> {
    return this.#tell("start");
  }

  /** Ends the server, and the process that keeps it. */
  end(): Promise<void> {
    this.#hasEnded = true;
    const ended = new Promise<void>((resolve) => this.#process.once("exit", () => resolve()));
    this.#process.stdin?.end();
    return ended;
  }

  /** Makes a new database and returns its name. */
  async create(options = ""): Promise<string> {
    this.#databases += 1;
    const name = `made${process.pid}_${this.#databases}`;
    await this.sql(`CREATE DATABASE ${name} ${options}`);
    return name;
  }

  async drop(database: string): Promise<void> {
    if (!this.#hasEnded) await this.sql(`DROP DATABASE ${database} WITH (FORCE)`);
  }

  urlOf(database: string): string {
    return `postgres://postgres@127.0.0.1:${this.port}/${database}`;
  }

  async sql(text: string, database = "postgres"): Promise<readonly Record<string, unknown>[]> {
    // By its socket: its network may be another one than ours.
    const client = new Client({ host: this.#socket, port: this.port, user: "postgres", database });
    client.on("error", () => undefined);
    await client.connect();
    try {
      const results = [await client.query(text)].flat();
      return results.at(-1)?.rows ?? [];
    } finally {
      await client.end();
    }
  }

  async #tell(what: string): Promise<void> {
    this.#process.stdin?.write(`${what}\n`);
    const { done } = await this.#answers.next();
    if (done) throw new Error(`the PostgreSQL server did not ${what}`);
  }
}

let shared: Promise<PostgresServer> | undefined;

/** The server that all worlds and tests of this process share. Throws if none can be had here. */
export function sharedServer(): Promise<PostgresServer> {
  shared ??= PostgresServer.start();
  return shared;
}
