import { describe, expect, it } from "vitest";
import { askStop, storeStop } from "../../launch/ends/stop.ts";
import { archiveEnded } from "../../launch/list/archive.ts";
import { doubtPrice } from "../../launch/money/price-doubt.ts";
import { billsOf, paidBy } from "../../launch/money/spend.ts";
import type { DeploymentRow, IntentRow } from "../../ledger/rows.ts";
import { Prng } from "../../simulator/prng.ts";
import { deploymentAsFound, intentAsFound } from "../support/as-found.ts";
import type { BenchOptions } from "./bench.ts";
import { FLEET, LaunchBench, ROME } from "./bench.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** A bench without the newest machines of each owner that stay. */
function bench(options: BenchOptions = {}): LaunchBench {
  return new LaunchBench({ ...options, settings: { archiveKept: 0, ...options.settings } });
}

const archived = (on: LaunchBench): readonly string[] => on.decide((draft) => [...draft.archive.ids()]);

/** A machine of a fleet that ran for two hours, was interrupted, and has been over for two days. */
function overFor(days = 2, on = bench()): LaunchBench {
  on.machine("old");
  on.advance(2 * HOUR);
  on.show("old", { status: "interrupted", stopReason: "provider_interrupted" });
  on.list();
  // Of the newest launch of a combination the next one depends.
  on.machine("new");
  on.advance(days * DAY);
  on.list();
  return on;
}

describe("a machine that has ended is archived", () => {
  it("with its launch, two days after its end", () => {
    expect(archived(overFor(1.9))).toEqual([]);
    const on = overFor();
    expect(archived(on)).toEqual(["old"]);
    on.decide((draft) => {
      expect([...draft.deployments.keys()]).toEqual(["new"]);
      expect([...draft.intents.keys()]).toEqual([on.row("new").intent]);
      expect(draft.deployments.ever("old")).toMatchObject({ end: "interrupted", owner: FLEET });
    });
  });

  it("and looked at again only if it is shown otherwise", () => {
    const on = overFor();
    on.log.length = 0;
    on.list();
    expect(on.log.filter(({ table }) => table !== "account")).toEqual([]);
    on.show("old", { suggestedAction: "ask them" });
    on.advance(1);
    on.list();
    expect(on.row("old").suggestedAction).toBe("ask them");
    // There is nothing else to know of it.
    on.list();
    expect(archived(on)).toEqual(["old"]);
  });

  it("and brought back if it runs after all", () => {
    const on = overFor();
    on.show("old", { status: "running" });
    on.advance(1);
    on.list();
    expect(archived(on)).toEqual([]);
    expect(on.decide((draft) => draft.deployments.has("old"))).toBe(true);
    expect(on.row("old")).toMatchObject({ end: null, returned: { times: 1 } });
  });

  it("and brought back if its record cannot be read", () => {
    const on = overFor();
    on.shown.delete("old");
    on.unread = [{ id: "old", unread: "status is missing", where: "/status" }];
    on.advance(1);
    on.list();
    expect(archived(on)).toEqual([]);
    expect(on.row("old")).toMatchObject({ sequence: 1, end: "interrupted", flaw: { setAside: true } });
  });

  it("and judged anew under another profile, which may hold its price against its launch's", () => {
    const on = bench();
    const intent = on.machine("old");
    on.machine("new");
    on.wire = { ...on.wire, profileHash: "profile-2" };
    on.show("old", { status: "interrupted", pricePerHour: "99.0000" });
    on.list();
    on.advance(2 * DAY);
    on.list();
    expect(archived(on)).toEqual(["old"]);
    on.wire = { ...on.wire, profileHash: "profile-1" };
    on.advance(1);
    on.list();
    expect(on.intent(intent).pricePerHour).toBe("99");
    on.decide((draft) => expect(draft.deployments.has("old")).toBe(true));
  });

  it("and costs what the balance shows later of its combination", () => {
    const on = overFor();
    const other = overFor(2, bench({ profile: "profile-2" }));
    const paid = (of: LaunchBench) =>
      of.decide((draft, context) => paidBy(draft, FLEET, billsOf(draft, FLEET, context)).toFixed(2));
    const before = paid(on);
    expect(archived(on)).toEqual(["old"]);
    for (const each of [on, other])
      each.decide((draft, context) => {
        const intent = on.intent(on.row("new").intent ?? "");
        if (each === other) intentAsFound(draft, intent);
        doubtPrice(draft, intent, { costs: "128.0000", by: "balance", deployment: "new" }, context);
      });
    expect(Number(paid(on))).toBe(8 * Number(before));
    // Its launch was made under another profile, which may read another price there.
    expect(archived(other)).toEqual(["old"]);
    // It does not go again while that doubt may be dropped.
    on.list();
    expect(archived(on)).toEqual([]);
  });

  it("so that a launch which is answered with its id finds that it was there before", () => {
    const on = overFor();
    const intent = on.launch(ROME);
    expect(on.accept(intent, "old")).toMatchObject({ kind: "open" });
    expect(on.halted).toMatch(/answered with the id old, which was there before it/);
  });

  it("so that its launch's marker is still known", () => {
    const on = bench({ marker: true, shownBack: ["marker"] });
    const intent = on.machine("old");
    on.show("old", { marker: on.intent(intent).marker });
    on.advance(2 * HOUR);
    on.show("old", { status: "interrupted" });
    on.list();
    on.machine("new");
    on.advance(2 * DAY);
    on.list();
    expect(archived(on)).toEqual(["old"]);
    on.show("twin", { marker: on.intent(intent).marker });
    on.advance(1);
    on.list();
    expect(on.row("twin")).toMatchObject({ claim: "certain", owner: FLEET, intent });
  });
});

