import { describe, expect, it } from "vitest";
import { settingsFromEnvironment } from "../../launch/facts/settings-environment.ts";

describe("FLEETKEEPER_PROTOCOL", () => {
  const read = (text: string) => settingsFromEnvironment({ FLEETKEEPER_PROTOCOL: text });

  it("changes the times that it names, and no others", () => {
    expect(read('{"poll": 200, "settle": 1000}')).toEqual({ poll: 200, settle: 1000 });
    expect(settingsFromEnvironment({})).toEqual({});
  });

  it("reads durations as fleet files have them", () => {
    expect(read('{"poll": "90s", "settle": "1h30m", "settleLists": 4}')).toEqual({
      poll: 90_000,
      settle: 5_400_000,
      settleLists: 4,
    });
  });

  it.each([
    ["poll=200", "expected a JSON object"],
    ["[200]", "expected a JSON object"],
    ['{"pool": 200}', "pool: "],
    ['{"poll": "200"}', 'poll: expected a duration such as 90s, 1h30m or 7d, got "200". Known are'],
    ['{"settle": true}', "settle: expected a duration such as 90s, 1h30m or 7d, got true"],
    ['{"pol": "60s"}', 'pol: is not a known key: did you mean "poll"?'],
    ['{"poll": 0}', "poll: expected a duration of at most 7d, got 0"],
    ['{"poll": "200h"}', 'poll: expected a duration of at most 7d, got "200h"'],
    ['{"settleLists": 1.5}', "settleLists: "],
  ])("refuses %s", (text, message) => {
    expect(() => read(text)).toThrow(message);
  });
});
