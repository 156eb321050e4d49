import { subscribe } from "node:diagnostics_channel";
import type { Agent, Dispatcher } from "undici";
import {
  digestOf,
  type HttpRequest,
  type HttpResponse,
  TOO_LATE,
  type Transport,
  TransportError,
} from "../contract/transport.ts";
import { type Environment, proxiedAgent } from "./proxied-agent.ts";
import { tlsFailureText } from "./tls-failure.ts";

/** All times in milliseconds. */
export interface UndiciTransportOptions {
  /** TCP and TLS together. Default 10 s. */
  readonly connectTimeout?: number;
  /** From the request to the answer's headers, for a GET. Default 30 s. */
  readonly headersTimeout?: number;
  /** Between two pieces of an answer's body. Default 30 s. */
  readonly bodyTimeout?: number;
  /** Any request, from the call to the answer's last byte; the longest POST. Default 120 s. */
  readonly wholeTimeout?: number;
  /** Bytes of an answer's body. Default 16 MiB. */
  readonly maxAnswerBytes?: number;
  /** Of the process: HTTPS_PROXY, HTTP_PROXY, NO_PROXY and NODE_USE_ENV_PROXY count. Default: none, and no proxy is asked. */
  readonly environment?: Environment;
  /** The only certificates to trust, in PEM: for a private authority. */
  readonly ca?: string;
}

export interface ClosableTransport {
  readonly transport: Transport;
  /** Waits for the requests under way and closes all sockets. */
  close(): Promise<void>;
}

/** Connections that carried a request. undici tells the socket right after `onRequestStart`, and nowhere else. */
const used = new WeakSet<object>();
let onSocket: ((isReused: boolean) => void) | undefined;
subscribe("undici:client:sendHeaders", (message) => {
  const { socket } = message as { readonly socket: object };
  onSocket?.(used.has(socket));
  onSocket = undefined;
  used.add(socket);
});

/**
 * The transport over real sockets. Error codes do not tell whether a byte may have left. But undici calls
 * `onRequestStart` just before it writes: a failure before that call is NOT_SENT, any later one NO_ANSWER.
 *
 * Requests are written at most once:
 * - HTTP/2 is off: undici puts requests of a closed session back into its queue.
 * - GETs share kept-alive sockets, one request at a time on each. Others get a fresh connection: on a
 *   kept-alive socket that the server is just closing, a launch would end as unknown, and cost a settle time.
 * - If undici ever starts a request a second time, it is aborted before it writes.
 *
 * Redirects are not followed: undici's dispatcher knows none.
 */
export function createUndiciTransport(options: UndiciTransportOptions = {}): ClosableTransport {
  const {
    connectTimeout = 10_000,
    headersTimeout = 30_000,
    bodyTimeout = 30_000,
    wholeTimeout = 120_000,
    maxAnswerBytes = 16 * 1024 * 1024,
    environment = {},
    ca,
  } = options;
  const common: Agent.Options = {
    allowH2: false,
    bodyTimeout,
    connect: { timeout: connectTimeout, ...(ca === undefined ? {} : { ca }) },
  };
  const reads = proxiedAgent({ ...common, pipelining: 1, headersTimeout }, environment);
  const changes = proxiedAgent({ ...common, pipelining: 0, headersTimeout: wholeTimeout }, environment);

  const inFlight = new Set<Promise<unknown>>();

  const transport: Transport = async (request, signal) => {
    const agent = request.method === "GET" ? reads : changes;
    const answer = exchange(agent, request, signal, { wholeTimeout, maxAnswerBytes });
    inFlight.add(answer);
    try {
      return await answer;
    } finally {
      inFlight.delete(answer);
    }
  };

  return {
    transport,
    close: async () => {
      await Promise.allSettled(inFlight);
      // Undici's close would also wait for connections that nobody needs now.
      await Promise.all([reads.destroy(), changes.destroy()]);
    },
  };
}