describe("the newest ended machines of each owner", () => {
  it("stay", () => {
    const on = bench({ settings: { archiveKept: 2 } });
    for (const id of ["a", "b", "c", "d"]) {
      on.machine(id);
      on.show(id, { status: "interrupted" });
      on.advance(MINUTE);
      on.list();
    }
    on.machine("new");
    on.advance(3 * DAY);
    on.list();
    expect(archived(on)).toEqual(["a", "b"]);
  });
});

/** What keeps a machine where it is. Each is changed in the row of one that could go otherwise. */
const STAYS: readonly (readonly [string, (row: DeploymentRow) => Partial<DeploymentRow>])[] = [
  ["a person must say whose it is", () => ({ claim: "disputed" })],
  ["it came back once", () => ({ returned: { times: 1, at: null } })],
  ["its newest record could not be read", () => ({ flaw: { why: "no status", setAside: true } })],
  ["its id was given anew", () => ({ reused: true })],
  ["only its state made it an end", () => ({ status: "parked", end: "stopped", stopReason: null })],
  [
    "only the profile calls its state an end",
    () => ({ status: "terminated", end: "stopped", stopReason: null }),
  ],
  ["its launch is not in the ledger", () => ({ intent: "gone0000" })],
  ["its slot may be filled anew", () => ({ owner: "slot:open" })],
];

