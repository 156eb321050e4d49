import { describe, expect, test } from "vitest";
import { clean } from "../../agent/fleet/text/text.ts";
import type { WishInput } from "../../agent/fleet/wish/wish.ts";
import {
  adoptInitially,
  matchFurther,
  matchingFleets,
} from "../../agent/planning/machines/initial-adoption.ts";
import { markerOf } from "../../launch/claim/groups.ts";
import { DEFAULT_SETTINGS } from "../../launch/facts/context.ts";
import { changeTenure } from "../../launch/people/operator.ts";
import { parseUsd } from "../../service/contract/money.ts";
import type { Offer } from "../../service/contract/service.ts";
import type { BenchOptions, LaunchBench } from "../launch/bench.ts";
import { FLEET } from "../launch/bench.ts";
import { deploymentAsFound } from "../support/as-found.ts";
import { EIGHT, fleetBench, OSLO, planOn, ROME, SINGLE } from "./on-bench.ts";

const wish: WishInput = { gpus: 16, candidates: [EIGHT] };
const OFFERS: readonly Offer[] = [{ ...OSLO, gpus: 8, gpuModel: "H100", available: true }];

function unborn(given: WishInput = wish, options: BenchOptions = {}): LaunchBench {
  return fleetBench(given, options, { born: false });
}

/** One more list, as much later as the second one of a birth has to be, and what it means for the fleet. */
function look(on: LaunchBench, offers?: readonly Offer[], later = DEFAULT_SETTINGS.gone): void {
  on.advance(later);
  on.list();
  on.decide((draft, context) => {
    const fleet = draft.fleets.get("web");
    if (fleet && draft.account.list) adoptInitially(draft, fleet, draft.account.list, offers, context);
  });
}

function isBorn(on: LaunchBench): boolean | undefined {
  return on.draft.fleets.get("web")?.born;
}

function reasonOf(on: LaunchBench, offers?: readonly Offer[]): string {
  return planOn(on, { offers }).reasons.join();
}

const taken = (on: LaunchBench): readonly string[] =>
  [...on.draft.deployments.values()].filter(({ owner }) => owner === FLEET).map(({ id }) => id);

