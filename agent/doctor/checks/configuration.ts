import { type Configuration, ENVIRONMENT } from "../../../account/configuration.ts";
import type { FleetkeeperError } from "../../../service/contract/errors.ts";
import { checkBaseUrl } from "../../../service/http/base-url.ts";
import { carrierOf, checkCredential } from "../../../service/http/credential.ts";
import type { WireProfile } from "../../../service/profile/profile.ts";
import type { LoadedProfile } from "../../../service/profile/profile-file.ts";
import { REQUIREMENTS } from "../../../service/profile/requirement.ts";
import { demandSettings } from "../../../service/profile/settings.ts";
import { problemOf } from "../../fleet/text/problem.ts";
import { addition } from "../remedy.ts";
import { type Check, finding, type Remedy } from "../report.ts";

const CREDENTIAL_NAMES = `${ENVIRONMENT.apiKey} or ${ENVIRONMENT.apiKey}_FILE`;
const WRONG = { configuration: true } as const;

const profileFinding = finding("configuration", "profile");

/** Passes on the profile's own error line by line: file, line, column, what was expected. */
export function profileError({ message }: FleetkeeperError): Check {
  const details = message.split("\n");
  return profileFinding.problem("The wire profile cannot be used.", undefined, { details, ...WRONG });
}

export function profileCheck({ profile, file, hash }: LoadedProfile): Check {
  const print = hash.slice(0, 12);
  return profileFinding.ok(
    `The wire profile ${file} ("${profile.name}") is well formed; its fingerprint is ${print}.`,
  );
}

export function baseUrlCheck({ baseUrl }: Configuration): Check {
  const check = finding("configuration", "base-url");
  const problem = problemOf(() => checkBaseUrl(baseUrl));
  if (problem !== undefined) return check.problem(problem, undefined, WRONG);
  return check.ok(`The base URL is ${checkBaseUrl(baseUrl)}.`);
}

/** Whether there is a credential, and where it goes. Its value is never shown. */
export function credentialCheck({ apiKey }: Configuration, loaded: LoadedProfile): Check {
  const check = finding("configuration", "credential");
  const { auth } = loaded.profile;
  if (auth === undefined) {
    return apiKey === undefined
      ? check.warning(
          "No credential was given, and the profile has no part for one: requests go out without.",
        )
      : check.problem(
          "A credential was given, but the profile does not say where it goes.",
          authRemedy(loaded),
          WRONG,
        );
  }
  const problem = problemOf(() => checkCredential(apiKey, loaded));
  if (problem === undefined) return check.ok(`A credential is there; it goes into ${goesInto(auth)}.`);
  const text = `Set ${CREDENTIAL_NAMES}. It is sent in ${carrierOf(auth)}, and never stands in a profile or a fleet file`;
  return check.problem(problem, { text }, WRONG);
}

function goesInto(auth: NonNullable<WireProfile["auth"]>): string {
  const carrier = carrierOf(auth);
  return auth.token ? `the call ${auth.token.path}, and the token that this gives into ${carrier}` : carrier;
}

/** Which of the profile's {settings.NAME} nobody gives. */
export function settingsChecks({ settings = {} }: Configuration, loaded: LoadedProfile): readonly Check[] {
  const problem = problemOf(() => demandSettings(loaded, settings));
  if (problem === undefined) return [];
  return [finding("configuration", "settings").problem(problem, undefined, WRONG)];
}

export function keyFileChecks(warning: string | undefined): readonly Check[] {
  return warning === undefined ? [] : [finding("configuration", "credential.file").warning(`${warning}.`)];
}

export function authRemedy(
  loaded: LoadedProfile,
  lines: readonly string[] = REQUIREMENTS.auth.lines,
): Remedy {
  const added = addition(loaded, REQUIREMENTS.auth.part, lines);
  return { ...added, text: `Set ${CREDENTIAL_NAMES}, and say where it goes. ${added.text}` };
}
