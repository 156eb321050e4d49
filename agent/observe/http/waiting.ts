import type { HttpAddress } from "./address.ts";
import { refusalOf } from "./guard.ts";
import type { HttpServer } from "./server.ts";
import { answering, send, TEXT } from "./server.ts";

/**
 * Answers probes while the agent waits at its start for a service that is down: there is no account yet whose page could be
 * shown. It is healthy, as to restart it would change nothing, and not ready. Throws CONFIG where the address cannot be had.
 */
export function startWaitingServer(address: HttpAddress, token: string | undefined): Promise<HttpServer> {
  return answering(address, ({ url = "", method, headers }, response) => {
    const path = url.replace(/\?.*/s, "");
    const isHealth = path === "/healthz";
    const refused = refusalOf({ method, headers, probe: isHealth || path === "/readyz" }, token);
    if (refused) {
      const { status, text } = refused;
      send(response, { status, type: TEXT, body: `${text}\n`, headers: refused.headers }, method);
      return;
    }
    const body = `${isHealth ? "ok" : "not ready"}: waiting for the service to answer for the first time\n`;
    send(response, { status: isHealth ? 200 : 503, type: TEXT, body }, method);
  });
}