describe("a machine that has ended stays where it is while", () => {
  it.each(STAYS)("%s", (_why, changed) => {
    const on = overFor(1.9, bench({ terminal: ["terminated"] }));
    on.decide((draft, { now }) => {
      draft.putSlot({ id: "open", name: "open", created: now, closing: false });
      deploymentAsFound(draft, { ...on.row("old"), ...changed(on.row("old")) });
    });
    on.shown.delete("old");
    on.advance(DAY);
    on.list();
    expect(archived(on)).toEqual([]);
  });

  const LAUNCHES: readonly (readonly [string, (own: IntentRow) => IntentRow])[] = [
    [
      "another launch was answered with its id",
      (own) => ({
        ...own,
        id: "other000",
        state: "absent",
        deployment: null,
        answer: { at: own.stamped, id: "old", reason: "" },
      }),
    ],
    [
      "another launch's answer named it, and it did not show",
      (own) => ({
        ...own,
        id: "other000",
        state: "absent",
        deployment: null,
        answer: { at: own.stamped, id: null, reason: "", unshown: "old" },
      }),
    ],
    [
      "it was reported for another launch",
      (own) => ({ ...own, id: "other000", state: "absent", deployment: null, answer: null, reported: "old" }),
    ],
    [
      "its launch was resolved only now",
      (own) => ({ ...own, resolved: { ...own.stamped, mono: own.stamped.mono + 4 * DAY } }),
    ],
    ["its launch is looked for again", (own) => ({ ...own, state: "absent", deployment: null })],
    ["its launch made another machine, too", (own) => ({ ...own, deployment: "new" })],
  ];
  it.each(LAUNCHES)("%s", (_why, changed) => {
    const on = overFor(1.9);
    // A machine that only an answer named: nothing that shows it resolves the other launch.
    on.shown.delete("old");
    on.decide((draft) => {
      deploymentAsFound(draft, { ...on.row("old"), lastSeen: null });
      intentAsFound(draft, changed(on.intent(on.row("old").intent ?? "")));
    });
    on.advance(DAY);
    on.list();
    expect(archived(on)).toEqual([]);
  });

  it("its price is not known", () => {
    const on = overFor(1.9);
    on.decide((draft) => {
      const row = on.row("old");
      deploymentAsFound(draft, { ...row, pricePerHour: null });
      intentAsFound(draft, { ...on.intent(row.intent ?? ""), pricePerHour: null });
    });
    on.advance(DAY);
    on.list();
    expect(archived(on)).toEqual([]);
  });

  it("its id halts launches, until it shows", () => {
    const on = overFor(1.9);
    on.decide((draft, { wire }) => {
      const known = { proven: true, shown: [], ends: [], halted: { reason: "r", id: "old" } };
      draft.putAccount({ ...draft.account, profiles: { [wire.profileHash]: known } });
    });
    on.advance(DAY);
    on.list();
    expect(archived(on)).toEqual([]);
  });

  it("control: its slot is being deleted", () => {
    const on = overFor(1.9);
    on.decide((draft, { now }) => {
      draft.putSlot({ id: "over", name: "over", created: now, closing: true });
      deploymentAsFound(draft, { ...on.row("old"), owner: "slot:over" });
    });
    on.advance(DAY);
    on.list();
    expect(archived(on)).toEqual(["old"]);
  });

  it("its launch is the newest of its combination", () => {
    const on = bench();
    on.machine("old");
    on.show("old", { status: "interrupted" });
    on.advance(MINUTE);
    on.list();
    on.advance(3 * DAY);
    on.list();
    expect(archived(on)).toEqual([]);
  });

  it("it blocks its combination, having failed for good", () => {
    const on = bench();
    on.wire = { ...on.wire, isRetryable: (code) => code !== "NEVER" };
    on.machine("old", {}, { status: "provisioning" });
    on.show("old", { status: "failed", failureCode: "NEVER" });
    on.advance(MINUTE);
    on.list();
    on.machine("new");
    on.advance(3 * DAY);
    on.list();
    expect(archived(on)).toEqual([]);
    on.wire = { ...on.wire, isRetryable: () => true };
    on.list();
    expect(archived(on)).toEqual(["old"]);
  });

  it("it failed for good under another profile, which may be another process's", () => {
    const on = bench();
    on.machine("old", {}, { status: "provisioning" });
    on.show("old", { status: "failed", failureCode: "NEVER" });
    on.advance(MINUTE);
    on.list();
    on.machine("new");
    on.wire = { ...on.wire, profileHash: "profile-2" };
    on.advance(3 * DAY);
    on.list();
    expect(archived(on)).toEqual([]);
  });

  it("no newer machine of its fleet was ready, so that it counts among those that never were", () => {
    const on = overFor(1.9);
    const ready = { ok: false, since: on.now, ever: false, why: "no answer", gaveUp: "check" };
    on.decide((draft) => {
      for (const id of ["old", "new"]) deploymentAsFound(draft, { ...on.row(id), ready });
    });
    on.advance(DAY);
    on.list();
    expect(archived(on)).toEqual([]);
    on.decide((draft) =>
      deploymentAsFound(draft, {
        ...on.row("new"),
        ready: { ok: true, since: on.now, ever: true, why: null },
      }),
    );
    on.list();
    expect(archived(on)).toEqual(["old"]);
  });

  it("it is the newest of its fleet that was ready", () => {
    const on = overFor(1.9);
    const ready = { ok: true, since: on.now, ever: true, why: null };
    on.decide((draft) => deploymentAsFound(draft, { ...on.row("old"), ready }));
    on.advance(DAY);
    on.list();
    expect(archived(on)).toEqual([]);
  });

  it("unless it was a Deployment's, whose machines in a row nobody counts", () => {
    const on = overFor(1.9);
    const ready = { ok: true, since: on.now, ever: true, why: null };
    on.decide((draft) => deploymentAsFound(draft, { ...on.row("old"), owner: "slot:s1", ready }));
    on.advance(DAY);
    on.list();
    expect(archived(on)).toEqual(["old"]);
  });

  it("the balance may not show its first hour yet", () => {
    const on = overFor(1.9);
    on.decide((draft) => {
      const begun = on.intent(on.row("old").intent ?? "").stamped;
      draft.putAccount({ ...draft.account, balance: { amount: "1", begun } });
    });
    on.advance(DAY);
    on.list();
    expect(archived(on)).toEqual([]);
    on.decide((draft, { now }) =>
      draft.putAccount({ ...draft.account, balance: { amount: "1", begun: now } }),
    );
    on.list();
    expect(archived(on)).toEqual(["old"]);
  });

  it("its launch made one too many, which lives", () => {
    const on = overFor(1.9);
    on.decide((draft) =>
      deploymentAsFound(draft, { ...on.row("new"), id: "twin", intent: on.row("old").intent }),
    );
    on.show("twin");
    on.advance(DAY);
    on.list();
    expect(archived(on)).toEqual([]);
  });

  it("it was adopted, and has ended only now", () => {
    const on = bench();
    on.show("old");
    on.list();
    on.decide((draft, { now }) =>
      deploymentAsFound(draft, { ...on.row("old"), claim: "certain", owner: FLEET, claimed: now }),
    );
    on.show("old", { status: "interrupted", pricePerHour: "1.0000" });
    on.advance(DAY);
    on.list();
    expect(archived(on)).toEqual([]);
    on.advance(2 * DAY);
    on.list();
    expect(archived(on)).toEqual(["old"]);
  });

  it("it was adopted, and another launch reported it as its own late one", () => {
    const on = overFor(1.9);
    on.show("taken");
    on.list();
    on.decide((draft, { now }) =>
      deploymentAsFound(draft, { ...on.row("taken"), claim: "certain", owner: FLEET, claimed: now }),
    );
    on.show("taken", { status: "interrupted", pricePerHour: "1.0000" });
    on.list();
    const own = on.intent(on.row("old").intent ?? "");
    const late = { ...own, id: "late0000", state: "absent", deployment: null, answer: null } as const;
    on.decide((draft) => intentAsFound(draft, { ...late, reported: "taken" }));
    on.advance(3 * DAY);
    on.list();
    expect(archived(on)).toEqual(["old"]);
    on.decide((draft) => intentAsFound(draft, late));
    on.list();
    expect(archived(on)).toEqual(["old", "taken"]);
  });

  const EXPLAINS: readonly (readonly [string, (on: LaunchBench, row: IntentRow) => IntentRow])[] = [
    ["is looked for", (on, row) => ({ ...row, stamped: on.now, answer: null })],
    ["is late", (on, row) => ({ ...row, state: "absent", resolved: on.now })],
    ["found its machine just now", (on, row) => ({ ...row, state: "claimed", resolved: on.now })],
    ["is disputed", (_on, row) => ({ ...row, state: "disputed" })],
  ];
  it.each(EXPLAINS)("it is nobody's, and a launch that may have made it %s", (_why, changed) => {
    const on = bench({ tenure: "shared" });
    on.list();
    const intent = on.send();
    on.show("theirs", { status: "interrupted" });
    on.advance(1);
    on.list();
    on.advance(3 * DAY);
    on.decide((draft) => intentAsFound(draft, changed(on, on.intent(intent))));
    // The list may resolve the launch only after it was asked whether the machine may go.
    on.decide((draft, context) => archiveEnded(draft, { begun: context.now, deployments: [] }, context));
    expect(archived(on)).toEqual([]);
    on.decide((draft) => intentAsFound(draft, { ...on.intent(intent), state: "notSent" }));
    on.decide((draft, context) => archiveEnded(draft, { begun: context.now, deployments: [] }, context));
    expect(archived(on)).toEqual(["theirs"]);
  });
});

