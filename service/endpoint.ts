import type { Redaction } from "./redaction.ts";
import type { HttpRequest, HttpResponse } from "./transport.ts";

/** One request on its way: rate limit, credential and transport. Sends exactly once. */
type Send = (request: UnsignedRequest, signal: AbortSignal) => Promise<HttpResponse>;

/** What the transport is given but for the headers, of which the credential is one. */
type UnsignedRequest = Omit<HttpRequest, "headers">;

/** What every operation is given. */
export interface Endpoint {
  readonly baseUrl: string;
  readonly send: Send;
  readonly redact: Redaction;
}
