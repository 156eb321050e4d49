import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import type { HttpRequest } from "../service/contract/transport.ts";
import type { SimulatorClock } from "./clock.ts";
import type { Handle } from "./handler.ts";

export interface HttpEndpoint {
  /** Such as `http://127.0.0.1:41234`, without a slash at the end. */
  readonly url: string;
  /**
   * Stops listening and breaks all connections, so that clients are truly refused; or listens again at the
   * same port. Over HTTP a single request cannot be refused: the fault "refuse" only breaks its connection.
   */
  refuseConnections(refuse: boolean): Promise<void>;
  close(): Promise<void>;
}

/** Serves on the loopback only. Port 0 takes a free port. */
export async function listen(handle: Handle, clock: SimulatorClock, port = 0): Promise<HttpEndpoint> {
  const closing = new AbortController();
  const server = createServer((incoming, outgoing) => {
    serve(handle, clock, incoming, outgoing, closing.signal).catch(() => outgoing.destroy());
  });
  const url = await open(server, port);
  return {
    url,
    async refuseConnections(refuse) {
      if (refuse && server.listening) await shut(server);
      if (!refuse && !server.listening) await open(server, Number(new URL(url).port));
    },
    async close() {
      closing.abort();
      if (server.listening) await shut(server);
    },
  };
}

async function serve(
  handle: Handle,
  clock: SimulatorClock,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  signal: AbortSignal,
): Promise<void> {
  const body = await text(incoming);
  const reply = handle({
    method: incoming.method as HttpRequest["method"],
    url: `http://${incoming.headers.host ?? "127.0.0.1"}${incoming.url ?? "/"}`,
    headers: Object.fromEntries(
      Object.entries(incoming.headers).map(([name, value]) => [name, String(value)]),
    ),
    ...(body === "" ? {} : { body }),
  });
  if (reply.kind !== "answer") {
    incoming.socket.destroy();
    return;
  }
  if (reply.delayMs > 0) await clock.sleep(reply.delayMs, signal);
  outgoing.writeHead(reply.response.status, reply.response.headers).end(reply.response.body);
}

/** Listens on the loopback. Gives the base URL. */
export async function open(server: Server, port: number): Promise<string> {
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Closes the server and breaks its connections. */
export async function shut(server: Server): Promise<void> {
  const closed = once(server, "close");
  server.close();
  server.closeAllConnections();
  await closed;
}
