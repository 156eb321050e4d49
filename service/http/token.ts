import { FleetkeeperError } from "../contract/errors.ts";
import { type Call, requestOf } from "../profile/calls.ts";
import type { WireProfile } from "../profile/profile.ts";
import { parseJson, readInteger, readText } from "../text/json.ts";
import { valueAt } from "../text/pointer.ts";
import type { Redaction } from "../text/redaction.ts";
import type { Lookup } from "../text/template.ts";
import type { Read } from "./reader.ts";
import type { WallClock } from "./wall-clock.ts";

/*
 * Tokens by OAuth2 client credentials (RFC 6749, 4.4), for a header that holds one in the place of the credential. A token is
 * in memory only. It is asked for once for all who wait, and anew before it ends or once the service has refused it.
 */

export type TokenPart = NonNullable<NonNullable<WireProfile["auth"]>["token"]>;

interface Token {
  readonly value: string;
  /** Wall time in ms: not good before, as after a clock was set back, and renewed after. */
  readonly from: number;
  readonly until: number;
}

export interface Tokens {
  /** Throws FleetkeeperError if none can be had, and the signal's reason. */
  take(signal: AbortSignal): Promise<string>;
  /** The service has refused this one. Another one may have taken its place already. */
  drop(value: string): void;
}

/** Where an error of a token call has its code (RFC 6749, 5.2). */
export const TOKEN_ERRORS: NonNullable<WireProfile["errors"]> = {
  code: "/error",
  message: "/error_description",
  definite: {},
};

/** A token is renewed so long before its end, or a fifth of its life if that is shorter. */
const MARGIN_MS = 60_000;
/** More seconds are a moment, and no time that a token lasts. */
const LONGEST_S = 1_000_000_000;

interface TokenParts {
  readonly part: TokenPart;
  readonly file: string;
  readonly baseUrl: string;
  /** Of the body. */
  readonly lookup: Lookup;
  /** Without the credential's header. */
  readonly read: Read;
  readonly redact: Redaction;
  readonly clock: WallClock;
}

export function createTokens({ part, file, baseUrl, lookup, read, redact, clock }: TokenParts): Tokens {
  const { method = "POST", path, body, as = "json" } = part;
  const call: Call = { method, path, body, as, query: {}, headers: {} };
  const what = `${method} ${path}`;
  let current: Token | undefined;
  let asking:
    | { readonly token: Promise<Token>; readonly ending: AbortController; waiting: number }
    | undefined;

  async function ask(signal: AbortSignal): Promise<Token> {
    const from = clock.now();
    try {
      const { json } = await read(requestOf(call, baseUrl, lookup), signal, ({ status, body }) => {
        try {
          return parseJson(body);
        } catch {
          // The body is not shown: a token may stand in it.
          const page = /^\s*</.test(body) ? " (a page of HTML)" : "";
          throw unreadable(`${what} answered ${status}, but not with JSON${page}`);
        }
      });
      const value = readText(valueAt(json, part.value));
      if (value === undefined)
        throw unreadable(`${what}: no token stands at ${part.value} (auth.token.value)`);
      redact.alsoHide(value);
      if (!/^[\x21-\x7e]+$/.test(value))
        throw unreadable(`${what}: what stands at ${part.value} (auth.token.value) cannot stand in a header`);
      const lasts = secondsOf(json, part.expires) * 1000;
      current = { value, from, until: from + lasts - Math.min(MARGIN_MS, lasts / 5) };
      return current;
    } catch (error) {
      if (error instanceof FleetkeeperError) throw explained(error);
      throw error;
    }
  }

  function secondsOf(json: Parameters<typeof valueAt>[0], place: TokenPart["expires"]): number {
    if (typeof place === "object") return place.value;
    const seconds = readInteger(valueAt(json, place));
    if (seconds !== undefined && seconds > 0 && seconds < LONGEST_S) return seconds;
    // What stands there is not shown: by a wrong pointer it may be the token.
    throw unreadable(
      `${what}: no number of seconds stands at ${place} (auth.token.expires). If the service does not show how long a token lasts, ` +
        "write what its document says: expires: { value: 3600 }",
    );
  }

  function explained(error: FleetkeeperError): FleetkeeperError {
    const { status, retryAfter, message } = error;
    const isRedirect = status !== undefined && status >= 300 && status < 400;
    const hint = isRedirect
      ? `${what} answered ${status}: redirects are not followed, and the credential goes to the base URL's own origin alone. Write the path ` +
        "that answers itself; where tokens come from another origin, a proxy of yours passes both on"
      : message.replace(/\.$/, "");
    // By RFC 6749 wrong client credentials may be a 400, too.
    const code = status === 400 ? "CREDENTIAL" : error.code;
    const options = { retryAfter, ...(status === undefined ? {} : { status }) };
    return new FleetkeeperError(code, `There is no token: ${hint}. Check auth.token in ${file}.`, options);
  }

  return {
    async take(signal) {
      const now = clock.now();
      if (current && now >= current.from && now < current.until) return current.value;
      if (!asking) {
        const ending = new AbortController();
        asking = { token: ask(ending.signal), ending, waiting: 0 };
      }
      const mine = asking;
      mine.waiting++;
      try {
        return (await unlessAborted(mine.token, signal)).value;
      } finally {
        mine.waiting--;
        // Whoever gives up leaves the others their answer; nobody's answer is not waited for.
        if (mine.waiting === 0) {
          mine.ending.abort();
          if (asking === mine) asking = undefined;
        }
      }
    },
    drop(value) {
      if (current?.value === value) current = undefined;
    },
  };
}

function unreadable(message: string): FleetkeeperError {
  return new FleetkeeperError("UNREADABLE_ANSWER", message);
}

function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(signal.reason);
    if (signal.aborted) onAbort();
    signal.addEventListener("abort", onAbort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", onAbort));
  });
}
