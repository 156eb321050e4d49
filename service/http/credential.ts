import { FleetkeeperError } from "../contract/errors.ts";
import type { LoadedProfile } from "../profile/profile-file.ts";
import { REQUIREMENTS, requirePart } from "../profile/requirement.ts";
import { fillText } from "../text/template.ts";

/** Where the credential can be set, for messages. */
export const CREDENTIAL_SETTINGS =
  "fleetkeeper:apiKey (in a stack, where it wins), FLEETKEEPER_API_KEY or FLEETKEEPER_API_KEY_FILE";

/** The header with the credential. Undefined if neither the profile nor the settings have one. */
export function createCredential(
  secret: string | undefined,
  loaded: LoadedProfile,
): Readonly<Record<string, string>> {
  if (secret === undefined && loaded.profile.auth === undefined) return {};
  const { header, value } = requirePart(loaded, REQUIREMENTS.auth);
  if (secret === undefined || secret === "") {
    throw new FleetkeeperError(
      "CREDENTIAL",
      `The profile ${loaded.file} sends a credential, but none was given: set ${CREDENTIAL_SETTINGS}.`,
    );
  }
  // Checked here: a library's own error about a bad header may show its value.
  if (!/^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(secret)) {
    throw new FleetkeeperError(
      "CREDENTIAL",
      `The credential holds a line break, a blank at its end or another character that a header cannot carry: check ${CREDENTIAL_SETTINGS}.`,
    );
  }
  return { [header.toLowerCase()]: fillText(value, (name) => (name === "secret" ? secret : undefined)) };
}
