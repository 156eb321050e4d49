import { describe, expect, it } from "vitest";
import { groupOf } from "../../launch/claim/groups.ts";
import { LaunchBench, OSLO, ROME } from "./bench.ts";

const known = (...shown: string[]) => ({ proven: true, shown, ends: [], halted: null });
const ABLE = { marker: true, combination: true };
const SHOWN = ["offer=h100-8", "provider=north", "location=oslo"];

it.each([
  ["a marker that was shown back", ABLE, known("marker"), "marker:i1"],
  ["a marker that is mapped only", ABLE, known(), "account"],
  [
    "a marker that was shown back under a profile which no longer maps it",
    { marker: false, combination: false },
    known("marker"),
    "account",
  ],
  [
    "a combination of which each value was shown back",
    ABLE,
    known(...SHOWN),
    'combination:["h100-8","north","oslo"]',
  ],
  ["a combination of which one value was not", ABLE, known(...SHOWN.slice(1)), "account"],
  [
    "what is left of a combination whose provider the profile says of every deployment",
    { marker: false, combination: true, constants: ["provider"] as const },
    known("offer=h100-8", "location=oslo"),
    'combination:["h100-8","","oslo"]',
  ],
  ["nothing", { marker: false, combination: false }, known(), "account"],
])("tells apart by %s", (_what, abilities, knowledge, group) => {
  expect(groupOf({ id: "i1", ...OSLO }, abilities, knowledge)).toBe(group);
});

describe("one open launch a group", () => {
  it("waits in the whole account as long as nothing tells apart", () => {
    const bench = new LaunchBench();
    bench.launch();
    expect(bench.why(bench.admit({ ...ROME }))).toBe("group");
  });

  it("waits in one combination, and not in another one", () => {
    const bench = new LaunchBench({
      combination: true,
      shownBack: [...SHOWN, "provider=south", "location=rome"],
    });
    bench.launch();
    expect(bench.why(bench.admit())).toBe("group");
    expect(bench.why(bench.admit({ ...ROME }))).toBe("admitted");
  });

  it("never takes for shown back what the profile itself says of every deployment", () => {
    const bench = new LaunchBench({ combination: true, shownBack: ["location=oslo"] });
    bench.wire = { ...bench.wire, abilities: { ...bench.wire.abilities, constants: ["provider"] } };
    bench.machine("m1", {}, OSLO);
    expect(bench.rows.account.profiles["profile-1"]?.shown).toEqual(["location=oslo", "offer=h100-8"]);
    bench.launch();
    // The profile would say north of it as well: no list tells the two apart.
    expect(bench.why(bench.admit({ ...OSLO, provider: "south" }))).toBe("group");
  });

  it("waits for nobody with a marker", () => {
    const bench = new LaunchBench({ marker: true, shownBack: ["marker"] });
    bench.launch();
    expect(bench.why(bench.admit())).toBe("admitted");
  });

  it("waits where a combination that was never shown back meets one that was", () => {
    const bench = new LaunchBench({ combination: true, shownBack: SHOWN });
    bench.launch();
    expect(bench.why(bench.admit({ ...ROME }))).toBe("group");
  });

  it("waits for a launch under another profile, which reads lists differently", () => {
    const bench = new LaunchBench({ marker: true, shownBack: ["marker"] });
    bench.launch();
    bench.wire = { ...bench.wire, profileHash: "profile-2" };
    bench.decide((draft) => {
      const { profiles } = draft.account;
      draft.putAccount({ ...draft.account, profiles: { ...profiles, "profile-2": known("marker") } });
    });
    expect(bench.why(bench.admit())).toBe("group");
  });
});

