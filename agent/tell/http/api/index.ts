import type { Context } from "hono";
import { z } from "zod";
import type { Keeper } from "../../../../launch/keeper.ts";
import { here } from "../../../../ledger/instant.ts";
import { CAUSES, type ErrorCode, FleetkeeperError } from "../../../../service/contract/errors.ts";
import type { Json } from "../../../../service/contract/service.ts";
import { jsonText } from "../../../fleet/text.ts";
import type { AgentAccount } from "../../../json/agent.ts";
import { type CarriedOut, carryOut, type Given, type Refused } from "../../../orders/carry-out.ts";
import { type Foreseen, foresee } from "../../../orders/foresee.ts";
import type { Order } from "../../../orders/order.ts";
import { ORDERS } from "../../../orders/orders.ts";
import { LEDGER_READS, type LedgerRead, type LedgerSeen } from "../../../status/ledger-reads.ts";
import type { Env } from "../guard.ts";
import type { App } from "../listening.ts";
import { bodyOf, issuesText } from "./body.ts";
import { openApiDocument } from "./document.ts";
import { BASE, pathOf } from "./paths.ts";
import { problem } from "./problem.ts";
import type { Rate } from "./rate.ts";
import { READS, type Read, type ReadsFrom } from "./reads.ts";
import { addStackCalls, type StackCalls } from "./stacks.ts";

export interface ApiOptions extends ReadsFrom {
  readonly version: string;
  /** What orders are written with: by another agent than the account's, too. */
  readonly orders: Keeper;
  /** Who answers what stacks ask. Undefined: nobody does. */
  readonly stacks?: StackCalls | undefined;
}

/** What stands beside the accounts of an agent: one, or those of several services. */
export interface AgentApiOptions {
  readonly version: string;
  readonly seen: () => LedgerSeen;
  readonly accounts: () => Promise<readonly AgentAccount[]>;
}

const MOST_BYTES = 64 * 1024;
/** Printable ASCII, as RFC 9110 has a field's value; no longer than anybody needs. */
const KEY = /^[\x21-\x7e]{1,128}$/;

/** Answers `/api/v1`. */
export function addApi(app: App, options: ApiOptions, rate: Rate): void {
  const document = `${jsonText(openApiDocument(options.version))}\n`;
  app.get(`${BASE}/openapi.json`, (c) => c.body(document, 200, { "content-type": "application/json" }));
  for (const read of READS) app.get(routeOf(read.path), (c) => answerRead(read, options, rate, c));
  for (const order of ORDERS)
    app.on(order.method, routeOf(pathOf(order)), (c) => answerOrder(order, options, rate, c));
  if (options.stacks) addStackCalls(app, options.stacks);
}

/** Answers what is asked about all accounts of the agent. `options`: undefined while none is open. */
export function addAgentApi(app: App, options: () => AgentApiOptions | undefined): void {
  const answering = (
    path: string,
    answer: (c: Context<Env>, options: AgentApiOptions) => Promise<Response>,
  ) =>
    app.get(`${BASE}${path}`, async (c) => {
      const now = options();
      if (now) return answer(c, now);
      return problem(503, "No account of this agent is open yet.", { "retry-after": "5" }, { code: "BUSY" });
    });
  answering("/accounts", async (c, { version, accounts }) =>
    json(c, { version, accounts: await accounts() }),
  );
  for (const [name, { query, answer }] of Object.entries<LedgerRead>(LEDGER_READS))
    answering(`/ledger/${name}`, async (c, { seen }) => {
      const asked = query.safeParse(c.req.query());
      if (!asked.success) return problem(400, issuesText(asked.error), {}, { code: "CONFIG" });
      return json(c, await answer(seen(), asked.data));
    });
}

function json(c: Context<Env>, said: unknown): Response {
  return c.body(`${jsonText(said)}\n`, 200, { "content-type": "application/json" });
}

/** `{name}` of OpenAPI is `:name` here. */
function routeOf(path: string): string {
  return `${BASE}${path.replace(/\{(\w+)\}/g, ":$1")}`;
}

/** An order takes a turn of the ledger, and a plan a request of the service, whose limits the agent needs itself. */
function tooMany(rate: Rate, who: string, { orders }: ApiOptions): Response | undefined {
  const waits = rate.take(who, here(orders.clock).mono);
  if (waits === 0) return undefined;
  return problem(429, `${who} asks for too much: again in ${waits} s.`, { "retry-after": `${waits}` });
}

