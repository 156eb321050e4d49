import { isIP } from "node:net";
import { FleetkeeperError } from "../../../../service/contract/errors.ts";
import { isLoopback } from "../../../../service/http/loopback.ts";

/** Port 9470 was free in the list of exporters' ports. Loopback: the page is not for strangers. */
export const DEFAULT_HTTP_ADDRESS = "127.0.0.1:9470";

const SETTING = "--http (or FLEETKEEPER_HTTP)";

export interface HttpAddress {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
}

/** Reads `HOST:PORT`, `[IPV6]:PORT` or a port alone. Throws CONFIG. */
export function parseAddress(text: string, setting: string = SETTING): HttpAddress {
  const [, ipv6, name, digits] = /^(?:(?:\[([^\]]+)\]|([^:[\]]+)):)?(\d{1,5})$/.exec(text.trim()) ?? [];
  const port = Number(digits);
  const host = ipv6 ?? name ?? "127.0.0.1";
  const isHost = ipv6 === undefined ? isIP(host) !== 6 : isIP(host) === 6;
  if (digits !== undefined && port <= 65_535 && isHost) return { host, port };
  throw new FleetkeeperError(
    "CONFIG",
    `${setting} ${text}: expected an address and a port, such as ${DEFAULT_HTTP_ADDRESS}, [::1]:9470 or 0.0.0.0:9470${setting === SETTING ? " (--no-http: none at all)" : ""}.`,
  );
}

/** The address as a URL. */
export function urlOf({ host, port }: HttpAddress): string {
  return `http://${isIP(host) === 6 ? `[${host}]` : host}:${port}/`;
}

/**
 * Checks the token that requests must carry. It is needed if others than this machine can reach the address.
 * Throws CONFIG, with the remedy, if the token is missing, can be guessed or cannot be sent.
 */
export function checkToken(token: string | undefined, { host }: HttpAddress): string | undefined {
  const make = "make one with: openssl rand -hex 32";
  if (token === undefined) {
    if (isLoopback(host)) return undefined;
    throw new FleetkeeperError(
      "CONFIG",
      `${SETTING} ${host}: others than this machine can reach that address, so requests must carry a token. Set ` +
        `FLEETKEEPER_HTTP_TOKEN, or FLEETKEEPER_HTTP_TOKEN_FILE to a file that holds it (${make}), or bind to 127.0.0.1.`,
    );
  }
  if (/^[\x21-\x7e]{16,512}$/.test(token)) return token;
  throw new FleetkeeperError(
    "CONFIG",
    `FLEETKEEPER_HTTP_TOKEN: expected 16 to 512 letters, digits and signs without spaces; ${make}`,
  );
}
