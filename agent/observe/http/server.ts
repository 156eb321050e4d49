import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { contextOf } from "../../../launch/keeper.ts";
import { Draft } from "../../../ledger/draft.ts";
import { FleetkeeperError } from "../../../service/errors.ts";
import { jsonText } from "../../fleet/text.ts";
import { ledgerStatus } from "../../status/account-status.ts";
import type { HttpAddress } from "./address.ts";
import { urlOf } from "./address.ts";
import { loadAssets } from "./assets.ts";
import { EventStreams } from "./event-streams.ts";
import { refusalOf } from "./guard.ts";
import type { Health } from "./health.ts";
import { healthOf, readinessOf } from "./health.ts";
import { closeIdle } from "./idle-sockets.ts";
import type { Metrics } from "./metrics.ts";
import { METRICS_TYPE } from "./metrics.ts";
import { page } from "./page.ts";
import type { Range } from "./series.ts";
import { RANGES } from "./series.ts";
import type { ViewOptions } from "./view.ts";
import { viewOf } from "./view.ts";

export interface HttpServerOptions extends ViewOptions {
  readonly address: HttpAddress;
  /** Needed in every request but probes, where it is given. */
  readonly token: string | undefined;
  readonly metrics: Metrics;
}

export interface HttpServer {
  /** Where it listens, with a slash at the end. */
  readonly url: string;
  close(): Promise<void>;
}

interface Answer {
  readonly status: number;
  readonly type: string;
  readonly body: string | Buffer;
  readonly headers?: Readonly<Record<string, string | string[]>>;
}

export const TEXT = "text/plain; charset=utf-8";
/** Texts of the service may be megabytes; programs get this much of each. */
const MOST_TEXT = 10_000;
/** Pages that ask within this time get the same rendering. */
const SAME_PAGE_MS = 500;

/**
 * For every answer. Nothing is loaded but this server's own style sheet, script and icon; nothing inline runs, whatever a
 * text of the service may hold; nobody may frame the page or send forms from it.
 */
const SECURITY: Readonly<Record<string, string>> = {
  "content-security-policy":
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; " +
    "form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "cache-control": "no-store",
};

/** Starts answering. Throws CONFIG where the address cannot be had. */
export async function startHttpServer(options: HttpServerOptions): Promise<HttpServer> {
  const routes = routesOf(options);
  const streams = new EventStreams(options.pulse);
  const server = await answering(options.address, (request, response) =>
    handle(request, response, options, routes, streams),
  );
  return {
    url: server.url,
    close: async () => {
      streams.close();
      await server.close();
    },
  };
}

/** Listens, and hands over what is asked. Throws CONFIG where the address cannot be had. */
export async function answering(
  address: HttpAddress,
  answer: (request: IncomingMessage, response: ServerResponse) => Promise<void> | void,
): Promise<HttpServer> {
  const server = createServer(async (request, response) => {
    try {
      await answer(request, response);
    } catch (error) {
      // A ledger that cannot be read is said to whoever asks, and the loop meets it too.
      const text = error instanceof FleetkeeperError ? error.message : "The page could not be made.";
      if (response.headersSent) response.destroy();
      else send(response, { status: 503, type: TEXT, body: `${text}\n` }, request.method);
    }
  });
  server.headersTimeout = 10_000;
  server.requestTimeout = 10_000;
  server.maxConnections = 256;
  closeIdle(server);
  await listen(server, address);
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

type Route = (url: URL) => Promise<Answer> | Answer;

function routesOf(options: HttpServerOptions): ReadonlyMap<string, Route> {
  const { keeper, pulse, metrics, short } = options;
  const pages = new Map<
    Range | undefined,
    { readonly made: number; readonly version: number; readonly text: string }
  >();
  const pageFor = async (range: Range | undefined): Promise<string> => {
    const made = keeper.clock.now().mono;
    const before = pages.get(range);
    if (before && before.version === pulse.version && made - before.made < SAME_PAGE_MS) return before.text;
    const { version } = pulse;
    const text = page(await viewOf(options, range));
    pages.set(range, { made, version, text });
    return text;
  };
  return new Map<string, Route>([
    [
      "/",
      async (url) => {
        const asked = url.searchParams.get("range");
        const range = asked !== null && Object.hasOwn(RANGES, asked) ? (asked as Range) : undefined;
        return { status: 200, type: "text/html; charset=utf-8", body: await pageFor(range) };
      },
    ],
    ["/healthz", () => probe(healthOf(keeper, pulse))],
    ["/readyz", async () => probe(await readinessOf(keeper, pulse))],
    [
      "/metrics",
      async () => {
        const draft = new Draft(await keeper.ledger.read(keeper.account));
        const body = await metrics.scrape({ draft, context: contextOf(keeper), pulse, short });
        return { status: 200, type: METRICS_TYPE, body };
      },
    ],
    [
      "/api/status",
      async () => {
        const status = await ledgerStatus(keeper.ledger, contextOf(keeper));
        const cut = JSON.parse(JSON.stringify(status), (_, value: unknown) =>
          typeof value === "string" && value.length > MOST_TEXT ? `${value.slice(0, MOST_TEXT)}…` : value,
        );
        return { status: 200, type: "application/json", body: `${jsonText(cut)}\n` };
      },
    ],
  ]);
}

function probe({ ok, text }: Health): Answer {
  return { status: ok ? 200 : 503, type: TEXT, body: `${text}\n` };
}

const ASSETS = loadAssets();

async function handle(
  request: IncomingMessage,
  response: ServerResponse,
  { token }: HttpServerOptions,
  routes: ReadonlyMap<string, Route>,
  streams: EventStreams,
): Promise<void> {
  const { method, headers } = request;
  const url = urlAsked(request.url);
  const path = url?.pathname;
  const isProbe = path === "/healthz" || path === "/readyz";
  const refused = refusalOf({ method, headers, probe: isProbe }, token);
  if (refused) {
    const { status, text } = refused;
    send(response, { status, type: TEXT, body: `${text}\n`, headers: refused.headers }, method);
    return;
  }
  const route = path === undefined ? undefined : routes.get(path);
  const asset = path === undefined ? undefined : ASSETS.get(path);
  if (url && route) {
    send(response, await route(url), method);
  } else if (asset) {
    const { type, content, tag } = asset;
    const same = headers["if-none-match"] === tag;
    const cached = { etag: tag, "cache-control": "no-cache" };
    send(response, { status: same ? 304 : 200, type, body: same ? "" : content, headers: cached }, method);
  } else if (path === "/events" && method === "GET") {
    stream(response, streams);
  } else {
    send(
      response,
      { status: 404, type: TEXT, body: "There is nothing here. The status page is at /.\n" },
      method,
    );
  }
}

function stream(response: ServerResponse, streams: EventStreams): void {
  response.writeHead(200, { ...SECURITY, "content-type": "text/event-stream", "x-accel-buffering": "no" });
  // 204 would tell the page never to come back.
  if (!streams.add(response)) response.end("retry: 60000\n\n");
}

export function send(response: ServerResponse, answer: Answer, method: string | undefined): void {
  const { status, type, body, headers = {} } = answer;
  response.writeHead(status, {
    ...SECURITY,
    "content-type": type,
    ...(status === 304 ? {} : { "content-length": Buffer.byteLength(body) }),
    ...headers,
  });
  response.end(method === "HEAD" ? undefined : body);
}

function urlAsked(target: string | undefined): URL | undefined {
  return target?.startsWith("/") ? (URL.parse(`http://page${target}`) ?? undefined) : undefined;
}

async function listen(server: Server, { host, port }: HttpAddress): Promise<void> {
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
