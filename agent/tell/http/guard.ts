import { createHash, timingSafeEqual } from "node:crypto";
import { isIP } from "node:net";
import type { HttpBindings } from "@hono/node-server";
import type { MiddlewareHandler } from "hono";
import { getCookie } from "hono/cookie";

export interface Env {
  Bindings: HttpBindings & {
    /** Whom the guard let in: who has the token or is on this machine, or who has a share link. */
    reader?: "owner" | "guest";
  };
}

/** Probes say only yes or no and an age. What sends them often cannot carry a token. */
const PROBES: readonly string[] = ["/healthz", "/readyz"];

/** The account's folder, then one of its pages. */
const PLACE = /^((?:\/services\/[^/]+)?\/)([^/]*)$/;
/** What anybody gets: it tells nothing, and the page that a share link opens is made of it. */
const OPEN: readonly string[] = ["share", "share.js", "page.css", "icon.svg"];
/**
 * What a share link shows. Anything else is refused, also what is added later. Not what is for programs: it
 * names the ledger and the host.
 */
const FOR_GUESTS: readonly string[] = [
  ...OPEN,
  ...["", "machine", "launch", "fleet", "deployment", "search", "places", "events", "page.js"],
];

export const SHARE_COOKIE = "fleetkeeper-share";
/** Without a path: the browser takes the folder of the page, whatever a proxy puts before it. */
export const NO_SHARE_COOKIE = `${SHARE_COOKIE}=; Max-Age=0; HttpOnly; SameSite=Lax`;

/** Whether a share link's secret opens the account whose pages stand in this folder, such as `/`. */
export type MayRead = (secret: string, folder: string) => Promise<boolean>;

/** Decides which requests are answered. */
export function guard(token: string | undefined, mayRead: MayRead): MiddlewareHandler<Env> {
  return async (c, next) => {
    const { method, path } = c.req;
    const letIn = (reader: "owner" | "guest"): Promise<void> => {
      c.env.reader = reader;
      return next();
    };
    if (method !== "GET" && method !== "HEAD")
      return c.text("Only GET: this page changes nothing.\n", 405, { allow: "GET, HEAD" });
    if (token === undefined) {
      if (isOwnName(c.req.header("host"))) return letIn("owner");
      return c.text(
        "This name is not one of this machine's own, so a foreign web page may be asking through your browser. Use " +
          "127.0.0.1 or localhost; behind a proxy, set FLEETKEEPER_HTTP_TOKEN.\n",
        403,
      );
    }
    const [, folder = "", page = "/"] = PLACE.exec(path) ?? [];
    if (PROBES.includes(path) || OPEN.includes(page)) return next();
    const given = credentialOf(c.req.header("authorization"));
    if (given !== undefined && isEqual(given, token)) return letIn("owner");
    const kept = getCookie(c, SHARE_COOKIE);
    for (const secret of [given, kept]) {
      if (!secret || !(await mayRead(secret, folder))) continue;
      if (!FOR_GUESTS.includes(page)) return c.text("A share link shows the pages, and nothing else.\n", 403);
      return letIn("guest");
    }
    if (given === undefined && kept !== undefined) {
      // Whoever loads the page again may give a token. What a page asks for in the background goes on without:
      // else the browser would ask the person for a password again and again.
      const isLoad = c.req.header("accept")?.includes("text/html") === true;
      return c.text("This share link is over, or was taken back.\n", 403, {
        ...(isLoad && { "set-cookie": NO_SHARE_COOKIE }),
      });
    }
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

/** What stands behind Bearer, or the password behind Basic. */
export function credentialOf(authorization: string | undefined): string | undefined {
  const [, scheme, credential = ""] = /^(bearer|basic) +(\S+)$/i.exec(authorization ?? "") ?? [];
  if (scheme === undefined) return undefined;
  if (scheme.toLowerCase() === "bearer") return credential;
  const decoded = Buffer.from(credential, "base64").toString("utf8");
  return decoded.slice(decoded.indexOf(":") + 1);
}

/** Compares in constant time: the time tells neither how much was right, nor the length. */
function isEqual(one: string, other: string): boolean {
  const digest = (text: string): Buffer => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(one), digest(other));
}
