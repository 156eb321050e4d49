import type { ServiceOptions } from "./client.ts";
import { checkBaseUrl } from "./http/base-url.ts";
import { createReader, type Endpoint, type Read } from "./http/reader.ts";
import { createSender } from "./http/sender.ts";
import { createRedaction } from "./text/redaction.ts";

/**
 * Asks any question below the base URL with the credential, and returns the JSON as it came: for answers whose
 * shape no profile says yet. Redirects, errors and the secret are handled as by the client.
 *
 * @throws FleetkeeperError CONFIG (base URL), CREDENTIAL (missing or unusable), PROFILE_PART_MISSING (auth).
 */
export function createRawRead(options: ServiceOptions): Read {
  const { profile: loaded, clock, random = Math.random, redact = createRedaction(options.secret) } = options;
  const baseUrl = checkBaseUrl(options.baseUrl);
  const sender = createSender(options, baseUrl, redact);
  const wire: Endpoint = {
    baseUrl,
    redact,
    async send(request, signal) {
      // The credential goes nowhere else, whatever address a caller has.
      if (!request.url.startsWith(`${baseUrl}/`)) throw new RangeError("a raw read stays below the base URL");
      return sender.reading(request, signal);
    },
  };
  return createReader(wire, loaded.profile.errors, clock, random);
}
