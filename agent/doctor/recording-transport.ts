import type { Json } from "../../service/contract/service.ts";
import type { HttpRequest, HttpResponse, Transport } from "../../service/contract/transport.ts";
import { createRateLimit } from "../../service/http/rate-limit.ts";
import { addressOf } from "../../service/http/retry-after-gate.ts";
import { tlsFailureText } from "../../service/http/tls-failure.ts";
import type { WallClock } from "../../service/http/wall-clock.ts";
import { jsonOr, parseJson } from "../../service/text/json.ts";

/** An answer as it came, before the client reads it. */
export interface Sighting {
  readonly status: number;
  readonly headers: HttpResponse["headers"];
  /** Undefined if it is not JSON. */
  readonly json: Json | undefined;
  /** When it arrived, by our clock, in ms since 1970. */
  readonly at: number;
}

/** The JSON body of a good answer. */
export function goodJson(answer: Sighting | undefined): Json | undefined {
  return answer === undefined || answer.status >= 300 ? undefined : answer.json;
}

interface RecordingTransport {
  readonly transport: Transport;
  readonly requests: () => number;
  /** The first good answer at an address, with any query. If there is none, the last bad one. */
  seen(url: string): Sighting | undefined;
  /** Whether a request failed by a certificate, or for want of TLS. Its error says what a person does about it. */
  readonly failedByTls: () => boolean;
}

/**
 * Sends GETs only, and what the profile says to read as well. It keeps one answer of each address, so that its shape can be looked at without a second
 * request. All requests together keep to the profile's rate.
 */
export function createRecordingTransport(
  transport: Transport,
  clock: WallClock,
  requestsPerSecond: number | undefined,
  reads: (request: HttpRequest) => boolean = () => false,
): RecordingTransport {
  const answers = new Map<string, Sighting>();
  const limit = createRateLimit(requestsPerSecond, clock);
  let requests = 0;
  let byTls = false;
  return {
    requests: () => requests,
    seen: (url) => answers.get(addressOf(url)),
    failedByTls: () => byTls,
    async transport(request, signal) {
      if (request.method !== "GET" && !reads(request))
        throw new Error(`the doctor only reads, but was to send a ${request.method}`);
      await limit(signal);
      requests += 1;
      const response = await transport(request, signal).catch((error: Error) => {
        byTls ||= tlsFailureText(error.cause) !== undefined;
        throw error;
      });
      const address = addressOf(request.url);
      const { status, headers } = response;
      const isGood = (code: number | undefined): boolean => code !== undefined && code >= 200 && code < 300;
      if (!isGood(answers.get(address)?.status)) {
        answers.set(address, { status, headers, json: jsonOr(response.body, parseJson), at: clock.now() });
      }
      return response;
    },
  };
}
