import type { Json } from "../../../../service/contract/service.ts";

/** Whether a path is one of the API, of this account or of one of several services. */
export function isOfApi(path: string): boolean {
  return /^(?:\/services\/[^/]+)?\/api\/v1(?:\/|$)/.test(path);
}

/**
 * An answer that says why nothing was done: RFC 9457. `more`: what a program needs to go on, such as the code that the same
 * mistake has beside the ledger.
 */
export function problem(
  status: number,
  detail: string,
  headers: Readonly<Record<string, string>> = {},
  more: Readonly<Record<string, Json>> = {},
): Response {
  const title = TITLES[status] ?? "Error";
  const body = `${JSON.stringify({ title, status, detail, ...more }, null, 2)}\n`;
  return new Response(body, { status, headers: { ...headers, "content-type": "application/problem+json" } });
}

const TITLES: Readonly<Record<number, string>> = {
  400: "Bad Request",
  401: "Unauthorized",
  403: "Forbidden",
  404: "Not Found",
  405: "Method Not Allowed",
  409: "Conflict",
  413: "Content Too Large",
  415: "Unsupported Media Type",
  422: "Unprocessable Content",
  429: "Too Many Requests",
  502: "Bad Gateway",
  503: "Service Unavailable",
};
