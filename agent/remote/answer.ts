import { z } from "zod";
import { CAUSES, type ErrorCode, FleetkeeperError } from "../../service/contract/errors.ts";
import { type HttpResponse, TransportError } from "../../service/contract/transport.ts";
import { parseRetryAfter } from "../../service/http/retry-after.ts";
import { jsonOr } from "../../service/text/json.ts";
import type { Redaction } from "../../service/text/redaction.ts";
import { AGENT_ENVIRONMENT } from "./agent-address.ts";

/** What was asked, for messages. */
export interface Asked {
  /** The agent's. */
  readonly url: string;
  /** Method and path, without a query. */
  readonly what: string;
  readonly hasToken: boolean;
  readonly tokenBy?: string | undefined;
  readonly redact: Redaction;
}

/** As RFC 9457 has it, with the code of the error where the agent threw one. */
const problemSchema = z.object({
  detail: z.string(),
  code: z
    .string()
    .refine((code): code is ErrorCode => Object.hasOwn(CAUSES, code))
    .optional()
    .catch(undefined),
});

/** What a proxy says while the agent before which it stands begins, or after it lost an answer. */
const BETWEEN: readonly number[] = [502, 503, 504];

/** Longer than that nobody waits who typed a command. */
const LONGEST_WAIT_MS = 10_000;

/** Whether the same is asked once more, and after how many milliseconds. Only an agent says how long. */
export function waitOf(answer: HttpResponse | TransportError): number | "a while" | undefined {
  // Nothing listens at a wrong address, later neither. What was lost on the way may have been carried out.
  if (answer instanceof TransportError) return answer.code === "NO_ANSWER" ? "a while" : undefined;
  if (BETWEEN.includes(answer.status) && !isProblem(answer)) return "a while";
  if (answer.status !== 429) return undefined;
  const ms = (retryAfterOf(answer) ?? Number.POSITIVE_INFINITY) * 1000;
  return ms <= LONGEST_WAIT_MS ? ms : undefined;
}

function retryAfterOf({ headers }: HttpResponse): number | undefined {
  return parseRetryAfter(headers["retry-after"], headers.date, Date.now());
}

/** What an agent answered. Throws what it refused, and what no agent of this version says. */
export function saidOf<T>(response: HttpResponse, answer: z.ZodType<T>, asked: Asked): T {
  const { status } = response;
  const json = jsonOf(response);
  if (status >= 200 && status < 300) {
    if (json === undefined) throw notOurs(response, asked);
    const said = answer.safeParse(json);
    // As it came: in its own order, and with what a newer agent says beside.
    if (said.success) return json as T;
    const [{ path, message } = { path: [], message: "" }] = said.error.issues;
    const where = asked.redact.text([...path, ""].join(": ") + message);
    throw new FleetkeeperError(
      "UNREADABLE_ANSWER",
      `The agent at ${asked.url} is of another version than this command: what it answers to ${asked.what} is not understood here (${where}). Use the same version on both sides.`,
      { status },
    );
  }
  const problem = isProblem(response) ? problemSchema.safeParse(json) : undefined;
  if (!problem?.success) throw notOurs(response, asked);
  const { detail, code } = problem.data;
  const text = asked.redact.text(detail, 4000);
  const options = { status, retryAfter: retryAfterOf(response) };
  if (status === 401) throw new FleetkeeperError("CREDENTIAL", noToken(text, asked), options);
  if (status === 404 && code === undefined)
    throw new FleetkeeperError(
      "UNREADABLE_ANSWER",
      `The agent at ${asked.url} is of an older version than this command: it has no ${asked.what}. Use the same version on both sides.`,
      options,
    );
  throw new FleetkeeperError(code ?? BY_STATUS[status] ?? "REFUSED", text, options);
}

function noToken(detail: string, { url, hasToken, tokenBy: token = AGENT_ENVIRONMENT.token }: Asked): string {
  return hasToken
    ? `The agent at ${url} does not take the token in ${token}: ${detail} Beside its ledger, fleetkeeper token list shows those that are open.`
    : `The agent at ${url} asks for a token: set ${token}, or ${token}_FILE to a file that holds it. To make one, beside its ledger: fleetkeeper token create --name NAME --may operate`;
}

/** Where the agent says no code. */
const BY_STATUS: Readonly<Record<number, ErrorCode>> = {
  400: "CONFIG",
  403: "CREDENTIAL",
  404: "CONFIG",
  409: "CONFIG",
  413: "CONFIG",
  415: "CONFIG",
  422: "CONFIG",
  503: "BUSY",
};

function isProblem({ headers }: HttpResponse): boolean {
  return /^application\/problem\+json\b/i.test(headers["content-type"] ?? "");
}

function jsonOf({ body, headers }: HttpResponse): unknown {
  return /^application\/(?:problem\+)?json\b/i.test(headers["content-type"] ?? "") ? jsonOr(body) : undefined;
}

/** A proxy's page, another program, or an agent without an API. */
function notOurs({ status, headers, body }: HttpResponse, { url, what, redact }: Asked): FleetkeeperError {
  const { location } = headers;
  const to = location !== undefined && URL.canParse(location, url) ? new URL(location, url) : undefined;
  if (status >= 300 && status < 400 && to)
    return new FleetkeeperError(
      "UNREADABLE_ANSWER",
      `${url} answered ${what} with ${status}, a redirect to ${redact.text(to.origin + to.pathname)}: the token is not sent on. If that is the agent, give its address instead.`,
      { status },
    );
  const kind = headers["content-type"] ?? "without a type";
  const begins =
    body.trim() === "" ? "it is empty" : `it begins ${JSON.stringify(redact.text(body.trim(), 80))}`;
  return new FleetkeeperError(
    status === 401 || status === 403 ? "CREDENTIAL" : "UNREADABLE_ANSWER",
    `What answers at ${url} is no agent with this API: ${what} brought ${status}, ${redact.text(kind, 60)}, and ${begins}. Check the address; a proxy before the agent, or an agent of an older version, answers so, too.`,
    { status, retryAfter: retryAfterOf({ status, headers, body }) },
  );
}
