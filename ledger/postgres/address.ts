import { readFileSync } from "node:fs";
import type { ConnectionOptions } from "node:tls";
import { FleetkeeperError } from "../../service/contract/errors.ts";
import { whyUnreadable } from "../../service/process/unreadable.ts";

/** One server, or a pooler before it. */
export interface Host {
  readonly host: string;
  readonly port: number;
  /** False: the connection is not encrypted. */
  readonly ssl: ConnectionOptions | false;
}

/** Where servers are, and as whom to connect. Password and keys stand in no message. */
export interface Address {
  /** One at least. Of several only one writes at a time. */
  readonly hosts: readonly [Host, ...Host[]];
  readonly database: string;
  readonly user: string;
  readonly password: string | undefined;
  /** The server itself, where the hosts are poolers. */
  readonly listen: Host | undefined;
  /** Also what only reads is asked of a server that writes: another one may lag behind. */
  readonly writes: boolean;
  /** How long one host may take to connect, in ms. */
  readonly connectTimeout: number | undefined;
  /** Hosts, ports and database, for messages: nothing else of the URL may be shown. */
  readonly location: string;
}

const DEFAULT_PORT = 5432;
const PARAMETERS = [
  ...(["host", "sslmode", "sslrootcert", "sslcert", "sslkey", "listen"] as const),
  ...(["target_session_attrs", "connect_timeout"] as const),
];
/** Others that stand in URLs which work elsewhere. */
const FOREIGN =
  /^(application_name|channel_binding|client_encoding|connection_limit|dbname|fallback_application_name|gss\w+|hostaddr|keepalives\w*|load_balance_hosts|options|passfile|password|pgbouncer|pool_timeout|port|replication|require\w+|schema|search_path|service|ssl\w*|statement_timeout|tcp_user_timeout|user)$/;
type Parameter = (typeof PARAMETERS)[number];
type Parameters = Readonly<Partial<Record<Parameter, string>>>;

/**
 * Reads `postgres://USER:PASSWORD@HOST:PORT/DATABASE?PARAMETERS`, or one with several `HOST:PORT`, by commas. The
 * parameters are those of PostgreSQL's own programs: `host` (the folder of a Unix socket), `sslmode` (`disable`,
 * `require`, `verify-ca`, `verify-full`), `sslrootcert`, `sslcert`, `sslkey` (paths), `target_session_attrs`
 * (`read-write`, `primary`, `any`), `connect_timeout` (seconds). Without `sslmode` a server is verified in full, unless
 * it is on this computer. `listen` is ours: HOST:PORT of the server itself, where the URL's host is a pooler's. Throws
 * CONFIG, and shows nothing of the URL but its location.
 */
export function readAddress(url: string): Address {
  const [parsed, places] = parse(url) ?? [];
  if (!parsed || !places || !isPostgresUrl(url))
    throw wrong("it is none: a character such as @, : or # in a password is written as %40, %3A, %23");
  const parameters = parametersOf(parsed.searchParams);
  const { host: said, listen, connect_timeout: timeout = "" } = parameters;
  const hosts =
    said === undefined
      ? places.map((place) => hostAt(place, parameters, "one of its hosts"))
      : said.split(",").map((host) => hostOf(host, parsed.port, parameters));
  const database = decoded(parsed.pathname.slice(1));
  const user = decoded(parsed.username);
  const [first, ...others] = hosts;
  if (!first || hosts.some(({ host }) => !host)) throw wrong("it names no host");
  if (!user) throw wrong("it names no user");
  if (!database || database.includes("/")) throw wrong("it names no database");
  const attributes = ["read-write", "primary", ...(hosts.length > 1 ? [] : ["any"])];
  const { target_session_attrs: target = attributes.at(-1) ?? "" } = parameters;
  if (!attributes.includes(target))
    throw wrong(`its target_session_attrs is none of ${attributes.join(", ")}: a ledger is where writes are`);
  if (!/^([1-9]\d{0,3})?$/.test(timeout))
    throw wrong("its connect_timeout is no number of seconds from 1 to 9999");
  const shown = hosts.map(({ host, port }) => `${host.includes(":") ? `[${host}]` : host}:${port}`);
  return {
    hosts: [first, ...others],
    ...{ database, user },
    password: parsed.password === "" ? undefined : decoded(parsed.password),
    listen: listen === undefined ? undefined : hostAt(listen, parameters, "its listen"),
    writes: target !== "any",
    connectTimeout: timeout === "" ? undefined : Number(timeout) * 1_000,
    location: `postgres://${shown.join(",")}/${database}`,
  };
}