describe("a fleet is born", () => {
  test("by two lists where nothing is there, and launches nothing before", () => {
    const on = unborn();
    look(on);
    expect(isBorn(on)).toBe(false);
    expect(planOn(on).launches).toEqual([]);
    look(on);
    expect(isBorn(on)).toBe(true);
    expect(planOn(on).launches).toHaveLength(2);
  });

  test("and until its second look it may take what runs", () => {
    const on = unborn();
    const matching = (): readonly string[] => on.decide(matchingFleets);
    on.show("m1", { ...OSLO, offer: "other" });
    expect(matching()).toEqual(["web"]);
    look(on);
    expect(matching()).toEqual(["web"]);
    look(on, undefined, DEFAULT_SETTINGS.gone - 1);
    expect(matching()).toEqual(["web"]);
    look(on, undefined, 1);
    expect(isBorn(on)).toBe(false);
    expect(matching()).toEqual([]);
  });

  test("not before its two lists are as far apart as those that show a machine to be gone", () => {
    const on = unborn();
    look(on);
    look(on, undefined, DEFAULT_SETTINGS.gone - 1);
    expect(isBorn(on)).toBe(false);
    expect(reasonOf(on)).toContain("two agreeing lists, 60 s apart, are taken first");
    expect(planOn(on).wake).toBe(1);
    look(on, undefined, 1);
    expect(isBorn(on)).toBe(true);
  });

  test("at once where lists were read for so long already, and anew where they were not for a while", () => {
    const on = unborn();
    on.poll(DEFAULT_SETTINGS.gone);
    look(on, undefined, DEFAULT_SETTINGS.poll);
    look(on, undefined, 1);
    expect(isBorn(on)).toBe(true);
    const broken = unborn();
    broken.poll(DEFAULT_SETTINGS.gone);
    look(broken, undefined, DEFAULT_SETTINGS.gone + 1);
    look(broken, undefined, 1);
    expect(isBorn(broken)).toBe(false);
  });

  test("by the clock of this boot, if a reboot set it back in between", () => {
    const on = unborn();
    look(on);
    on.reboot(-3_600_000);
    look(on);
    look(on);
    expect(isBorn(on)).toBe(true);
  });

  test("not by two lists of which the second shows a machine that the first did not", () => {
    const on = unborn();
    look(on);
    on.show("m1", OSLO);
    look(on);
    expect(isBorn(on)).toBe(false);
    look(on);
    expect(taken(on)).toEqual(["m1"]);
  });

  test("with the machines that fit on an exclusive account, those that start among them", () => {
    const on = unborn();
    on.show("m1", { ...OSLO, status: "provisioning" });
    look(on);
    look(on);
    expect(isBorn(on)).toBe(true);
    expect(on.row("m1")).toMatchObject({ claim: "certain", owner: FLEET, expectedGpus: 8 });
    expect(planOn(on).launches).toHaveLength(1);
  });

  test("with the price of the candidate that a machine is, where the service shows none", () => {
    const on = unborn({ ...wish, budget: { perHour: "40", total: "100" } });
    on.show("m1", OSLO);
    look(on);
    look(on);
    const admission = on.admit({ limits: { perHour: parseUsd("40"), total: parseUsd("100") } });
    expect(on.why(admission)).toBe("admitted");
    on.advance(5 * 3_600_000 + 56 * 60_000);
    on.list();
    expect(planOn(on)).toMatchObject({ desired: 0, stops: [{ id: "m1" }] });
    const dearer = unborn();
    dearer.show("m1", { ...OSLO, pricePerHour: "17.0000" });
    look(dearer);
    look(dearer);
    expect(dearer.row("m1").pricePerHour).toBe("17.0000");
  });

  test.each([0, 4])(
    "with machines that show %i GPUs, which count the 8 of their candidate for good",
    (gpus) => {
      const on = unborn();
      for (const id of ["m1", "m2"]) on.show(id, { ...OSLO, gpus });
      look(on);
      look(on);
      on.advance(1);
      on.list();
      expect(planOn(on)).toMatchObject({ running: 16, launches: [] });
    },
  );

  test("with no more than it wants", () => {
    const on = unborn({ ...wish, gpus: 8 }, { shownBack: everything });
    for (const id of ["m1", "m2"]) on.show(id, OSLO);
    look(on);
    look(on);
    expect(taken(on)).toEqual(["m1"]);
    expect(on.reported).toEqual(["m2"]);
  });

  test("without one that is stopping", () => {
    const on = unborn();
    on.show("m1", { ...OSLO, status: "stopping" });
    look(on);
    look(on);
    expect(isBorn(on)).toBe(true);
    expect(taken(on)).toEqual([]);
  });

  test("with machines whose offer is sold out, maybe to them", () => {
    const on = unborn({ gpus: 8, select: { gpuModel: "H100" } });
    on.show("m1", OSLO);
    const soldOut = [{ ...(OFFERS[0] as Offer), available: false }];
    look(on, soldOut);
    look(on, soldOut);
    expect(taken(on)).toEqual(["m1"]);
  });
});

const everything = ["offer=x", "provider=x", "location=x"];

