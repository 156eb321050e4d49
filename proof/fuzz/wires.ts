import { readFileSync } from "node:fs";
import { type FleetFile, parseFleetFile } from "../../agent/fleet/file/fleet-file.ts";
import { packageFile } from "../../service/process/package-file.ts";
import type { WireProfile } from "../../service/profile/profile.ts";
import { type LoadedProfile, loadProfile, readProfile } from "../../service/profile/profile-file.ts";
import type { Settings } from "../../service/profile/settings.ts";
import { shippedNames } from "../../service/profile/shipped.ts";
import type { CatalogueOffer, DialectName } from "../../simulator/index.ts";
import { DIALECT_NAMES, dialectProfilePath } from "../../simulator/index.ts";
import { namedBy } from "../../simulator/speak/named.ts";

/** What a service speaks by, and what its client is given. */
export interface Wire {
  readonly profile: LoadedProfile;
  readonly dialect: DialectName | WireProfile;
  /** What it rents, by its own names: one machine, so that nothing but damage tells launches apart. */
  readonly offer: CatalogueOffer;
  /** As the fleet file that stands beside a profile that ships has them. */
  readonly settings?: Settings;
  readonly parameters?: FleetFile["fleets"][number]["wish"]["parameters"];
}

const OFFER: CatalogueOffer = {
  offer: "h100-8",
  provider: "north",
  location: "oslo",
  gpus: 8,
  gpuModel: "H100",
  pricePerHour: "16.0000",
  capacity: 100,
};

export const WIRES: readonly Wire[] = [
  ...DIALECT_NAMES.map((dialect) => {
    const path = dialectProfilePath(dialect);
    // One of them sends an image with each launch.
    const parameters = { image: "ubuntu" };
    return { profile: readProfile(readFileSync(path, "utf8"), path), dialect, offer: OFFER, parameters };
  }),
  ...shippedNames().map((name) => {
    const profile = loadProfile(name);
    const [offer = OFFER] = namedBy(profile.profile, [OFFER]);
    const file = parseFleetFile(packageFile(`profiles/${name}/fleet.yaml`).toString(), "/fleet.yaml");
    const { settings } = file.configuration;
    if (typeof settings === "string") throw new Error(`the settings of ${name} are one text`);
    const { parameters } = file.fleets[0]?.wish ?? {};
    return {
      ...{ profile, dialect: profile.profile, offer },
      ...(parameters && { parameters }),
      ...(settings && { settings }),
    };
  }),
];
