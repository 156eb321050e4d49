import { milliseconds } from "../../service/text/duration.ts";
import { specOf } from "../scenario/scenario.ts";
import type { Evidence, Violation } from "./evidence.ts";

/** After so many in a row the check is doubted. */
const MOST_IN_A_ROW = 3;
/** Ticks, asking and launching: by then what is sick for long enough is to be stopped, where nothing fails. */
const LATE_MS = 5 * 60_000;
const MINUTE = 60_000;

/**
 * A machine is stopped as unhealthy only if it said itself, for all of its fleet's time, that it is sick; one of a fleet at a
 * time, and no fourth one while none that came since was well. And it is stopped, where nothing else happens.
 */
export function onlySickIsReplaced({ recorder, ours, scenario, started }: Evidence): readonly Violation[] {
  // From then on all are well.
  const noisyUntil = started + scenario.noisyMs;
  const found = ours.flatMap(({ machine, owner }) => {
    const { health } = specOf(scenario, owner) ?? {};
    if (!health) return [];
    const said = recorder.ails.filter(({ id }) => id === machine.id);
    // What was heard right before an agent died may not be stored.
    const heard = recorder.examined.filter(
      ({ id, at }) =>
        id === machine.id && !recorder.deaths.some((death) => death >= at && death - at < MINUTE),
    );
    const bad = milliseconds(health.bad);
    return [{ machine, owner, bad, said, heard, at: recorder.unhealthy.get(machine.id) }];
  });
  type Found = (typeof found)[number];
  // Since an agent heard last that it is well.
  const sickFor = ({ said, heard }: Found, at: number): number => {
    const since = heard.findLast((each) => each.as === "good" && each.at <= at)?.at ?? 0;
    return said.reduce((ms, { as, from }, index) => {
      const until = Math.min(said[index + 1]?.from ?? at, at);
      // For a moment it may be well between two questions.
      const isHeard = heard.some((each) => each.as === "good" && each.at >= from && each.at <= until);
      const isSick = as === "bad" || (as === "good" && !isHeard && until - from < MINUTE);
      return isSick ? ms + Math.max(0, until - Math.max(from, since)) : ms;
    }, 0);
  };
  // It came after the other one was given up, and was well for all of the time at first.
  const wasWellAfter = (one: Found, at: number, { machine, owner, said, bad }: Found): boolean => {
    const from = machine.states.find(({ state }) => state === "running")?.at;
    if (owner !== one.owner || from === undefined || machine.committedAt < (one.at ?? 0)) return false;
    const sick = said.find(({ as }) => as === "bad")?.from ?? Number.POSITIVE_INFINITY;
    return Math.min(sick, machine.endedAt ?? at, at) - from >= bad;
  };
  const stopped = found.filter(({ at }) => at !== undefined).sort((a, b) => (a.at ?? 0) - (b.at ?? 0));
  const isCalm = scenario.events.every(({ kind }) => kind === "ail");
  return [
    ...stopped.flatMap((each, index): readonly Violation[] => {
      const at = each.at ?? 0;
      const before = stopped.slice(0, index).filter(({ owner }) => owner === each.owner);
      const inARow = before.filter((one) => !found.some((other) => wasWellAfter(one, at, other)));
      const known = before.filter(({ machine }) => !recorder.forgotten.has(machine.id));
      const together = known.some(({ machine }) => (machine.endedAt ?? Number.POSITIVE_INFINITY) > at);
      const wrong = [
        // Across a reboot time is counted by a clock that may have been set.
        sickFor(each, at) < each.bad && recorder.jumps.length === 0
          ? `it was sick for ${sickFor(each, at) / 1000} s`
          : "",
        each.heard.findLast((one) => one.at <= at)?.as === "good" ? "it is well" : "",
        together ? "another one is not gone yet" : "",
        // An archived one is not counted: that is after two days, and the check is doubted for one.
        inARow.length >= MOST_IN_A_ROW && !scenario.archivesSoon
          ? `${inARow.length} were replaced before it`
          : "",
      ].filter((why) => why !== "");
      return wrong.map((why) => ({
        rule: "8 healthy",
        at,
        what: `${each.machine.id} is replaced as unhealthy, and ${why}`,
      }));
    }),
    ...found
      .filter(({ owner }) => stopped.filter((each) => each.owner === owner).length < MOST_IN_A_ROW)
      .filter((each) => isCalm && each.at === undefined && each.machine.endedAt === null)
      .filter((each) => each.said.at(-1)?.as === "bad" && sickFor(each, noisyUntil) > each.bad + LATE_MS)
      .map(
        ({ machine }): Violation => ({
          rule: "8 healthy",
          at: noisyUntil,
          what: `${machine.id} is sick for long, and stays`,
        }),
      ),
  ];
}
