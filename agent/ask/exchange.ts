import { Agent, type Dispatcher, request } from "undici";
import { parseRetryAfter } from "../../service/http/retry-after.ts";
import { tlsFailureText } from "../../service/http/tls-failure.ts";

/** For addresses of the user's. */
export const OUTSIDE = { allowH2: false, connect: { timeout: 5_000 } };

/**
 * For questions to machines, which no proxy is asked for: it may reach others by the same addresses. What is asked by TLS,
 * gpud, has a certificate that it makes itself, and is sent no secret.
 */
export function machineAgent(): Agent {
  return new Agent({ ...OUTSIDE, connect: { ...OUTSIDE.connect, rejectUnauthorized: false } });
}

interface Sent {
  readonly method: "GET" | "POST";
  readonly headers?: Record<string, string>;
  readonly body?: string;
}

/** What an answer asks for that is no 2xx. It is the cause of {@link exchange}'s error. */
interface Refusal {
  readonly status: number;
  /** In seconds: what `Retry-After` says. */
  readonly retryAfter: number | undefined;
}

/** Undefined: there was no answer, or it was no HTTP. */
export function refusalOf({ cause }: Error): Refusal | undefined {
  return cause instanceof Object && Object.hasOwn(cause, "retryAfter") ? (cause as Refusal) : undefined;
}

/** Sends a request to an address of the user's. Throws, in words for people, unless a 2xx comes in time. */
export async function exchange(...request: Parameters<typeof send>): Promise<void> {
  // The answer's body does not matter: it is read up to 64 KiB and thrown away.
  await (await send(...request)).dump({ limit: 65_536 }).catch(() => undefined);
}

const MOST_TEXT = 1_048_576;

/** As {@link exchange}, and gives the body. Throws if that is longer than 1 MiB, too. */
export async function exchangeText(...request: Parameters<typeof send>): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of await send(...request)) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length > MOST_TEXT) throw new Error("answered more than 1 MiB");
  }
  return text;
}

async function send(
  agent: Dispatcher,
  url: string,
  sent: Sent,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<Dispatcher.ResponseData["body"]> {
  const limit = AbortSignal.timeout(timeoutMs);
  const { statusCode, headers, body } = await request(url, {
    ...sent,
    dispatcher: agent,
    signal: AbortSignal.any([signal, limit]),
  }).catch((error: NodeJS.ErrnoException) => {
    const why = limit.aborted
      ? `no answer within ${timeoutMs / 1000} s`
      : tlsFailureText(error) || error.message || error.code || error.name;
    throw new Error(why, { cause: error });
  });
  if (statusCode >= 200 && statusCode < 300) return body;
  await body.dump({ limit: 65_536 }).catch(() => undefined);
  const retryAfter = parseRetryAfter(
    headers["retry-after"]?.toString(),
    headers.date?.toString(),
    Date.now(),
  );
  const hint = statusCode < 400 ? ": redirects are not followed, so write the address that it leads to" : "";
  throw new Error(`answered HTTP ${statusCode}${hint}`, { cause: { status: statusCode, retryAfter } });
}
