import { DEFAULT_SETTINGS } from "../../launch/index.ts";
import { combinationKey } from "../../service/contract/contract.ts";
import type { Evidence, Violation } from "./evidence.ts";

/** No POST is sent twice for one intent, by our code or below it. */
export function postOnce({ truth, recorder }: Evidence): readonly Violation[] {
  const rule = "4.3 POST once";
  const seen = new Map<string, number>();
  const repeated = truth.launches.flatMap(({ marker, at, parameters }): readonly Violation[] => {
    if (typeof marker !== "string" || parameters.owner === "stranger") return [];
    seen.set(marker, (seen.get(marker) ?? 0) + 1);
    return seen.get(marker) === 2 ? [{ rule, at, what: `${marker} was sent twice` }] : [];
  });
  const asked = [...recorder.markers].filter(([, times]) => times > 1);
  const resent = [...recorder.left].filter(([marker, times]) => times > 1 || marker === "");
  const twice = [
    ...asked.map(([marker]) => `${marker} was launched twice`),
    ...resent.map(([marker, times]) => `${times} POSTs left a process for ${marker || "no launch"}`),
  ];
  return [...repeated, ...twice.map((what): Violation => ({ rule, at: 0, what }))];
}

/** A process that was told to end launches nothing more: nobody expects new machines of it. */
export function noLaunchAtTheEnd({ recorder }: Evidence): readonly Violation[] {
  return recorder.posts.flatMap(({ ending, process, asked, entry }) =>
    ending
      ? [{ rule: "4.2 ends", at: asked, what: `${process} sent launch #${entry} after it was told to end` }]
      : [],
  );
}

/** For so long an agent may trust a lease that is over, as somebody set the clock of the ledger. */
const LEASE_MS = 6_000;

/** Once another agent has taken the account, an agent stores nothing more in it, and sends nothing. */
export function oneAgentActs({ recorder: { staleActs, jumps } }: Evidence): readonly Violation[] {
  return staleActs.flatMap(({ process, at, what, keeper }) =>
    what !== "store" && jumps.some((jumped) => at >= jumped && at < jumped + LEASE_MS)
      ? []
      : [
          {
            rule: "6.5 one agent acts",
            at,
            what: `${process} did this while ${keeper} kept the account: ${what}`,
          },
        ],
  );
}

/** A refusal and its launch's stamp are at most this far apart. */
const IN_FLIGHT_MS = DEFAULT_SETTINGS.stampAge + 2_000;

/** No launch goes to a combination while a living process of ours knows that it cools. */
export function noCoolingLaunch({ truth, recorder }: Evidence): readonly Violation[] {
  const { jumps, reboots, pauses } = recorder;
  return recorder.posts.flatMap(({ asked, entry, process }) => {
    const combination = truth.launches[entry - 1]?.combination;
    if (!combination) return [];
    const cooling = recorder.cooling.find(
      ({ combination: cooled, known, until }) =>
        combinationKey(cooled) === combinationKey(combination) &&
        asked > known + IN_FLIGHT_MS &&
        asked < until - 1_000 &&
        // Across a reboot only the wall clock measures, and somebody moved it.
        !(
          reboots.some((at) => at >= known && at <= asked) && jumps.some((at) => at >= known && at <= asked)
        ) &&
        !pauses.some((each) => each.process === process && each.until > known && each.from < asked),
    );
    if (!cooling) return [];
    const left = Math.round((cooling.until - asked) / 1000);
    const what = `launch #${entry} went to a combination that cools for ${left} s more`;
    return [{ rule: "4.3 cooldown", at: asked, what }];
  });
}

/** Only what is certainly ours is stopped: never a person's or a stranger's machine on a shared account. */
export function onlyOurs({ scenario, truth, recorder, ours }: Evidence): readonly Violation[] {
  const owned = new Set(ours.map(({ machine }) => machine.id));
  const promised = new Set(truth.launches.map((each) => each.promised));
  const there = new Map(truth.machines.map((machine) => [machine.id, machine]));
  return recorder.stops.flatMap(({ id, at, process }) => {
    // What a launch was accepted with is ours, also if nothing is ever made.
    if (owned.has(id) || promised.has(id)) return [];
    const machine = there.get(id);
    // On an exclusive account every machine is ours. A birth may have taken it.
    if (machine && scenario.tenure === "exclusive") return [];
    const whose = machine
      ? `launched by ${machine.origin.by === "hand" ? "hand" : "a stranger"}`
      : "that never was";
    return [{ rule: "4.6 only certain claims", at, what: `${process} stopped ${id.slice(0, 8)}, ${whose}` }];
  });
}

/**
 * With wrong ids launches halt before they burn the balance. A story may also say how many launches its rule
 * needs at most, and at least.
 */
export function haltsInTime({ scenario, recorder, truth }: Evidence): readonly Violation[] {
  const { launchesAtMost = Number.POSITIVE_INFINITY, launchesAtLeast = 0 } = scenario;
  const sent = recorder.posts.length;
  if (sent < launchesAtLeast) {
    const what = `${sent} launches were sent, and ${launchesAtLeast} were asked for`;
    return [{ rule: "launches at least", at: truth.now, what }];
  }
  const stopped = new Set(recorder.stops.map(({ id }) => id)).size;
  const stops: Violation = { rule: "stops at most", at: truth.now, what: `${stopped} machines were stopped` };
  const found = stopped > (scenario.stopsAtMost ?? stopped) ? [stops] : [];
  if (sent <= launchesAtMost) return found;
  const rule = scenario.quirk === undefined ? "launches at most" : "4.3 halt";
  return [
    ...found,
    { rule, at: truth.now, what: `${sent} launches were sent, and ${launchesAtMost} are the most` },
  ];
}

/** A story says what people must have been told, and what not. */
export function toldInTime({ scenario, truth, said }: Evidence): readonly Violation[] {
  const { tells = [], tellsNot = [] } = scenario;
  const wrong = [
    ...tells.filter((kind) => !said.told.has(kind)).map((kind) => `nobody was told: ${kind}`),
    ...tellsNot.filter((kind) => said.told.has(kind)).map((kind) => `people were told: ${kind}`),
  ];
  return wrong.map((what) => ({ rule: "told", at: truth.now, what }));
}
