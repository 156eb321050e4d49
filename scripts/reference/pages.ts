import { accountRowPage } from "./account-row.ts";
import { flagsPage } from "./flags.ts";
import { keysPage } from "./keys.ts";
import { livesPage } from "./lives.ts";

/** The pages under docs/ that a program writes. They are checked in, and a test holds them to the program. */
export const GENERATED: Readonly<Record<string, () => string>> = {
  "reference/flags.md": flagsPage,
  "reference/keys.md": keysPage,
  "how/account-row.md": accountRowPage,
  "how/lives.md": livesPage,
};
