import { createHash, timingSafeEqual } from "node:crypto";
import { isIP } from "node:net";
import type { HttpBindings } from "@hono/node-server";
import type { MiddlewareHandler } from "hono";
import { getCookie } from "hono/cookie";
import { type Actor, AGENT_TOKEN } from "../../../orders/actor.ts";
import type { NotTaken } from "../../../orders/oidc.ts";
import { isTokenSecret } from "../../../orders/tokens.ts";
import type { OverPages } from "./agent-services.ts";
import { isSameOrigin } from "./origin.ts";
import { isOfApi, problem } from "./problem.ts";
import type { Session, Sessions } from "./sessions.ts";

export interface Env {
  Bindings: HttpBindings & {
    /** Whom the guard let in: who has the token or is on this machine, or who has a share link. */
    reader?: "owner" | "guest";
    /** Who sent a token with the request. */
    actor?: Actor;
    /** Who has signed in on the pages. */
    session?: Session;
    /** Who has this secret. */
    whoHas?: (secret: string) => Promise<Actor | NotTaken | undefined>;
    /** All services of the agent, where it has several. */
    over?: OverPages;
  };
}

/** Probes say only yes or no and an age. What sends them often cannot carry a token. */
const PROBES: readonly string[] = ["/healthz", "/readyz"];

/** The account's folder, then what is asked for in it, which may hold line ends. */
const PLACE = /^((?:\/services\/[^/]+(?=\/))?\/)(.*)$/s;
/** What anybody gets: it tells nothing, and the page that a share link opens is made of it. */
const OPEN: readonly string[] = ["share", "share.js", "page.css", "icon.svg"];
/** Pages with forms that change something. They ask for a session themselves, and lead to the sign-in without one. */
const FORMS: readonly string[] = ["sign-in", "sign-out", "act"];
/**
 * What a share link shows. Anything else is refused, also what is added later. Not what is for programs: it
 * names the ledger and the host.
 */
const FOR_GUESTS: readonly string[] = [
  ...OPEN,
  ...["", "machine", "launch", "fleet", "deployment", "search", "places", "events", "page.js"],
];

const NO_TOKEN =
  "A change needs a token that may make it: Authorization: Bearer TOKEN. Beside the ledger: fleetkeeper token create --name NAME --may operate.";
const NOT_KNOWN = "No open token here is this one: it is over, was revoked, or is another agent's.";
const BEARER = { "www-authenticate": 'Bearer realm="fleetkeeper"' };

export const SHARE_COOKIE = "fleetkeeper-share";
/** Without a path: the browser takes the folder of the page, whatever a proxy puts before it. */
export const NO_SHARE_COOKIE = `${SHARE_COOKIE}=; Max-Age=0; HttpOnly; SameSite=Lax`;

/** What opens the pages beside being on this machine. `folder`: where the account's pages stand, such as `/`. */
export interface Doors {
  /** The agent's own token. */
  readonly token: string | undefined;
  /** Whether a share link's secret opens this folder. */
  readonly mayRead: (secret: string, folder: string) => Promise<boolean>;
  /** Who has this secret, where it opens this folder. */
  readonly actorOf: (secret: string, folder: string) => Promise<Actor | NotTaken | undefined>;
  /** Whether any account here knows this secret, as a token's or as a share link's. */
  readonly isKnown: (secret: string) => Promise<boolean>;
  /** Whether the account of this folder is open: before that nobody is known. Default: it is. */
  readonly isOpen?: (folder: string) => boolean;
  /** Who has signed in on this folder's pages. */
  readonly sessions: (folder: string) => Sessions | undefined;
}

