import { atCloud, UNLISTED } from "../scenario/clouds.ts";
import type { Moment, Scenario } from "../scenario/scenario.ts";
import {
  BEFORE,
  during,
  edit,
  every,
  FORGETFUL,
  fleetOf,
  interrupt,
  lack,
  late,
  lost,
  MINUTE,
  NORTH,
  PAIR,
  run,
  SECOND,
  story,
  TENURES,
} from "./moments.ts";

/** All machines vanish, though they run on; new ones are shown, or nothing of the account is. */
function vanish(at: number, what: "machines" | "account", seconds: number): Moment {
  return { at, kind: "vanish", what, forMs: seconds * SECOND };
}

/** The nth list leaves everything out. */
function emptyList(nth: number): Moment {
  return { at: BEFORE, kind: "fault", target: "deployments", fault: { kind: "cut", keep: 0 }, nth };
}

/** What lists and answers leave out, deny, or show so that nobody can read it. */
export const LISTS: readonly Scenario[] = [
  // Lists still show it, with an id that nobody can read. A GET by its own id does not find it.
  story("ids-that-nobody-can-read", { wire: "marker", fleets: fleetOf(2) }, [
    ...during(200, 500, ["deployments"], { kind: "unreadable", how: "halfIds" }),
    ...during(200, 500, ["deployment"], { kind: "errorBefore", status: 404 }),
  ]),
  // Lists lack both for longer than it takes to be gone. A GET shows each, and at last denies them for a moment.
  story("denied-for-a-moment-beside-cut-lists", { wire: "marker", fleets: fleetOf(2) }, [
    ...during(200, 320, ["deployments"], { kind: "cut", keep: 0 }),
    ...during(285, 320, ["deployment"], { kind: "errorBefore", status: 404 }),
  ]),
  story("made-a-machine-that-nobody-can-read", { wire: "marker", noisyMs: 20 * MINUTE }, [
    edit(200, 2),
    lost(199),
    ...during(198, 900, ["deployments"], { kind: "unreadable", how: "halfIds" }),
  ]),
  // Only its id can be read, and a GET by it finds nothing. It is there, unchanged.
  story("states-that-nobody-can-read", { wire: "marker", fleets: fleetOf(2) }, [
    ...during(200, 500, ["deployments"], { kind: "unreadable", how: "noStates" }),
    ...during(200, 500, ["deployment"], { kind: "errorBefore", status: 404 }),
  ]),
  story("shows-thousands-of-gpus", { wire: "marker", quirk: "manyGpus", fleets: fleetOf(3) }, []),
  story("lists-lack-another-half-each-time", { wire: "marker", strict: true, fleets: fleetOf(4) }, [
    late(190, 3),
    edit(200, 5),
    lack(214, "hide", 406, 4),
    ...[0, 1].flatMap((half) =>
      every(15, 329, 599, (at) => lack(at, "hide", 14.9, (Math.floor(at / 15) % 2) * 2 + half)),
    ),
  ]),
  story("denied-before-it-was-shown", { wire: "marker", strict: true }, [
    edit(200, 2),
    lack(211, "forget", 150, 1),
  ]),
  // Pages that shift: each machine stands there twice, as it is and as failed. Nobody can ask by id for the first minute.
  story("listed-twice", { wire: "marker", fleets: fleetOf(2), strict: true, launchesAtMost: 2 }, [
    ...during(200, 320, ["deployments"], { kind: "unreadable", how: "twice" }),
    ...during(200, 260, ["deployment"], { kind: "errorBefore", status: 500 }),
  ]),
  // Null is an empty list only where nothing is known to live, whatever a GET says meanwhile.
  story("a-list-of-null", { wire: "combination", strict: true, launchesAtMost: 1 }, [
    ...during(200, 400, ["deployments"], { kind: "unreadable", how: "nullList" }),
    ...during(200, 400, ["deployment"], { kind: "errorBefore", status: 404 }),
  ]),
  story("left-out-of-lists", { wire: "marker" }, [lack(200, "hide", 300)]),
  // It is answered by other words than a 404 that there is no such machine: gone once they are proven, and replaced.
  ...(["byStatus", "byNull"] as const).map((absence) =>
    story(
      `gone-in-other-words-${absence}`,
      { wire: "marker", absence, fleets: fleetOf(2), noisyMs: 30 * MINUTE, launchesAtLeast: 3 },
      [lack(200, "forget", 1_500)],
    ),
  ),
  // The same words are said of everything for a while, as to a wrong path, while lists leave one machine out.
  story(
    "denied-to-all-in-other-words",
    { ...FORGETFUL, fleets: fleetOf(2), strict: true, launchesAtMost: 2 },
    [lack(200, "hide", 780), ...during(200, 960, ["deployment"], { kind: "errorBefore", status: 400 })],
  ),
  story("denied-to-the-only-one-in-other-words", { ...FORGETFUL, strict: true, launchesAtMost: 1 }, [
    lack(200, "hide", 540),
    ...during(200, 720, ["deployment"], { kind: "errorBefore", status: 400 }),
  ]),
  // The profile does not say what the words mean: nothing is concluded, and people are told.
  story(
    "gone-in-words-that-nobody-names",
    {
      ...FORGETFUL,
      absence: "untold",
      fleets: fleetOf(2),
      strict: true,
      launchesAtMost: 2,
      tells: ["unshown"],
    },
    [lack(200, "forget", 36_000)],
  ),
  ...TENURES.flatMap((tenure) => [
    // A retired endpoint: an empty list, and 404 for each id. The agent is killed meanwhile, and starts anew.
    story(
      `the-account-is-hidden-${tenure}`,
      { tenure, wire: "marker", fleets: fleetOf(6), noisyMs: 80 * MINUTE, launchesAtMost: 7 },
      [vanish(300, "account", 4_200), { at: 700, kind: "kill", who: "agent" }],
    ),
    story(
      `the-history-is-hidden-${tenure}`,
      { tenure, wire: "marker", fleets: fleetOf(6), noisyMs: 60 * MINUTE, launchesAtMost: 7 },
      [vanish(300, "machines", 3_000)],
    ),
  ]),
  // Nothing shows what the probe's launch made, either: it is not sent anew.
  // Lists show only what lives, so an end is an absence: one after the other each is replaced, two or half an hour.
  atCloud(
    story(
      "ended-and-unlisted",
      { wire: "marker", fleets: fleetOf(4), noisyMs: 120 * MINUTE, launchesAtLeast: 8 },
      [0, 1, 2, 3].map((pick) => interrupt(300 + pick * 400 + (pick > 1 ? 3_600 : 0), pick)),
    ),
    UNLISTED,
  ),
  // A half that one list lacks is no end of each: one is rented in its place.
  atCloud(
    story(
      "half-hidden-where-ends-are-unlisted",
      { wire: "marker", fleets: fleetOf(6), noisyMs: 60 * MINUTE, launchesAtMost: 7, tells: ["halted"] },
      [0, 1, 2].map((pick) => lack(300, "forget", 3_000, pick)),
    ),
    UNLISTED,
  ),
  // All that live are hidden, one by one, and what was rented in their place after them. All of it bills.
  atCloud(
    story(
      "hidden-one-by-one-where-ends-are-unlisted",
      { wire: "marker", fleets: fleetOf(6), noisyMs: 80 * MINUTE, launchesAtMost: 9, tells: ["halted"] },
      [
        { at: BEFORE, kind: "capacity", combination: NORTH, capacity: 30 },
        ...Array.from({ length: 12 }, (_, pick) =>
          lack(300 + pick * 120, "forget", 4_000 - pick * 120, pick),
        ),
      ],
    ),
    UNLISTED,
  ),
  atCloud(
    story(
      "hidden-where-ends-are-unlisted",
      { wire: "marker", fleets: fleetOf(6), noisyMs: 80 * MINUTE, launchesAtMost: 7 },
      [vanish(300, "account", 4_200)],
    ),
    UNLISTED,
  ),
  story("hidden-and-an-answer-lost", { fleets: fleetOf(4), noisyMs: 60 * MINUTE, launchesAtMost: 5 }, [
    vanish(300, "account", 3_000),
    lost(310),
  ]),
  story(
    "vanished-one-after-the-other",
    { wire: "marker", fleets: fleetOf(4), noisyMs: 60 * MINUTE, launchesAtMost: 5 },
    [0, 1, 2, 3].map((pick) => lack(300 + pick * 40, "forget", 2_400 - pick * 40, pick)),
  ),
  // The probe is smaller than what it stands for, since nothing as large is left: that is refused once, too.
  story(
    "the-probe-is-smaller",
    {
      wire: "marker",
      offers: [NORTH, PAIR],
      fleets: fleetOf(4, { candidates: [PAIR, NORTH] }),
      noisyMs: 60 * MINUTE,
      launchesAtMost: 4,
    },
    [{ at: 100, kind: "capacity", combination: PAIR, capacity: 0 }, vanish(300, "account", 2_400)],
  ),
  // An hour of lists that show a new machine, and not the others, is believed.
  story(
    "hidden-for-longer-than-an-hour",
    { wire: "marker", fleets: fleetOf(3), noisyMs: 90 * MINUTE, launchesAtLeast: 6, launchesAtMost: 6 },
    [vanish(300, "machines", 5_000)],
  ),
  story(
    "a-deployment-is-hidden-with-others",
    {
      wire: "marker",
      fleets: [],
      deployments: [0, 1, 2].map((each) => ({ name: `web${each}`, offer: NORTH })),
      noisyMs: 60 * MINUTE,
      launchesAtMost: 4,
    },
    [
      ...[0, 1, 2].map((each) => run(5, "up", `web${each}`)),
      vanish(300, "account", 3_000),
      ...[400, 480, 700, 1_500].flatMap((at) => [0, 1, 2].map((each) => run(at + each, "up", `web${each}`))),
    ],
  ),
  story("denied-for-less-than-a-minute", { wire: "marker" }, [lack(200, "forget", 55)]),
  // The lists before show it, with an id that nobody can read: they lack nothing, whatever a GET says meanwhile.
  story("denied-after-ids-that-nobody-can-read", { wire: "marker" }, [
    ...during(200, 265, ["deployments"], { kind: "unreadable", how: "halfIds" }),
    ...during(200, 265, ["deployment"], { kind: "errorBefore", status: 404 }),
    lack(266, "forget", 31),
  ]),
  story("first-list-is-empty", { wire: "combination", before: [NORTH], launchesAtMost: 0 }, [emptyList(1)]),
  story("first-lists-are-empty", { wire: "combination", latencyMs: 50, before: [NORTH], launchesAtMost: 0 }, [
    emptyList(1),
    emptyList(2),
  ]),
];
