import { existsSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import {
  type Configuration,
  configure,
  configuredLedger,
  ENVIRONMENT,
  fromEnvironment,
  type PartialConfiguration,
} from "../../../../account/configuration.ts";
import type { Ledger } from "../../../../ledger/ledger.ts";
import { hasPassword } from "../../../../ledger/postgres/address.ts";
import type { FleetkeeperError } from "../../../../service/contract/errors.ts";
import { whyUnreadable } from "../../../../service/process/unreadable.ts";
import type { FileService, FleetFile } from "../../../fleet/file/fleet-file.ts";
import { ofService } from "../../../fleet/file/of-service.ts";
import { problemOf } from "../../../fleet/text/problem.ts";
import { type CliContext, mistake } from "./cli-context.ts";

/** The flags of commands that need only the ledger. */
export interface LedgerFlags {
  readonly config?: string;
  readonly ledger?: string;
}

/** The flags of commands that talk to the service. */
export interface CommonFlags extends LedgerFlags {
  /** One of the fleet file's services. */
  readonly service?: string;
  readonly baseUrl?: string;
  readonly profile?: string;
  readonly account?: string;
}

export interface AgentFlags extends CommonFlags {
  readonly once?: boolean;
  readonly dryRun?: boolean;
  /** An address. False: `--no-http`. True or undefined: the default address. */
  readonly http?: string | boolean;
  readonly logFormat?: string;
}

/** Flags of commands that only show something. */
export interface AskFlags extends CommonFlags {
  readonly json?: boolean;
}

const DEFAULT_FLEET_FILE = "fleet.yaml";

/**
 * The fleet file that --config names, or `fleet.yaml` in this folder; with --service as that one of its services
 * has it. Undefined if there is none.
 */
export async function readFleetFile(
  flags: LedgerFlags & Pick<CommonFlags, "service">,
): Promise<FleetFile | undefined> {
  const content = fleetFileContent(flags);
  if (content === undefined) {
    if (flags.service === undefined) return undefined;
    throw mistake(`--service ${flags.service}: only a fleet file has several services.\n${noFleetFile()}`);
  }
  // What reads YAML is 70 files. Without a fleet file no command waits for them.
  const { parseFleetFile } = await import("../../../fleet/file/fleet-file.ts");
  return ofService(parseFleetFile(content, fleetFilePath(flags)), flags.service);
}

/**
 * The fleet file for a command that declares nothing. A mistake among its fleets is told, and the rest of it
 * counts: nobody could say `stop --all` or look at `status` before it is found.
 */
export async function readSettings(
  flags: LedgerFlags & Pick<CommonFlags, "service">,
  cli: CliContext,
): Promise<FleetFile | undefined> {
  const content = fleetFileContent(flags);
  if (content === undefined) return readFleetFile(flags);
  const { parseFleetFile, parseSettings } = await import("../../../fleet/file/fleet-file.ts");
  const path = fleetFilePath(flags);
  const parse = (): FleetFile => {
    try {
      return parseFleetFile(content, path);
    } catch (error) {
      if (problemOf(() => parseSettings(content, path)) !== undefined) throw error;
      cli.tell(
        `${(error as Error).message}\n${path}: its fleets are not read because of that. The rest of it is.`,
      );
      return parseSettings(content, path);
    }
  };
  return ofService(parse(), flags.service);
}

export function fleetFilePath(flags: LedgerFlags): string {
  return flags.config ?? DEFAULT_FLEET_FILE;
}

/** Undefined if none is named and this folder has none. */
export function fleetFileContent(flags: LedgerFlags): string | undefined {
  const path = fleetFilePath(flags);
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT" && flags.config === undefined) return undefined;
    const text = `The fleet file ${path} cannot be read: ${whyUnreadable(error)}.`;
    throw mistake(text, { cause: error });
  }
}

/**
 * Tells whether the fleet file that declared a fleet was moved or deleted. On a ledger that hosts share nobody
 * can tell: it may lie on the disk of another one, which still keeps what it asks for.
 */
export function isSourceDeleted({ leases }: Pick<Ledger, "leases">): (source: string) => boolean {
  return (source) => !leases && source.startsWith("file:") && !existsSync(source.slice("file:".length));
}

