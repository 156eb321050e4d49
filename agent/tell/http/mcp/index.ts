import { here } from "../../../../ledger/instant.ts";
import type { ApiOptions } from "../api/index.ts";
import { noneOpen } from "../api/over.ts";
import { BASE } from "../api/paths.ts";
import { textOf } from "../reach/body.ts";
import { credentialOf } from "../reach/guard.ts";
import type { App } from "../reach/listening.ts";
import { problem } from "../reach/problem.ts";
import { Confirmations } from "./confirmations.ts";
import { ownApi } from "./own-api.ts";

export interface McpPagesOptions extends Pick<ApiOptions, "keeper" | "version"> {
  readonly hide: (text: string) => string;
  readonly ofAll?: boolean;
}

const PATH = `${BASE}/mcp`;
const MOST_BYTES = 64 * 1024;

/** Answers `/api/v1/mcp`: the Model Context Protocol over streamable HTTP. Each request stands alone: there is no session. */
export function addMcp(app: App, options: () => McpPagesOptions | undefined): void {
  const confirmations = new Confirmations();
  app.all(PATH, async (c) => {
    const { actor } = c.env;
    if (!actor) return problem(401, "What asks here by the Model Context Protocol needs a token.");
    const now = options();
    if (!now) return noneOpen();
    if (await isBatch(c.req.raw)) return noBatch();
    const { keeper, ...rest } = now;
    // Most agents are never asked: they need not have it in memory.
    const [{ createMcpHandler }, { mcpServer }] = await Promise.all([
      import("@modelcontextprotocol/server"),
      import("./mcp-server.ts"),
    ]);
    const asks = {
      url: `http://localhost${c.req.path.slice(0, -PATH.length)}`,
      host: c.req.header("host"),
      token: credentialOf(c.req.header("authorization")),
    };
    const its = {
      ...rest,
      may: async () => actor.may,
      api: ownApi(app, c.env, asks, c.req.raw.signal),
      confirmations,
      owner: `${actor.name} ${actor.token ?? ""}`,
      now: () => here(keeper.clock).mono,
    };
    const handler = createMcpHandler(() => mcpServer(its), {
      maxRequestBodySize: MOST_BYTES,
      // Nothing here changes of which a stream would tell: it would hold a connection for nothing.
      maxSubscriptions: 0,
    });
    return handler.fetch(c.req.raw);
  });
}

/** Of a copy: the SDK reads the body itself, and refuses one that is too long. */
async function isBatch(request: Request): Promise<boolean> {
  if (request.method !== "POST") return false;
  return /^\s*\[/.test((await textOf(request.clone().body, MOST_BYTES)) ?? "");
}

/**
 * Only the revision 2025-03-26 has batches, and no client is known to send any. One request would be a hundred, each of which
 * may list all tools: seconds of the agent's time, also for a token that reads.
 */
function noBatch(): Response {
  const message = "Invalid Request: no batches here. Send each message as a request of its own.";
  return Response.json({ jsonrpc: "2.0", id: null, error: { code: -32600, message } }, { status: 400 });
}
