import { fromEnvironment } from "../../../../account/configuration.ts";
import type { OpenKeeper } from "../../../../account/open.ts";
import { FleetkeeperError } from "../../../../service/contract/errors.ts";
import type { Watch } from "../../../tell/http/index.ts";
import {
  checkToken,
  DEFAULT_HTTP_ADDRESS,
  type HttpAddress,
  parseAddress,
} from "../../../tell/http/reach/address.ts";
import { type HttpServer, startWaitingServer } from "../../../tell/http/reach/listening.ts";
import type { Level } from "../../../tell/log/entry.ts";
import type { CliContext } from "../shared/cli-context.ts";

export interface HttpChoice {
  readonly address: HttpAddress;
  readonly token: string | undefined;
  /** Nobody chose the address: if its port is taken, an agent that keeps machines must not end. */
  readonly isDefault: boolean;
}

/** The flag, else the environment, else the default. Undefined if nothing is to be served. */
export function httpOptions(
  flag: string | boolean | undefined,
  { environment }: CliContext,
): HttpChoice | undefined {
  if (flag === false) return undefined;
  const asked = typeof flag === "string" ? flag : fromEnvironment("FLEETKEEPER_HTTP", environment);
  if (asked === "off") return undefined;
  const address = parseAddress(asked || DEFAULT_HTTP_ADDRESS);
  const token = checkToken(fromEnvironment("FLEETKEEPER_HTTP_TOKEN", environment), address);
  return { address, token, isDefault: !asked };
}

export async function serve(
  watched: Watch<OpenKeeper>,
  http: HttpChoice | undefined,
  say: (text: string, level?: Level) => void,
): Promise<void> {
  if (http) await serving(http, ({ address, token }) => watched.serve(address, token), say);
}

/** Begins to serve, and says where. Undefined: the default port is taken. */
export async function serving(
  http: HttpChoice,
  begin: (http: HttpChoice) => Promise<HttpServer>,
  say: (text: string, level?: Level) => void,
): Promise<HttpServer | undefined> {
  const { token, isDefault } = http;
  try {
    const server = await begin(http);
    say(`status page: ${server.url}${token === undefined ? "" : " (with the token as the password)"}`);
    return server;
  } catch (error) {
    if (!isDefault || !(error instanceof FleetkeeperError)) throw error;
    say(`There is no status page: ${error.message}`, "error");
    return undefined;
  }
}

/** Serves probes while the agent waits for its service. Undefined: nothing is served. */
export async function serveWaiting(http: HttpChoice | undefined): Promise<HttpServer | undefined> {
  if (!http || http.address.port === 0) return undefined;
  try {
    return await startWaitingServer(http.address, http.token);
  } catch (error) {
    // Not reported here: `serve` reports it when it serves the page.
    if (http.isDefault && error instanceof FleetkeeperError) return undefined;
    throw error;
  }
}
