/** One HTTP request, complete: nothing below adds or repeats anything. */
export interface HttpRequest {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Absolute. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON text. */
  readonly body?: string;
  /** Asked right before the first byte leaves. False: it is not sent, and fails as that. */
  readonly mayLeave?: (() => boolean) | undefined;
}

/** One HTTP answer, read to its end. Header names are in lower case. */
export interface HttpResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/**
 * Carries one request to the service and its answer back, once. Fails with a {@link TransportError} only.
 * Two exist: undici's (see undici-transport.ts) and the simulator's in-process one.
 */
export type Transport = (request: HttpRequest, signal: AbortSignal) => Promise<HttpResponse>;

/** Why a request is not sent that may not leave any more. */
export const TOO_LATE =
  "too late to be sent: the process stood still or is to end, or the connection took too long";

/**
 * The request got no readable answer.
 * `NOT_SENT`: no byte of it reached a socket (refused, name not found, connect timeout, TLS before the request, too late).
 * `NO_ANSWER`: it may have been carried out (timeout, reset, answer over the size limit, aborted).
 */
export class TransportError extends Error {
  readonly code: "NOT_SENT" | "NO_ANSWER";

  constructor(code: "NOT_SENT" | "NO_ANSWER", message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "TransportError";
    this.code = code;
  }
}
