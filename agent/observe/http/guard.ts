import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { isIP } from "node:net";

/** Why a request is not answered, for its sender. */
export interface Refusal {
  readonly status: 401 | 403 | 405;
  readonly text: string;
  readonly headers: Readonly<Record<string, string | string[]>>;
}

export interface Asked {
  readonly method: string | undefined;
  readonly headers: IncomingHttpHeaders;
  /** A probe: it says yes or no and an age, and is asked by what carries no token. */
  readonly probe: boolean;
}

/** Decides who is answered. Undefined: whoever asked may have it. */
export function refusalOf({ method, headers, probe }: Asked, token: string | undefined): Refusal | undefined {
  if (method !== "GET" && method !== "HEAD") {
    return { status: 405, text: "Only GET: this page changes nothing.", headers: { allow: "GET, HEAD" } };
  }
  if (token === undefined) {
    if (isOwnName(headers.host)) return undefined;
    return {
      status: 403,
      text:
        "This name is not one of this machine's own, so a foreign web page may be asking through your browser. Use " +
        "127.0.0.1 or localhost; behind a proxy, set FLEETKEEPER_HTTP_TOKEN.",
      headers: {},
    };
  }
  if (probe || carries(headers.authorization, token)) return undefined;
  return {
    status: 401,
    text: "A token is needed: Authorization: Bearer TOKEN; in a browser any name, and the token as the password.",
    // Two schemes, each in a line of its own, or browsers see the first one alone: programs send Bearer, and Basic makes a
    // browser ask the person in front of it.
    headers: {
      "www-authenticate": ['Bearer realm="fleetkeeper"', 'Basic realm="fleetkeeper", charset="UTF-8"'],
    },
  };
}

/**
 * A page from elsewhere can point a name of its own at 127.0.0.1 and read what stands here (DNS rebinding). It cannot do
 * so with an address, nor with localhost.
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
