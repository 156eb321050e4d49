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

test.each([
  [
    "no errors.definite",
    (profile: string) => profile.replace(/\n {2}(definite|soldOut): .*/g, ""),
    "definite: { statuses: [429] }",
  ],
  ["codes alone", (profile: string) => profile, "statuses: [429]"],
  [
    "another status",
    (profile: string) => profile.replace("definite: {", "definite: { statuses: [451],"),
    "statuses: [451, 429]",
  ],
])(
  "says which line makes a 429 cost nothing, where the service promises it: %s",
  async (_what, change, line) => {
    const remedy = (await look(change))?.remedy;
    expect(remedy?.text).toMatch(/^If the service promises that a 429 launched nothing, .*, (add|write) /);
    expect(remedy?.lines?.map((each) => each.trim())).toEqual([line]);
  },
);

test("says nothing of a 429 that is named", async () => {
  const named = (profile: string) => profile.replace("definite: {", "definite: { statuses: [429],");
  expect((await look(named))?.remedy).toBeUndefined();
});

test("says what a 429 costs under a profile 1, too", async () => {
  const { clock, simulator } = await world("plain");
  const profile = dialectText("plain");
  const { report } = await visit({ clock, transport: simulator.transport, profile });
  expect(report.checks.find(({ id }) => id === "operation.errors")).toMatchObject({
    level: "ok",
    says: expect.stringContaining("but for a 409, a 429 and a 5xx"),
  });
});
