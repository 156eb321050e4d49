import type { Configuration } from "../../launch/configuration.ts";
import type { LoadedProfile } from "../../service/profile-file.ts";
import type { Redaction } from "../../service/redaction.ts";
import type { FleetDeclaration } from "../fleets.ts";
import type { Seen } from "./look.ts";

/** All that the checks judge by. They are pure: everything was read before. */
export interface Patient {
  readonly configuration: Configuration;
  readonly loaded: LoadedProfile;
  readonly fleets: readonly FleetDeclaration[];
  /** Undefined: the service was not asked. */
  readonly seen: Seen | undefined;
  readonly redact: Redaction;
  /** Why the ledger lets nothing be launched under this profile. */
  readonly halted: string | undefined;
}
