import { createHash, timingSafeEqual } from "node:crypto";
import { isIP } from "node:net";
import type { HttpBindings } from "@hono/node-server";
import type { MiddlewareHandler } from "hono";

/** Probes say yes or no and an age, and are asked by what carries no token. */
const PROBES: readonly string[] = ["/healthz", "/readyz"];

/** Decides who is answered. */
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
    // Two schemes, each in a line of its own, or browsers see the first one alone: programs send Bearer, and
    // Basic makes a browser ask the person in front of it. Headers of a Response would join them in one line.
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
 * A page from elsewhere can point a name of its own at 127.0.0.1 and read what stands here (DNS rebinding).
 * It cannot do so with an address, nor with localhost.
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

/** In a time that says nothing about how much of it was right, nor about its length. */
function isEqual(one: string, other: string): boolean {
  const digest = (text: string): Buffer => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(one), digest(other));
}
