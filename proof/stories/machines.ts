import type { Moment, Scenario } from "../scenario/scenario.ts";
import {
  AT_ONCE,
  edit,
  fleetOf,
  HOUR,
  interrupt,
  MINUTE,
  pause,
  SECOND,
  story,
  WITH_LEASES,
} from "./moments.ts";

function use(at: number, which: number, as: "busy" | "idle" | "unknown"): Moment {
  return { at, kind: "use", pick: which, as };
}

function ail(at: number, which: number, as: "good" | "bad" | "unknown"): Moment {
  return { at, kind: "ail", pick: which, as };
}

/** A command that takes 3 minutes sets each machine up. */
const SETTING_UP = {
  wire: "marker",
  fleets: fleetOf(2, { setupMs: 3 * MINUTE }),
  noisyMs: 40 * MINUTE,
} as const;

/** The life of a machine: made ready, held, idle, sick, saved, and given back. */
export const MACHINES: readonly Scenario[] = [
  story("past-its-deadline", { fleets: fleetOf(2, { untilMs: 5 * MINUTE }) }, []),
  ...Array.from({ length: 12 }, (_, skip) =>
    story(
      "deadline-before-the-post",
      { seed: `deadline-before-the-post ${skip}`, fleets: fleetOf(1, { untilMs: 17 * SECOND }) },
      [pause(10, "agent", "commit", 4, { skip })],
    ),
  ),
  story("paused-by-an-operator", {}, [
    { at: 200, kind: "pauseFleet", name: "fleet-a", paused: true },
    interrupt(230),
  ]),
  story("held-by-a-person", { fleets: fleetOf(2) }, [
    { at: 200, kind: "holdOne", pick: 1, forMs: 5 * MINUTE },
    edit(210, 1),
    edit(260, 0),
    { at: 300, kind: "kill", who: "agent" },
  ]),
  // Its work is saved within 2 minutes; not at all; never; and its agent dies meanwhile, and waits for the deadline.
  story("saved-before-a-stop", { fleets: fleetOf(3, { saveMs: 2 * MINUTE }), noisyMs: 25 * MINUTE }, [
    edit(400, 2),
    edit(900, 1),
  ]),
  story("saved-in-vain", { fleets: fleetOf(2, { saveMs: 0, saveFails: true }), noisyMs: 20 * MINUTE }, [
    edit(400, 1),
  ]),
  story("saved-for-ever", { fleets: fleetOf(2, { saveMs: HOUR }), noisyMs: 25 * MINUTE }, [edit(400, 1)]),
  story("saved-after-a-restart", { fleets: fleetOf(2, { saveMs: 3 * MINUTE }), noisyMs: 25 * MINUTE }, [
    edit(400, 1),
    { at: 460, kind: "kill", who: "agent" },
  ]),
  story(
    "saved-before-a-deadline",
    { fleets: fleetOf(2, { saveMs: HOUR, untilMs: 15 * MINUTE }), noisyMs: 25 * MINUTE },
    [{ at: 590, kind: "kill", who: "agent" }],
  ),
  story("given-back", { fleets: fleetOf(3) }, [
    { at: 200, kind: "giveBackOne", pick: 0 },
    { at: 205, kind: "kill", who: "agent" },
    interrupt(400),
    { at: 500, kind: "giveBackOne", pick: 1 },
  ]),
  // The first commits after a machine runs: before and after a try is stored, and the program of its command.
  ...(["before", "after"] as const).flatMap((when) =>
    Array.from({ length: 8 }, (_, skip) =>
      story(
        "set-up-and-killed",
        { seed: `set-up-and-killed ${when} ${skip}`, settings: AT_ONCE, ...SETTING_UP },
        [
          { at: 10, kind: "blow", who: "agent", on: "commit", skip, blow: { kind: "crash", when } },
          { at: 90, kind: "kill", who: "agent" },
          { at: 240, kind: "terminate", who: "agent" },
          { at: 420, kind: "reboot", jumpMs: 0 },
        ],
      ),
    ),
  ),
  ...[60, 120].map((at) =>
    story(
      "set-up-on-two-hosts",
      { seed: `set-up-on-two-hosts ${at}`, settings: AT_ONCE, ...WITH_LEASES, ...SETTING_UP },
      [
        { at: 30, kind: "secondAgent", forMs: 25 * MINUTE },
        { at, kind: "kill", who: "agent" },
      ],
    ),
  ),
  // Longer than its check may take.
  story(
    "set-up-slowly",
    {
      settings: AT_ONCE,
      ...SETTING_UP,
      fleets: fleetOf(2, { setupMs: 11 * MINUTE, isChecked: true }),
      launchesAtMost: 2,
    },
    [],
  ),
  // Three machines: one is idle, one says nothing for a minute, one is busy again before its paid hour ends. In the next
  // hour all are idle, and one stays.
  story(
    "idle-machines",
    {
      noisyMs: 125 * MINUTE,
      settings: { ...AT_ONCE, billing: "perHour" },
      fleets: fleetOf(3, { idle: { for: "20m", then: "stop", keep: 1 } }),
    },
    [
      ...[0, 1, 2].map((which) => use(600, which, "idle")),
      pause(1_500, "agent", "commit", 60),
      { at: 2_000, kind: "kill", who: "agent" },
      use(2_400, 1, "unknown"),
      use(2_460, 1, "idle"),
      use(2_700, 2, "busy"),
      use(4_200, 1, "idle"),
    ],
  ),
  story(
    "idle-while-nobody-asks",
    {
      noisyMs: 75 * MINUTE,
      settings: { ...AT_ONCE, billing: "perHour" },
      fleets: fleetOf(2, { idle: { for: "20m", then: "stop", keep: 1 } }),
    },
    [use(600, 0, "idle"), pause(1_500, "agent", "commit", 1_200)],
  ),
  // Two are sick at once, for causes that change; the third one flaps, and says nothing for long.
  story(
    "sick-machines",
    { noisyMs: 40 * MINUTE, settings: AT_ONCE, fleets: fleetOf(3, { health: { bad: "5m" } }) },
    [
      ...[0, 1].map((which) => ail(300, which, "bad")),
      ail(300, 2, "bad"),
      ail(540, 2, "unknown"),
      ail(1_500, 2, "bad"),
      ail(1_530, 2, "good"),
      ail(1_600, 2, "bad"),
    ],
  ),
  story(
    "sick-while-nobody-asks",
    { noisyMs: 30 * MINUTE, settings: AT_ONCE, fleets: fleetOf(2, { health: { bad: "5m" } }) },
    [
      ail(300, 0, "bad"),
      ail(480, 0, "unknown"),
      pause(490, "agent", "commit", 600),
      ail(700, 0, "good"),
      ail(1_000, 0, "bad"),
      ail(1_200, 0, "good"),
    ],
  ),
  // Whatever comes in their place is sick, too: the check is wrong, and no machine.
  story(
    "all-are-sick",
    { noisyMs: 90 * MINUTE, settings: AT_ONCE, fleets: fleetOf(1, { health: { bad: "5m" } }) },
    [...Array(80).keys()].map((minute) => ail(120 + minute * 60, 0, "bad")),
  ),
  story("drained-by-an-operator", {}, [
    { at: 200, kind: "drainFleet", name: "fleet-a", drained: true },
    interrupt(230),
  ]),
  // Other triggers: each machine of the fleet makes room before another is launched in its place.
  story(
    "other-triggers-of-a-fleet",
    {
      wire: "marker",
      fleets: fleetOf(3, { triggers: "one" }),
      launchesAtLeast: 6,
      launchesAtMost: 6,
      noisyMs: 40 * MINUTE,
    },
    [{ at: 300, kind: "triggers", name: "fleet-a", triggers: "two" }],
  ),
];
