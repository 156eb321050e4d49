import type { Redaction } from "./redaction.ts";
import type { HttpRequest, HttpResponse } from "./transport.ts";

/** One request on its way: rate limit, credential and transport. Sends exactly once. */
export type Send = (request: WireRequest, signal: AbortSignal) => Promise<HttpResponse>;

export interface WireRequest {
  readonly method: HttpRequest["method"];
  /** Absolute. */
  readonly url: string;
  /** JSON text. */
  readonly body?: string;
}

/** What every operation is given. */
export interface Wire {
  readonly baseUrl: string;
  readonly send: Send;
  readonly redact: Redaction;
}
