import { FleetkeeperError } from "../contract/errors.ts";
import { type HttpRequest, type Transport, TransportError } from "../contract/transport.ts";
import type { WireProfile } from "../profile/profile.ts";
import type { LoadedProfile } from "../profile/profile-file.ts";
import { type Settings, withSettings } from "../profile/settings.ts";
import type { Redaction } from "../text/redaction.ts";
import { fillText } from "../text/template.ts";
import { checkCredential } from "./credential.ts";
import { createRateLimit, type RateLimit } from "./rate-limit.ts";
import { ACCEPTS, createReader, type Endpoint } from "./reader.ts";
import { createTokens, TOKEN_ERRORS } from "./token.ts";
import type { WallClock } from "./wall-clock.ts";

/** Sends requests with the credential, each once. */
export interface Sender {
  /** Waits for a turn under the profile's rate, and for a token where there is to be one. */
  readonly turn: RateLimit;
  /** Without a wait. A refused token is dropped, and the request is not repeated: the next one has another. */
  readonly now: Endpoint["send"];
  /** For what only reads: after a turn, and once more if its token was refused. */
  readonly reading: Endpoint["send"];
}

export interface SenderOptions {
  /** The credential; undefined if the profile has no part "auth". */
  readonly secret: string | undefined;
  readonly profile: LoadedProfile;
  /** For the profile's `{settings.NAME}`. */
  readonly settings?: Settings | undefined;
  readonly transport: Transport;
  readonly clock: WallClock;
  /** In [0, 1): spreads the waits before repeated GETs. Default `Math.random`. */
  readonly random?: () => number;
}

/** @throws FleetkeeperError CREDENTIAL (missing or unusable), PROFILE_PART_MISSING (auth). */
export function createSender(options: SenderOptions, baseUrl: string, redact: Redaction): Sender {
  const { profile: loaded, secret, settings = {}, transport, clock, random = Math.random } = options;
  const auth = checkCredential(secret, loaded);
  const limit = createRateLimit(loaded.profile.limits?.requestsPerSecond, clock);
  const bare: Endpoint["send"] = (request, signal) =>
    transport({ ...request, headers: { ...request.headers, ...ACCEPTS } }, signal);
  const lookup = (name: string, value: string | undefined) =>
    withSettings(settings, (asked) => (asked === name ? value : undefined));
  const wire: Endpoint = {
    baseUrl,
    redact,
    async send(request, signal) {
      await inTurn(signal);
      return bare(request, signal);
    },
  };
  const tokens =
    auth?.token &&
    createTokens({
      ...{ part: auth.token, file: loaded.file, baseUrl, redact, clock },
      lookup: lookup("secret", secret),
      read: createReader(wire, TOKEN_ERRORS, clock, random),
    });

  const inTurn: RateLimit = async (signal) => {
    try {
      await limit(signal);
    } catch (cause) {
      throw notSent(cause);
    }
  };

  async function token(signal: AbortSignal): Promise<string | undefined> {
    try {
      return await tokens?.take(signal);
    } catch (cause) {
      throw notSent(cause);
    }
  }

  const now: Endpoint["send"] = async (request, signal) => {
    if (signal.aborted) throw notSent(signal.reason);
    const held = await token(signal);
    const value =
      auth && fillText(auth.value, held === undefined ? lookup("secret", secret) : lookup("token", held));
    const answer = await bare(auth ? withCredential(request, auth, String(value)) : request, signal);
    if (answer.status === 401 && held !== undefined) tokens?.drop(held);
    return answer;
  };

  return {
    now,
    async turn(signal) {
      await limit(signal);
      // Whoever sends next says why there is none.
      await token(signal).catch(() => undefined);
    },
    async reading(request, signal) {
      await inTurn(signal);
      const answer = await now(request, signal);
      if (answer.status !== 401 || !tokens) return answer;
      await inTurn(signal);
      return now(request, signal);
    },
  };
}

function withCredential(
  request: HttpRequest,
  { header, query }: NonNullable<WireProfile["auth"]>,
  value: string,
): HttpRequest {
  if (header !== undefined)
    return { ...request, headers: { ...request.headers, [header.toLowerCase()]: value } };
  const url = new URL(request.url);
  // A service may show it in the address of the next page. Where it has none, the rest of the query stays as it is written.
  if (url.searchParams.has(query as string)) url.searchParams.delete(query as string);
  // As it is hidden where the service repeats it: a form would write a blank as a plus.
  const rest = url.search === "" ? "?" : `${url.search}&`;
  url.search = `${rest}${query}=${encodeURIComponent(value)}`;
  return { ...request, url: url.href };
}

function notSent(cause: unknown): TransportError {
  const why = cause instanceof FleetkeeperError ? cause.message : "aborted before it was sent";
  return new TransportError("NOT_SENT", why, { cause });
}
