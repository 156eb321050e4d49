import { describe, expect, it } from "vitest";
import { forgetRefusals } from "../../launch/admit/spent-refusals.ts";
import { refusalHalts } from "../../launch/claim/refused.ts";
import { disown, resume } from "../../launch/people/operator.ts";
import type { LaunchAnswer } from "../../service/contract/service.ts";
import { LaunchBench, OSLO, ROME } from "./bench.ts";

const REFUSED: LaunchAnswer = { kind: "rejected", status: 400, code: "invalid_request" };
const COOLING: LaunchAnswer = { kind: "rejected", status: 503, code: "offer_cooling_down", retryAfter: 1 };
const SHOWN_BACK = ["offer=h100-8", "provider=north", "location=oslo", "provider=south", "location=rome"];

function refused(bench: LaunchBench, where: typeof OSLO | typeof ROME = OSLO, answer = REFUSED): string {
  const intent = bench.launch(where);
  bench.answer(intent, answer);
  return intent;
}

/** A launch that is refused, and its machine in the next list. */
function made(bench: LaunchBench, id: string, where: typeof OSLO | typeof ROME = OSLO): string {
  const intent = refused(bench, where);
  bench.show(id, where);
  bench.poll(bench.settings.poll);
  return intent;
}

describe("a machine that a refused launch made", () => {
  it("is claimed on an exclusive account, and people are told how", () => {
    const bench = new LaunchBench();
    const intent = made(bench, "m1");
    expect(bench.row("m1")).toMatchObject({ claim: "certain", owner: "fleet:web", intent });
    expect(bench.told("claimed").at(-1)).toContain("though it was refused (HTTP 400 invalid_request");
    expect(bench.told("halted")).toEqual([]);
    expect(bench.why(bench.admit())).toBe("admitted");
  });

  it("is looked at before anything else of its group is launched", () => {
    const bench = new LaunchBench();
    refused(bench);
    bench.show("m1");
    bench.advance(1_000);
    // The list is judged at once: only a launch that is open meanwhile keeps it from that.
    const open = bench.launch();
    expect(bench.row("m1").claim).toBe("certain");
    bench.show("m2");
    bench.answer(open, REFUSED);
    bench.list();
    expect(bench.row("m2").claim).toBe("certain");
  });

  it("is explained for 24 hours, and never by a cooldown", () => {
    const late = new LaunchBench();
    refused(late);
    late.advance(late.settings.lateArrival);
    late.show("m1");
    late.list();
    expect(late.row("m1").claim).toBeNull();

    const cooled = new LaunchBench();
    refused(cooled, OSLO, COOLING);
    cooled.show("m1");
    cooled.poll(cooled.settings.poll);
    expect(cooled.row("m1").claim).toBeNull();
  });

  it("is reported on a shared account, once, and holds nothing", () => {
    const bench = new LaunchBench({ tenure: "shared" });
    made(bench, "m1");
    bench.poll(bench.settings.poll);
    expect(bench.row("m1").claim).toBeNull();
    expect(bench.told("unclaimed")).toEqual([
      expect.stringContaining("m1 may be what the refused launch of"),
    ]);
    expect(bench.why(bench.admit())).toBe("admitted");
  });

  it("was surely made by a launch that asked for what it is, if lists show that", () => {
    const bench = new LaunchBench({ combination: true });
    const oslo = refused(bench, OSLO);
    const rome = refused(bench, ROME);
    bench.show("m1", OSLO);
    bench.poll(bench.settings.poll);
    expect(bench.row("m1").intent).toBe(oslo);
    bench.show("m2", ROME);
    bench.poll(bench.settings.poll);
    expect(bench.row("m2").intent).toBe(rome);
  });

  it("takes nothing that an absent or an open launch explains", () => {
    const bench = new LaunchBench();
    const absent = bench.launch();
    bench.lose(absent);
    bench.untilAbsent();
    const no = refused(bench);
    const open = bench.launch();
    bench.lose(open);
    bench.show("m1");
    bench.poll(bench.settings.poll);
    expect(bench.row("m1").intent).toBe(open);
    bench.show("m2");
    bench.poll(bench.settings.poll);
    expect(bench.row("m2").intent).toBe(absent);
    expect(bench.intent(no).state).toBe("rejected");
    bench.show("m3");
    bench.poll(bench.settings.poll);
    expect(bench.row("m3").intent).toBe(no);
  });

  it("disputes a stranger's machine beside an open launch of a shared account as before", () => {
    const bench = new LaunchBench({ tenure: "shared" });
    refused(bench);
    const open = bench.launch();
    bench.lose(open);
    bench.show("m1");
    bench.show("m2");
    bench.poll(bench.settings.poll);
    expect(bench.intent(open).state).toBe("disputed");
  });
});

