import { configuredLedger } from "../../../../account/configuration.ts";
import { locationOf, openLedgerIfThere } from "../../../../account/open-ledger.ts";
import { type Context, DEFAULT_SETTINGS } from "../../../../launch/facts/context.ts";
import { settingsFromEnvironment } from "../../../../launch/facts/settings-environment.ts";
import type { History } from "../../../../ledger/chart-history.ts";
import type { Ledger } from "../../../../ledger/ledger.ts";
import { systemClock } from "../../../../ledger/system-clock.ts";
import { type CliContext, mistake } from "./cli-context.ts";
import { closing } from "./closing.ts";
import { type LedgerFlags, ledgerFlag, noFleetFile, readSettings } from "./flags.ts";

/** Works with the existing ledger, without the service. Throws CONFIG if there is none. */
export async function withLedger(
  flags: LedgerFlags,
  cli: CliContext,
  work: (ledger: Ledger & History) => Promise<number>,
): Promise<number> {
  const { place, hasFile } = await ledgerOf(flags, cli);
  const code = await ifLedgerAt(place, work);
  if (code !== undefined) return code;
  const where = hasFile || flags.ledger !== undefined ? "" : `\n${noFleetFile()}`;
  throw mistake(
    `${locationOf(place)}: there is no ledger here yet. Name the one you mean with --ledger, or make it by fleetkeeper agent.${where}`,
  );
}

/** Where the ledger of these flags is, by all settings. */
export async function ledgerOf(flags: LedgerFlags, cli: CliContext) {
  const file = await readSettings(flags, cli);
  const place = configuredLedger({ ledger: ledgerFlag(flags) }, cli.environment, file?.configuration);
  return { place, hasFile: file !== undefined };
}

/** Works with the ledger of this place. Undefined if there is none: looking must not make one. */
export async function ifLedgerAt<T>(
  place: string,
  work: (ledger: Ledger & History) => Promise<T>,
): Promise<T | undefined> {
  const ledger = await openLedgerIfThere(place, Date.now());
  return ledger && closing(ledger, work);
}

export function noAccount(location: string): string {
  return `${location}: this ledger has seen no account yet. Start: fleetkeeper agent`;
}

/** A context for decisions on this ledger that do not depend on the wire profile. */
export function contextHere(cli: CliContext, on: Pick<Ledger, "clockOn">): Context {
  const clock = on.clockOn(systemClock());
  return {
    ledger: "",
    now: clock.now(),
    actor: cli.person,
    isAlive: clock.isAlive,
    wire: {
      profileHash: "",
      abilities: { marker: false, combination: false, get: false },
      isTerminal: () => false,
    },
    settings: { ...DEFAULT_SETTINGS, ...settingsFromEnvironment(cli.environment) },
  };
}
