import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import type { Context } from "hono";
import { accepts } from "hono/accepts";
import { getCookie } from "hono/cookie";
import { etag } from "hono/etag";
import { contextOf } from "../../../launch/keeper.ts";
import { here } from "../../../ledger/instant.ts";
import { readDraft } from "../../../ledger/read-draft.ts";
import { jsonText } from "../../fleet/text/text.ts";
import { AGENT_TOKEN } from "../../orders/actor.ts";
import { leftOf } from "../../orders/held-secret.ts";
import { ledgerStatus, wholesOfAccount } from "../../status/account-status.ts";
import { whyDistrusted } from "../../status/outage.ts";
import { addActs } from "./acts/act.ts";
import { addSignIn } from "./acts/sign-in.ts";
import { type ApiOptions, addAgentApi, addApi } from "./api/index.ts";
import { ASSETS } from "./assets.ts";
import { addMcp } from "./mcp/index.ts";
import { EventStreams } from "./measures/event-streams.ts";
import { type Health, healthOf, readinessOf } from "./measures/health.ts";
import { asPlainText, METRICS_TYPES, type Metrics } from "./measures/metrics.ts";
import type { PageOptions, Reader } from "./pages/basics.ts";
import { type AskedOwner, DAYS, type Days, ownerPage } from "./pages/owner-page.ts";
import { page } from "./pages/page.ts";
import { pageData } from "./pages/page-data.ts";
import { PLACE_DAYS, placesPage } from "./pages/places-page.ts";
import { searchPage } from "./pages/search-page.ts";
import { RANGES, type Range } from "./pages/series.ts";
import { sharePage } from "./pages/share-page.ts";
import { launchPage, machinePage, unknownPage } from "./pages/story.ts";
import type { HttpAddress } from "./reach/address.ts";
import type { OverPages } from "./reach/agent-services.ts";
import { credentialOf, type Env, NO_SHARE_COOKIE, SHARE_COOKIE } from "./reach/guard.ts";
import type { KnownSecrets } from "./reach/known-secrets.ts";
import { type App, type HttpServer, listen, newApp } from "./reach/listening.ts";
import { isHttps } from "./reach/origin.ts";
import { Rate } from "./reach/rate.ts";
import type { Sessions } from "./reach/sessions.ts";

/** All that one account shows. */
export interface AccountPagesOptions extends PageOptions, ApiOptions {
  readonly over?: OverPages;
  readonly metrics: Metrics;
  readonly secrets: KnownSecrets;
  readonly sessions: Sessions;
}

export interface HttpServerOptions extends AccountPagesOptions {
  readonly address: HttpAddress;
  /** If it is given, every request but a probe must carry it. */
  readonly token: string | undefined;
}

/** A page is made anew only after this time, or after a change. */
const SAME_PAGE_MS = 500;
/** So many of them are kept for that, and none that was asked for at great length. */
const MOST_PAGES = 32;
const LONGEST_KEY = 2000;
const DEFAULT_DAYS = 30 satisfies Days;
/** Characters of what is searched for. */
const LONGEST_SEARCH = 200;

/** Starts to answer. Throws CONFIG if it cannot listen at the address. */
export async function startHttpServer(options: HttpServerOptions): Promise<HttpServer> {
  const { token, secrets, sessions } = options;
  const app = newApp({
    token,
    mayRead: async (secret, folder) => folder === "/" && (await secrets.share(secret)) !== undefined,
    actorOf: async (secret, folder) => (folder === "/" ? secrets.actor(secret) : undefined),
    isKnown: (secret) => secrets.isKnown(secret),
    sessions: (folder) => (folder === "/" ? sessions : undefined),
  });
  const { version, history, keeper } = options;
  const agentApi = {
    version,
    seen: () => ({ ledger: keeper.ledger, history, context: contextOf(keeper) }),
    accounts: async () => {
      const { account } = await readDraft(keeper);
      const problem = options.pulse.problem ?? null;
      return [{ service: null, account: account.email, problem, distrusted: whyDistrusted(account) }];
    },
    isOne: true,
    services: async () => {
      const service = (await readDraft(keeper)).account.email;
      return [{ service, parts: new Map(), keeper, orders: options.orders }];
    },
  };
  addAgentApi(app, () => agentApi);
  const over = { services: agentApi.services, isOne: true, hide: options.hide };
  const streams = addAccountPages(app, { ...options, over });
  const server = await listen(app, options.address);
  return {
    url: server.url,
    close: async () => {
      streams.close();
      await server.close();
    },
  };
}

