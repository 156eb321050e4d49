import { type Configuration, ENVIRONMENT } from "../../../launch/configuration.ts";
import { checkBaseUrl } from "../../../service/base-url.ts";
import { createCredential } from "../../../service/credential.ts";
import { FleetkeeperError } from "../../../service/errors.ts";
import type { LoadedProfile } from "../../../service/profile-file.ts";
import { REQUIREMENTS } from "../../../service/requirement.ts";
import { addition } from "../remedy.ts";
import type { Check, Remedy } from "../report.ts";

const CREDENTIAL_NAMES = `${ENVIRONMENT.apiKey} or ${ENVIRONMENT.apiKey}_FILE`;

/** Passes on the profile's own error line by line: file, line, column, what was expected. */
export function profileError(error: FleetkeeperError): Check {
  return {
    id: "profile",
    section: "configuration",
    level: "problem",
    says: "The wire profile cannot be used.",
    details: error.message.split("\n"),
    configuration: true,
  };
}

export function profileCheck({ profile, file, hash }: LoadedProfile): Check {
  return {
    id: "profile",
    section: "configuration",
    level: "ok",
    says: `The wire profile ${file} ("${profile.name}") is well formed; its fingerprint is ${hash.slice(0, 12)}.`,
  };
}

export function baseUrlCheck({ baseUrl }: Configuration): Check {
  const base = { id: "base-url", section: "configuration" } as const;
  try {
    return { ...base, level: "ok", says: `The base URL is ${checkBaseUrl(baseUrl)}.` };
  } catch (error) {
    return { ...base, level: "problem", says: messageOf(error), configuration: true };
  }
}

/** Whether there is a credential, and in which header it goes. Its value is never shown. */
export function credentialCheck({ apiKey }: Configuration, loaded: LoadedProfile): Check {
  const base = { id: "credential", section: "configuration" } as const;
  const { auth } = loaded.profile;
  if (auth === undefined && apiKey !== undefined) {
    return {
      ...base,
      level: "problem",
      says: "A credential was given, but the profile does not say in which header it goes.",
      remedy: authRemedy(loaded),
      configuration: true,
    };
  }
  if (auth === undefined) {
    return {
      ...base,
      level: "warning",
      says: "No credential was given, and the profile has no part for one: requests go out without.",
    };
  }
  try {
    createCredential(apiKey, loaded);
  } catch (error) {
    return {
      ...base,
      level: "problem",
      says: messageOf(error),
      remedy: {
        text: `Set ${CREDENTIAL_NAMES}. It is sent in the header ${auth.header}, and never stands in a profile or a fleet file`,
      },
      configuration: true,
    };
  }
  return { ...base, level: "ok", says: `A credential is there; it goes into the header ${auth.header}.` };
}

export function keyFileChecks(warning: string | undefined): readonly Check[] {
  if (warning === undefined) return [];
  return [{ id: "credential.file", section: "configuration", level: "warning", says: `${warning}.` }];
}

export function authRemedy(
  loaded: LoadedProfile,
  lines: readonly string[] = REQUIREMENTS.auth.lines,
): Remedy {
  const added = addition(loaded, REQUIREMENTS.auth.part, lines);
  return { ...added, text: `Set ${CREDENTIAL_NAMES}, and say where it goes. ${added.text}` };
}

function messageOf(error: unknown): string {
  if (error instanceof FleetkeeperError) return error.message;
  throw error;
}
