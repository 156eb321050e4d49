import { existsSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import type { Configuration, PartialConfiguration } from "../../../launch/configuration.ts";
import { configure, ENVIRONMENT } from "../../../launch/configuration.ts";
import { hasPassword } from "../../../ledger/postgres/address.ts";
import { whyUnreadable } from "../../../service/unreadable.ts";
import type { FleetFile } from "../../fleet/fleet-file.ts";
import type { CliContext } from "./cli-context.ts";
import { mistake } from "./cli-context.ts";

/** The flags of commands that need only the ledger. */
export interface LedgerFlags {
  readonly config?: string;
  readonly ledger?: string;
}

/** The flags of commands that talk to the service. */
export interface CommonFlags extends LedgerFlags {
  readonly baseUrl?: string;
  readonly profile?: string;
  readonly account?: string;
}

/** The same for commands that only show something. */
export interface AskFlags extends CommonFlags {
  readonly json?: boolean;
}

const DEFAULT_FLEET_FILE = "fleet.yaml";

/** The fleet file that --config names, or `fleet.yaml` in this folder. Undefined if there is none. */
export async function readFleetFile(flags: LedgerFlags): Promise<FleetFile | undefined> {
  const content = fleetFileContent(flags);
  if (content === undefined) return undefined;
  // What reads YAML is 70 files. Without a fleet file no command waits for them.
  const { parseFleetFile } = await import("../../fleet/fleet-file.ts");
  return parseFleetFile(content, fleetFilePath(flags));
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

/** Whether the fleet file that declared a fleet was moved or deleted. */
export function isGone(source: string): boolean {
  return source.startsWith("file:") && !existsSync(source.slice("file:".length));
}

/** A flag counts before the environment, and that before the fleet file. */
export function configurationOf(
  flags: CommonFlags,
  file: FleetFile | undefined,
  cli: CliContext,
): Configuration {
  const { baseUrl, profile, account } = flags;
  const given = { baseUrl, profile, ledger: ledgerFlag(flags), account } as PartialConfiguration;
  return configure(given, cli.environment, file?.configuration, {
    givenBy: (key) => `--${key}`,
    ways: (key) =>
      `service.${key} in the fleet file, ${key === "baseUrl" ? "--base-url" : "--profile"}, or ${ENVIRONMENT[key]}`,
    whereUnset: file ? "" : `\n${noFleetFile()}`,
  });
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

/** The same with the fleet file of these flags. */
export async function configurationFrom(flags: CommonFlags, cli: CliContext): Promise<Configuration> {
  return configurationOf(flags, await readFleetFile(flags), cli);
}

/** For people in the wrong folder: they should not look for a missing line in a fleet file. */
export function noFleetFile(): string {
  return `No fleet file was read: there is no ${resolve(DEFAULT_FLEET_FILE)}, and --config names none. To write one: fleetkeeper init.`;
}