/** Answers for one account. The streams are its open pages: close them at its end. */
export function addAccountPages(app: App, options: AccountPagesOptions): EventStreams {
  const { keeper, pulse, metrics, short, sessions } = options;
  const streams = new EventStreams(pulse);
  const pages = new Pages(options);
  app.get("/", async (c) => {
    const asked = c.req.query("range");
    const range = asked !== undefined && Object.hasOwn(RANGES, asked) ? (asked as Range) : undefined;
    return pages.send(c, range ?? "", async (reader) => page(await pageData(options, range, reader)));
  });
  app.get("/machine", (c) => {
    const id = c.req.query("id") ?? "";
    return pages.send(c, id, (reader) => machinePage(options, id, reader), id);
  });
  app.get("/launch", (c) => {
    const id = c.req.query("id") ?? "";
    return pages.send(c, id, (reader) => launchPage(options, id, reader), id);
  });
  const ownerOf = (kind: AskedOwner["kind"]) => (c: PageContext) => {
    const name = c.req.query("name") ?? "";
    const days = DAYS.find((each) => String(each) === c.req.query("days")) ?? DEFAULT_DAYS;
    const asked = { kind, name, days };
    return pages.send(c, `${days} ${name}`, (reader) => ownerPage(options, asked, reader), name);
  };
  app.get("/fleet", ownerOf("fleet"));
  app.get("/deployment", ownerOf("deployment"));
  app.get("/places", (c) => {
    const days = PLACE_DAYS.find((each) => String(each) === c.req.query("days")) ?? DEFAULT_DAYS;
    return pages.send(c, `${days}`, (reader) => placesPage(options, days, reader));
  });
  app.get("/search", (c) => {
    const { q = "", fleet = "", state = "", page: number = "" } = c.req.query();
    const asked = {
      q: q.slice(0, LONGEST_SEARCH),
      fleet,
      state,
      page: /^\d{1,6}$/.test(number) ? Number(number) : 1,
    };
    return pages.send(c, JSON.stringify(asked), (reader) => searchPage(options, asked, reader));
  });
  app.get("/share", (c) => enter(c, options));
  app.get("/healthz", (c) => c.text(...probe(healthOf(keeper, pulse))));
  app.get("/readyz", async (c) => c.text(...probe(await readinessOf(keeper, pulse))));
  app.get("/metrics", async (c) => {
    const draft = await readDraft(keeper);
    const context = contextOf(keeper);
    const wholes = await wholesOfAccount(draft, keeper.ledger, context);
    const body = await metrics.scrape({ draft, context, pulse, short, wholes });
    const supports = Object.keys(METRICS_TYPES);
    const type = accepts(c, { header: "Accept", supports, default: "text/plain" });
    const headers = { "content-type": METRICS_TYPES[type] ?? "", vary: "accept" };
    return c.body(type === "text/plain" ? asPlainText(body) : body, 200, headers);
  });
  app.get("/api/status", async (c) => {
    const status = await ledgerStatus(keeper.ledger, contextOf(keeper));
    return c.body(`${jsonText(status)}\n`, 200, { "content-type": "application/json" });
  });
  app.get("/events", (c) => {
    if (c.req.method !== "GET") return c.notFound();
    const given = [credentialOf(c.req.header("authorization")), getCookie(c, SHARE_COOKIE)];
    const mayGoOn = async (): Promise<boolean> => {
      if (await sessions.of(c)) return true;
      for (const secret of given) if (secret && (await options.secrets.isKnown(secret))) return true;
      return false;
    };
    const { actor, session, reader } = c.env;
    const lasts = reader === "owner" && (actor ? actor === AGENT_TOKEN : !session);
    streams.add(c.env.outgoing, lasts || mayGoOn);
    return RESPONSE_ALREADY_SENT;
  });
  const rate = new Rate();
  addApi(app, options, rate);
  addMcp(app, () => options);
  addSignIn(app, options);
  addActs(app, options, rate);
  addAssets(app);
  return streams;
}

/** What pages load. */
export function addAssets(app: App): void {
  for (const { path, type, content } of ASSETS)
    app.get(path, etag(), (c) => c.body(content, 200, { "content-type": type, "cache-control": "no-cache" }));
}

/**
 * The page that a share link opens, and the exchange of its secret for a cookie. A foreign page cannot make a
 * browser take one: it may not send the header.
 */
async function enter(
  c: PageContext,
  { keeper: { clock }, secrets }: Pick<AccountPagesOptions, "keeper" | "secrets">,
): Promise<Response> {
  const secret = credentialOf(c.req.header("authorization"));
  if (secret === undefined) return c.html(sharePage());
  const share = await secrets.share(secret);
  if (!share)
    return c.text("This share link is over, or was taken back.\n", 403, { "set-cookie": NO_SHARE_COOKIE });
  const seconds = Math.ceil(leftOf(share, clock.now()) / 1000);
  // Without TLS it would never be sent.
  const secure = isHttps(c) ? "; Secure" : "";
  const cookie = `${SHARE_COOKIE}=${secret}; Max-Age=${seconds}; HttpOnly; SameSite=Lax${secure}`;
  return c.body(null, 204, { "set-cookie": cookie });
}

type PageContext = Context<Env>;

/** Pages as they were last made. Requests at nearly the same time get the same text. */
class Pages {
  readonly #options: AccountPagesOptions;
  readonly #made = new Map<
    string,
    { readonly at: number; readonly version: number; readonly text: string }
  >();

  constructor(options: AccountPagesOptions) {
    this.#options = options;
  }

  /** `asked`: all that the page depends on beside its path and its reader. `what`: what may not be there. */
  async send(
    c: PageContext,
    asked: string,
    make: (reader: Reader) => Promise<string | undefined>,
    what = "",
  ): Promise<Response> {
    const { keeper, pulse, sessions } = this.#options;
    const { session } = c.env;
    const { actor } = session ?? {};
    // Whom nobody has called the owner is none.
    const isGuest = c.env.reader !== "owner";
    const reader = { isGuest, actor, said: session && sessions.saidTo(session) };
    const key = JSON.stringify([c.req.path, reader, asked]);
    const at = here(keeper.clock).mono;
    const before = this.#made.get(key);
    if (before && before.version === pulse.version && at - before.at < SAME_PAGE_MS)
      return c.html(before.text);
    const { version } = pulse;
    const text = await make(reader);
    if (text === undefined) return c.html(await unknownPage(this.#options, what, reader), 404);
    this.#made.delete(key);
    if (key.length < LONGEST_KEY) this.#made.set(key, { at, version, text });
    for (const oldest of this.#made.keys()) {
      if (this.#made.size <= MOST_PAGES) break;
      this.#made.delete(oldest);
    }
    return c.html(text);
  }
}

function probe({ ok, text }: Health): [string, 200 | 503] {
  return [`${text}\n`, ok ? 200 : 503];
}
