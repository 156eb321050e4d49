import type { Redaction } from "./redaction.ts";
import type { HttpRequest, HttpResponse } from "./transport.ts";

/** Sends one request exactly once, with rate limit, credential and transport. */
type Send = (request: UnsignedRequest, signal: AbortSignal) => Promise<HttpResponse>;

/** A request for the transport without headers: the credential is added with them. */
type UnsignedRequest = Omit<HttpRequest, "headers">;

export interface Endpoint {
  readonly baseUrl: string;
  readonly send: Send;
  readonly redact: Redaction;
}
