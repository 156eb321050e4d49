import { expect, test } from "vitest";
import { dialectText, visit, world } from "./doctor-support.ts";

const look = async (change: (profile: string) => string) => {
  const { clock, simulator } = await world("elsewhere");
  const { report } = await visit({
    clock,
    transport: simulator.transport,
    profile: change(dialectText("elsewhere")),
  });
  return report.checks.find(({ id }) => id === "operation.errors");
};

const UNMARKED = (profile: string): string =>
  profile.replace('    label: "{marker}"\n', "").replace("    marker: /label\n", "");

test.each([
  [
    "as it is",
    (profile: string) => profile,
    "ok",
    "An error of a launch that is understood says that it made nothing, but for a 409, a 429 and a 5xx: where errors.definite does not name it, one of these is looked for, about 4 minutes.",
  ],
  [
    "without a marker",
    UNMARKED,
    "ok",
    "An error of a launch may have made a machine, but for invalid_request, insufficient_balance, none-left: it is looked for, about 4 minutes, before the next one (launch.refusals: uncertain).",
  ],
  [
    "certain without a marker",
    (profile: string) =>
      UNMARKED(profile).replace("  createdAt: /error", "  refusals: certain\n  createdAt: /error"),
    "warning",
    "An error that is understood is said to have made nothing (launch.refusals: certain), and no marker would show a machine",
  ],
  [
    "sold out by a code that is not definite",
    (profile: string) => profile.replace(", none-left] }", "] }"),
    "warning",
    "none-left means sold out, and does not say that nothing was launched: each such launch is looked for, about 4 minutes.",
  ],
])("says what an error of a launch means for money: %s", async (_what, change, level, says) => {
  expect(await look(change)).toMatchObject({ level, says: expect.stringContaining(says) });
});