/** The URL with the first of its hosts, which no parser of URLs would read beside others, and all of its hosts. */
function parse(url: string): readonly [URL, readonly string[]] | undefined {
  const [, before = "", hosts = "", after = ""] = /^(\w+:\/\/(?:[^@/?#]*@)?)([^@/?#]*)(.*)$/s.exec(url) ?? [];
  const places = hosts.split(",");
  const parsed = URL.parse(before + places[0] + after);
  return parsed ? [parsed, places] : undefined;
}

/** The password of a URL, as it is written there. */
export function passwordIn(url: string): string {
  return parse(url)?.[0].password ?? "";
}

export function isPostgresUrl(text: string): boolean {
  return /^postgres(ql)?:\/\//i.test(text);
}

/** True if a password stands in the URL, also in one that cannot be read. */
export function hasPassword(url: string): boolean {
  return /^\w+:\/\/[^@]*:[^@]+@/.test(url);
}

/** The URL with this password where it has none. One that cannot be read stays as it is. */
export function withPassword(url: string, password: string): string {
  const [parsed, places = []] = parse(url) ?? [];
  if (parsed?.password !== "") return url;
  parsed.password = encodeURIComponent(password);
  return parsed.href.replace(/(@[^/?#]*)/, (host) => [host, ...places.slice(1)].join(","));
}

function hostAt(place: string, parameters: Parameters, what: string): Host {
  const parsed = URL.parse(`postgres://${place}`);
  if (!parsed?.hostname || parsed.host !== place) throw wrong(`${what} is not HOST:PORT of a server`);
  return hostOf(decoded(parsed.hostname).replace(/^\[(.*)\]$/, "$1"), parsed.port, parameters);
}

function hostOf(host: string, port: string, parameters: Parameters): Host {
  return { host, port: port === "" ? DEFAULT_PORT : Number(port), ssl: tlsOf(host, parameters) };
}

function tlsOf(
  host: string,
  { sslmode, sslrootcert, sslcert, sslkey }: Parameters,
): ConnectionOptions | false {
  const mode = sslmode ?? (isHere(host) ? "disable" : "verify-full");
  if (mode === "disable") return false;
  const files = {
    ...(sslrootcert === undefined ? {} : { ca: contentOf("sslrootcert", sslrootcert) }),
    ...clientFiles(sslcert, sslkey),
  };
  if (mode === "verify-full") return files;
  // As PostgreSQL's own programs do: a root to verify with is not ignored.
  if (mode === "verify-ca" || (mode === "require" && sslrootcert !== undefined))
    return { ...files, checkServerIdentity: () => undefined };
  if (mode === "require") return { ...files, rejectUnauthorized: false };
  throw wrong("its sslmode is none of disable, require, verify-ca, verify-full");
}

/** No packet leaves this computer. */
function isHere(host: string): boolean {
  return host.startsWith("/") || host === "localhost" || host === "::1" || /^127\.\d+\.\d+\.\d+$/.test(host);
}

function clientFiles(cert: string | undefined, key: string | undefined): ConnectionOptions {
  if ((cert === undefined) !== (key === undefined)) throw wrong("sslcert and sslkey go together");
  if (cert === undefined || key === undefined) return {};
  return { cert: contentOf("sslcert", cert), key: contentOf("sslkey", key) };
}

function contentOf(parameter: Parameter, path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (cause) {
    throw wrong(`${parameter} names ${path}, which cannot be read: ${whyUnreadable(cause)}`, cause);
  }
}

function parametersOf(given: URLSearchParams): Parameters {
  const unknown = [...given.keys()].find((name) => !PARAMETERS.some((known) => known === name));
  // What stands behind an unescaped ? may be half of a password.
  if (unknown === undefined) return Object.fromEntries(given);
  const named = FOREIGN.test(unknown) ? `, ${unknown},` : "";
  throw wrong(`it has a parameter${named} that is none of ${PARAMETERS.join(", ")}`);
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw wrong("it has a % that is not written as %25");
  }
}

function wrong(why: string, cause?: unknown): FleetkeeperError {
  return new FleetkeeperError(
    "CONFIG",
    `ledger: the PostgreSQL URL cannot be used, because ${why}. It is a secret, so it is not shown. ` +
      "Expected: postgres://USER:PASSWORD@HOST:PORT/DATABASE",
    { cause },
  );
}
