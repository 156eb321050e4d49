import { describe, expect, it } from "vitest";
import { settingsFromEnvironment } from "../../launch/settings-environment.ts";

describe("FLEETKEEPER_PROTOCOL", () => {
  const read = (text: string) => settingsFromEnvironment({ FLEETKEEPER_PROTOCOL: text });

  it("changes the times that it names, and no others", () => {
    expect(read('{"poll": 200, "settle": 1000}')).toEqual({ poll: 200, settle: 1000 });
    expect(settingsFromEnvironment({})).toEqual({});
  });

  it.each([
    ["poll=200", "expected a JSON object"],
    ["[200]", "expected a JSON object"],
    ['{"pool": 200}', '"pool"'],
    ['{"poll": "200"}', "poll: "],
    ['{"poll": 0}', "poll: "],
    ['{"settleLists": 1.5}', "settleLists: "],
  ])("refuses %s", (text, message) => {
    expect(() => read(text)).toThrow(message);
  });
});
