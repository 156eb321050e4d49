import type { HttpAddress } from "./address.ts";
import type { HttpServer } from "./listening.ts";
import { listen, newApp } from "./listening.ts";

/**
 * Answers probes while the agent waits at its start for a service that is down: there is no account yet whose
 * page could be shown. It is healthy, as to restart it would change nothing, and not ready. Throws CONFIG
 * where the address cannot be had.
 */
export function startWaitingServer(address: HttpAddress, token: string | undefined): Promise<HttpServer> {
  const app = newApp(token);
  const why = "waiting for the service to answer for the first time\n";
  app.get("/healthz", (c) => c.text(`ok: ${why}`));
  app.get("*", (c) => c.text(`not ready: ${why}`, 503));
  return listen(app, address);
}