/** Decides which requests are answered. */
export function guard({
  token,
  mayRead,
  actorOf,
  sessions,
  isKnown,
  isOpen = () => true,
}: Doors): MiddlewareHandler<Env> {
  return async (c, next) => {
    const { method, path } = c.req;
    const letIn = (reader: "owner" | "guest", actor?: Actor): Promise<void> => {
      c.env.reader = reader;
      if (actor) c.env.actor = actor;
      return next();
    };
    const refuse = (status: 401 | 403 | 405, text: string, headers: Record<string, string> = {}): Response =>
      isOfApi(path) ? problem(status, text, headers) : c.text(`${text}\n`, status, headers);
    const isChange = method !== "GET" && method !== "HEAD";
    const [, folder = "", page = ""] = PLACE.exec(path) ?? [];
    const isForm = FORMS.includes(page);
    if (isChange && !isOfApi(path) && !(isForm && method === "POST"))
      return isForm
        ? refuse(405, "Only GET, and POST of its form.", { allow: "GET, HEAD, POST" })
        : refuse(405, "Only GET: this page changes nothing.", { allow: "GET, HEAD" });
    if (token === undefined && !isOwnName(c.req.header("host")))
      return refuse(
        403,
        "This name is not one of this machine's own, so a foreign web page may be asking through your browser. Use " +
          "127.0.0.1 or localhost; behind a proxy, set FLEETKEEPER_HTTP_TOKEN.",
      );
    if (isChange && isForm && !isSameOrigin(c))
      return refuse(403, "This form stood on another site, or nobody says where: nothing was done.");
    const whoHas = async (secret: string): Promise<Actor | NotTaken | undefined> => {
      const known = await actorOf(secret, folder);
      if (known && !("refused" in known)) return known;
      return token !== undefined && isEqual(secret, token) ? AGENT_TOKEN : known;
    };
    const authorization = c.req.header("authorization");
    const given = credentialOf(authorization);
    const known = given === undefined ? undefined : await whoHas(given);
    const notTaken = known && "refused" in known ? known.refused : undefined;
    const actor = known && !("refused" in known) ? known : undefined;
    // A token of its ledger is not known yet: it would look like one that is over.
    if (isChange && !actor && isOfApi(path) && !isOpen(folder))
      return problem(
        503,
        "This account is not open yet, or not now: ask again.",
        { "retry-after": "2" },
        { code: "BUSY" },
      );
    // A foreign page can have a browser send a password that it knows, and cannot write this header itself.
    if (isChange && !isForm && (!actor || !/^bearer /i.test(authorization ?? "")))
      return refuse(401, notTaken ?? (given === undefined ? NO_TOKEN : NOT_KNOWN), BEARER);
    c.env.whoHas = whoHas;
    const isForAll = PROBES.includes(path) || OPEN.includes(page);
    if (token === undefined) c.env.reader = "owner";
    // Neither probes nor files of a page wait for a ledger.
    const session = isForAll || isOfApi(path) ? undefined : await sessions(folder)?.of(c);
    if (session) c.env.session = session;
    if (actor) return letIn("owner", actor);
    if (session) return letIn("owner");
    if (isForAll || isForm) return next();
    // Where reading needs no token a wrong one is refused all the same: who looks whether one is over must learn it.
    const isWrong = async (secret: string): Promise<boolean> =>
      isToken(secret, authorization) && isOpen(folder) && !(await isKnown(secret));
    if (token === undefined && (given === undefined || !(await isWrong(given)))) return letIn("owner");
    const kept = getCookie(c, SHARE_COOKIE);
    for (const secret of [given, kept]) {
      if (!secret || !(await mayRead(secret, folder))) continue;
      if (!FOR_GUESTS.includes(page)) return refuse(403, "A share link shows the pages, and nothing else.");
      return letIn("guest");
    }
    // Whoever loads the page again may give a token. What a page asks for in the background goes on without:
    // else the browser would ask the person for a password again and again.
    const isLoad = c.req.header("accept")?.includes("text/html") === true;
    if (given === undefined && isLoad && sessions(folder)?.isNamedIn(c)) return c.redirect("sign-in", 303);
    if (given === undefined && kept !== undefined) {
      return refuse(403, "This share link is over, or was taken back.", {
        ...(isLoad && { "set-cookie": NO_SHARE_COOKIE }),
      });
    }
    // Each scheme needs a header line of its own, or browsers see only the first. Bearer is for programs;
    // with Basic a browser asks the person. Headers of a Response would join both in one line.
    c.env.outgoing.setHeader("www-authenticate", [
      'Bearer realm="fleetkeeper"',
      'Basic realm="fleetkeeper", charset="UTF-8"',
    ]);
    return refuse(
      401,
      notTaken ??
        (given === undefined
          ? "A token is needed: Authorization: Bearer TOKEN; in a browser any name, and the token as the password."
          : NOT_KNOWN),
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

/** A password that has not a token's form may be another server's, which stands in front and sends on what it was given. */
function isToken(given: string, authorization: string | undefined): boolean {
  return isTokenSecret(given) || /^bearer /i.test(authorization ?? "");
}

/** Compares in constant time: the time tells neither how much was right, nor the length. */
export function isEqual(one: string, other: string): boolean {
  const digest = (text: string): Buffer => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(one), digest(other));
}
