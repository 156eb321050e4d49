import type { Keeper } from "../../../launch/keeper.ts";
import type { AccountRow } from "../../../ledger/rows.ts";
import type { ErrorCode } from "../../../service/contract/errors.ts";
import type { AgentAccount } from "../../json/agent.ts";
import type { AccountStatus } from "../../json/status.ts";
import type { WholeStatus } from "../../json/whole.ts";
import type { Actor } from "../../orders/actor.ts";
import type { NotTaken } from "../../orders/oidc.ts";
import type { LedgerSeen } from "../../status/ledger-reads.ts";
import { whyDistrusted } from "../../status/outage.ts";
import { addAgentApi } from "./api/index.ts";
import { addMcp } from "./mcp/index.ts";
import type { Health } from "./measures/health.ts";
import { html } from "./pages/html.ts";
import { part, shell } from "./pages/shell.ts";
import { wholeCards } from "./pages/whole-card.ts";
import { merged } from "./pages/whole-shown.ts";
import type { HttpAddress } from "./reach/address.ts";
import type { AgentService } from "./reach/agent-services.ts";
import { type App, type HttpServer, listen, newApp } from "./reach/listening.ts";
import { isOfApi, problem } from "./reach/problem.ts";
import type { Sessions } from "./reach/sessions.ts";
import { addAssets } from "./server.ts";

/** What one account of several shows: its own page and all beside it. */
export interface AccountPages {
  /** It answers under the path that it was made for. */
  readonly app: App;
  health(): Health;
  readiness(): Promise<Health>;
  status(): Promise<AccountStatus>;
  /** The fleets that it keeps with other accounts, as one. */
  wholes(): Promise<readonly WholeStatus[]>;
  account(): Promise<AccountRow>;
  /** What the ledger of all accounts is read from. */
  seen(): LedgerSeen;
  readonly keeper: Keeper;
  /** What orders are written with. */
  readonly orders: Keeper;
  readonly version: string;
  /** Takes what it knows as secret out of a text. */
  hide(text: string): string;
  /** Whether a share link of this account has this secret. */
  mayRead(secret: string): Promise<boolean>;
  /** Who has signed in on its pages. */
  readonly sessions: Sessions;
  /** Whom this account knows by this secret. */
  actorOf(secret: string): Promise<Known>;
  /** Whether it is a token's or a share link's of this account. */
  isKnown(secret: string): Promise<boolean>;
}

/** How one service of an agent stands. */
export interface Shown {
  /** Undefined: its account is not open now. */
  pages?: AccountPages | undefined;
  /** Why it is not kept now, for people. Only those who may see the page see it. */
  problem?: string | undefined;
  /** Which mistake that is. */
  code?: ErrorCode | undefined;
  /** Its parts of fleets that several services keep, by these fleets' names. */
  readonly parts?: ReadonlyMap<string, string>;
}

export interface ServicesOptions {
  readonly address: HttpAddress;
  readonly token: string | undefined;
  /** By name, in the order of the fleet file. It is read at each request. */
  readonly services: ReadonlyMap<string, Shown>;
}

/** Where the account of this service is shown. */
export function baseOf(service: string): string {
  return `/services/${service}`;
}

/**
 * Starts to answer for several accounts: a list of them, and each one under a path of its own. The probes are
 * about all of them. Throws CONFIG if it cannot listen at the address.
 */
export function startServicesServer({ address, token, services }: ServicesOptions): Promise<HttpServer> {
  const at = (folder: string): AccountPages | undefined => services.get(serviceIn(folder))?.pages;
  const app = newApp({
    token,
    mayRead: async (secret, folder) => (await at(folder)?.mayRead(secret)) ?? false,
    // What is no service has none, however often one asks. Beside them nobody is known before one of them is open.
    isOpen: (folder) =>
      folder === "/" ? isAnyOpen(services) : !services.has(serviceIn(folder)) || at(folder) !== undefined,
    isKnown: (secret) => isKnownToAny(services, secret),
    sessions: (folder) => at(folder)?.sessions,
    actorOf: (secret, folder) => (folder === "/" ? actorOfAll(services, secret) : ofOne(at(folder), secret)),
  });
  app.get("/", async (c) => c.html(await listPage(services)));
  app.get("/healthz", (c) => {
    const sites = [...services].flatMap(([name, { pages }]) =>
      pages ? [[name, pages.health()] as const] : [],
    );
    return c.text(...summary("ok", sites));
  });
  app.get("/readyz", async (c) => c.text(...summary("ready", await readiness(services))));
  addAgentApi(app, () => {
    const first = [...services.values()].find(({ pages }) => pages)?.pages;
    return (
      first && {
        ...first,
        accounts: () => accountsOf(services),
        services: async () => agentServices(services),
      }
    );
  });
  addMcp(app, () => {
    const open = [...services.values()].flatMap(({ pages }) => pages ?? []);
    return (
      open[0] && { keeper: open[0].keeper, version: open[0].version, hide: hideOf(services), ofAll: true }
    );
  });
  app.get("/services/:name", (c) => c.redirect(`${baseOf(c.req.param("name"))}/`));
  app.all("/services/:name/*", (c) => {
    const shown = services.get(c.req.param("name"));
    if (!shown) return c.notFound();
    if (!shown.pages)
      return isOfApi(c.req.path)
        ? problem(503, shown.problem ?? NOT_OPEN, { "retry-after": "5" }, { code: "BUSY" })
        : c.text(`${NOT_OPEN} Why is said at /.\n`, 503);
    const over = { services: async () => agentServices(services), hide: hideOf(services) };
    return shown.pages.app.fetch(c.req.raw, { ...c.env, over });
  });
  app.all("/api/v1/*", () => problem(404, BY_SERVICE));
  addAssets(app);
  return listen(app, address);
}

