import { API_PREFIX } from "../contract/contract.ts";
import { FleetkeeperError } from "../contract/errors.ts";
import type { LoadedProfile } from "../profile/profile-file.ts";
import { isLoopback } from "./loopback.ts";

/**
 * Checks the service's base address and removes slashes at its end. It must be https, since every request
 * carries the credential; only a loopback host may use http. Throws CONFIG.
 */
export function checkBaseUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  // Checked first: a password in the address must not appear in the messages below.
  if (url && (url.username !== "" || url.password !== "")) {
    throw wrong(
      "The base URL carries a user name or password. Take it out: the credential is a setting of its own.",
    );
  }
  if (!url || (url.protocol !== "https:" && url.protocol !== "http:")) {
    throw wrong(
      `${JSON.stringify(text)} is not a base URL. Write it whole, such as https://gpu.example.com.`,
    );
  }
  if (url.protocol === "http:" && !isLoopback(url.hostname)) {
    throw wrong(
      `The base URL ${text} would send the credential unencrypted. Write https:// instead; http:// is for loopback hosts only.`,
    );
  }
  if (url.search !== "" || url.hash !== "") {
    throw wrong(`The base URL ${text} has a query or a fragment. Leave out everything from the ? or # on.`);
  }
  const path = url.pathname.replace(/\/+$/, "");
  if (path.endsWith(API_PREFIX)) {
    throw wrong(
      `The base URL ${text} already ends in ${API_PREFIX}, which every path begins with. Write ${url.origin}${path.slice(0, -API_PREFIX.length)} instead.`,
    );
  }
  return url.origin + path;
}

/** @throws FleetkeeperError CONFIG for a base URL with the path that the calls of a profile 2 begin with, too. */
export function checkPrefix(baseUrl: string, { profile, file }: LoadedProfile): void {
  const { origin, pathname } = new URL(baseUrl);
  const paths = [...Object.values(profile.calls ?? {}), profile.auth?.token].flatMap(
    (call) => call?.path ?? [],
  );
  if (pathname === "/" || !paths.some((path) => path.startsWith(`${pathname}/`))) return;
  throw wrong(
    `The base URL ${baseUrl} ends in ${pathname}, which the paths of ${file} begin with, too. Write ${origin} instead.`,
  );
}

function wrong(message: string): FleetkeeperError {
  return new FleetkeeperError("CONFIG", message);
}
