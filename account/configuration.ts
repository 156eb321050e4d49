import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";
import { isPostgresUrl, passwordIn, withPassword } from "../ledger/postgres/address.ts";
import type { Tenure } from "../ledger/rows.ts";
import { FleetkeeperError } from "../service/contract/errors.ts";
import { whyUnreadable } from "../service/process/unreadable.ts";
import { profileSettingsSchema, type Settings } from "../service/profile/settings.ts";

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
  /** Values for `{settings.NAME}` in the wire profile, such as a project. Texts, and no secrets. */
  readonly settings?: Readonly<Record<string, string>> | undefined;
  /**
   * Where the ledger is: a path, or a URL of PostgreSQL with its password. A URL is a secret. `sqlite:` may stand
   * before a path in what sources say.
   */
  readonly ledger: string;
  /** Whether anybody else, another ledger too, launches or stops in this account. No default. */
  readonly account: Exclude<Tenure, "unstated"> | undefined;
  /** Where `account` was said, for messages. */
  readonly accountBy?: string | undefined;
}

/** One that a variable of the environment may say, too. */
type Setting = Exclude<keyof Configuration, "accountBy" | "settings">;

/** What one source says: flags, a Pulumi stack's configuration, a fleet file. Undefined: not said there. */
export type PartialConfiguration = { readonly [K in Setting]?: Configuration[K] | undefined } & {
  /** JSON, too, as engines hand on what is no text. */
  readonly settings?: Settings | string | undefined;
} & Partial<ByAgent>;

/** What a stack says in the place of all others, where an agent keeps its resources. */
export interface ByAgent {
  /** The agent's address, such as https://keeper.example.com; of one of its services, with `/services/NAME` behind it. */
  readonly agent: string | undefined;
  /** A token of the agent's that may declare. Never printed, never stored. */
  readonly token: string | undefined;
}

/** The variables' names. With `_FILE` behind it, each names a file to read the value from. */
export const ENVIRONMENT = {
  baseUrl: "FLEETKEEPER_BASE_URL",
  apiKey: "FLEETKEEPER_API_KEY",
  profile: "FLEETKEEPER_PROFILE",
  ledger: "FLEETKEEPER_LEDGER",
  account: "FLEETKEEPER_ACCOUNT",
} as const satisfies Record<Setting, string>;

/** `fleetkeeper:KEY` of a stack. */
export const STACK_KEYS: readonly (keyof PartialConfiguration)[] = [
  ...(Object.keys(ENVIRONMENT) as Setting[]),
  "settings",
  "agent",
  "token",
];

/** Throws CONFIG where there is no home folder: a ledger in whatever folder this runs in would be another one each time. */
export function defaultLedger(home: string = homeFolder()): string {
  if (isAbsolute(home)) return join(home, ".fleetkeeper", "ledger.db");
  throw new FleetkeeperError(
    "CONFIG",
    `ledger: it is not set, and its default is a file in the home folder, which is not known here: HOME is ${home === "" ? "not set" : JSON.stringify(home)}. ` +
      `Say where the ledger is: --ledger FILE, ${ENVIRONMENT.ledger}, or fleetkeeper:ledger in a stack's configuration. Or set HOME.`,
  );
}

function homeFolder(): string {
  try {
    return homedir();
  } catch {
    // As a user that the system does not know, such as a container's.
    return "";
  }
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

/** As PostgreSQL's own programs call it. `_FILE` is ours. */
const PASSWORD = "PGPASSWORD";

/**
 * A ledger setting without the `sqlite:` before a path. Throws CONFIG for a URL of anything else, and shows
 * nothing of it: a password may stand in it.
 */
export function ledgerAddress(setting: string): string {
  const path = setting.replace(/^sqlite:(\/\/)?/, "");
  if (path.trim() === "")
    throw new FleetkeeperError("CONFIG", "ledger: it is empty. Expected: a path, or a URL of PostgreSQL");
  if (path !== setting || isPostgresUrl(setting)) return path;
  // Anywhere: quotes or a blank before a URL would make it a file of this name, with the password in it.
  if (!/:\/\/|^\W*(postgres(ql)?|jdbc):/i.test(setting)) return path;
  throw new FleetkeeperError(
    "CONFIG",
    "ledger: this URL is none that fleetkeeper knows. It is not shown, since a password may stand in it. Expected: the path of a " +
      "file, or postgres://USER:PASSWORD@HOST:PORT/DATABASE",
  );
}

/** What no text may show: the credential, the URL of a ledger, and the password in it. */
export function heldSecrets({ apiKey = "", ledger }: Configuration): readonly string[] {
  const url = isPostgresUrl(ledger) ? ledger : "";
  const password = passwordIn(url);
  return [...new Set([apiKey, url, password, decoded(password)])].filter((text) => text !== "");
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
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
    settings: readSettings(given.settings ?? file.settings),
    ledger: configuredLedger(given, environment, file),
    account,
    accountBy: sourceOf("account"),
  });
}

/** Throws CONFIG for anything but names and texts. A whole number of a stack's configuration is its digits. */
export function readSettings(given: unknown): Settings | undefined {
  let value = given;
  try {
    if (typeof given === "string")
      value = JSON.parse(given, (_, each) => (Number.isSafeInteger(each) ? String(each) : each));
  } catch {
    // What is no JSON is no mapping either.
  }
  const parsed = profileSettingsSchema.optional().safeParse(value);
  if (parsed.success) return parsed.data;
  const [{ path, message } = { path: [], message: "" }] = parsed.error.issues;
  const what = ["fleetkeeper:settings", ...path].join(".");
  throw new FleetkeeperError(
    "CONFIG",
    `${what}: ${message}. Expected names with texts: pulumi config set --path fleetkeeper:settings.NAME VALUE`,
  );
}

/**
 * The ledger by the same sources, for commands that need nothing else. The password of a URL without one comes
 * from the environment.
 */
export function configuredLedger(
  given: PartialConfiguration,
  environment: Readonly<Record<string, string | undefined>>,
  file: PartialConfiguration = {},
): string {
  const place = ledgerAddress(
    given.ledger ?? fromEnvironment(ENVIRONMENT.ledger, environment) ?? file.ledger ?? defaultLedger(),
  );
  if (!isPostgresUrl(place)) return place;
  const password = fromEnvironment(PASSWORD, environment);
  return password === undefined ? place : withPassword(place, password);
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
