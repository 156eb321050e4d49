import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { getRequestListener } from "@hono/node-server";
import { Hono } from "hono";
import { FleetkeeperError } from "../../../../service/contract/errors.ts";
import { type HttpAddress, urlOf } from "./address.ts";
import { type Doors, type Env, guard } from "./guard.ts";
import { isOfApi, problem } from "./problem.ts";

export interface HttpServer {
  /** Its base URL, with a slash at the end. */
  readonly url: string;
  close(): Promise<void>;
}

export type App = Hono<Env>;

/**
 * Headers of every answer. Pages load only this server's style sheet, script and icon. Nothing inline runs,
 * whatever a text of the service holds. Nobody may frame the page. A form is sent nowhere but here.
 */
const SECURITY: Readonly<Record<string, string>> = {
  "content-security-policy":
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; " +
    "form-action 'self'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "cache-control": "no-store",
};

/** An app without routes. It answers only requests that the guard lets in. */
export function newApp(doors: Doors): App {
  const app: App = new Hono();
  app.use(guard(doors));
  return answering(app);
}

/** An app for all paths under `base`, without a guard: another app lets requests in, and passes them on. */
export function newPart(base: string): App {
  return answering(new Hono<Env>({ strict: false }).basePath(base));
}

function answering(app: App): App {
  app.notFound((c) =>
    isOfApi(c.req.path)
      ? problem(404, "The API has no such path: see /api/v1/openapi.json.")
      : c.text("There is nothing here. The status page is at /.\n", 404),
  );
  app.onError((error, c) => {
    // A ledger that cannot be read is reported to the asker. The loop meets it, too.
    // Its text names the ledger's place.
    const text =
      c.env.reader === "owner" && error instanceof FleetkeeperError
        ? error.message
        : "The page could not be made.";
    if (isOfApi(c.req.path)) return problem(503, text);
    return c.text(`${text}\n`, 503);
  });
  return app;
}

/** Starts to answer. Throws CONFIG if it cannot listen at the address. */
export async function listen({ fetch }: App, address: HttpAddress): Promise<HttpServer> {
  const answer = getRequestListener(fetch, {
    hostname: "localhost",
    // The global Request and Response belong to the whole process.
    overrideGlobalObjects: false,
    errorHandler: () => new Response("This request cannot be understood.\n", { status: 400 }),
  });
  const isTooMany = openRequests();
  const server = createServer((request, response) => {
    if (isTooMany(request, response)) return;
    for (const [name, value] of Object.entries(SECURITY)) response.setHeader(name, value);
    void answer(request, response);
  });
  server.headersTimeout = 10_000;
  server.requestTimeout = 10_000;
  server.maxConnections = 256;
  closeIdle(server);
  await open(server, address);
  const { port } = server.address() as AddressInfo;
  return {
    url: urlOf({ ...address, port }),
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function open(server: Server, { host, port }: HttpAddress): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => {
      server.off("error", reject);
      resolve();
    });
  }).catch((error: NodeJS.ErrnoException) => {
    const why = WHY_NOT[error.code ?? ""] ?? error.message;
    throw new FleetkeeperError(
      "CONFIG",
      `--http ${host}:${port} cannot be had: ${why}. Name another address with --http ADDRESS:PORT (port 0: any that is free), or --no-http.`,
      { cause: error },
    );
  });
}

const WHY_NOT: Readonly<Record<string, string>> = {
  EADDRINUSE: "another process listens there",
  EACCES: "this user may not listen there",
  EADDRNOTAVAIL: "this machine has no such address",
  ENOTFOUND: "there is no machine of that name",
};

/** Requests of one connection that have no answer yet. Browsers, proxies and the like send one after the other. */
const MOST_OPEN = 8;

/**
 * Counts them, and closes the connection that has too many. Anybody may ask for the style sheet: thousands of answers that
 * nobody reads would fill the memory, until the system ends the agent.
 */
function openRequests(): (request: IncomingMessage, response: ServerResponse) => boolean {
  const open = new WeakMap<Socket, number>();
  const count = (socket: Socket, more: number): number => {
    const now = (open.get(socket) ?? 0) + more;
    open.set(socket, now);
    return now;
  };
  return ({ socket }, response) => {
    response.once("close", () => count(socket, -1));
    // What came with the one too many is still read, and told here.
    if (count(socket, 1) > MOST_OPEN) socket.destroy();
    return socket.destroyed;
  };
}

/** Idle connections: a browser keeps some, a proxy a few more. */
const MOST_IDLE = 64;

/**
 * Closes the longest idle connection if there are too many. Else hundreds of them would fill the server until
 * they time out. Probes would get no answer, and a healthy agent would be restarted. One whose body has not come
 * is idle, too: anybody may begin a sign-in, and send nothing more.
 */
function closeIdle(server: Server): void {
  const idle = new Set<Socket>();
  const rest = (socket: Socket): void => {
    if (socket.destroyed) return;
    idle.add(socket);
    const [oldest] = idle;
    if (idle.size <= MOST_IDLE || !oldest) return;
    // Its "close" event comes later.
    idle.delete(oldest);
    oldest.destroy();
  };
  server.on("connection", (socket: Socket) => {
    socket.once("close", () => idle.delete(socket));
    rest(socket);
  });
  server.on("request", (request, response) => {
    const { socket } = request;
    idle.delete(socket);
    if (hasBody(request)) {
      rest(socket);
      request.once("end", () => idle.delete(socket));
    }
    response.once("close", () => rest(socket));
  });
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
}

/**
 * Answers probes while the agent waits, at its start, for a service that is down: there is no account to show
 * yet. The agent is healthy, since a restart would change nothing, but not ready. Throws CONFIG if it cannot
 * listen at the address.
 */
export function startWaitingServer(address: HttpAddress, token: string | undefined): Promise<HttpServer> {
  // There is no account yet, and so no share link and no token of it.
  const app = newApp({
    token,
    mayRead: async () => false,
    actorOf: async () => undefined,
    isKnown: async () => false,
    isOpen: () => false,
    sessions: () => undefined,
  });
  const why = "waiting for the service to answer for the first time\n";
  app.get("/healthz", (c) => c.text(`ok: ${why}`));
  app.get("*", (c) => c.text(`not ready: ${why}`, 503));
  return listen(app, address);
}
