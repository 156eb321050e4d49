import type { Context } from "hono";
import { z } from "zod";
import type { Keeper } from "../../../../launch/keeper.ts";
import type { AgentAccount } from "../../../json/agent.ts";
import { carryOut, type Given } from "../../../orders/carry-out.ts";
import { foresee } from "../../../orders/foresee.ts";
import { LEDGER_ORDERS } from "../../../orders/ledger-orders.ts";
import type { Order } from "../../../orders/order.ts";
import { ORDERS } from "../../../orders/orders.ts";
import { LEDGER_READS, type LedgerRead, type LedgerSeen } from "../../../status/ledger-reads.ts";
import type { OverOptions } from "../reach/agent-services.ts";
import { issuesText } from "../reach/body.ts";
import type { Env } from "../reach/guard.ts";
import type { App } from "../reach/listening.ts";
import { problem } from "../reach/problem.ts";
import { Rate } from "../reach/rate.ts";
import { answered, askedIn, failed, json, refusal, tooMany } from "./asked.ts";
import { openApiDocument } from "./document.ts";
import { answerFile, answerOrderOver, answerParts, answerPlan, noneOpen } from "./over.ts";
import { BASE, ledgerPathOf, pathOf } from "./paths.ts";
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
export interface AgentApiOptions extends OverOptions {
  readonly version: string;
  readonly seen: () => LedgerSeen;
  readonly accounts: () => Promise<readonly AgentAccount[]>;
}

/** Answers `/api/v1`. */
export function addApi(app: App, options: ApiOptions, rate: Rate): void {
  const document = openApiDocument(options.version);
  app.get(`${BASE}/openapi.json`, (c) => json(c, document));
  for (const read of READS) app.get(routeOf(read.path), (c) => answerRead(read, options, rate, c));
  for (const order of ORDERS)
    app.on(order.method, routeOf(pathOf(order)), (c) => answerOrder(order, options, rate, c));
  if (options.stacks) addStackCalls(app, options.stacks);
}

/** Answers what is asked about all accounts of the agent. `options`: undefined while none is open. */
export function addAgentApi(app: App, options: () => AgentApiOptions | undefined): void {
  const rate = new Rate();
  const answering = (
    path: string,
    answer: (c: Context<Env>, options: AgentApiOptions) => Promise<Response>,
    method = "GET",
  ) =>
    app.on(method, routeOf(path), async (c) => {
      const now = options();
      return now ? answer(c, now) : noneOpen();
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
  let document: ReturnType<typeof openApiDocument> | undefined;
  answering("/openapi.json", async (c, { version }) => {
    document ??= openApiDocument(version);
    return json(c, document);
  });
  answering("/ledger/plan", (c, now) => answerPlan(now, rate, c));
  answering("/ledger/fleets/{fleet}", (c, now) => answerParts(now, c));
  answering("/ledger/fleet-files/{file}", (c, now) => answerFile(now, c));
  for (const order of LEDGER_ORDERS)
    answering(ledgerPathOf(order), (c, now) => answerOrderOver(order, now, rate, c), order.method);
}

/** `{name}` of OpenAPI is `:name` here. */
function routeOf(path: string): string {
  return `${BASE}${path.replace(/\{(\w+)\}/g, ":$1")}`;
}

async function answerRead(read: Read, options: ApiOptions, rate: Rate, c: Context<Env>): Promise<Response> {
  const late = read.asksService ? tooMany(rate, c, options.orders.clock) : undefined;
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
  const asked = await askedIn(c, order, rate, options.orders.clock);
  if (asked instanceof Response) return asked;
  const { isDry, ...its } = asked;
  const given: Given = { order, target: c.req.param("target") ?? "", ...its };
  try {
    const outcome = isDry
      ? await foresee(options.keeper, given, c.req.raw.signal)
      : await carryOut(options.orders, given);
    if ("refused" in outcome) return refusal(outcome);
    return "isAgain" in outcome
      ? answered(order, outcome.answer, outcome.isAgain ? "again" : "done")
      : answered(order, outcome, "dry");
  } catch (error) {
    return failed(error, order.method === "PUT" ? 422 : 409);
  }
}
