import { readFileSync } from "node:fs";
import type { Configuration, PartialConfiguration } from "../../launch/configuration.ts";
import { configure } from "../../launch/configuration.ts";
import type { OpenKeeper } from "../../launch/open.ts";
import { openKeeper } from "../../launch/open.ts";
import { settingsFromEnvironment } from "../../launch/settings-environment.ts";
import { FleetkeeperError } from "../../service/errors.ts";
import type { FleetFile } from "../fleet-file.ts";
import { parseFleetFile } from "../fleet-file.ts";

/** What a command may touch of the world. */
export interface Edge {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
  /** One line or more for people or programs, to standard output. */
  readonly print: (text: string) => void;
  /** Progress and warnings, to standard error. */
  readonly tell: (text: string) => void;
  readonly isTerminal: boolean;
}

/** The flags that every command has which talks to the service or the ledger. */
export interface CommonFlags {
  readonly config?: string;
  readonly baseUrl?: string;
  readonly profile?: string;
  readonly ledger?: string;
  readonly account?: string;
}

const DEFAULT_FLEET_FILE = "fleet.yaml";

/** The fleet file that was named, or `fleet.yaml` here if there is one. */
export function readFleetFile(flags: CommonFlags): FleetFile | undefined {
  const path = flags.config ?? DEFAULT_FLEET_FILE;
  try {
    return parseFleetFile(readFileSync(path, "utf8"), path);
  } catch (error) {
    const missing = (error as NodeJS.ErrnoException).code === "ENOENT";
    if (missing && flags.config === undefined) return undefined;
    if (error instanceof FleetkeeperError) throw error;
    throw new FleetkeeperError("CONFIG", `${path}: cannot be read: ${(error as Error).message}.`, {
      cause: error,
    });
  }
}

/** Flags before environment before file. */
export function configurationOf(flags: CommonFlags, file: FleetFile | undefined, edge: Edge): Configuration {
  const { baseUrl, profile, ledger, account } = flags;
  const given = { baseUrl, profile, ledger, account } as PartialConfiguration;
  return configure(given, edge.environment, file?.configuration);
}

/** Runs some work with an open keeper, and closes it whatever happens. */
export async function withKeeper<T>(
  configuration: Configuration,
  edge: Edge,
  work: (keeper: OpenKeeper) => Promise<T>,
): Promise<T> {
  const keeper = await openKeeper(configuration, edge.signal, settingsFromEnvironment(edge.environment));
  try {
    return await work(keeper);
  } finally {
    await keeper.close();
  }
}
