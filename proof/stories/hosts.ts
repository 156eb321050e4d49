import type { Moment, Scenario } from "../scenario/scenario.ts";
import {
  cools,
  during,
  edit,
  every,
  fleetOf,
  HOST_DIES,
  hand,
  lack,
  lagging,
  late,
  MINUTE,
  meets,
  NORTH,
  OTHER_HOST,
  pause,
  run,
  SECOND,
  slow,
  story,
  TWO_HOSTS,
  tick,
  WEB0,
  WITH_LEASES,
} from "./moments.ts";

/** The agent cannot renew its lease, once. */
function renewalFails(at: number): Moment {
  const blow = { kind: "ledgerError", when: "before" } as const;
  return { at, kind: "blow", who: "agent", on: "lease", skip: 0, blow };
}

/** Several hosts and agents, their leases, and a ledger that cannot be written. */
export const HOSTS: readonly Scenario[] = [
  // An agent that stood still ends by itself where another one keeps its account: it is no agent that stands still here.
  ...Array.from({ length: 8 }, (_, skip) =>
    story("paused-before-the-stamp", { seed: `paused-before-the-stamp ${skip}`, noisyMs: 20 * MINUTE }, [
      pause(0, "once", "commit", 600, { skip }),
      { at: 1, kind: "tickOnce" },
    ]),
  ),
  // Two hosts list in turn while a launch is looked for. The second one's wall clock is ahead.
  story("looked-for-by-two-hosts", TWO_HOSTS, [
    late(0, 118),
    ...lagging(0, 330, 75),
    ...every(10, 5, 400, tick),
  ]),
  // A person launches and stops a machine of the same kind while the first host waits for its answer, and lists
  // do not show its machine yet.
  story("slow-to-answer-on-another-host", { ...TWO_HOSTS, tenure: "shared" }, [
    slow(0, 100),
    lack(1, "hide", 90),
    hand(20),
    ...every(10, 25, 200, tick),
    { at: 50, kind: "handStop", pick: 0 },
  ]),
  // The second host asks for lists, and stands still. The database's clock is set, and a launch has no answer.
  // Then those old lists are taken.
  story("lists-of-an-older-epoch", TWO_HOSTS, [
    ...every(15, 20, 300, (at) => pause(at, "once", "get", 330 - at, { skip: 1, when: "after" })),
    ...every(15, 20, 300, tick),
    { at: 305, kind: "ledgerJump", ms: 60 * MINUTE },
    late(306, 110),
    edit(306, 2),
  ]),
  // The agent stands still for longer than its lease, before it stores something.
  story("stands-still-before-a-commit", { ...WITH_LEASES, fleets: fleetOf(2) }, [
    { at: 5, kind: "secondAgent", forMs: 15 * MINUTE },
    edit(100, 3),
    pause(100, "agent", "commit", 60),
  ]),
  // The agent cannot renew its lease, and stands still with a stop that is about to leave. It is not old enough to
  // be held back by the age of its stamp.
  story("cannot-renew-before-a-stop", { ...WITH_LEASES, fleets: fleetOf(2) }, [
    { at: 5, kind: "secondAgent", forMs: 15 * MINUTE },
    edit(100, 1),
    ...every(1, 101, 111, renewalFails),
    pause(100, "agent", "stop", 4.9),
  ]),
  // The ledger cannot be written while a refusal comes that says how long its place cools.
  story("refused-while-the-ledger-is-locked", { noisyMs: 20 * MINUTE }, [
    cools(99, NORTH, 900),
    edit(100, 2),
    slow(100, 20),
    { at: 110, kind: "lockLedger", forMs: 60 * SECOND },
  ]),
  // A command stands still with its launch written down. One of the other host gives that up, and launches. Then the
  // first one goes on, and the ledger fails its last look.
  story("last-look-fails", { ...WEB0, otherHost: OTHER_HOST, noisyMs: 20 * MINUTE, launchesAtMost: 1 }, [
    pause(0, "pulumi", "commit", 500, { skip: 4, when: "after" }),
    run(5, "up"),
    run(30, "up"),
    {
      at: 504,
      kind: "blow",
      who: "pulumi",
      on: "commit",
      skip: 0,
      blow: { kind: "ledgerError", when: "before" },
    },
  ]),
  // Each Pulumi command runs on the other host. The first one dies with the answer.
  story("goes-on-elsewhere", { ...WEB0, otherHost: OTHER_HOST, launchesAtMost: 1 }, [
    HOST_DIES,
    run(5, "up"),
    run(20, "up"),
  ]),
  // The ledger cannot be written when the deadline comes, or when a stop is answered.
  story("ledger-locked-across-a-deadline", { fleets: fleetOf(2, { untilMs: 5 * MINUTE }) }, [
    { at: 240, kind: "lockLedger", forMs: 6 * MINUTE },
  ]),
  story("ledger-locked-across-a-stop", { fleets: fleetOf(2) }, [
    meets(200, "stop", { kind: "errorBefore", status: 500 }),
    meets(200, "stop", { kind: "slow", seconds: 20 }),
    edit(200, 0),
    { at: 220, kind: "lockLedger", forMs: 3 * MINUTE },
  ]),
  // The agent starts with the account of its ledger and another account's key. Those lists do not count.
  story("starts-into-an-outage-with-another-key", { launchesAtMost: 1 }, [
    { at: 200, kind: "otherKey" },
    ...during(200, 900, ["account"], { kind: "dropBefore" }),
    { at: 201, kind: "kill", who: "agent" },
  ]),
];
