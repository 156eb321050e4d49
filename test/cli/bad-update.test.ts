import { expect, test } from "vitest";
import { said } from "../support/said-of-fleet-file.ts";

/** A fleet file whose fleet has these lines from the fifth line on. */
const file = (...lines: readonly string[]): string =>
  `fleets:\n  - name: a\n    gpus: 8\n    select: {}\n${lines.map((line) => `    ${line}\n`).join("")}`;

const SERVICES = `services:
  north: { baseUrl: https://north.example.com, profile: lambda, account: exclusive, apiKey: { env: NORTH } }
  south: { baseUrl: https://south.example.com, profile: lambda, account: exclusive, apiKey: { env: SOUTH } }
`;

test.each([
  ["a good one", file("update: { most: 2, within: 20m }", "maxAge: 7d", "life: 14d"), "nothing"],
  ["all by default", file("update: {}"), "nothing"],
  [
    "a word for a part",
    file("update: true"),
    "fleet.yaml:5:13 fleets.0.update: expected { most: 1 }, got true",
  ],
  [
    "none at a time",
    file("update: { most: 0 }"),
    "fleet.yaml:5:21 fleets.0.update.most: expected a whole number of 1 or more, got 0",
  ],
  [
    "a time without its unit",
    file("update: { within: 20 }"),
    "fleet.yaml:5:23 fleets.0.update.within: expected a duration such as 90s, 1h30m or 7d, got 20",
  ],
  [
    "a word for yes or no",
    file("update: { pauseOnFailure: never }"),
    'fleet.yaml:5:31 fleets.0.update.pauseOnFailure: expected true or false, got "never"',
  ],
  [
    "another moment",
    file("update: { when: tonight }"),
    'fleet.yaml:5:21 fleets.0.update.when: expected now or paidEnd, got "tonight"',
  ],
  [
    "an age in weeks",
    file("maxAge: 1w"),
    'fleet.yaml:5:13 fleets.0.maxAge: expected a duration such as 90s, 1h30m or 7d, got "1w"',
  ],
  [
    "a life that is no time",
    file("life: 0d"),
    'fleet.yaml:5:11 fleets.0.life: expected a duration such as 90s, 1h30m or 7d, got "0d"',
  ],
  [
    "a life that is over before work can be saved",
    file("beforeStop: { command: [./save.sh], within: 30m }", "life: 20m"),
    'fleet.yaml:6:11 fleets.0.life: expected more than beforeStop.within, which is 30m: the fleet is drained so much earlier, got "20m"',
  ],
  [
    "less time than a new machine may take",
    file("ready: { address: ssh, tcp: 22, within: 30m }", "update: { within: 30m }"),
    'fleet.yaml:6:23 fleets.0.update.within: expected more than ready.within, which is 30m: a new machine may take so long, and the update would be paused, got "30m"',
  ],
  [
    "an age that no machine reaches",
    file("maxAge: 7d", "life: 12h"),
    'fleet.yaml:5:13 fleets.0.maxAge: expected less than life, which is 12h: no machine of it ever gets so old, got "7d"',
  ],
])("%s", (_what, content, expected) => {
  expect(said(content)).toBe(expected);
});

test("improve beside allOrNothing asks for a surge as large as the fleet", () => {
  const lines = ["allOrNothing: { within: 20m }", "improve: { saves: 20% }"];
  expect(said(file(...lines, "surge: 1"))).toMatch(
    /^fleet.yaml:7:\d+ fleets.0.surge: expected \d+ or more beside improve and allOrNothing: such a fleet moves as a whole/,
  );
  expect(said(file(...lines))).toMatch(/fleets.0.surge: is missing: expected \d+ or more beside improve/);
});

test.each(["update: {}", "maxAge: 7d"])("%s beside allOrNothing is an error that says so", (line) => {
  expect(said(file("allOrNothing: { within: 20m }", line))).toMatch(
    /^fleet.yaml:6:\d+ fleets.0.(update|maxAge): expected none beside allOrNothing: such a fleet would have to be replaced as a whole/,
  );
});

test.each(["update: {}", "maxAge: 7d", "life: 12h"])(
  "%s beside services is an error that says so",
  (line) => {
    expect(said(`${SERVICES}${file("services: all", line)}`)).toMatch(
      /fleets.0.(update|maxAge|life): expected none beside services: a fleet that several services keep cannot do that yet/,
    );
  },
);
