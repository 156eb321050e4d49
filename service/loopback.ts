import { isIP } from "node:net";

/** Reached by processes of this machine alone. A name other than localhost may be anything. `host`: as in a URL, or without brackets. */
export function isLoopback(host: string): boolean {
  const bare = host.replace(/^\[(.*)\]$/, "$1");
  return bare === "localhost" || bare === "::1" || (isIP(bare) === 4 && bare.startsWith("127."));
}
