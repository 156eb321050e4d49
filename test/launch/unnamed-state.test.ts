import { describe, expect, it } from "vitest";
import { askStop, storeStop } from "../../launch/ends/stop.ts";
import type { ProfileKnowledge } from "../../ledger/rows.ts";
import { LaunchBench } from "./bench.ts";

/** A machine just launched, in a state that neither the specification nor the profile names. */
function queued(bench = new LaunchBench(), id = "m1"): LaunchBench {
  bench.machine(id, {}, { status: "queued" });
  return bench;
}

function stop(bench: LaunchBench, id = "m1"): void {
  bench.decide((draft, context) => askStop(draft, id, "surplus", context));
  bench.decide((draft, context) =>
    storeStop(draft, id, { kind: "accepted", said: "the service answered 200" }, context),
  );
}

function show(bench: LaunchBench, id: string, status: string): string | null {
  bench.show(id, { status });
  bench.poll(bench.settings.poll);
  return bench.row(id).end;
}

const known = (bench: LaunchBench): ProfileKnowledge | undefined =>
  bench.rows.account.profiles[bench.wire.profileHash];

/** The profile knows "queued" as an end, as an older version learned it. */
function learned(): LaunchBench {
  const bench = new LaunchBench();
  bench.decide((draft, { wire }) => {
    const profile = draft.account.profiles[wire.profileHash] as ProfileKnowledge;
    const profiles = { [wire.profileHash]: { ...profile, ends: ["terminated", "queued"] } };
    draft.putAccount({ ...draft.account, profiles });
  });
  return bench;
}

describe("a state that the machine was in when it was stopped", () => {
  it("is no end while lists may be from before the stop", () => {
    const bench = queued();
    stop(bench);
    bench.poll(bench.settings.settle - bench.settings.poll);
    expect(bench.row("m1").end).toBeNull();
    expect(known(bench)?.ends).toEqual([]);
  });

  it("ends this machine once two lists are surely newer than the stop, and no other one", () => {
    const bench = queued();
    stop(bench);
    bench.poll(bench.settings.settle + 2 * bench.settings.poll);
    expect(bench.row("m1").end).toBe("stopped");
    expect(known(bench)?.ends).toEqual([]);
    queued(bench, "m2");
    expect(bench.row("m2").end).toBeNull();
  });

  it("ends one that a person had stopped unseen, once we stop it too", () => {
    const bench = new LaunchBench();
    bench.machine("m1");
    expect(show(bench, "m1", "terminated")).toBeNull();
    bench.decide((draft, context) => askStop(draft, "m1", "destroyed", context));
    bench.decide((draft, context) =>
      storeStop(draft, "m1", { kind: "gone", said: "the service answered 404" }, context),
    );
    bench.poll(30_000);
    expect(bench.row("m1").end).toBeNull();
    bench.poll(bench.settings.settle + bench.settings.poll);
    expect(bench.row("m1").end).toBe("stopped");
  });

  it("is no end in old lists either that come after newer ones", () => {
    const bench = queued();
    stop(bench);
    expect(show(bench, "m1", "stopping")).toBeNull();
    expect(show(bench, "m1", "queued")).toBeNull();
    bench.poll(30_000);
    expect(bench.row("m1").end).toBeNull();
    expect(show(bench, "m1", "terminated")).toBeNull();
    bench.poll(bench.settings.poll);
    expect(bench.row("m1").end).toBe("stopped");
    expect(known(bench)?.ends).toEqual(["terminated"]);
  });

  it("waits by the clock of this boot, also if it was set back", () => {
    const bench = queued();
    stop(bench);
    bench.reboot(-3_600_000);
    bench.poll(30_000);
    expect(bench.row("m1").end).toBeNull();
    bench.poll(bench.settings.settle + 2 * bench.settings.poll);
    expect(bench.row("m1").end).toBe("stopped");
  });
});

describe("a state that counts as an end by mistake", () => {
  it("is none from the moment on in which a fresh launch is in it", () => {
    const bench = queued(learned());
    expect(bench.row("m1").end).toBeNull();
    expect(known(bench)).toMatchObject({ ends: ["terminated"], living: ["queued"] });
    expect(bench.told("distrust")).toEqual([expect.stringContaining("deployments.states.aliases")]);
    bench.poll(60_000);
    expect(bench.told("distrust")).toHaveLength(1);
  });

  it("is none if the answer of a launch shows it", () => {
    const bench = learned();
    bench.accept(bench.launch(), "m1", { status: "queued" });
    expect(bench.row("m1").end).toBeNull();
    expect(known(bench)?.ends).toEqual(["terminated"]);
  });

  it("is none if a launch that was seen on its way is in it next", () => {
    const bench = learned();
    bench.machine("m1", {}, { status: "initializing" });
    expect(show(bench, "m1", "queued")).toBeNull();
  });

  it("is none if a machine comes back from it, and those that ended by it are taken back", () => {
    const bench = learned();
    for (const id of ["m1", "m2"]) bench.machine(id);
    bench.show("m1", { status: "queued" });
    expect(show(bench, "m2", "queued")).toBe("stopped");
    bench.poll(bench.settings.settle);
    expect(show(bench, "m1", "running")).toBeNull();
    bench.poll(bench.settings.poll);
    expect(bench.row("m2").end).toBeNull();
    expect(known(bench)?.ends).toEqual(["terminated"]);
  });

  it("stays an end where an older list shows the machine as it was before", () => {
    const bench = learned();
    bench.machine("m1");
    expect(show(bench, "m1", "terminated")).toBe("stopped");
    expect(show(bench, "m1", "running")).toBeNull();
    // Slowly: it came back, as far as anybody can tell.
    expect(show(bench, "m1", "terminated")).toBeNull();
    bench.poll(bench.settings.settle);
    bench.look("m1");
    expect(bench.row("m1").end).toBe("stopped");
    expect(known(bench)?.ends).toContain("terminated");
  });

  it.each([
    ["it had run", (bench: LaunchBench) => bench.machine("m1")],
    ["we stopped it", (bench: LaunchBench) => stop(bench)],
    ["nobody knows who launched it", (bench: LaunchBench) => bench.shown.delete("m1")],
  ])("stays an end if %s", (_why, before) => {
    const bench = learned();
    if (_why !== "it had run") bench.machine("m1", {}, { status: "initializing" });
    before(bench);
    const id = _why.startsWith("nobody") ? "m9" : "m1";
    expect(show(bench, id, "queued")).toBe("stopped");
    expect(known(bench)?.ends).toContain("queued");
  });
});

it("does not touch what an older version wrote, of which nobody knows whether it ran", () => {
  const bench = learned();
  bench.machine("m1", {}, { status: "initializing" });
  bench.decide((draft) => {
    const { young: _young, ...older } = bench.row("m1");
    draft.putDeployment(older);
  });
  expect(show(bench, "m1", "queued")).toBe("stopped");
});