describe("a fleet is held on an exclusive account", () => {
  function held(on: LaunchBench, offers?: readonly Offer[]): string {
    look(on, offers);
    look(on, offers);
    look(on, offers);
    expect(isBorn(on)).toBe(false);
    expect(planOn(on, { offers }).launches).toEqual([]);
    return reasonOf(on, offers);
  }

  test("by a machine that shows nothing of where it is from", () => {
    const on = unborn();
    on.show("m1");
    expect(held(on)).toContain(
      "m1 (running) run already, and nobody can say whether they belong to this fleet",
    );
  });

  test("by many machines: the remedy stands where no terminal cuts the reason", () => {
    const on = unborn();
    for (const n of [1, 2, 3, 4, 5, 6, 7]) on.show(`${n}2c83c6f-0326-49ea-b801-13a2effd513d`);
    expect(clean(held(on))).toContain("and 5 more run already");
    expect(clean(held(on))).toContain("fleetkeeper adopt or disown each");
  });

  test("by a machine that looks like another one, as long as no launch has proven the fields", () => {
    const on = unborn();
    on.show("m1", ROME);
    expect(held(on)).toContain("no launch has proven yet that the profile reads them right");
    const proven = unborn(wish, { shownBack: everything });
    proven.show("m1", ROME);
    look(proven);
    look(proven);
    expect(isBorn(proven)).toBe(true);
    expect(taken(proven)).toEqual([]);
  });

  test("by a machine of an offer that is not listed any more", () => {
    const on = unborn({ gpus: 8, select: { gpuModel: "H100" } }, { shownBack: everything });
    on.show("m1", { ...OSLO, offer: "retired" });
    expect(held(on, OFFERS)).toContain("m1");
  });

  test("by offers that were not read", () => {
    const on = unborn({ gpus: 8, select: { gpuModel: "H100" } });
    on.show("m1", OSLO);
    expect(held(on)).toContain("without the offers nobody can say");
  });

  test("by a state that nobody names, which may be an end", () => {
    const on = unborn();
    on.show("m1", { ...OSLO, status: "archived" });
    expect(held(on)).toContain("neither the specification nor the profile names that state");
  });

  test("by a launch whose outcome is not known", () => {
    const on = unborn();
    on.lose(on.launch({ ...OSLO, owner: "slot:s1" }));
    on.show("m1", { ...OSLO, offer: "x" });
    on.decide((draft) => draft.putAccount({ ...draft.account, tenure: "exclusive" }));
    look(on);
    expect(isBorn(on)).toBe(false);
  });

  test("with match: none, too: what fits is taken, and what may be its own is not paid for twice", () => {
    const on = unborn({ ...wish, match: "none" });
    on.show("m1", OSLO);
    on.show("m2");
    expect(held(on)).not.toContain("match: none");
    expect(taken(on)).toEqual(["m1"]);
  });

  test("and takes what fits meanwhile, once", () => {
    const on = unborn({ gpus: 8, candidates: [EIGHT, SINGLE] });
    on.show("m1", OSLO);
    on.show("m2");
    held(on);
    expect(taken(on)).toEqual(["m1"]);
    on.decide((draft) => deploymentAsFound(draft, { ...on.row("m2"), claim: "foreign" }));
    look(on);
    expect(isBorn(on)).toBe(true);
    expect(taken(on)).toEqual(["m1"]);
  });
});

describe.each(["shared", "unstated"] as const)("on an account that is %s", (tenure) => {
  test("a fleet takes nothing, and waits until each machine was adopted or disowned", () => {
    const on = unborn(wish, { tenure });
    on.show("m1", OSLO);
    for (let lists = 0; lists < 4; lists++) look(on);
    expect(isBorn(on)).toBe(false);
    expect(taken(on)).toEqual([]);
    expect(reasonOf(on)).toContain(
      tenure === "shared"
        ? "m1 (running) run in this shared account"
        : "nobody has said whether it is exclusive",
    );
    on.decide((draft) => deploymentAsFound(draft, { ...on.row("m1"), claim: "foreign" }));
    look(on);
    expect(isBorn(on)).toBe(true);
  });

  test("match: none goes ahead", () => {
    const on = unborn({ ...wish, match: "none" }, { tenure });
    on.show("m1", OSLO);
    look(on);
    look(on);
    expect(isBorn(on)).toBe(true);
  });
});

