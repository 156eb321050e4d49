import { describe, expect, it } from "vitest";
import { outcomeOf } from "../../agent/planning/choices/launch-outcome.ts";
import { refusalHalts } from "../../launch/claim/refused.ts";
import { coolingFor } from "../../launch/facts/cooling.ts";
import type { LaunchAnswer } from "../../service/contract/service.ts";
import { LaunchBench, OSLO, ROME } from "./bench.ts";

const THOUGH = "400 no_port: try another";
const byError = (id: string): LaunchAnswer => ({ kind: "accepted", id, deployment: {}, though: THOUGH });
const SHOWN_BACK = ["offer=h100-8", "provider=north", "location=oslo", "provider=south", "location=rome"];

describe("an error that carries the id of a machine", () => {
  it("is ours under this id: it counts, and people are told what was answered", () => {
    const bench = new LaunchBench();
    const intent = bench.launch();
    expect(bench.answer(intent, byError("m1"))).toEqual({ kind: "claimed", id: "m1" });
    expect(bench.row("m1")).toMatchObject({ claim: "certain", owner: "fleet:web", intent });
    expect(bench.intent(intent).answer?.reason).toContain(`an error that carries this id (HTTP ${THOUGH})`);
    expect(bench.told("refused")).toEqual([
      expect.stringContaining(`HTTP ${THOUGH}; by its own answer it made m1 all the same`),
    ]);
    bench.answer(intent, byError("m1"));
    expect(bench.told("refused")).toHaveLength(1);
  });

  it("must be shown first where it is the first launch under its profile", () => {
    const bench = new LaunchBench({ unproven: true });
    const intent = bench.launch();
    expect(bench.answer(intent, byError("m1")).kind).toBe("open");
    bench.show("m1");
    bench.poll(bench.settings.poll);
    expect(bench.row("m1")).toMatchObject({ claim: "certain", intent });
  });

  it("halts where the id was there before, and names the line", () => {
    const bench = new LaunchBench();
    bench.machine("m1");
    const intent = bench.launch();
    expect(bench.answer(intent, byError("m1")).kind).toBe("open");
    expect(bench.halted).toContain("Check launch.createdAt in the profile");
  });
});

describe("a sold-out answer", () => {
  const SOLD: LaunchAnswer = { kind: "rejected", status: 400, code: "no_stock", cools: 90 };
  const MAYBE: LaunchAnswer = { kind: "unknown", reason: "the service answered 400 no_stock", cools: 90 };

  it("cools its combination, and is no failure of it", () => {
    const bench = new LaunchBench({ combination: true, shownBack: SHOWN_BACK });
    const intent = bench.launch();
    expect(bench.answer(intent, SOLD)).toMatchObject({ kind: "cooling", seconds: 90 });
    expect(bench.told("cooldown")).toEqual([expect.stringContaining("cools for 90 s")]);
    expect(bench.why(bench.admit(OSLO))).toBe("cooling");
    expect(bench.why(bench.admit(ROME))).toBe("admitted");
    expect(outcomeOf(bench.draft, bench.intent(intent))?.outcome).toBe("cooled");
  });

  it("explains a machine that it made, as every other refusal but the specification's own", () => {
    const bench = new LaunchBench();
    const intent = bench.launch();
    bench.answer(intent, SOLD);
    bench.show("m1");
    bench.poll(bench.settings.poll);
    expect(bench.row("m1")).toMatchObject({ claim: "certain", intent });
    bench.advance(90_000);
    const second = bench.launch();
    bench.answer(second, SOLD);
    bench.show("m2");
    bench.advance(90_000);
    bench.list();
    expect(bench.why(bench.admit())).toBe("refusals");
    expect(bench.decide(refusalHalts)).toHaveLength(1);
  });

  it("cools while it is looked for, too, once, and is no failure", () => {
    const bench = new LaunchBench({ combination: true, shownBack: SHOWN_BACK });
    const intent = bench.launch();
    expect(bench.answer(intent, MAYBE).kind).toBe("open");
    bench.advance(30_000);
    bench.answer(intent, MAYBE);
    expect(bench.decide((draft, context) => coolingFor(draft.cooldown(OSLO), context))).toBe(60_000);
    expect(outcomeOf(bench.draft, bench.intent(intent))?.outcome).toBe("cooled");
    bench.untilAbsent();
    expect(bench.intent(intent).state).toBe("absent");
    expect(outcomeOf(bench.draft, bench.intent(intent))?.outcome).toBe("cooled");
  });
});

describe("an uncertain refusal", () => {
  const UNSURE: LaunchAnswer = { kind: "unknown", reason: "the service answered 400 bad" };

  it("holds its place until it is looked for, and its machine is the launch's own", () => {
    const bench = new LaunchBench();
    const intent = bench.launch();
    bench.answer(intent, UNSURE);
    expect(bench.why(bench.admit())).toBe("group");
    bench.show("m1");
    bench.poll(bench.settings.poll);
    expect(bench.row("m1")).toMatchObject({ claim: "certain", intent });
  });

  it("explains a machine that comes late, once it was called absent", () => {
    const bench = new LaunchBench();
    const intent = bench.launch();
    bench.answer(intent, UNSURE);
    bench.untilAbsent();
    bench.show("m1");
    bench.poll(bench.settings.poll);
    expect(bench.row("m1")).toMatchObject({ claim: "certain", intent });
  });
});

describe("launches that go out so far apart", () => {
  const paced = (options = {}): LaunchBench => {
    const bench = new LaunchBench({ combination: true, shownBack: SHOWN_BACK, ...options });
    bench.wire = { ...bench.wire, abilities: { ...bench.wire.abilities, launchEvery: 12_000 } };
    return bench;
  };

  it("wait for the newest one of the account, whoever sent it, however it went", () => {
    const bench = paced();
    const intent = bench.launch(OSLO);
    bench.answer(intent, { kind: "rejected", status: 400, code: "bad" });
    bench.advance(5_000);
    bench.list();
    const other = bench.admit({ ...ROME, owner: "slot:s1" }, 2);
    expect(other).toMatchObject({ refused: { kind: "paced", ms: 7_000 } });
    expect("refused" in other && other.refused.text).toBe(
      "launches go out 12 s apart (limits.launchEvery), so all wait for 7 s more",
    );
    bench.advance(7_000);
    bench.list();
    expect(bench.why(bench.admit({ ...ROME, owner: "slot:s1" }, 2))).toBe("admitted");
  });

  it("do not wait for one that was not sent, and not for longer after a reboot", () => {
    const bench = paced();
    bench.answer(bench.launch(OSLO), { kind: "notSent", reason: "no connection" });
    bench.list();
    expect(bench.why(bench.admit(ROME))).toBe("admitted");

    const rebooted = paced();
    rebooted.answer(rebooted.launch(OSLO), { kind: "rejected", status: 400 });
    rebooted.reboot(-3_600_000);
    rebooted.list();
    const again = rebooted.admit(ROME);
    expect("refused" in again ? again.refused.ms : 0).toBeLessThanOrEqual(12_000);
  });
});
