import { wordsIn } from "./leaves.ts";

/** What a refused answer says that it wants, and the scheme in it (RFC 9110, 11.6.1). */
export function wantedCredential(
  headers: Readonly<Record<string, string>>,
): { readonly text: string; readonly scheme: string | undefined } | undefined {
  const text = headers["www-authenticate"];
  return text === undefined ? undefined : { text, scheme: /^\s*([A-Za-z][\w-]*)/.exec(text)?.[1] };
}

/** The lines of `auth` for a scheme that is followed by the credential alone. */
export function schemeLines(scheme: string | undefined): readonly string[] | undefined {
  return scheme !== undefined && /^(bearer|token|apikey)$/i.test(scheme)
    ? ["header: Authorization", `value: "${scheme} {secret}"`]
    : undefined;
}

/** Whether a field of a body is called like the credential of the API itself: `api_key`, and not `ssh_key`. */
export function isCredentialName(name: string): boolean {
  return /^(api|access|auth)(key|token|secret)$|^token$/.test(wordsIn(name).join(""));
}