/** A flag counts before the environment, and that before the fleet file. */
export function configurationOf(
  flags: CommonFlags,
  file: FleetFile | undefined,
  cli: CliContext,
): Configuration {
  if (file?.service) return serviceConfiguration(flags, file, file.service, cli);
  if (file && file.services.length > 0) throw whichService(file);
  const { baseUrl, profile, account } = flags;
  const apiKey = file?.apiKeyFrom && keyIn(file.apiKeyFrom, "service", cli);
  const given = { baseUrl, profile, ledger: ledgerFlag(flags), account, apiKey } as PartialConfiguration;
  return configure(given, cli.environment, file?.configuration, {
    givenBy: (key) => `--${key}`,
    ways: (key) =>
      `service.${key} in the fleet file, ${key === "baseUrl" ? "--base-url" : "--profile"}, or ${ENVIRONMENT[key]}`,
    whereUnset: file ? "" : `\n${noFleetFile()}`,
  });
}

/** For a command that works with one service. */
function whichService({ services }: FleetFile): FleetkeeperError {
  const names = services.map(({ name }) => name);
  return mistake(
    `the fleet file has several services: say which one with --service NAME. There are: ${names.join(", ")}.`,
  );
}

/** Throws CONFIG for a flag or a variable that would be one for all services of a file. */
export function nothingForAll(flags: CommonFlags, { environment }: CliContext): void {
  for (const key of ["baseUrl", "profile", "account"] as const) {
    const flag = flags[key] !== undefined && `--${key === "baseUrl" ? "base-url" : key}`;
    const variables = [ENVIRONMENT[key], `${ENVIRONMENT[key]}_FILE`];
    const what = flag || variables.find((name) => environment[name]);
    if (what === undefined) continue;
    throw mistake(
      `${what} is set, and the fleet file has several services, each with its own ${key}: take it away, and correct services.NAME.${key} if it is wrong.`,
    );
  }
}

/** All of it stands in the file, but the credential: the file names the variable that holds it. */
function serviceConfiguration(
  flags: CommonFlags,
  file: FleetFile,
  { name, baseUrl, profile, settings, account, apiKeyFrom }: FileService,
  cli: CliContext,
): Configuration {
  const { environment } = cli;
  nothingForAll(flags, cli);
  const apiKey = keyIn(apiKeyFrom, `services.${name}`, cli);
  const ledger = configuredLedger({ ledger: ledgerFlag(flags) }, environment, file.configuration);
  const accountBy = `services.${name}.account in the fleet file`;
  return Object.freeze({ baseUrl, profile, settings, account, accountBy, apiKey, ledger });
}

/** The credential in the variable that a fleet file names. */
function keyIn(variable: string, at: string, { environment }: CliContext): string {
  const key = fromEnvironment(variable, environment);
  if (key !== undefined) return key;
  throw mistake(
    `${at}.apiKey: ${variable} is not set. Set it, or ${variable}_FILE to a file that holds the credential.`,
  );
}

/** Throws CONFIG if it holds a password: other users of this machine can read what a command was started with. */
export function ledgerFlag({ ledger }: LedgerFlags, flag = "--ledger"): string | undefined {
  if (ledger === undefined || !hasPassword(ledger)) return ledger;
  throw mistake(
    `${flag}: a password stands in this URL, and other users of this machine can read it in the list of processes. Take it out ` +
      `of the URL and set PGPASSWORD, or PGPASSWORD_FILE to a file that holds it; or set ${ENVIRONMENT.ledger}, or ` +
      `${ENVIRONMENT.ledger}_FILE, to the whole URL.`,
  );
}

/** The configuration of these flags and of the fleet file that they name. */
export async function configurationFrom(flags: CommonFlags, cli: CliContext): Promise<Configuration> {
  return configurationOf(flags, await readSettings(flags, cli), cli);
}

/** For people in the wrong folder: they should not look for a missing line in a fleet file. */
export function noFleetFile(): string {
  return `No fleet file was read: there is no ${resolve(DEFAULT_FLEET_FILE)}, and --config names none. To write one: fleetkeeper init.`;
}
