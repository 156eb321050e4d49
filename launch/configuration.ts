import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { isPostgresUrl } from "../ledger/postgres/address.ts";
import type { Tenure } from "../ledger/rows.ts";
import { FleetkeeperError } from "../service/errors.ts";
import { whyUnreadable } from "../service/unreadable.ts";

/** What makes an account exclusive, in the same words wherever people are asked. */
export const EXCLUSIVE_MEANS =
  "nobody else launches or stops in it: no person by hand, no other program, and no second ledger (a colleague's laptop or a CI " +
  "runner has its own)";

/** What is needed to act on one account of one service. */
export interface Configuration {
  /** The service's base address, such as https://gpus.example.com. */
  readonly baseUrl: string;
  /** The credential. The profile says where it goes on the wire. Never printed, never stored. */
  readonly apiKey: string | undefined;
  /** Path of the wire profile. */
  readonly profile: string;
  /** Path of the ledger file; `sqlite:` may stand before it. */
  readonly ledger: string;
  /** Whether anybody else, another ledger too, launches or stops in this account. No default. */
  readonly account: Exclude<Tenure, "unstated"> | undefined;
  /** Where `account` was said, for messages. */
  readonly accountBy?: string | undefined;
}

type Setting = Exclude<keyof Configuration, "accountBy">;

/** What one source says: flags, a Pulumi stack's configuration, a fleet file. Undefined: not said there. */
export type PartialConfiguration = { readonly [K in Setting]?: Configuration[K] | undefined };

/** The variables' names. With `_FILE` behind it, each names a file to read the value from. */
export const ENVIRONMENT = {
  baseUrl: "FLEETKEEPER_BASE_URL",
  apiKey: "FLEETKEEPER_API_KEY",
  profile: "FLEETKEEPER_PROFILE",
  ledger: "FLEETKEEPER_LEDGER",
  account: "FLEETKEEPER_ACCOUNT",
} as const satisfies Record<Setting, string>;

export function defaultLedger(home: string = homedir()): string {
  return join(home, ".fleetkeeper", "ledger.db");
}

/** What messages say about where a setting comes from. */
export interface Wording {
  readonly givenBy: (key: Setting) => string;
  /** Where a setting can be said, the nearest first. */
  readonly ways: (key: "baseUrl" | "profile") => string;
  /** Follows an error about a setting that no source has. */
  readonly whereUnset: string;
}

const IN_A_STACK: Wording = {
  givenBy: (key) => `fleetkeeper:${key} in the stack's configuration`,
  ways: (key) =>
    `fleetkeeper:${key} (pulumi config set fleetkeeper:${key} VALUE), or ${ENVIRONMENT[key]} in the environment`,
  whereUnset: "",
};

/** The path in a ledger setting. Throws CONFIG for a URL of PostgreSQL, and shows nothing of it. */
export function ledgerFile(setting: string): string {
  if (isPostgresUrl(setting)) {
    throw new FleetkeeperError(
      "CONFIG",
      "ledger: fleetkeeper keeps no ledger in PostgreSQL yet: on several hosts it would take the processes of the others " +
        "for dead, and pay for a machine twice. Name a file on this host.",
    );
  }
  return setting.replace(/^sqlite:(\/\/)?/, "");
}

/**
 * Puts the sources together; the first that has a value wins: `given` (flags or stack configuration), then
 * the environment, then `file` (the fleet file). Throws CONFIG, naming every place for a missing value.
 */
export function configure(
  given: PartialConfiguration,
  environment: Readonly<Record<string, string | undefined>>,
  file: PartialConfiguration = {},
  { givenBy, ways, whereUnset }: Wording = IN_A_STACK,
): Configuration {
  const value = (key: Setting): string | undefined =>
    given[key] ?? fromEnvironment(ENVIRONMENT[key], environment) ?? file[key];
  const sourceOf = (key: Setting): string | undefined => {
    if (given[key] !== undefined) return givenBy(key);
    if (fromEnvironment(ENVIRONMENT[key], environment)) return ENVIRONMENT[key];
    return file[key] === undefined ? undefined : `service.${key} in the fleet file`;
  };
  const need = (key: "baseUrl" | "profile", what: string): string => {
    const found = value(key);
    if (found) return found;
    throw new FleetkeeperError("CONFIG", `${key} is not set: ${what}. Set ${ways(key)}.${whereUnset}`);
  };
  const account = value("account");
  if (account !== undefined && account !== "exclusive" && account !== "shared") {
    throw new FleetkeeperError(
      "CONFIG",
      `${sourceOf("account")} says ${JSON.stringify(account)}; expected "exclusive" or "shared". Exclusive: ${EXCLUSIVE_MEANS}.`,
    );
  }
  return Object.freeze({
    baseUrl: need("baseUrl", "the address of the GPU deployment service"),
    apiKey: value("apiKey"),
    profile: need("profile", "the wire profile says what the service's specification does not show"),
    ledger: ledgerPath(given, environment, file),
    account,
    accountBy: sourceOf("account"),
  });
}

/** The ledger's path by the same sources, for commands that need nothing else. */
export function ledgerPath(
  given: PartialConfiguration,
  environment: Readonly<Record<string, string | undefined>>,
  file: PartialConfiguration = {},
): string {
  return ledgerFile(
    given.ledger ?? fromEnvironment(ENVIRONMENT.ledger, environment) ?? file.ledger ?? defaultLedger(),
  );
}

/** A variable, or the content of the file that its `_FILE` form names. Throws CONFIG if that has none. */
export function fromEnvironment(
  name: string,
  environment: Readonly<Record<string, string | undefined>>,
): string | undefined {
  const direct = environment[name];
  if (direct) return direct;
  const file = environment[`${name}_FILE`];
  if (!file) return undefined;
  let content: string;
  try {
    content = readFileSync(file, "utf8").trim();
  } catch (error) {
    const text = `${name}_FILE: ${file} cannot be read: ${whyUnreadable(error)}.`;
    throw new FleetkeeperError("CONFIG", text, { cause: error });
  }
  if (content !== "") return content;
  throw new FleetkeeperError("CONFIG", `${name}_FILE: ${file} is empty. Write the value into it.`);
}
