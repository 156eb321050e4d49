import type { Configuration } from "../../account/configuration.ts";
import type { AccountRow } from "../../ledger/rows.ts";
import { FleetkeeperError } from "../../service/contract/errors.ts";
import type { Transport } from "../../service/contract/transport.ts";
import type { WallClock } from "../../service/http/wall-clock.ts";
import { abilitiesOf } from "../../service/profile/abilities.ts";
import { type LoadedProfile, loadProfile } from "../../service/profile/profile-file.ts";
import { createRedaction, type Redaction } from "../../service/text/redaction.ts";
import type { ProgramProblem } from "../ask/programs.ts";
import type { FleetDeclaration } from "../fleet/declare/fleets.ts";
import type { TakenName } from "../fleet/declare/taken-names.ts";
import type { Measured } from "../fleet/size/metric.ts";
import {
  baseUrlCheck,
  credentialCheck,
  keyFileChecks,
  profileCheck,
  profileError,
  settingsChecks,
} from "./checks/configuration.ts";
import { deploymentChecks } from "./checks/deployments.ts";
import { fleetChecks, nameChecks, programChecks } from "./checks/fleets.ts";
import { launchIdentityChecks } from "./checks/launch-identity.ts";
import { offerChecks } from "./checks/offers.ts";
import { operationChecks } from "./checks/operations.ts";
import { serviceChecks } from "./checks/service.ts";
import { cleanReport } from "./clean-report.ts";
import type { DoctorInput } from "./doctor-input.ts";
import { type DoctorReport, exitCodeOf, finding } from "./report.ts";
import { survey } from "./survey.ts";

export interface DoctorOptions {
  readonly configuration: Configuration;
  /** A sentence that says what is wrong with the file of the credential. */
  readonly keyFileWarning?: string | undefined;
  /** The declared fleets. The doctor compares each wish with the offers. */
  readonly fleets?: readonly FleetDeclaration[];
  /** Their commands that cannot be run on this machine. */
  readonly programs?: readonly ProgramProblem[];
  /** What their metrics say, asked from this machine. */
  readonly measured?: ReadonlyMap<string, Measured>;
  /** What the ledger knows already. */
  readonly accounts?: readonly AccountRow[] | undefined;
  /** Names of fleets that the ledger gives to others. */
  readonly taken?: readonly TakenName[] | undefined;
  readonly transport: Transport;
  readonly clock: WallClock;
  readonly signal: AbortSignal;
}

/**
 * Reads the service once, with GETs only. It reports on the configuration, on what the profile covers, and on
 * what the fleets ask for. Whatever is wrong is a finding of the report: it throws only if aborted.
 *
 * @example
 * const { transport, close } = createUndiciTransport({ environment: process.env });
 * const report = await runDoctor({ configuration, fleets, transport, clock, signal });
 * console.log(formatDoctor(report, { color: process.stdout.isTTY }));
 */
export async function runDoctor(options: DoctorOptions): Promise<DoctorReport> {
  const { configuration } = options;
  const redact = createRedaction(configuration.apiKey);
  const { checks, requests } = await examine(options, redact);
  const report: DoctorReport = {
    exitCode: exitCodeOf(checks),
    // Shown as given, but without a password. The check of the base URL says that there is one.
    baseUrl: configuration.baseUrl.replace(/\/\/.*@/, "//"),
    profile: configuration.profile,
    requests,
    checks,
  };
  return cleanReport(report, redact);
}

async function examine(
  options: DoctorOptions,
  redact: Redaction,
): Promise<Pick<DoctorReport, "checks" | "requests">> {
  const { configuration, fleets = [], accounts = [], transport, clock, signal } = options;
  const address = baseUrlCheck(configuration);
  let loaded: LoadedProfile;
  try {
    loaded = loadProfile(configuration.profile);
  } catch (error) {
    if (!(error instanceof FleetkeeperError)) throw error;
    const says = "The service was not asked: without a profile nobody knows how.";
    const rest = finding("service", "service").skipped(says);
    return { checks: [profileError(error), address, rest], requests: 0 };
  }
  const credential = credentialCheck(configuration, loaded);
  const missing = settingsChecks(configuration, loaded);
  const canAsk = [address, credential, ...missing].every(({ level }) => level !== "problem");
  const { baseUrl, apiKey: secret, settings = {} } = configuration;
  const seen = canAsk
    ? await survey({ baseUrl, secret, settings, profile: loaded, transport, clock, redact }, signal)
    : undefined;
  const money = abilitiesOf(loaded.profile);
  const input: DoctorInput = {
    money,
    now: clock.now(),
    configuration,
    loaded,
    fleets,
    measured: options.measured ?? new Map(),
    seen,
    redact,
    accounts,
  };
  return {
    requests: seen?.requests ?? 0,
    checks: [
      profileCheck(loaded),
      address,
      credential,
      ...missing,
      ...keyFileChecks(options.keyFileWarning),
      ...serviceChecks(input),
      ...operationChecks(input),
      ...launchIdentityChecks(input),
      ...deploymentChecks(input),
      ...offerChecks(input),
      ...fleetChecks(input),
      ...nameChecks(options.taken ?? []),
      ...programChecks(options.programs ?? []),
    ],
  };
}
