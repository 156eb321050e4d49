import { describe, expect, it } from "vitest";
import { declareFleet } from "../../agent/fleet/declare/fleets.ts";
import { type WishInput, wishSchema } from "../../agent/fleet/wish/wish.ts";
import { labelsOf } from "../../launch/facts/labels.ts";
import { adopt, disown } from "../../launch/people/operator.ts";
import { enterSlot, setLabels } from "../../launch/people/slot.ts";
import { FLEET, LaunchBench } from "./bench.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const VISION = { team: "vision" };

function declare(on: LaunchBench, labels: WishInput["labels"], name = "web"): void {
  const wish = wishSchema.parse({ gpus: 8, select: {}, labels });
  on.decide((draft, context) => declareFleet(draft, { name, source: "file:/f.yaml", wish }, context));
}

const labelsNow = (on: LaunchBench, id: string) =>
  on.decide((draft) => labelsOf(draft, draft.deployments.ever(id) as never));

describe("a machine is paid for under the labels", () => {
  it("that its fleet had when it was launched, whatever the fleet has now", () => {
    const on = new LaunchBench();
    declare(on, VISION);
    on.machine("m1");
    declare(on, { team: "speech" });
    on.machine("m2");
    declare(on, undefined);
    on.machine("m3");
    expect(["m1", "m2", "m3"].map((id) => labelsNow(on, id))).toEqual([VISION, { team: "speech" }, {}]);
  });

  it("of its slot, and those of the adopter where somebody takes it", () => {
    const on = new LaunchBench();
    on.decide((draft, context) => {
      enterSlot(draft, "s1", "trainer", context);
      setLabels(draft, "s1", VISION);
    });
    on.machine("m1", { owner: "slot:s1" });
    expect(labelsNow(on, "m1")).toEqual(VISION);
    declare(on, { team: "speech" });
    on.decide((draft, context) => disown(draft, "m1", context));
    on.decide((draft, context) => adopt(draft, "m1", FLEET, context));
    expect(labelsNow(on, "m1")).toEqual({ team: "speech" });
    declare(on, VISION);
    on.decide((draft, context) => adopt(draft, "m1", FLEET, context));
    expect(labelsNow(on, "m1")).toEqual({ team: "speech" });
  });

  it("and the archive keeps them beside what it cost", () => {
    const on = new LaunchBench({ settings: { archiveKept: 0 } });
    declare(on, VISION);
    on.machine("old");
    on.advance(2 * HOUR);
    on.show("old", { status: "interrupted", stopReason: "provider_interrupted" });
    on.list();
    declare(on, { team: "speech" });
    on.machine("new");
    on.advance(3 * DAY);
    on.list();
    on.decide(({ archive }) => {
      expect([...archive.ids()]).toEqual(["old"]);
      const spent = (team: string) =>
        archive.spent(FLEET, undefined, undefined, (labels) => labels.team === team).toFixed();
      expect([spent("vision"), spent("speech"), archive.spent(FLEET).toFixed()]).toEqual([
        "32.0001",
        "0",
        "32.0001",
      ]);
      expect(archive.labelsOf(FLEET)).toEqual([VISION]);
    });
  });
});

describe("labels are refused that", () => {
  it.each([
    ["have a name with a space", { "the team": "x" }, "expected a name of letters"],
    ["have an empty value", { team: "" }, "expected letters"],
    ["are a formula to a spreadsheet", { team: "=1+1" }, "expected letters"],
    ["are longer than a name", { team: "x".repeat(64) }, "63 at most"],
    ["are a fraction", { team: 1.5 }, "write it in quotes"],
    [
      "are more than 16",
      Object.fromEntries(Array.from({ length: 17 }, (_, n) => [`k${n}`, "x"])),
      "at most 16",
    ],
  ])("%s", (_, labels, says) => {
    const parsed = wishSchema.safeParse({ gpus: 8, select: {}, labels });
    expect(JSON.stringify(parsed.error?.issues)).toContain(says);
  });
});

it("labels stand in the order of their names, however they are written", () => {
  const { labels } = wishSchema.parse({ gpus: 8, select: {}, labels: { team: "vision", project: 7 } });
  expect(JSON.stringify(labels)).toBe('{"project":"7","team":"vision"}');
});
