import pRetry from "p-retry";
import { FleetkeeperError } from "../contract/errors.ts";
import type { Json } from "../contract/service.ts";
import { type HttpRequest, type HttpResponse, TransportError } from "../contract/transport.ts";
import type { WireProfile } from "../profile/profile.ts";
import { parseJson } from "../text/json.ts";
import type { Redaction } from "../text/redaction.ts";
import { CREDENTIAL_SETTINGS } from "./credential.ts";
import { beginningOf, failureText, readFailure } from "./failure.ts";
import { createRetryAfterGate } from "./retry-after-gate.ts";
import type { WallClock } from "./wall-clock.ts";

/** Sends one request exactly once, with rate limit, credential and transport. */
type Send = (request: HttpRequest, signal: AbortSignal) => Promise<HttpResponse>;

export interface Endpoint {
  readonly baseUrl: string;
  readonly send: Send;
  readonly redact: Redaction;
}

/** What each request accepts. */
export const ACCEPTS = { accept: "application/json", "accept-encoding": "identity" } as const;

/** A question to the service. It changes nothing, so it may be sent again. */
export type Question = Omit<HttpRequest, "mayLeave">;

/** The answer to a question; what was made of its body. */
export interface Answer<T = Json> {
  readonly url: string;
  readonly status: number;
  readonly headers: HttpResponse["headers"];
  readonly json: T;
}

/**
 * Asks one question, a few times at most, and never before its `Retry-After` is over. Throws a
 * FleetkeeperError for anything but a 2xx with JSON.
 */
export interface Read {
  (question: Question, signal: AbortSignal): Promise<Answer>;
  /**
   * `parse`: instead of `parseJson`. It may do without the body, if the digest says enough. What it throws says
   * that the body is no JSON; not a FleetkeeperError.
   */
  <T>(question: Question, signal: AbortSignal, parse: (answer: HttpResponse) => T): Promise<Answer<T>>;
}

const RETRIES = 3;
const FIRST_WAIT_MS = 500;
/** The caller waits for a longer one, by the error's `retryAfter`: the next poll comes by then anyway. */
const LONGEST_WAIT_S = 30;

/** Another attempt may succeed. `error` is thrown if none does. */
class Temporary extends Error {
  readonly error: FleetkeeperError;
  readonly atOnce: boolean;
  constructor(error: FleetkeeperError, atOnce = false) {
    super(error.message);
    this.error = error;
    this.atOnce = atOnce;
  }
}

export function createReader(
  wire: Endpoint,
  errors: WireProfile["errors"],
  clock: WallClock,
  random: () => number,
): Read {
  const gate = createRetryAfterGate(clock);

  const parseBody = ({ body }: HttpResponse): Json => parseJson(body);

  return async <T>(
    question: Question,
    signal: AbortSignal,
    parse = parseBody as (answer: HttpResponse) => T,
  ) => {
    try {
      return await pRetry(() => attempt(question, signal, parse), {
        retries: RETRIES,
        // p-retry waits with real timers: 0 turns that off, and the awaited `shouldRetry` waits on our clock.
        minTimeout: 0,
        signal,
        shouldRetry: async ({ error, retriesConsumed }) => {
          if (!(error instanceof Temporary)) return false;
          if (error.atOnce && retriesConsumed === 0) return true;
          const wait =
            error.error.retryAfter ?? (FIRST_WAIT_MS / 1000) * 2 ** retriesConsumed * (1 + random());
          if (wait > LONGEST_WAIT_S) return false;
          await clock.sleep(wait * 1000, signal);
          return true;
        },
      });
    } catch (error) {
      throw error instanceof Temporary ? error.error : error;
    }
  };

  async function attempt<T>(
    question: Question,
    signal: AbortSignal,
    parse: (answer: HttpResponse) => T,
  ): Promise<Answer<T>> {
    const { method, url } = question;
    const what = `${method} ${wire.redact.text(url, 500)}`;
    const asked = gate.at(url);
    if (asked) {
      const { left, status } = asked;
      throw new Temporary(
        new FleetkeeperError(
          "REFUSED",
          `${what} is not sent: the service asked to wait (HTTP ${status}), and ${Math.ceil(left)} s of that are left.`,
          { status, retryAfter: left },
        ),
      );
    }
    let response: HttpResponse;
    try {
      response = await wire.send(question, signal);
    } catch (error) {
      if (!(error instanceof TransportError)) throw error;
      // There is no token to send it with, and that was tried a few times already.
      if (error.cause instanceof FleetkeeperError) throw error.cause;
      const cause = wire.redact.cause(error);
      throw new Temporary(
        new FleetkeeperError(
          "UNREACHABLE",
          `The service at ${wire.baseUrl} cannot be reached: ${cause.message}`,
          { cause },
        ),
        error.reused,
      );
    }
    const { status, headers } = response;
    if (status >= 200 && status < 300) return { url, status, headers, json: parsed(what, response, parse) };

    const { body } = response;
    const failure = readFailure(response, errors, clock.now());
    if (status === 401 || status === 403) {
      throw new FleetkeeperError(
        "CREDENTIAL",
        `The service at ${wire.baseUrl} refused the credential (${wire.redact.text(failureText(failure))}): check ${CREDENTIAL_SETTINGS}, and the profile's part "auth".`,
        { status },
      );
    }
    const hint =
      status === 404
        ? ": check the base URL"
        : status >= 300 && status < 400
          ? `: redirects are not followed, so the base URL must be the address they lead to${locationOf(headers)}`
          : failure.code === undefined && failure.message === undefined && body !== ""
            ? `: ${beginningOf(response, wire.redact)}`
            : "";
    const { retryAfter } = failure;
    const said = failure.code === undefined ? undefined : wire.redact.text(failure.code, 1_000);
    const wait = retryAfter === undefined ? "" : ` It asks to wait ${retryAfter} s.`;
    const error = new FleetkeeperError(
      "REFUSED",
      `${what} answered ${wire.redact.text(failureText(failure))}${hint}.${wait}`,
      { status, retryAfter, said },
    );
    if (status < 500 && status !== 429) throw error;
    if (retryAfter !== undefined) gate.begin(url, retryAfter, status);
    throw new Temporary(error);
  }

  function locationOf(headers: HttpResponse["headers"]): string {
    return headers.location === undefined ? "" : ` (${wire.redact.text(headers.location)})`;
  }

  function parsed<T>(what: string, answer: HttpResponse, parse: (answer: HttpResponse) => T): T {
    try {
      return parse(answer);
    } catch (error) {
      if (error instanceof FleetkeeperError) throw error;
      const { status } = answer;
      // The parser's error is no cause here: it quotes the body, which may repeat the secret.
      throw new FleetkeeperError(
        "UNREADABLE_ANSWER",
        `${what} answered ${status}, but not with JSON: ${beginningOf(answer, wire.redact)}.`,
        { status },
      );
    }
  }
}