async function answerRead(read: Read, options: ApiOptions, rate: Rate, c: Context<Env>): Promise<Response> {
  const late = read.asksService
    ? tooMany(rate, c.env.actor?.name ?? "whoever has no token", options)
    : undefined;
  if (late) return late;
  const query = z.strictObject(read.query).safeParse(c.req.query());
  if (!query.success) return problem(400, issuesText(query.error));
  try {
    const found = await read.answer(options, c, query.data);
    return found === undefined
      ? problem(404, `${lacking(read, c)}.`, {}, { code: "CONFIG" })
      : json(c, found);
  } catch (error) {
    return failed(error, 400);
  }
}

function lacking({ path }: Read, c: Context<Env>): string {
  const [, folder = "thing", name = ""] = /\/(\w+)s\/\{(\w+)\}/.exec(path) ?? [];
  return `${c.req.param(name) ?? c.req.path}: this account has no such ${folder}`;
}

async function answerOrder(
  order: Order,
  options: ApiOptions,
  rate: Rate,
  c: Context<Env>,
): Promise<Response> {
  const { actor } = c.env;
  if (!actor) return problem(401, "An order needs a token.");
  const late = tooMany(rate, actor.name, options);
  if (late) return late;
  const body = await bodyOf(c, MOST_BYTES);
  if (body instanceof Response) return body;
  const { version: seen, ...others } = body;
  // Only a fleet has one. Elsewhere it is an unknown key: nobody may count on what is not looked at.
  const [version, said] = order.about === "fleet" ? [seen, others] : [undefined, body];
  if (version !== undefined && typeof version !== "string")
    return problem(400, "version: expected a text, as GET of the fleet shows it");
  const input = order.input.safeParse(said);
  if (!input.success) return problem(400, issuesText(input.error));
  const key = c.req.header("idempotency-key");
  if (key !== undefined && !KEY.test(key))
    return problem(400, "Idempotency-Key: expected at most 128 letters, digits and signs, without spaces");
  const dry = z.stringbool().default(false).safeParse(c.req.query("dryRun"));
  if (!dry.success) return problem(400, "dryRun: expected true or false");
  const target = c.req.param("target") ?? "";
  const given: Given = { order, target, input: input.data as Json, actor, key, version };
  try {
    const outcome = dry.data
      ? await foresee(options.keeper, given, c.req.raw.signal)
      : await carryOut(options.orders, given);
    return "refused" in outcome ? refusal(outcome) : answered(order, outcome, dry.data);
  } catch (error) {
    return failed(error, order.method === "PUT" ? 422 : 409);
  }
}

function answered(order: Order, outcome: CarriedOut | Foreseen, isDry: boolean): Response {
  const status = !isDry && order.goesOn ? 202 : 200;
  const again = "isAgain" in outcome && outcome.isAgain ? { "idempotent-replayed": "true" } : {};
  const said = "isAgain" in outcome ? outcome.answer : outcome;
  return new Response(`${jsonText(said)}\n`, {
    status,
    headers: { "content-type": "application/json", ...again },
  });
}

const STATUS: Readonly<Record<Refused["refused"], number>> = {
  gone: 401,
  forbidden: 403,
  unknown: 404,
  otherOrder: 422,
  otherVersion: 409,
};

function refusal(refused: Refused): Response {
  const version = refused.refused === "otherVersion" ? refused.version : undefined;
  const newer = version === undefined ? {} : { version };
  const code: ErrorCode = ["gone", "forbidden"].includes(refused.refused) ? "CREDENTIAL" : "CONFIG";
  return problem(STATUS[refused.refused], refused.text, {}, { code, ...newer });
}

/** `given`: where what was asked for cannot be done. */
function failed(error: unknown, given: number): Response {
  if (!(error instanceof FleetkeeperError)) throw error;
  const { code } = error;
  const { of } = CAUSES[code];
  if (code === "BUSY" || code === "LEDGER_BUSY")
    return problem(503, error.message, { "retry-after": "5" }, { code });
  return problem(
    { given, service: 502, ledger: 503, others: 503, fleetkeeper: 500 }[of],
    error.message,
    {},
    { code },
  );
}
