import { describe, expect, test } from "vitest";
import { parseFleetFile } from "../../agent/fleet/file/fleet-file.ts";
import { said } from "../support/said-of-fleet-file.ts";

const RANGE = "{ min: 4, max: 64, at: 16 }";

/** A fleet file whose fleet has this size, with these lines before its schedule. */
function file(gpus: string, schedule: readonly string[], more: readonly string[] = [], top = ""): string {
  const lines = [`    gpus: ${gpus}`, "    select: {}", ...more.map((line) => `    ${line}`)];
  const last = schedule.length === 0 ? [] : ["    schedule:", ...schedule.map((line) => `      ${line}`)];
  return `${top}fleets:\n  - name: a\n${[...lines, ...last].join("\n")}\n`;
}

const entry = (text: string): readonly string[] => ["timeZone: Europe/Berlin", "entries:", `  - ${text}`];
const DAYTIME = entry('{ from: "Mon-Fri 08:00", to: "Mon-Fri 20:00", gpus: 32 }');
const TIME = 'expected a time such as "08:00", "Mon-Fri 08:00", "Sat,Sun 10:00" or "2026-12-24 18:00"';

const CRON =
  'expected five fields of cron: minute, hour, day, month and day of the week, such as "0 8 * * 1-5"';

const window = (from: string, to: string, gpus = 32): string =>
  file(RANGE, entry(`{ from: "${from}", to: "${to}", gpus: ${gpus} }`));

