import { connect, createServer, type Socket } from "node:net";
import { onTestFinished } from "vitest";

/** One message of the protocol: its kind, and all its bytes. The first of a connection has no kind. */
interface Message {
  readonly kind: string;
  readonly bytes: Buffer;
}

/** Takes a stream apart. */
class Messages {
  #rest: Buffer = Buffer.alloc(0);
  #isFirst: boolean;

  constructor({ beginsPlain }: { readonly beginsPlain: boolean }) {
    this.#isFirst = beginsPlain;
  }

  *of(chunk: Buffer): Iterable<Message> {
    this.#rest = Buffer.concat([this.#rest, chunk]);
    for (;;) {
      const header = this.#isFirst ? 0 : 1;
      if (this.#rest.length < header + 4) return;
      const end = header + this.#rest.readInt32BE(header);
      if (this.#rest.length < end) return;
      const bytes = this.#rest.subarray(0, end);
      this.#rest = this.#rest.subarray(end);
      yield { kind: this.#isFirst ? "startup" : String.fromCharCode(bytes[0] ?? 0), bytes };
      this.#isFirst = false;
    }
  }
}

/** A connection to the server, which one client has for one transaction. */
interface Lane {
  readonly server: Socket;
  client: Socket | undefined;
}

/** What poolers let a client begin with. They refuse any other parameter, such as a timeout. */
const ALLOWED = ["user", "database", "client_encoding", "application_name"];
const LANES = 2;

/**
 * A pooler in transaction mode: each transaction of a client goes to whichever of two connections is free. So
 * a client that counts on a setting, a lock or a prepared statement of its session finds that of another one.
 */
export class TransactionPooler {
  port = 0;
  readonly #serverPort: number;
  readonly #lanes = new Map<string, Lane[]>();
  readonly #waiting: (() => void)[] = [];
  readonly #sockets = new Set<Socket>();

  private constructor(serverPort: number) {
    this.#serverPort = serverPort;
  }

  static async before(serverPort: number): Promise<TransactionPooler> {
    const pooler = new TransactionPooler(serverPort);
    const server = createServer((client) => pooler.#serve(client));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    pooler.port = (server.address() as { port: number }).port;
    onTestFinished(() => {
      server.close();
      for (const socket of pooler.#sockets) socket.destroy();
    });
    return pooler;
  }

  #serve(client: Socket): void {
    this.#keep(client);
    const messages = new Messages({ beginsPlain: true });
    let startup: Buffer = Buffer.alloc(0);
    let lane: Promise<Lane> | undefined;
    client.on("data", (chunk) => {
      for (const { kind, bytes } of messages.of(chunk)) {
        if (kind === "startup") {
          startup = bytes;
          if (isAllowed(bytes)) client.write(GREETING);
          else client.destroy();
          continue;
        }
        if (kind === "X") continue;
        lane ??= this.#laneFor(client, startup, () => {
          lane = undefined;
        });
        void lane.then(({ server }) => server.write(bytes));
      }
    });
    // Its transaction ends with it.
    client.on("close", () => void lane?.then(({ server }) => server.destroy()));
  }

  async #laneFor(client: Socket, startup: Buffer, over: () => void): Promise<Lane> {
    const key = startup.toString("latin1");
    const lanes = this.#lanes.get(key) ?? [];
    this.#lanes.set(key, lanes);
    for (;;) {
      // The one that rested longest, so that transactions of one client go to different ones.
      const isFull = lanes.length >= LANES;
      const lane = isFull ? lanes.find((each) => each.client === undefined) : this.#newLane(startup, lanes);
      if (lane) {
        lanes.push(...lanes.splice(lanes.indexOf(lane), 1));
        lane.client = client;
        lane.server.once("over", over);
        return lane;
      }
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
  }

  #newLane(startup: Buffer, lanes: Lane[]): Lane {
    const server = connect(this.#serverPort, "127.0.0.1");
    this.#keep(server);
    server.write(startup);
    const lane: Lane = { server, client: undefined };
    lanes.push(lane);
    const messages = new Messages({ beginsPlain: false });
    let isReady = false;
    server.on("data", (chunk) => {
      for (const { kind, bytes } of messages.of(chunk)) {
        const { client } = lane;
        const isIdle = kind === "Z" && String.fromCharCode(bytes[5] ?? 0) === "I";
        // What it says before it is ready for the first time is no client's.
        if (!isReady) {
          isReady = isIdle;
          continue;
        }
        if (isIdle) this.#release(lane);
        client?.write(bytes);
      }
    });
    server.on("close", () => {
      lanes.splice(lanes.indexOf(lane), 1);
      lane.client?.destroy();
      this.#waiting.shift()?.();
    });
    return lane;
  }

  #release(lane: Lane): void {
    lane.client = undefined;
    lane.server.emit("over");
    this.#waiting.shift()?.();
  }

  #keep(socket: Socket): void {
    this.#sockets.add(socket);
    socket.setNoDelay(true);
    socket.on("error", () => undefined);
    socket.on("close", () => this.#sockets.delete(socket));
  }
}

function isAllowed(startup: Buffer): boolean {
  const words = startup.subarray(8).toString("utf8").split("\0");
  const names = words.filter((word, place) => place % 2 === 0 && word !== "");
  return names.every((name) => ALLOWED.includes(name));
}

function message(kind: string, body: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeInt32BE(body.length + 4);
  return Buffer.concat([Buffer.from(kind), length, body]);
}

/** AuthenticationOk, and ReadyForQuery. */
const GREETING = Buffer.concat([message("R", Buffer.alloc(4)), message("Z", Buffer.from("I"))]);
