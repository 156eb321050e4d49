import { readFileSync } from "node:fs";
import type { ConnectionOptions } from "node:tls";
import { FleetkeeperError } from "../../service/errors.ts";
import { whyUnreadable } from "../../service/unreadable.ts";

/** Where a server is, and as whom to connect. Its password and keys stand in no message. */
export interface Address {
  readonly host: string;
  readonly port: number;
  readonly database: string;
  readonly user: string;
  readonly password: string | undefined;
  /** False: the connection is not encrypted. */
  readonly tls: ConnectionOptions | false;
  /** The server itself, where the host is a pooler's. */
  readonly direct: Pick<Address, "host" | "port" | "tls">;
  /** Host, port and database, for messages: nothing else of the URL may be shown. */
  readonly location: string;
}

const DEFAULT_PORT = 5432;
const PARAMETERS = ["host", "sslmode", "sslrootcert", "sslcert", "sslkey", "listen"] as const;
type Parameter = (typeof PARAMETERS)[number];
type Parameters = Readonly<Partial<Record<Parameter, string>>>;

/**
 * Reads `postgres://USER:PASSWORD@HOST:PORT/DATABASE?PARAMETERS`. The parameters are those of PostgreSQL's own
 * programs: `host` (the folder of a Unix socket), `sslmode` (`disable`, `require`, `verify-ca`,
 * `verify-full`), `sslrootcert`, `sslcert`, `sslkey` (paths). Without `sslmode` the server is verified in
 * full, unless it is on this computer. `listen` is ours: HOST:PORT of the server itself, where the URL's host is a
 * pooler's. Throws CONFIG, and shows nothing of the URL but its location.
 */
export function readAddress(url: string): Address {
  const parsed = URL.parse(url);
  if (!parsed || !isPostgresUrl(url))
    throw wrong("it is none: a character such as @, : or # in a password is written as %40, %3A, %23");
  const parameters = parametersOf(parsed.searchParams);
  const host = parameters.host ?? decoded(parsed.hostname).replace(/^\[(.*)\]$/, "$1");
  const database = decoded(parsed.pathname.slice(1));
  const user = decoded(parsed.username);
  if (!host) throw wrong("it names no host");
  if (host.includes(",")) throw wrong("it names several hosts, and a ledger is on one");
  if (!user) throw wrong("it names no user");
  if (!database || database.includes("/")) throw wrong("it names no database");
  const port = parsed.port === "" ? DEFAULT_PORT : Number(parsed.port);
  const tls = tlsOf(host, parameters);
  return {
    ...{ host, port, database, user, tls },
    password: parsed.password === "" ? undefined : decoded(parsed.password),
    direct: directOf(parameters) ?? { host, port, tls },
    location: `postgres://${host.includes(":") ? `[${host}]` : host}:${port}/${database}`,
  };
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
  const parsed = URL.parse(url);
  if (parsed?.password !== "") return url;
  parsed.password = encodeURIComponent(password);
  return parsed.href;
}

function directOf(parameters: Parameters): Address["direct"] | undefined {
  const { listen } = parameters;
  if (listen === undefined) return undefined;
  const parsed = URL.parse(`postgres://${listen}`);
  if (!parsed?.hostname || parsed.host !== listen) throw wrong("its listen is not HOST:PORT of a server");
  const host = parsed.hostname.replace(/^\[(.*)\]$/, "$1");
  return {
    host,
    port: parsed.port === "" ? DEFAULT_PORT : Number(parsed.port),
    tls: tlsOf(host, parameters),
  };
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
  if (unknown !== undefined) throw wrong(`it has a parameter that is none of ${PARAMETERS.join(", ")}`);
  return Object.fromEntries(given);
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
