import { abilitiesOf } from "../../../../service/profile/abilities.ts";
import { loadProfile } from "../../../../service/profile/profile-file.ts";
import { shippedNames } from "../../../../service/profile/shipped.ts";
import { table } from "../../../fleet/text/text.ts";
import { cloudOf } from "../../clouds/cloud.ts";
import { type CliContext, programName } from "../shared/cli-context.ts";

const HEADINGS = [
  "NAME",
  "MARKER",
  "ACCOUNT",
  "BALANCE",
  "A LIST SHOWS ENDED",
  "BILLING",
  "BILLED, NOT SERVING",
  "TRIED",
];

/** `fleetkeeper clouds`: the services whose profiles ship. */
export async function cloudsCommand(_flags: object, cli: CliContext): Promise<number> {
  cli.print(table(HEADINGS, shippedNames().map(rowOf)));
  cli.print(
    `\nTo begin: ${programName(cli)} init --cloud NAME. docs/reference/clouds.md says what follows from each column.`,
  );
  return 0;
}

/** One line of the table. @internal Exported for the test of the page that has it, too. */
export function rowOf(name: string): readonly string[] {
  const { ended, billing, halted, tried } = cloudOf(name);
  const { profile } = loadProfile(name);
  const { marker } = abilitiesOf(profile);
  const [account, balance] = [profile.account, profile.balance].map((part) =>
    part && "none" in part ? "no" : "yes",
  );
  return [name, marker ? "yes" : "no", account ?? "", balance ?? "", ended, billing, halted, tried];
}
