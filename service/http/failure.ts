import type { Json } from "../contract/service.ts";
import type { HttpResponse } from "../contract/transport.ts";
import type { WireProfile } from "../profile/profile.ts";
import { parseJson, readText } from "../text/json.ts";
import { valueAt } from "../text/pointer.ts";
import type { Redaction } from "../text/redaction.ts";
import { parseRetryAfter } from "./retry-after.ts";

/** What an answer other than 2xx says, as far as the profile can read it (specification, section 7). */
export interface Failure {
  readonly status: number;
  readonly code?: string;
  readonly message?: string;
  /** Seconds, as the service gave them. */
  readonly retryAfter?: number;
}

export function readFailure(response: HttpResponse, errors: WireProfile["errors"], now: number): Failure {
  const body = tryParse(response.body);
  const at = (pointer: string | undefined): string | undefined =>
    pointer === undefined || body === undefined ? undefined : readText(valueAt(body, pointer));
  const { date } = response.headers;
  const code = at(errors?.code);
  const message = at(errors?.message);
  const retryAfter =
    parseRetryAfter(response.headers["retry-after"], date, now) ??
    parseRetryAfter(at(errors?.retryAfter), date, now);
  return {
    status: response.status,
    ...(code === undefined ? {} : { code }),
    ...(message === undefined ? {} : { message }),
    ...(retryAfter === undefined ? {} : { retryAfter }),
  };
}

/** An error body may be anything, such as a proxy's HTML. An unreadable one gives undefined, not an error. */
function tryParse(text: string): Json | undefined {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

/** What is known of the failure, in one line: `503 offer_cooling_down: try another`. */
export function failureText({ status, code, message }: Failure): string {
  return (
    [String(status), ...(code === undefined ? [] : [code])].join(" ") +
    (message === undefined ? "" : `: ${message}`)
  );
}

/** How an answer's body begins. Compressed, though `identity` was asked for, it would be shown as garbage. */
export function beginningOf({ headers, body }: HttpResponse, redact: Redaction): string {
  const coding = headers["content-encoding"] ?? "identity";
  if (!/^\s*identity\s*$/i.test(coding))
    return `it is compressed (Content-Encoding: ${redact.text(coding)}), though identity was asked for: have the service, or the proxy before it, send it plain`;
  return body === "" ? "it is empty" : `it begins ${JSON.stringify(redact.text(body))}`;
}
