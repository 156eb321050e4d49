import type { Context } from "hono";
import { z } from "zod";
import { type Clock, here } from "../../../../ledger/instant.ts";
import { CAUSES, type ErrorCode, FleetkeeperError } from "../../../../service/contract/errors.ts";
import type { Json } from "../../../../service/contract/service.ts";
import { clean, jsonText } from "../../../fleet/text/text.ts";
import type { Given, Refused } from "../../../orders/carry-out.ts";
import type { Order } from "../../../orders/order.ts";
import { bodyOf, issuesText } from "../reach/body.ts";
import type { Env } from "../reach/guard.ts";
import { problem } from "../reach/problem.ts";
import type { Rate } from "../reach/rate.ts";

const MOST_BYTES = 64 * 1024;
/** Printable ASCII, as RFC 9110 has a field's value; no longer than anybody needs. */
const KEY = /^[\x21-\x7e]{1,128}$/;

export interface AskedOrder extends Omit<Given, "order" | "target" | "input"> {
  readonly input: Readonly<Record<string, Json>>;
  readonly isDry: boolean;
}

/** Whether an order may count on the version of what it is about. That of a file is of all accounts. */
export function isVersioned(order: object & { readonly about: string }): boolean {
  return order.about === "file" ? "partsOf" in order : ["fleet", "deployment"].includes(order.about);
}

/** What a request asks of an order, or why it cannot be understood. */
export async function askedIn(
  c: Context<Env>,
  order: Pick<Order, "input"> & { readonly about: string },
  rate: Rate,
  clock: Clock,
): Promise<AskedOrder | Response> {
  const { actor } = c.env;
  if (!actor) return problem(401, "An order needs a token.");
  const late = tooMany(rate, c, clock);
  if (late) return late;
  const body = await bodyOf(c, MOST_BYTES);
  if (body instanceof Response) return body;
  const { version: seen, ...others } = body;
  // Elsewhere it is an unknown key: nobody may count on what is not looked at.
  const [version, said] = isVersioned(order) ? [seen, others] : [undefined, body];
  if (version !== undefined && typeof version !== "string")
    return problem(400, `version: expected a text, as GET of the ${order.about} shows it`);
  const read = order.input.safeParse(said);
  if (!read.success) return problem(400, issuesText(read.error));
  const key = c.req.header("idempotency-key");
  if (key !== undefined && !KEY.test(key))
    return problem(400, "Idempotency-Key: expected at most 128 letters, digits and signs, without spaces");
  const isDry = isDryIn(c);
  if (isDry instanceof Response) return isDry;
  return { actor, input: read.data as AskedOrder["input"], key, version, isDry };
}

/** Whoever writes it in another way means no order: it would be carried out. */
function isDryIn(c: Context<Env>): boolean | Response {
  const { dryRun, ...others } = c.req.queries();
  const [other] = Object.keys(others);
  if (other !== undefined)
    return problem(400, `${clean(other)}: an order knows dryRun alone. Nothing was done`);
  const dry = z.stringbool().default(false).safeParse(dryRun?.[0]);
  return dry.success && (dryRun?.length ?? 0) <= 1
    ? dry.data
    : problem(400, "dryRun: expected true or false, once");
}

/** An order takes a turn of the ledger, and a plan a request of the service, whose limits the agent needs itself. */
export function tooMany(rate: Rate, c: Context<Env>, clock: Clock): Response | undefined {
  const who = c.env.actor?.name ?? "whoever has no token";
  const waits = rate.take(who, here(clock).mono);
  if (waits === 0) return undefined;
  return problem(429, `${who} asks for too much: again in ${waits} s.`, { "retry-after": `${waits}` });
}

export function json(c: Context<Env>, said: unknown): Response {
  return c.body(`${jsonText(said)}\n`, 200, { "content-type": "application/json" });
}

/** `how`: tried alone, or whether it was carried out before. */
export function answered(
  { goesOn }: Pick<Order, "goesOn">,
  said: unknown,
  how: "dry" | "again" | "done",
): Response {
  const again = how === "again" ? { "idempotent-replayed": "true" } : {};
  return new Response(`${jsonText(said)}\n`, {
    status: how !== "dry" && goesOn ? 202 : 200,
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

export function refusal(refused: Refused): Response {
  const version = refused.refused === "otherVersion" ? refused.version : undefined;
  const newer = version === undefined ? {} : { version };
  const code: ErrorCode = ["gone", "forbidden"].includes(refused.refused) ? "CREDENTIAL" : "CONFIG";
  return problem(STATUS[refused.refused], refused.text, {}, { code, ...newer });
}

/** `given`: where what was asked for cannot be done. */
export function failed(error: unknown, given: number): Response {
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
