import type { Context } from "hono";
import { contextOf, type Keeper } from "../../../../launch/keeper.ts";
import type { Ledger } from "../../../../ledger/ledger.ts";
import { keptServices } from "../../../fleet/file/kept-services.ts";
import type { Actor } from "../../../orders/actor.ts";
import { orderContext } from "../../../orders/carry-out.ts";
import { foreseeOver } from "../../../orders/foresee-over.ts";
import type { Accounts, KeptAccounts, LedgerOrder, OrderedPart } from "../../../orders/ledger-order.ts";
import { partsOfFleet } from "../../../orders/ledger-orders.ts";
import { carryOutOver, fileOver, type GivenOver, noFleet, versionOver } from "../../../orders/over-parts.ts";
import { planOfServices, readServices } from "../../../reconcile/preview-services.ts";
import type { AgentService, OverOptions } from "../reach/agent-services.ts";
import type { Env } from "../reach/guard.ts";
import { problem } from "../reach/problem.ts";
import type { Rate } from "../reach/rate.ts";
import { answered, askedIn, failed, json, refusal, tooMany } from "./asked.ts";

/** The accounts of the ledger, for an order of this actor. */
export function accountsOf(
  services: readonly AgentService[],
  first: Keeper,
  actor: Actor,
  isOne = false,
): Accounts {
  const own = new Set(services.flatMap(({ orders }) => orders?.account ?? []));
  return {
    ledger: first.ledger,
    kept: () => keptOf(services, first, isOne),
    context: (isDry) => orderContext(first, actor, isDry),
    isOwn: (account) => own.has(account),
  };
}

/** One that is not open now may have been before: the ledger knows its account. */
async function keptOf(
  services: readonly AgentService[],
  { ledger, account: own }: Keeper,
  isOne: boolean,
): Promise<KeptAccounts> {
  const named = await keptServices(ledger, own);
  return new Map(
    services.map(({ service, orders }) => {
      const its = named.filter((each) => each.service.name === service);
      const row = its.find(({ key, agent }) => (orders ? key === orders.account : agent !== null)) ?? its[0];
      const account = orders?.account ?? row?.key;
      return [isOne ? "" : service, { account, gpuModels: row?.service.gpuModels ?? {} }] as const;
    }),
  );
}

/** Any of those that are open: what is asked about all accounts asks the ledger. */
function firstOf(services: readonly AgentService[]): Keeper | undefined {
  return services.find(({ orders }) => orders)?.orders;
}

/** An order about all parts of a fleet, or about all that fleets have in one service. */
export async function answerOrderOver(
  order: LedgerOrder,
  options: OverOptions,
  rate: Rate,
  c: Context<Env>,
): Promise<Response> {
  const services = await options.services();
  const first = firstOf(services);
  if (!first) return noneOpen();
  const asked = await askedIn(c, order, rate, first.clock);
  if (asked instanceof Response) return asked;
  const { isDry, ...its } = asked;
  const accounts = accountsOf(services, first, asked.actor, options.isOne);
  const given: GivenOver = { order, target: c.req.param("target") ?? "", ...its };
  try {
    if (isDry) {
      const foreseen = await foreseeOver(given, accounts, services, c.req.raw.signal);
      return "refused" in foreseen ? refusal(foreseen) : answered(order, foreseen, "dry");
    }
    const outcome = await carryOutOver(given, accounts);
    if ("refused" in outcome) return refusal(outcome);
    return answered(order, { parts: outcome.parts }, outcome.isAgain ? "again" : "done");
  } catch (error) {
    return failed(error, order.method === "PUT" ? 422 : 409);
  }
}

/** `GET /api/v1/ledger/plan`: what all agents of the ledger would do now. */
export async function answerPlan(options: OverOptions, rate: Rate, c: Context<Env>): Promise<Response> {
  const services = await options.services();
  const first = firstOf(services);
  if (!first) return noneOpen();
  const late = tooMany(rate, c, first.clock);
  if (late) return late;
  try {
    const looked = await readServices(services, c.req.raw.signal);
    return json(c, await planOfServices(looked, first.ledger, contextOf(first)));
  } catch (error) {
    return failed(error, 400);
  }
}

/** `GET /api/v1/ledger/fleets/{fleet}`: its parts, and the version of all of them. */
export async function answerParts(options: OverOptions, c: Context<Env>): Promise<Response> {
  const ledger = firstOf(await options.services())?.ledger;
  if (!ledger) return noneOpen();
  const name = c.req.param("fleet") ?? "";
  const parts = await partsOfFleet(ledger, name);
  if (parts.length === 0) return refusal(noFleet(name));
  return partsSaid(c, ledger, { name, version: await versionOver(parts, ledger), parts });
}

/** `GET /api/v1/ledger/fleet-files/{file}`: what it has declared. A file that has declared nothing has a version, too. */
export async function answerFile(options: OverOptions, c: Context<Env>): Promise<Response> {
  const ledger = firstOf(await options.services())?.ledger;
  if (!ledger) return noneOpen();
  const name = c.req.param("file") ?? "";
  return partsSaid(c, ledger, { name, ...(await fileOver(name, ledger)) });
}

async function partsSaid(
  c: Context<Env>,
  ledger: Ledger,
  {
    parts,
    ...what
  }: { readonly name: string; readonly version: string; readonly parts: readonly OrderedPart[] },
): Promise<Response> {
  const emails = new Map((await ledger.accounts()).map(({ key, email }) => [key, email]));
  const said = parts.map(({ fleet, service, account }) => ({ fleet, service, account: emails.get(account) }));
  return json(c, { ...what, parts: said });
}

export function noneOpen(): Response {
  return problem(503, "No account of this agent is open now.", { "retry-after": "5" }, { code: "BUSY" });
}