const BY_SERVICE =
  "This agent has several services: what is of one account is at /services/NAME/api/v1, an order about a fleet with all of its " +
  "parts at /api/v1/ledger/fleets/NAME/ORDER. See /api/v1/openapi.json.";
const NOT_OPEN = "The account of this service is not open now.";

function accountsOf(services: ServicesOptions["services"]): Promise<readonly AgentAccount[]> {
  return Promise.all(
    [...services].map(async ([service, { pages, problem: wrong }]) => {
      const row = await pages?.account().catch(() => undefined);
      const distrusted = row ? whyDistrusted(row) : null;
      return { service, account: row?.email ?? null, problem: wrong ?? null, distrusted };
    }),
  );
}

function agentServices(services: ServicesOptions["services"]): readonly AgentService[] {
  return [...services].map(([service, { pages, problem: text, code = "BUSY", parts = new Map() }]) => ({
    ...{ service, parts, keeper: pages?.keeper, orders: pages?.orders },
    error: text === undefined ? undefined : { text, code },
  }));
}

/** Takes out what any of them knows as secret. */
function hideOf(services: ServicesOptions["services"]): (text: string) => string {
  const open = [...services.values()].flatMap(({ pages }) => pages ?? []);
  return (text) => open.reduce((said, pages) => pages.hide(said), text);
}

function serviceIn(folder: string): string {
  return /^\/services\/([^/]+)\/$/.exec(folder)?.[1] ?? "";
}

function isAnyOpen(services: ServicesOptions["services"]): boolean {
  return [...services.values()].some(({ pages }) => pages);
}

type Known = Actor | NotTaken | undefined;

async function ofOne(pages: AccountPages | undefined, secret: string): Promise<Known> {
  return pages?.actorOf(secret);
}

/** Who is known to every account that is open: what stands beside the accounts tells of all. */
async function actorOfAll(services: ServicesOptions["services"], secret: string): Promise<Known> {
  const open = [...services.values()].flatMap(({ pages }) => pages ?? []);
  const known = await Promise.all(open.map((pages) => pages.actorOf(secret)));
  return known.every((each) => each && !("refused" in each)) ? known[0] : undefined;
}

/** A token that was made before one of the accounts is known to the others alone. */
async function isKnownToAny(services: ServicesOptions["services"], secret: string): Promise<boolean> {
  const open = [...services.values()].flatMap(({ pages }) => pages ?? []);
  return (await Promise.all(open.map((pages) => pages.isKnown(secret)))).includes(true);
}

type Named = readonly (readonly [string, Health])[];

function readiness(services: ServicesOptions["services"]): Promise<Named> {
  const closed: Health = { ok: false, text: "not ready: its account is not open" };
  return Promise.all(
    [...services].map(async ([name, { pages }]) => [name, pages ? await pages.readiness() : closed] as const),
  );
}

/** Names of services, and nothing else of them: everybody who reaches the port can read it. */
function summary(good: string, found: Named): [string, 200 | 503] {
  const bad = found.filter(([, { ok }]) => !ok);
  if (bad.length > 0) return [bad.map(([name, { text }]) => `${name}: ${text}\n`).join(""), 503];
  return [`${good}: ${found.map(([name]) => name).join(", ") || "nothing is open yet"}\n`, 200];
}

async function listPage(services: ServicesOptions["services"]): Promise<string> {
  const ready = await readiness(services);
  const rows = await Promise.all(
    ready.map(async ([name, { text }]) => {
      const { pages, problem } = services.get(name) ?? {};
      const status = await pages?.status().catch(() => undefined);
      const sum = (of: "runningGpus" | "desiredGpus"): number =>
        status?.fleets.reduce((all, fleet) => all + fleet[of], 0) ?? 0;
      return html`<tr><th scope="row">${pages ? html`<a href="${`${baseOf(name).slice(1)}/`}">${name}</a>` : name}</th>
<td>${status?.account ?? "?"}</td>
<td>${status ? `${sum("runningGpus")} of ${sum("desiredGpus")}` : "?"}</td>
<td>${problem ?? text}</td></tr>`;
    }),
  );
  return shell({
    title: `${rows.length} services`,
    isLive: true,
    script: "page.js",
    main: html`${part("wholes", wholeCards(await wholesOf(services)))}
${part(
  "services",
  html`<section aria-labelledby="services"><h2 id="services">Services</h2>
<div class="card"><table>
<thead><tr><th scope="col">Service</th><th scope="col">Account</th><th scope="col">GPUs running</th><th scope="col">State</th></tr></thead>
<tbody>
${rows}
</tbody>
</table></div></section>`,
)}`,
  });
}

async function wholesOf(services: ServicesOptions["services"]): Promise<readonly WholeStatus[]> {
  const found = await Promise.all(
    [...services.values()].map(({ pages }) => pages?.wholes().catch(() => []) ?? []),
  );
  return merged(found.flat());
}
