import { createHash, timingSafeEqual } from "node:crypto";
import { isIP } from "node:net";
import type { HttpBindings } from "@hono/node-server";
import type { MiddlewareHandler } from "hono";

/** Probes say only yes or no and an age. What sends them often cannot carry a token. */
const PROBES: readonly string[] = ["/healthz", "/readyz"];

/** Decides which requests are answered. */
export function guard(token: string | undefined): MiddlewareHandler<{ Bindings: HttpBindings }> {
  return async (c, next) => {
    const { method, path } = c.req;
    if (method !== "GET" && method !== "HEAD")
      return c.text("Only GET: this page changes nothing.\n", 405, { allow: "GET, HEAD" });
    if (token === undefined) {
      if (isOwnName(c.req.header("host"))) return next();
      return c.text(
        "This name is not one of this machine's own, so a foreign web page may be asking through your browser. Use " +
          "127.0.0.1 or localhost; behind a proxy, set FLEETKEEPER_HTTP_TOKEN.\n",
        403,
      );
    }
    if (PROBES.includes(path) || carries(c.req.header("authorization"), token)) return next();
    // Each scheme needs a header line of its own, or browsers see only the first. Bearer is for programs;
    // with Basic a browser asks the person. Headers of a Response would join both in one line.
    c.env.outgoing.setHeader("www-authenticate", [
      'Bearer realm="fleetkeeper"',
      'Basic realm="fleetkeeper", charset="UTF-8"',
    ]);
    return c.text(
      "A token is needed: Authorization: Bearer TOKEN; in a browser any name, and the token as the password.\n",
      401,
    );
  };
}

/**
 * Against DNS rebinding: a foreign page can point a name of its own at 127.0.0.1 and read what is here. It
 * cannot do that with an IP address or with localhost.
 */
function isOwnName(host: string | undefined): boolean {
  const name = /^(?:\[([^\]]*)\]|([^:]*))(?::\d+)?$/.exec(host ?? "");
  const found = (name?.[1] ?? name?.[2] ?? "").toLowerCase();
  return isIP(found) !== 0 || found === "localhost" || found.endsWith(".localhost");
}

function carries(authorization: string | undefined, token: string): boolean {
  const [, scheme = "", credential = ""] = /^(bearer|basic) +(\S+)$/i.exec(authorization ?? "") ?? [];
  if (scheme.toLowerCase() === "bearer") return isEqual(credential, token);
  const decoded = Buffer.from(credential, "base64").toString("utf8");
  return isEqual(decoded.slice(decoded.indexOf(":") + 1), token);
}

/** Compares in constant time: the time tells neither how much was right, nor the length. */
function isEqual(one: string, other: string): boolean {
  const digest = (text: string): Buffer => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(one), digest(other));
}
