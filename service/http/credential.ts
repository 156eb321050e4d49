import { FleetkeeperError } from "../contract/errors.ts";
import type { WireProfile } from "../profile/profile.ts";
import type { LoadedProfile } from "../profile/profile-file.ts";
import { REQUIREMENTS, requirePart } from "../profile/requirement.ts";

/** Where the credential can be set, for messages. */
export const CREDENTIAL_SETTINGS =
  "fleetkeeper:apiKey (in a stack, where it wins), the variable that the fleet file names, FLEETKEEPER_API_KEY or FLEETKEEPER_API_KEY_FILE";

/** What carries it, for messages: `the header X-Key`. */
export function carrierOf({
  header,
  query,
}: Pick<NonNullable<WireProfile["auth"]>, "header" | "query">): string {
  return header === undefined ? `the query as ${query}` : `the header ${header}`;
}

/** How the credential is sent, once it can be. Undefined if neither the profile nor the settings have one. */
export function checkCredential(secret: string | undefined, loaded: LoadedProfile): WireProfile["auth"] {
  if (secret === undefined && loaded.profile.auth === undefined) return undefined;
  const auth = requirePart(loaded, REQUIREMENTS.auth);
  if (secret === undefined || secret === "") {
    throw new FleetkeeperError(
      "CREDENTIAL",
      `The profile ${loaded.file} sends a credential, but none was given: set ${CREDENTIAL_SETTINGS}.`,
    );
  }
  // Checked here: a library's own error about a bad header may show its value. A query takes more, and no key has it.
  if (!/^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(secret)) {
    throw new FleetkeeperError(
      "CREDENTIAL",
      `The credential holds a line break, a blank at its end or another character that a header cannot carry: check ${CREDENTIAL_SETTINGS}.`,
    );
  }
  return auth;
}
