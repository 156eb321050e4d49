import { connect, createServer, type Socket } from "node:net";
import { onTestFinished } from "vitest";

/**
 * When a connection is cut at a statement. `before`: nothing of it arrives. `inside`: half of it does.
 * `unanswered`: all of it, and the answer is not waited for. `inAnswer`: half of the answer comes back.
 * `answered`: all of it does. `late`: the client is cut at once, and the statement arrives a while later, as
 * from a network that holds it back.
 */
export const CUTS = ["before", "inside", "unanswered", "inAnswer", "answered", "late"] as const;
export type Cut = (typeof CUTS)[number];

const LATE_MS = 400;
const QUERY = 0x51;
const SYNC = 0x53;
/** What a standby says while it streams. */
const COPIED = 0x64;
const READY = 0x5a;

/** Stands between a PostgreSQL client and its server, and cuts connections at the statement that a test names. */
export class CuttingProxy {
  /** Asked for each statement, with all that the client sends for it as text. */
  cut: (statement: string) => Cut | undefined = () => undefined;
  /** It takes no connection. */
  isDown = false;
  /** It passes nothing on, and closes nothing. */
  isSilent = false;
  /** It passes no answer on until `answer` is called, again for each statement that comes after that. */
  holdsAnswers = false;
  port = 0;
  /** Where new connections lead. Those that stand stay where they are. */
  leadsTo: number;
  #held: (() => void)[] = [];
  #isAnswering = false;
  readonly #sockets = new Set<Socket>();

  private constructor(serverPort: number) {
    this.leadsTo = serverPort;
  }

  static async before(serverPort: number): Promise<CuttingProxy> {
    const proxy = new CuttingProxy(serverPort);
    const server = createServer((client) => proxy.#serve(client, proxy.leadsTo));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    proxy.port = (server.address() as { port: number }).port;
    onTestFinished(() => {
      server.close();
      for (const socket of proxy.#sockets) socket.destroy();
    });
    return proxy;
  }

  /** Cuts the first statement that has this text in it, once. */
  cutOnce(cut: Cut, text: string | RegExp): void {
    this.cut = (statement) => {
      if (!statement.match(text)) return undefined;
      this.cut = () => undefined;
      return cut;
    };
  }

  /** Cuts all connections now. */
  cutAll(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  /** Passes on the answers that it holds. */
  answer(): void {
    this.#isAnswering = true;
    for (const pass of this.#held.splice(0)) pass();
  }

  #serve(client: Socket, serverPort: number): void {
    if (this.isDown) {
      client.destroy();
      return;
    }
    const server = connect(serverPort, "127.0.0.1");
    for (const socket of [client, server]) {
      socket.setNoDelay(true);
      this.#sockets.add(socket);
      socket.on("error", () => undefined);
      socket.on("close", () => this.#sockets.delete(socket));
    }
    const both = (): void => {
      client.destroy();
      server.destroy();
    };
    let answerCut: "inAnswer" | "answered" | undefined;
    let isLate = false;
    const answers = new Answers();
    /** Statements that the server has, and has not answered. */
    let unanswered = 0;
    server.on("data", (chunk: Buffer) => {
      if (isLate || this.isSilent) return;
      const [whole = 0, last = 0] = answers.endsIn(chunk).slice(-2).reverse();
      unanswered -= answers.ended;
      if (!answerCut) {
        if (this.holdsAnswers && !this.#isAnswering) this.#held.push(() => client.write(chunk));
        else client.write(chunk);
        return;
      }
      // Whole answers to what was sent before it, and half of its own.
      const isOver = unanswered <= 0;
      if (answerCut === "answered") client.write(chunk, isOver ? both : undefined);
      else if (isOver) client.write(chunk.subarray(0, last + ((whole - last) >> 1)), both);
      else client.write(chunk);
    });
    server.on("close", () => client.destroy());
    client.on("close", () => {
      if (!isLate) server.destroy();
    });
    const statements = new Statements();
    client.on("data", (chunk: Buffer) => {
      if (this.isSilent) return;
      for (const statement of statements.of(chunk)) {
        // What comes after the statement that is cut never arrives.
        if (answerCut || isLate) return;
        this.#isAnswering = false;
        const cut = this.cut(statement.toString("latin1"));
        switch (cut) {
          case "before":
            both();
            return;
          case "inside":
            server.write(statement.subarray(0, statement.length >> 1), both);
            return;
          case "unanswered":
            server.write(statement, both);
            return;
          case "late":
            isLate = true;
            client.destroy();
            setTimeout(() => server.end(statement), LATE_MS);
            return;
          default:
            answerCut = cut;
            unanswered += 1;
            server.write(statement);
        }
      }
    });
  }
}

/** What a server sends. Each answer ends with ReadyForQuery; what it says when a connection begins is one, too. */
class Answers {
  #rest: Buffer = Buffer.alloc(0);
  /** Answers that ended in the last chunk. */
  ended = 0;

  /** Where answers end in a chunk. */
  endsIn(chunk: Buffer): readonly number[] {
    const before = this.#rest.length;
    const bytes = Buffer.concat([this.#rest, chunk]);
    const ends: number[] = [];
    let at = 0;
    while (bytes.length >= at + 5) {
      const end = at + 1 + bytes.readInt32BE(at + 1);
      if (bytes.length < end) break;
      if (bytes[at] === READY) ends.push(end - before);
      at = end;
    }
    this.#rest = bytes.subarray(at);
    this.ended = ends.length;
    return ends;
  }
}

/** What a client sends, statement by statement. The first one is what begins the connection. */
class Statements {
  #rest: Buffer = Buffer.alloc(0);
  #isBegun = false;

  *of(chunk: Buffer): Iterable<Buffer> {
    this.#rest = Buffer.concat([this.#rest, chunk]);
    let at = 0;
    for (;;) {
      const header = this.#isBegun ? 1 : 0;
      if (this.#rest.length < at + header + 4) return;
      const end = at + header + this.#rest.readInt32BE(at + header);
      if (this.#rest.length < end) return;
      const kind = this.#rest[at];
      at = end;
      // Parse, Bind, Describe and Execute belong to the Sync after them.
      if (this.#isBegun && ![QUERY, SYNC, COPIED, 0x70, 0x58].includes(kind ?? 0)) continue;
      this.#isBegun = true;
      yield this.#rest.subarray(0, at);
      this.#rest = this.#rest.subarray(at);
      at = 0;
    }
  }
}
