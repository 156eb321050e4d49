import type { Context } from "hono";
import { isLoopback } from "../../../../service/http/loopback.ts";

/** Whoever puts TLS in front says so. */
export function isHttps(c: Context): boolean {
  return c.req.header("x-forwarded-proto") === "https";
}

/**
 * Whether a form stood on a page of this server, by the browser's own word: no page can write these headers. The first
 * is right behind a proxy that changes the host, too. Browsers send it by TLS and to this machine; old ones send the second alone.
 */
export function isSameOrigin(c: Context): boolean {
  const site = c.req.header("sec-fetch-site");
  if (site !== undefined) return site === "same-origin";
  const origin = c.req.header("origin") ?? "";
  return URL.canParse(origin) && new URL(origin).host === c.req.header("host");
}

/** Neither a token nor what stands for it goes over a network in clear. */
export function isSafeWay(c: Context): boolean {
  const host = `http://${c.req.header("host")}`;
  return isHttps(c) || (URL.canParse(host) && isLoopback(new URL(host).hostname));
}