describe("while the balance may still show what another launch took", () => {
  /** Two launches after one read of the balance, of which the first one's machine is over at once. */
  function twoLaunches(balance: string | null): LaunchBench {
    const on = bench({ settings: { archive: 1 } });
    on.list();
    if (balance !== null)
      on.decide((draft, { now }) =>
        draft.putAccount({ ...draft.account, balance: { amount: balance, begun: now } }),
      );
    for (const id of ["first", "second"]) on.machine(id, { pricePerHour: "2.5000" });
    on.show("first", { status: "interrupted", stopReason: "provider_interrupted" });
    on.poll(on.settings.settle + 2 * on.settings.poll);
    on.list();
    return on;
  }

  it("nothing is archived that may have moved it", () => {
    const on = twoLaunches("1000.0000");
    // Whatever the first one took would count as the second one's.
    on.decide((draft, { now }) => {
      draft.putAccount({ ...draft.account, balance: { amount: "995.0000", begun: now } });
    });
    on.poll(2 * on.settings.poll);
    on.list();
    expect(archived(on)).toEqual([]);
    on.advance(HOUR);
    on.list();
    expect(archived(on)).toEqual(["first"]);
  });

  it("but where no balance was read it is", () => {
    expect(archived(twoLaunches(null))).toEqual(["first"]);
  });
});