describe("a fleet that was born long ago and lacks GPUs", () => {
  function grown(options: BenchOptions = {}): LaunchBench {
    const on = fleetBench(wish, options);
    on.list();
    on.show("m1", { ...OSLO, marker: "fk-otherledger-intent000001" });
    on.advance(1);
    on.list();
    on.decide((draft, context) => {
      const fleet = draft.fleets.get("web");
      if (fleet) matchFurther(draft, fleet, undefined, context);
    });
    return on;
  }

  test("takes what fits on an exclusive account before it rents more", () => {
    const on = grown();
    expect(on.row("m1")).toMatchObject({ claim: "certain", owner: FLEET });
    expect(planOn(on).launches).toHaveLength(1);
  });

  test("says so where another ledger had launched it: its account may not be exclusive after all", () => {
    expect(grown().told("adopted")).toEqual(["m1 was there already and is taken into the fleet web"]);
    expect(grown().told("disputed")).toEqual([
      expect.stringMatching(
        "^another ledger, otherledger, launched m1. If that ledger is still in use, this account is not exclusive: both keep this machine, ",
      ),
    ]);
  });

  test("takes nothing beside an open launch, which may have made it", () => {
    const on = fleetBench(wish);
    on.lose(on.launch());
    on.show("m1", OSLO);
    on.advance(1);
    on.list(on.now, []);
    on.decide((draft, context) => {
      const fleet = draft.fleets.get("web");
      if (fleet) matchFurther(draft, fleet, undefined, context);
    });
    expect(taken(on)).toEqual([]);
  });

  test("takes beside an open launch what that one surely did not make, and nothing that may be its own yet", () => {
    const on = fleetBench(wish, { marker: true, shownBack: ["marker"] });
    on.lose(on.launch({ owner: "slot:s1" }));
    on.show("m1", { ...OSLO, marker: "fk-otherledger-intent000001" });
    on.show("m2", { ...OSLO, status: "initializing" });
    on.advance(1);
    on.list();
    on.decide((draft, context) => {
      const fleet = draft.fleets.get("web");
      if (fleet) matchFurther(draft, fleet, undefined, context);
    });
    expect(taken(on)).toEqual(["m1"]);
  });

  test("takes nothing on a shared account", () => {
    const on = grown({ tenure: "shared" });
    expect(taken(on)).toEqual([]);
    expect(planOn(on).launches).toHaveLength(2);
  });

  test("takes what was disputed once the account is said to be exclusive", () => {
    const on = fleetBench({ ...wish, gpus: 24 }, { tenure: "shared" });
    on.lose(on.launch({ ...OSLO, owner: FLEET }));
    for (const id of ["m1", "m2"]) on.show(id, OSLO);
    on.advance(1);
    on.list();
    expect(on.row("m1").claim).toBe("disputed");
    on.decide((draft, context) => changeTenure(draft, "exclusive", context));
    on.decide((draft, context) => {
      const fleet = draft.fleets.get("web");
      if (fleet) matchFurther(draft, fleet, undefined, context);
    });
    expect(taken(on)).toEqual(["m1", "m2"]);
    expect(on.row("m1").claim).toBe("certain");
  });

  // Also where the backup knows no launch at all: the id is the ledger's own.
  test.each([true, false])(
    "waits on a shared account beside a machine with this ledger's marker, whose launch it does not know (it knows another: %s)",
    (knows) => {
      const on = fleetBench(wish, { tenure: "shared", marker: true });
      if (knows) on.launch({ owner: "slot:s1" });
      on.show("m1", { ...OSLO, marker: markerOf(on.ledger.id, "intent00zzzz") });
      on.advance(1);
      on.list();
      expect(planOn(on).launches).toEqual([]);
      expect(reasonOf(on)).toContain("m1 carries this ledger's marker, and it does not know its launch");
    },
  );
});

test("a wait writes nothing from one list to the next", () => {
  const on = unborn(wish, { tenure: "shared" });
  on.show("m1", OSLO);
  look(on);
  look(on);
  const before = JSON.stringify(on.rows.fleets);
  let changes = 0;
  for (let lists = 0; lists < 3; lists++) {
    on.advance(1);
    on.list();
    on.decide((draft, context) => {
      const fleet = draft.fleets.get("web");
      if (fleet && draft.account.list) adoptInitially(draft, fleet, draft.account.list, undefined, context);
      changes += draft.changes.length;
    });
  }
  expect(changes).toBe(0);
  expect(JSON.stringify(on.rows.fleets)).toBe(before);
});

test("two fleets do not take one machine twice", () => {
  const on = unborn({ gpus: 8, candidates: [EIGHT] });
  on.decide((draft) => {
    const web = draft.fleets.get("web");
    if (web) draft.putFleet({ ...web, name: "other" });
  });
  for (const id of ["m1", "m2"]) on.show(id, OSLO);
  const both = (): void => {
    on.advance(DEFAULT_SETTINGS.gone);
    on.list();
    on.decide((draft, context) => {
      for (const fleet of draft.fleets.values())
        if (draft.account.list) adoptInitially(draft, fleet, draft.account.list, undefined, context);
    });
  };
  both();
  both();
  const owners = [...on.draft.deployments.values()].map(({ owner }) => owner).sort();
  expect(owners).toEqual(["fleet:other", "fleet:web"]);
});
