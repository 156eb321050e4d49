import { existsSync } from "node:fs";
import { ledgerPath } from "../../../launch/configuration.ts";
import type { Context } from "../../../launch/context.ts";
import { DEFAULT_SETTINGS } from "../../../launch/context.ts";
import { newId } from "../../../launch/open.ts";
import { settingsFromEnvironment } from "../../../launch/settings-environment.ts";
import type { Ledger } from "../../../ledger/ledger.ts";
import { openSqliteLedger } from "../../../ledger/sqlite/sqlite-ledger.ts";
import { systemClock } from "../../../ledger/system-clock.ts";
import { FleetkeeperError } from "../../../service/errors.ts";
import type { CliContext, LedgerFlags } from "./cli-context.ts";
import { noFleetFile, readFleetFile } from "./cli-context.ts";

/** Opens the existing ledger, for a command that asks no service. Throws CONFIG if there is none. */
export function openLedger(flags: LedgerFlags, cli: CliContext): Ledger {
  const file = readFleetFile(flags);
  const path = ledgerPath({ ledger: flags.ledger }, cli.environment, file?.configuration);
  const ledger = ledgerAt(path);
  if (ledger) return ledger;
  throw new FleetkeeperError(
    "CONFIG",
    `${path}: there is no ledger here yet. Name the one you mean with --ledger, or make it by fleetkeeper agent.` +
      (file || flags.ledger !== undefined ? "" : `\n${noFleetFile()}`),
  );
}

/** The ledger in this file. Undefined if there is no file: looking must not make one. */
export function ledgerAt(path: string): Ledger | undefined {
  return existsSync(path) ? openSqliteLedger({ path, newId: newId(), now: Date.now() }) : undefined;
}

/** A context for decisions that do not depend on the wire profile. */
export function contextHere(cli: CliContext): Context {
  const clock = systemClock();
  return {
    ledger: "",
    now: clock.now(),
    isAlive: clock.isAlive,
    wire: {
      profileHash: "",
      abilities: { marker: false, combination: false, get: false },
      isTerminal: () => false,
    },
    settings: { ...DEFAULT_SETTINGS, ...settingsFromEnvironment(cli.environment) },
  };
}