describe.each(["exclusive", "shared"] as const)(
  "two lost launches of two places, on an account that is %s",
  (tenure) => {
    function lostTwo(): { bench: LaunchBench; oslo: string; rome: string } {
      const shownBack = [...SHOWN, "provider=south", "location=rome"];
      const bench = new LaunchBench({ tenure, combination: true, shownBack });
      const [oslo, rome] = [bench.launch({}, 1), bench.launch({ ...ROME }, 2)];
      bench.lose(oslo);
      bench.lose(rome);
      for (const id of ["m1", "m2"]) bench.show(id, { status: "connecting" });
      bench.untilAbsent();
      return { bench, oslo, rome };
    }

    it("wait until machines show which place they are of", () => {
      const { bench, oslo, rome } = lostTwo();
      expect([bench.intent(oslo).state, bench.intent(rome).state]).toEqual(["open", "open"]);
      expect(bench.intent(rome).detail).toContain("does not show yet whose it is");
      bench.show("m1", { status: "running", ...ROME });
      bench.show("m2", { status: "running", ...OSLO });
      bench.poll(bench.settings.poll);
      expect([bench.row("m1").intent, bench.row("m2").intent]).toEqual([rome, oslo]);
    });

    it("explain both where no place is ever shown", () => {
      const { bench, oslo, rome } = lostTwo();
      for (const id of ["m1", "m2"]) bench.show(id, { status: "running" });
      bench.poll(bench.settings.settle + bench.settings.poll);
      expect([bench.row("m1").intent, bench.row("m2").intent]).toEqual([oslo, rome]);
      expect([bench.intent(oslo).state, bench.intent(rome).state]).toEqual(["claimed", "claimed"]);
    });

    function failedBeforeItsPlace(...alsoShown: readonly string[]) {
      const shownBack = [...SHOWN, "provider=south", "location=rome", ...alsoShown];
      const bench = new LaunchBench({ tenure, combination: true, shownBack });
      const [oslo, rome] = [bench.launch({}, 1), bench.launch({ ...ROME }, 2)];
      bench.lose(oslo);
      bench.lose(rome);
      bench.show("m1", { status: "failed" });
      return { bench, oslo, rome };
    }

    it("are both looked for to the end if one machine failed before it showed its place: it may be either's", () => {
      const { bench, oslo, rome } = failedBeforeItsPlace();
      bench.poll(bench.settings.postTimeout);
      expect([bench.intent(oslo).state, bench.intent(rome).state]).toEqual(["open", "open"]);
      bench.show("m2", { status: "running", ...OSLO });
      bench.poll(bench.settings.poll);
      expect([bench.row("m1").intent, bench.row("m2").intent]).toEqual([rome, oslo]);
    });

    it("are over once both were looked for, and one machine failed", () => {
      const { bench, oslo, rome } = failedBeforeItsPlace("location=bergen");
      // One that began after it failed did not make it, and holds nothing up.
      bench.poll(bench.settings.postTimeout);
      bench.lose(bench.launch({ location: "bergen" }, 3));
      bench.poll(bench.settings.settle + 2 * bench.settings.poll);
      expect([bench.intent(oslo).state, bench.intent(rome).state]).toEqual(["claimed", "absent"]);
    });

    it("are resolved by machines that end, too", () => {
      const { bench, oslo, rome } = lostTwo();
      for (const id of ["m1", "m2"]) bench.show(id, { status: "failed" });
      bench.poll(bench.settings.poll);
      expect([bench.intent(oslo).state, bench.intent(rome).state]).toEqual(["claimed", "claimed"]);
    });
  },
);

describe("what is shown back", () => {
  const shown = (bench: LaunchBench): readonly string[] =>
    bench.rows.account.profiles["profile-1"]?.shown ?? [];

  it("is learned from an answered launch that a list shows", () => {
    const bench = new LaunchBench({ combination: true, marker: true });
    const intent = bench.launch();
    bench.accept(intent, "m1", { ...OSLO });
    expect(shown(bench)).toEqual([]);
    bench.show("m1", { ...OSLO, marker: bench.intent(intent).marker });
    bench.advance(1_000);
    bench.list();
    expect(shown(bench)).toEqual(["marker", ...SHOWN]);
  });

  it("is not learned from what comes back different, or from a launch that was only found", () => {
    const bench = new LaunchBench({ combination: true });
    bench.machine("m1", {}, { ...OSLO, location: "Oslo, Norway" });
    expect(shown(bench)).toEqual(["offer=h100-8", "provider=north"]);
    const other = new LaunchBench({ combination: true });
    other.lose(other.launch());
    other.show("m1", OSLO);
    other.advance(1_000);
    other.list();
    expect(other.row("m1").claim).toBe("certain");
    expect(shown(other)).toEqual([]);
  });

  it("excludes a machine of another combination from then on", () => {
    const bench = new LaunchBench({ tenure: "shared", combination: true, shownBack: SHOWN });
    const intent = bench.launch();
    bench.lose(intent);
    bench.show("theirs", ROME);
    bench.advance(1_000);
    bench.list();
    expect(bench.intent(intent).state).toBe("open");
    bench.show("ours", OSLO);
    bench.advance(1_000);
    bench.list();
    expect(bench.intent(intent).deployment).toBe("ours");
  });
});
