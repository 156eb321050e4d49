import { expect, test } from "vitest";
import { LaunchBench, OSLO } from "../launch/bench.ts";

function cooled(): LaunchBench {
  const bench = new LaunchBench();
  const refusal = { kind: "rejected", status: 503, code: "offer_cooling_down", retryAfter: 45 } as const;
  bench.answer(bench.launch(OSLO), refusal);
  return bench;
}

test.each([{ offer: "h100-4" }, { provider: "south" }, { location: "rome" }])(
  "a cooldown is for the exact combination: another one may be launched at once: %j",
  (other) => {
    expect(cooled().why(cooled().admit(OSLO))).toBe("cooling");
    const bench = cooled();
    expect(bench.why(bench.admit({ ...OSLO, ...other }))).toBe("admitted");
  },
);
