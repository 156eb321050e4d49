import { once } from "node:events";
import type { IncomingHttpHeaders } from "node:http";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

interface Received {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface Receiver {
  readonly url: string;
  readonly received: Received[];
  /** What it answers from now on; 0: nothing at all. */
  status: number;
  /** And with these headers. */
  headers: Readonly<Record<string, string>>;
}

/** Somebody who is told things, on the loopback. */
export async function receiver(): Promise<Receiver> {
  const received: Received[] = [];
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request.setEncoding("utf8")) body += chunk;
    received.push({ method: request.method ?? "", path: request.url ?? "", headers: request.headers, body });
    if (made.status === 0) return;
    const leads = made.status >= 300 && made.status < 400 ? { location: "/elsewhere" } : {};
    response.writeHead(made.status, { ...leads, ...made.headers }).end("ok");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  });
  const { port } = server.address() as AddressInfo;
  const made: Receiver = { url: `http://127.0.0.1:${port}/hook`, received, status: 200, headers: {} };
  return made;
}