type AnswerLimits = Required<Pick<UndiciTransportOptions, "wholeTimeout" | "maxAnswerBytes">>;

function exchange(
  agent: Dispatcher,
  request: HttpRequest,
  signal: AbortSignal,
  limits: AnswerLimits,
): Promise<HttpResponse> {
  return new Promise((resolve, reject) => {
    const { origin, pathname, search } = new URL(request.url);
    const what = `${request.method} ${origin}${pathname}`;
    let controller: Dispatcher.DispatchController | undefined;
    let settled = false;
    let reused = false;
    let status = 0;
    let headers: HttpResponse["headers"] = {};
    const chunks: Buffer[] = [];
    let size = 0;

    const settle = (): boolean => {
      if (settled) return false;
      settled = true;
      clearTimeout(timer);
      signal.removeEventListener("abort", onAbort);
      return true;
    };
    const fail = (cause: Error): void => {
      if (!settle()) return;
      const code = controller === undefined ? "NOT_SENT" : "NO_ANSWER";
      reject(
        new TransportError(code, `${what}: ${describe(cause)}`, { cause, reused: reused && status === 0 }),
      );
      controller?.abort(cause);
    };
    const onAbort = (): void => fail(new Error("aborted", { cause: signal.reason }));
    const timer = setTimeout(
      () => fail(new Error(`no whole answer within ${limits.wholeTimeout} ms`)),
      limits.wholeTimeout,
    );

    const handler: Dispatcher.DispatchHandler = {
      onRequestStart(next) {
        // Thrown before undici writes, which then drops the request: it was given up while it waited for a
        // connection, or starts a second time and may have left before, or it is too late.
        if (settled || controller !== undefined) throw new Error("the request is not sent again");
        if (request.mayLeave?.() === false) throw new Error(TOO_LATE);
        controller = next;
        onSocket = (isReused) => {
          reused = isReused;
        };
      },
      onResponseStart(_controller, statusCode, fields) {
        // Also called for 1xx: the last call is for the answer itself.
        status = statusCode;
        headers = flatten(fields);
      },
      onResponseData(_controller, chunk) {
        size += chunk.length;
        if (size > limits.maxAnswerBytes)
          fail(new Error(`the answer is larger than ${limits.maxAnswerBytes} bytes`));
        else if (!settled) chunks.push(chunk);
      },
      onResponseEnd() {
        if (settle()) resolve(answerOf(status, headers, chunks));
      },
      onResponseError(_controller, error) {
        fail(error);
      },
    };

    if (signal.aborted) return onAbort();
    signal.addEventListener("abort", onAbort, { once: true });
    try {
      agent.dispatch(
        {
          origin,
          path: pathname + search,
          method: request.method,
          headers: { ...request.headers },
          body: request.body ?? null,
        },
        handler,
      );
    } catch (error) {
      fail(error as Error);
    }
  });
}

/** Most answers to a poll say what the one before said: of those nobody asks for the text. */
function answerOf(status: number, headers: HttpResponse["headers"], chunks: readonly Buffer[]): HttpResponse {
  return {
    status,
    headers,
    digest: digestOf(chunks),
    get body() {
      return new TextDecoder().decode(Buffer.concat(chunks));
    },
  };
}

function flatten(fields: Record<string, string | string[] | undefined>): Record<string, string> {
  const flat: Record<string, string> = {};
  for (const [name, value] of Object.entries(fields)) {
    if (value !== undefined) flat[name.toLowerCase()] = Array.isArray(value) ? value.join(", ") : value;
  }
  return flat;
}

/** Node has no one place for the cause: the AggregateError of a refused connection has no message at all. */
function describe(error: Error): string {
  const tls = tlsFailureText(error);
  if (tls !== undefined) return tls;
  const code = (error as { code?: unknown }).code;
  const message =
    error.message || (error instanceof AggregateError ? error.errors.map(String).join("; ") : error.name);
  return typeof code === "string" && !message.includes(code) ? `${message} (${code})` : message;
}
