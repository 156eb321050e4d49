import { createHash } from "node:crypto";

/** One complete HTTP request: the layers below add and repeat nothing. */
export interface HttpRequest {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Absolute. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON text. */
  readonly body?: string;
  /** Asked just before the first byte. False: nothing is sent, and the request fails as NOT_SENT. */
  readonly mayLeave?: (() => boolean) | undefined;
}

/** One HTTP answer, read to its end. Header names are in lower case. */
export interface HttpResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** It may be decoded anew each time that it is asked for. */
  readonly body: string;
  /** A digest of the body's bytes, where it is found without the text. See {@link digestOf}. */
  readonly digest?: string;
}

/** Equal only for equal bodies. It stands for one that was read before: kept as text, that would be as large as the list. */
export function digestOf(pieces: Iterable<string | Uint8Array>): string {
  const hash = createHash("sha256");
  for (const piece of pieces) hash.update(piece);
  return hash.digest("base64");
}

/**
 * Sends one request to the service once, and returns its answer. Fails only with a {@link TransportError}.
 * There are two: undici's (http/undici-transport.ts) and the simulator's, in the same process.
 */
export type Transport = (request: HttpRequest, signal: AbortSignal) => Promise<HttpResponse>;

/** Why a request was not sent when `mayLeave` was false. */
export const TOO_LATE =
  "too late to be sent: the process stood still or is to end, or the connection took too long";

/**
 * The request got no readable answer.
 * `NOT_SENT`: no byte of it reached a socket (refused, name not found, connect timeout, TLS before it, late).
 * `NO_ANSWER`: it may have been carried out (timeout, reset, answer over the size limit, aborted).
 */
export class TransportError extends Error {
  readonly code: "NOT_SENT" | "NO_ANSWER";
  /** It left on a connection that had carried another one: its end says nothing of the service. */
  readonly reused: boolean;

  constructor(
    code: "NOT_SENT" | "NO_ANSWER",
    message: string,
    options?: ErrorOptions & { readonly reused?: boolean },
  ) {
    super(message, options);
    this.name = "TransportError";
    this.code = code;
    this.reused = options?.reused === true;
  }
}
