import type { ServiceOptions } from "./client.ts";
import { checkBaseUrl } from "./http/base-url.ts";
import { createCredential } from "./http/credential.ts";
import { createRateLimit } from "./http/rate-limit.ts";
import type { Endpoint } from "./http/reader.ts";
import { ACCEPTS, createReader, type Read } from "./http/reader.ts";
import { createRedaction } from "./text/redaction.ts";

/**
 * Asks any question below the base URL with the credential, and returns the JSON as it came: for answers whose
 * shape no profile says yet. Redirects, errors and the secret are handled as by the client.
 *
 * @throws FleetkeeperError CONFIG (base URL), CREDENTIAL (missing or unusable), PROFILE_PART_MISSING (auth).
 */
export function createRawRead(options: ServiceOptions): Read {
  const { profile: loaded, transport, clock, random = Math.random } = options;
  const baseUrl = checkBaseUrl(options.baseUrl);
  const credential = createCredential(options.secret, loaded);
  const limit = createRateLimit(loaded.profile.limits?.requestsPerSecond, clock);
  const wire: Endpoint = {
    baseUrl,
    redact: createRedaction(options.secret),
    async send(request, signal) {
      // The credential goes nowhere else, whatever address a caller has.
      if (!request.url.startsWith(`${baseUrl}/`)) throw new RangeError("a raw read stays below the base URL");
      await limit(signal);
      return transport({ ...request, headers: { ...request.headers, ...ACCEPTS, ...credential } }, signal);
    },
  };
  return createReader(wire, loaded.profile.errors, clock, random);
}
