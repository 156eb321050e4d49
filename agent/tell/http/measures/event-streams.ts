import type { ServerResponse } from "node:http";
import type { Pulse } from "./pulse.ts";

/** The most pages that get events. Further pages poll. */
const MOST = 64;
/** A proxy could take a quiet stream for a dead one. */
const KEEP_ALIVE_MS = 15_000;

/** True: always. Else it is asked before each line. */
export type MayGoOn = true | (() => Promise<boolean>);

/** The open pages. Each change sends them one line, without content. */
export class EventStreams {
  /** Each with what says if it may still be told: a share link ends, and is taken back. */
  readonly #open = new Map<ServerResponse, MayGoOn>();
  readonly #unsubscribe: () => void;
  readonly #timer: NodeJS.Timeout;

  constructor(pulse: Pulse) {
    this.#unsubscribe = pulse.subscribe(() => this.#write(`data: ${pulse.version}\n\n`));
    this.#timer = setInterval(() => this.#write(":\n\n"), KEEP_ALIVE_MS);
    this.#timer.unref();
  }

  /** Adds a page. If there are too many, it is sent away, and polls. */
  add(response: ServerResponse, mayGoOn: MayGoOn): void {
    response.writeHead(200, { "content-type": "text/event-stream", "x-accel-buffering": "no" });
    if (this.#open.size >= MOST) {
      // Not 204: the page would never come back.
      response.end("retry: 60000\n\n");
      return;
    }
    this.#open.set(response, mayGoOn);
    response.on("close", () => this.#open.delete(response));
    response.write("retry: 3000\n\n");
  }

  close(): void {
    clearInterval(this.#timer);
    this.#unsubscribe();
    for (const response of this.#open.keys()) response.end();
  }

  async #writeTo(response: ServerResponse, mayGoOn: () => Promise<boolean>, text: string): Promise<void> {
    const may = await mayGoOn().catch(() => false);
    if (response.destroyed || response.writableEnded) return;
    if (may) response.write(text);
    else response.end();
  }

  #write(text: string): void {
    for (const [response, mayGoOn] of this.#open) {
      // A page that reads nothing must not fill the memory.
      if (response.writableLength > 64_000) response.destroy();
      else if (mayGoOn === true) response.write(text);
      else void this.#writeTo(response, mayGoOn, text);
    }
  }
}
