import type { SettingsInput } from "../../simulator/index.ts";
import { FLEET } from "../scenario/plain.ts";
import type { Scenario } from "../scenario/scenario.ts";
import {
  AT_ONCE,
  BEFORE,
  dropped,
  edit,
  FLEET_B,
  fleetOf,
  hand,
  interrupt,
  lagging,
  late,
  losing,
  lost,
  MINUTE,
  meets,
  NORTH,
  SOUTH,
  STOPS_SLOWLY,
  slow,
  story,
  TENURES,
  tick,
} from "./moments.ts";

const CONNECTS_SLOWLY: SettingsInput = { connectingSeconds: [400, 400] };

/** Whose a machine is: markers, strangers, what came before the fleet. */
export const WHOSE: readonly Scenario[] = [
  story("stranger-in-our-place", { tenure: "shared", fleets: fleetOf(2) }, [
    ...losing(290, 335),
    interrupt(300),
    hand(340),
    edit(500, 0),
  ]),
  story("born-beside-a-launch", { wire: "combination" }, [
    slow(0, 100),
    { at: 20, kind: "declare", fleet: FLEET_B },
    ...[30, 40, 50, 60].map(tick),
  ]),
  story("marker-not-echoed", { wire: "marker", quirk: "noEcho", tenure: "shared" }, [lost(0)]),
  // A machine that connects for longer than its launch is looked for, and shows no marker meanwhile.
  ...TENURES.map((tenure) =>
    story(
      "marker-shown-once-it-runs",
      {
        seed: `marker-shown-once-it-runs ${tenure}`,
        wire: "marker",
        tenure,
        quirk: "lateEcho",
        settings: CONNECTS_SLOWLY,
        noisyMs: 30 * MINUTE,
      },
      [lost(890), edit(900, 2)],
    ),
  ),
  // The second machine of A's launch shows no marker yet. Only B's lost launch seems to explain it.
  story(
    "twin-taken-before-it-shows-its-marker",
    {
      wire: "marker",
      quirk: "lateEcho",
      settings: { ...AT_ONCE, connectingSeconds: [285, 285] },
      fleets: [FLEET, { ...FLEET_B, gpus: 0 }],
      noisyMs: 30 * MINUTE,
    },
    [meets(0, "launch", { kind: "commitTwice", seconds: 330 }), dropped(310), edit(320, 1, "fleet-b")],
  ),
  ...TENURES.map((tenure) =>
    story(
      "places-shown-once-they-run",
      {
        seed: `places-shown-once-they-run ${tenure}`,
        wire: "combination",
        tenure,
        quirk: "lateEcho",
        settings: CONNECTS_SLOWLY,
        fleets: [FLEET, { ...FLEET_B, candidates: [SOUTH] }],
        noisyMs: 45 * MINUTE,
      },
      [lost(1290), lost(1290), edit(1300, 2), edit(1300, 2, "fleet-b")],
    ),
  ),
  // The one that failed showed no place: it may be either launch's, and the other's own is still to come.
  ...TENURES.map((tenure) =>
    story(
      "failed-before-it-showed-its-place",
      {
        seed: `failed-before-it-showed-its-place ${tenure}`,
        wire: "combination",
        tenure,
        quirk: "lateEcho",
        fleets: [FLEET, { ...FLEET_B, candidates: [SOUTH] }],
        noisyMs: 45 * MINUTE,
      },
      [
        { at: 890, kind: "failNext", combination: SOUTH, code: "UNKNOWN", times: 1 },
        late(890, 190),
        lost(904),
        edit(895, 2),
        edit(905, 2, "fleet-b"),
      ],
    ),
  ),
  ...TENURES.map((tenure) =>
    story("sent-twice-by-a-gateway", { seed: `sent-twice-by-a-gateway ${tenure}`, wire: "marker", tenure }, [
      meets(0, "launch", { kind: "commitTwice", seconds: 300 }),
    ]),
  ),
  story("another-ledgers-marker", { wire: "marker", tenure: "shared", fleets: fleetOf(2) }, [
    ...losing(290, 335),
    interrupt(300),
    { at: 340, kind: "stranger", combination: NORTH },
    edit(600, 0),
  ]),
  story(
    "born-where-lists-lag",
    { wire: "combination", latencyMs: 50, before: [NORTH], launchesAtMost: 0 },
    lagging(BEFORE, 4, 3),
  ),
  story("grown-beside-what-fits", { wire: "combination" }, [hand(100), edit(200, 2)]),
  story(
    "grown-beside-what-fits",
    {
      wire: "combination",
      settings: STOPS_SLOWLY,
      fleets: fleetOf(1, { surge: 1 }),
      launchesAtMost: 1,
    },
    [hand(60), edit(150, 0), edit(180, 1)],
  ),
  // Nobody can say whose the older machine is. The fleet waits for a person, who does not come.
  story(
    "born-where-others-launch",
    { wire: "combination", tenure: "shared", before: [NORTH], halts: true, launchesAtMost: 0 },
    [],
  ),
  story("renamed", {}, [{ at: 200, kind: "rename", name: "fleet-a", to: "fleet-b" }]),
  // The first launch is lost, and a person's machine is claimed for it. The next launch proves the marker.
  story("taken-before-the-marker-was-proven", { wire: "marker", tenure: "shared" }, [
    dropped(0),
    hand(20),
    edit(300, 2),
  ]),
];