describe("the second one of a combination", () => {
  it("halts launches there and nowhere else, until a person resumes", () => {
    const bench = new LaunchBench({ combination: true, shownBack: SHOWN_BACK });
    made(bench, "m1");
    made(bench, "m2");
    expect(bench.told("halted")).toEqual([
      expect.stringMatching(/h100-8.*made machines all the same: m1, m2.*fleetkeeper resume/),
    ]);
    expect(bench.why(bench.admit(OSLO))).toBe("refusals");
    expect(bench.why(bench.admit(ROME))).toBe("admitted");
    expect(bench.decide(refusalHalts)).toHaveLength(1);
    bench.advance(1_000);
    expect(bench.decide(resume).refusals).toBe(1);
    expect(bench.decide(refusalHalts)).toEqual([]);
    bench.list();
    expect(bench.why(bench.admit(OSLO))).toBe("admitted");
  });

  it("halts although both machines ended days ago: it stands until a person has looked", () => {
    const bench = new LaunchBench({ settings: { archiveKept: 0 } });
    made(bench, "m1");
    made(bench, "m2");
    for (const id of ["m1", "m2"]) bench.show(id, { status: "failed" });
    bench.list();
    bench.advance(4 * 24 * 3_600_000);
    bench.list();
    expect(bench.why(bench.admit())).toBe("refusals");
  });

  it("halts on a shared account if both came soon, unless one is disowned", () => {
    const bench = new LaunchBench({ tenure: "shared" });
    made(bench, "m1");
    made(bench, "m2");
    expect(bench.told("halted")).toHaveLength(1);
    expect(bench.why(bench.admit())).toBe("refusals");
    bench.decide((draft, context) => disown(draft, "m1", context));
    expect(bench.why(bench.admit())).toBe("admitted");

    const later = new LaunchBench({ tenure: "shared" });
    refused(later);
    refused(later);
    later.poll(later.settings.settle);
    later.show("theirs");
    later.show("theirs2");
    later.poll(later.settings.poll);
    expect(later.told("unclaimed")).toHaveLength(2);
    expect(later.told("halted")).toEqual([]);
  });

  it("halts where a marker shows whose they are", () => {
    const bench = new LaunchBench({ tenure: "shared", marker: true, shownBack: ["marker"] });
    for (const id of ["m1", "m2"]) {
      const intent = refused(bench);
      bench.show(id, { marker: bench.intent(intent).marker });
      bench.poll(bench.settings.poll);
      expect(bench.row(id).claim).toBe("certain");
    }
    expect(bench.told("halted")).toHaveLength(1);
  });
});

it("a refusal is kept for as long as it explains a machine, the newest of each kind", () => {
  const bench = new LaunchBench({ combination: true, shownBack: SHOWN_BACK });
  const first = refused(bench, OSLO);
  refused(bench, OSLO);
  bench.advance(10 * 3_600_000);
  for (let times = 0; times < 100; times++) {
    bench.advance(bench.settings.poll);
    refused(bench, ROME);
  }
  bench.decide(forgetRefusals);
  expect(bench.draft.intents.ever(first) !== undefined).toBe(true);
  expect(bench.rows.intents.length).toBeLessThan(110);
});