describe("what archived machines have cost", () => {
  it.each([1, 2, 3, 4, 5])("is what they cost before they were archived, on every day (%i)", (seed) => {
    const random = new Prng(`archive ${seed}`);
    const on = bench();
    on.list();
    for (let number = 0; number < 12; number++) {
      const id = `m${number}`;
      const price = (random.integer(1, 400_000) / 10_000).toFixed(4);
      const intent = on.launch({ pricePerHour: price });
      on.accept(intent, id);
      on.show(id, { status: "running" });
      on.advance(random.integer(1, 70 * HOUR));
      on.list();
      const kind = random.pick(["interrupted", "failed", "stopped"] as const);
      if (kind === "stopped")
        on.decide((draft, context) => {
          askStop(draft, id, "a test", context, "for good");
          storeStop(draft, id, { kind: "accepted", said: "the service answered 200" }, context);
        });
      on.show(id, { status: kind, ...(kind === "stopped" ? { stopReason: "user_requested" } : {}) });
      on.advance(random.integer(1, 2 * HOUR));
      on.list();
    }
    const first = Math.floor(on.row("m0").firstSeen.wall / DAY) * DAY;
    const days = Array.from({ length: 60 }, (_, day) => first + day * DAY);
    const sums = () =>
      on.decide((draft, context) => {
        const bills = billsOf(draft, FLEET, context);
        const paid = (from?: number, to?: number) => paidBy(draft, FLEET, bills, from, to).toFixed(6);
        return [paid(), ...days.map((day) => paid(day, day + DAY)), ...days.map((day) => paid(day))];
      });
    const before = sums();
    on.settings = { ...on.settings, archive: 1 };
    on.advance(1);
    on.list();
    expect(archived(on)).toHaveLength(11);
    expect(sums()).toEqual(before);
    on.decide((draft) => draft.recallAll(FLEET));
    expect(sums()).toEqual(before);
  });
});
