import type { Configuration } from "../../account/configuration.ts";
import type { AccountRow } from "../../ledger/rows.ts";
import type { Money } from "../../service/contract/service.ts";
import type { LoadedProfile } from "../../service/profile/profile-file.ts";
import type { Redaction } from "../../service/text/redaction.ts";
import type { FleetDeclaration } from "../fleet/declare/fleets.ts";
import type { Measured } from "../fleet/size/metric.ts";
import type { Seen } from "./survey.ts";

/** All that the checks judge by. They are pure: everything was read before. */
export interface DoctorInput {
  /** By the profile. */
  readonly money: Money;
  /** By the wall clock, in milliseconds. */
  readonly now: number;
  readonly configuration: Configuration;
  readonly loaded: LoadedProfile;
  readonly fleets: readonly FleetDeclaration[];
  /** What the metrics of fleets say, by their names. */
  readonly measured: ReadonlyMap<string, Measured>;
  /** Undefined if the service was not asked. */
  readonly seen: Seen | undefined;
  readonly redact: Redaction;
  /** What the ledger knows of accounts. Empty if there is no ledger. */
  readonly accounts: readonly AccountRow[];
}
