import type { HttpAddress } from "./address.ts";
import type { HttpServer } from "./listening.ts";
import { listen, newApp } from "./listening.ts";

/**
 * Answers probes while the agent waits, at its start, for a service that is down: there is no account to show
 * yet. The agent is healthy, since a restart would change nothing, but not ready. Throws CONFIG if it cannot
 * listen at the address.
 */
export function startWaitingServer(address: HttpAddress, token: string | undefined): Promise<HttpServer> {
  const app = newApp(token);
  const why = "waiting for the service to answer for the first time\n";
  app.get("/healthz", (c) => c.text(`ok: ${why}`));
  app.get("*", (c) => c.text(`not ready: ${why}`, 503));
  return listen(app, address);
}