const SERVICES = `services:\n${["north", "south"]
  .map(
    (name) =>
      `  ${name}: { baseUrl: https://${name}.example.com, profile: lambda, account: exclusive, apiKey: { env: ${name.toUpperCase()} } }\n`,
  )
  .join("")}`;

describe("what is wrong with a schedule is said where it stands", () => {
  test.each([
    ["a good one", file(RANGE, DAYTIME), "nothing"],
    [
      "a zone that is none",
      file(RANGE, ["timeZone: Europe/Berlino", DAYTIME[1] ?? "", DAYTIME[2] ?? ""]),
      'fleet.yaml:6:17 fleets.0.schedule.timeZone: expected an IANA time zone such as Europe/Berlin, got "Europe/Berlino"',
    ],
    [
      "an offset, which has no daylight saving",
      file(RANGE, ['timeZone: "+01:00"', DAYTIME[1] ?? "", DAYTIME[2] ?? ""]),
      'fleet.yaml:6:17 fleets.0.schedule.timeZone: expected an IANA time zone such as Europe/Berlin, got "+01:00"',
    ],
    [
      "no zone",
      file(RANGE, DAYTIME.slice(1)),
      "fleet.yaml:5:5 fleets.0.schedule.timeZone: is missing: expected an IANA time zone such as Europe/Berlin: without one nobody knows when 08:00 is",
    ],
    [
      "no window",
      file(RANGE, ["timeZone: UTC", "entries: []"]),
      "fleet.yaml:7:16 fleets.0.schedule.entries: expected at least one window, got an empty list",
    ],
    [
      "cron",
      window("0 8 * * 1-5", "Fri 20:00"),
      `fleet.yaml:8:19 fleets.0.schedule.entries.0.from: ${TIME}, got "0 8 * * 1-5"`,
    ],
    [
      "a minute of cron that is none",
      file(RANGE, entry('{ cron: "61 * * * *", for: 10m, gpus: 32 }')),
      `fleet.yaml:8:19 fleets.0.schedule.entries.0.cron: ${CRON}, got "61 * * * *"`,
    ],
    [
      "cron with seconds",
      file(RANGE, entry('{ cron: "0 0 8 * * 1-5", for: 10m, gpus: 32 }')),
      `fleet.yaml:8:19 fleets.0.schedule.entries.0.cron: ${CRON}, got "0 0 8 * * 1-5"`,
    ],
    [
      "cron that never comes",
      file(RANGE, entry('{ cron: "0 8 30 2 *", for: 10m, gpus: 32 }')),
      'fleet.yaml:8:19 fleets.0.schedule.entries.0.cron: expected a moment that comes: this one never does, got "0 8 30 2 *"',
    ],
    [
      "cron that comes all the time",
      file(RANGE, entry('{ cron: "* * * * *", for: 1m, gpus: 32 }')),
      'fleet.yaml:8:19 fleets.0.schedule.entries.0.cron: expected moments that are an hour apart or more: these come every 1m, got "* * * * *"',
    ],
    [
      "cron that comes again before its window ends",
      file(RANGE, entry('{ cron: "0 8 * * 1-5", for: 25h, gpus: 32 }')),
      'fleet.yaml:8:39 fleets.0.schedule.entries.0.for: expected at most 24h: after that "0 8 * * 1-5" may come again, got "25h"',
    ],
    [
      "cron without an end",
      file(RANGE, entry('{ cron: "0 8 * * 1-5", gpus: 32 }')),
      "fleet.yaml:8:11 fleets.0.schedule.entries.0.for: is missing: expected how long the window is open, such as 12h",
    ],
    [
      "cron beside from",
      file(RANGE, entry('{ cron: "0 8 * * 1-5", for: 2h, from: "08:00", gpus: 32 }')),
      'fleet.yaml:8:49 fleets.0.schedule.entries.0.from: expected none beside cron and for, got "08:00"',
    ],
    [
      "a window without its end",
      file(RANGE, entry('{ from: "08:00", gpus: 32 }')),
      `fleet.yaml:8:11 fleets.0.schedule.entries.0.to: is missing: ${TIME}`,
    ],
    [
      "a day that is none",
      window("Mo-Fr 08:00", "Fri 20:00"),
      `fleet.yaml:8:19 fleets.0.schedule.entries.0.from: ${TIME}, got "Mo-Fr 08:00"`,
    ],
    [
      "a time that is none",
      window("25:00", "Fri 20:00"),
      `fleet.yaml:8:19 fleets.0.schedule.entries.0.from: ${TIME}, got "25:00"`,
    ],
    [
      "a date that is none",
      window("2027-02-30 08:00", "2027-03-01 08:00"),
      `fleet.yaml:8:19 fleets.0.schedule.entries.0.from: ${TIME}, got "2027-02-30 08:00"`,
    ],
    [
      "a window that never comes",
      window("Mon-Fri 08:00", "Fri 08:00"),
      'fleet.yaml:8:40 fleets.0.schedule.entries.0.to: expected another time than from, "Mon-Fri 08:00": on Fri this window would never come, got "Fri 08:00"',
    ],
    [
      "a window that ends before it begins",
      window("2026-12-24 18:00", "2026-12-23 08:00"),
      'fleet.yaml:8:43 fleets.0.schedule.entries.0.to: expected a moment after from, "2026-12-24 18:00": this window would never come, got "2026-12-23 08:00"',
    ],
    [
      "a date and a day of the week",
      window("2026-12-24 18:00", "Fri 08:00"),
      'fleet.yaml:8:43 fleets.0.schedule.entries.0.to: expected a date in from and in to, or in none, got "Fri 08:00"',
    ],
    [
      "more than max",
      window("08:00", "09:00", 65),
      "fleet.yaml:8:47 fleets.0.schedule.entries.0.gpus: expected 4 to 64, as min and max say, got 65",
    ],
    [
      "less than min",
      window("08:00", "09:00", 3),
      "fleet.yaml:8:47 fleets.0.schedule.entries.0.gpus: expected 4 to 64, as min and max say, got 3",
    ],
    [
      "a count outside min and max",
      file("{ min: 4, max: 64, at: 2 }", DAYTIME),
      "fleet.yaml:3:34 fleets.0.gpus.at: expected 4 to 64, as min and max say, got 2",
    ],
    [
      "max below min",
      file("{ min: 4, max: 3, at: 4 }", DAYTIME),
      "fleet.yaml:3:26 fleets.0.gpus.max: expected at least min, which is 4, got 3",
    ],
    [
      "a range that lacks a number",
      file("{ min: 4, at: 4 }", DAYTIME),
      "fleet.yaml:3:11 fleets.0.gpus: expected three whole numbers of 0 or more, such as { min: 0, max: 64, at: 16 }, got a mapping",
    ],
    [
      "a number beside a schedule",
      file("16", DAYTIME),
      "fleet.yaml:3:11 fleets.0.gpus: expected { min, max, at } beside schedule, such as { min: 0, max: 64, at: 16 }, got 16",
    ],
    ["a range for people alone", file(RANGE, []), "nothing"],
    [
      "such a range beside work",
      file(RANGE, [], ['work: { gpuHours: 4, by: "2040-01-01T00:00Z" }']),
      "fleet.yaml:3:11 fleets.0.gpus: expected a number of GPUs beside work, which says itself how many GPUs are wanted",
    ],
    [
      "such a range, all or nothing",
      file("{ min: 0, max: 16, at: 0 }", [], ["allOrNothing: { within: 20m }"]),
      "nothing",
    ],
    [
      "all or nothing, and a min between",
      file("{ min: 4, max: 16, at: 16 }", [], ["allOrNothing: { within: 20m }"]),
      "fleet.yaml:3:18 fleets.0.gpus.min: expected 0 or 16, which is max, beside allOrNothing: what is wanted as a whole has one size, got 4",
    ],
    [
      "such a range whose at is outside",
      file("{ min: 4, max: 8, at: 16 }", []),
      "fleet.yaml:3:33 fleets.0.gpus.at: expected 4 to 8, as min and max say, got 16",
    ],
    [
      "all or nothing in windows",
      file("{ min: 0, max: 32, at: 0 }", DAYTIME, ["allOrNothing: { within: 20m }"]),
      "nothing",
    ],
    [
      "all or nothing, and a window between",
      file("{ min: 0, max: 64, at: 64 }", DAYTIME, ["allOrNothing: { within: 20m }"]),
      "fleet.yaml:9:63 fleets.0.schedule.entries.0.gpus: expected 0 or 64, which is max, beside allOrNothing: what is wanted as a whole has one size, got 32",
    ],
    [
      "a drain of what min keeps",
      file(RANGE, DAYTIME, ["idle: { command: [x], for: 20m, then: drain, address: host }"]),
      'fleet.yaml:5:43 fleets.0.idle.then: expected stop or tell: min keeps 4, and drain gives back all, got "drain"',
    ],
    ["several services", file(RANGE, DAYTIME, ["services: all"], SERVICES), "nothing"],
    [
      "several services, all or nothing",
      file(
        "{ min: 0, max: 32, at: 0 }",
        DAYTIME,
        ["services: all", "allOrNothing: { within: 20m }"],
        SERVICES,
      ),
      "fleet.yaml:10:5 fleets.0.schedule: expected none beside services and allOrNothing: what is wanted as a whole has one size, whichever service has it",
    ],
    [
      "several services, of which idle machines would be given back below min",
      file(
        RANGE,
        DAYTIME,
        ["services: all", "idle: { command: [x], for: 20m, then: stop, address: host }"],
        SERVICES,
      ),
      "fleet.yaml:6:18 fleets.0.gpus.min: expected 0 beside services and idle with then: stop: one service does not see what the others keep, got 4",
    ],
  ])("%s", (_, content, expected) => {
    expect(said(content)).toBe(expected);
  });
});

test("a fleet file without a schedule is stored as it always was", () => {
  const [fleet] = parseFleetFile(file("16", []), "fleet.yaml").fleets;
  expect(JSON.stringify(fleet?.wish)).toBe(
    '{"gpus":16,"select":{},"parameters":{},"overshoot":0,"surge":0,"placement":"any","budget":{},"paused":false,"match":"wait"}',
  );
});
