import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import { etag } from "hono/etag";
import { contextOf } from "../../../launch/keeper.ts";
import { here } from "../../../ledger/instant.ts";
import { readDraft } from "../../../ledger/read-draft.ts";
import { jsonText } from "../../fleet/text.ts";
import { ledgerStatus } from "../../status/account-status.ts";
import type { HttpAddress } from "./address.ts";
import { ASSETS } from "./assets.ts";
import { EventStreams } from "./event-streams.ts";
import type { Health } from "./health.ts";
import { healthOf, readinessOf } from "./health.ts";
import type { HttpServer } from "./listening.ts";
import { listen, newApp } from "./listening.ts";
import type { Metrics } from "./metrics.ts";
import { METRICS_TYPE } from "./metrics.ts";
import { page } from "./page.ts";
import type { Range } from "./series.ts";
import { RANGES } from "./series.ts";
import type { ViewOptions } from "./view.ts";
import { viewOf } from "./view.ts";

export interface HttpServerOptions extends ViewOptions {
  readonly address: HttpAddress;
  /** If it is given, every request but a probe must carry it. */
  readonly token: string | undefined;
  readonly metrics: Metrics;
}

/** The page is made anew only after this time, or after a change. */
const SAME_PAGE_MS = 500;

/** Starts to answer. Throws CONFIG if it cannot listen at the address. */
export async function startHttpServer(options: HttpServerOptions): Promise<HttpServer> {
  const { keeper, pulse, metrics, short, token, address } = options;
  const streams = new EventStreams(pulse);
  const pageFor = renderer(options);
  const app = newApp(token);
  app.get("/", async (c) => {
    const asked = c.req.query("range");
    const range = asked !== undefined && Object.hasOwn(RANGES, asked) ? (asked as Range) : undefined;
    return c.html(await pageFor(range));
  });
  app.get("/healthz", (c) => c.text(...probe(healthOf(keeper, pulse))));
  app.get("/readyz", async (c) => c.text(...probe(await readinessOf(keeper, pulse))));
  app.get("/metrics", async (c) => {
    const draft = await readDraft(keeper);
    const body = await metrics.scrape({ draft, context: contextOf(keeper), pulse, short });
    return c.body(body, 200, { "content-type": METRICS_TYPE });
  });
  app.get("/api/status", async (c) => {
    const status = await ledgerStatus(keeper.ledger, contextOf(keeper));
    return c.body(`${jsonText(status)}\n`, 200, { "content-type": "application/json" });
  });
  app.get("/events", (c) => {
    if (c.req.method !== "GET") return c.notFound();
    streams.add(c.env.outgoing);
    return RESPONSE_ALREADY_SENT;
  });
  for (const { path, type, content } of ASSETS)
    app.get(path, etag(), (c) => c.body(content, 200, { "content-type": type, "cache-control": "no-cache" }));
  const server = await listen(app, address);
  return {
    url: server.url,
    close: async () => {
      streams.close();
      await server.close();
    },
  };
}

/** Renders the page. Requests at nearly the same time get the same text. */
function renderer(options: HttpServerOptions): (range: Range | undefined) => Promise<string> {
  const { keeper, pulse } = options;
  const pages = new Map<
    Range | undefined,
    { readonly made: number; readonly version: number; readonly text: string }
  >();
  return async (range) => {
    const made = here(keeper.clock).mono;
    const before = pages.get(range);
    if (before && before.version === pulse.version && made - before.made < SAME_PAGE_MS) return before.text;
    const { version } = pulse;
    const text = page(await viewOf(options, range));
    pages.set(range, { made, version, text });
    return text;
  };
}

function probe({ ok, text }: Health): [string, 200 | 503] {
  return [`${text}\n`, ok ? 200 : 503];
}
