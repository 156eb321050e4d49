import { milliseconds } from "../../service/text/duration.ts";
import type { Evidence, Violation } from "../evidence.ts";
import { specOf } from "../scenario.ts";

/** After so many in a row the check is doubted. */
const MOST_IN_A_ROW = 3;
/** Ticks, asking and launching: by then what is sick for long enough is to be stopped, where nothing fails. */
const LATE_MS = 5 * 60_000;

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
    return [{ machine, owner, bad: milliseconds(health.bad), said, at: recorder.unhealthy.get(machine.id) }];
  });
  type Found = (typeof found)[number];
  const sickFor = ({ said }: Found, at: number): number => {
    const wellAt = said.findLastIndex(({ as, from }) => as === "good" && from <= at);
    return said
      .slice(wellAt + 1)
      .filter(({ as, from }) => as === "bad" && from <= at)
      .reduce((ms, each) => {
        const next = said[said.indexOf(each) + 1]?.from ?? at;
        return ms + Math.min(next, at) - each.from;
      }, 0);
  };
  // It came after the other one was given up, and was well for all of the time at first.
  const wasWellAfter = (one: Found, { machine, owner, said, bad }: Found): boolean => {
    const from = machine.states.find(({ state }) => state === "running")?.at;
    if (owner !== one.owner || from === undefined || machine.committedAt < (one.at ?? 0)) return false;
    const sick = said.find(({ as }) => as === "bad")?.from ?? Number.POSITIVE_INFINITY;
    return Math.min(sick, machine.endedAt ?? noisyUntil) - from >= bad;
  };
  const stopped = found.filter(({ at }) => at !== undefined).sort((a, b) => (a.at ?? 0) - (b.at ?? 0));
  const isCalm = scenario.events.every(({ kind }) => kind === "ail");
  return [
    ...stopped.flatMap((each, index): readonly Violation[] => {
      const at = each.at ?? 0;
      const before = stopped.slice(0, index).filter(({ owner }) => owner === each.owner);
      const inARow = before.filter((one) => !found.some((other) => wasWellAfter(one, other)));
      const together = before.some(({ machine }) => (machine.endedAt ?? Number.POSITIVE_INFINITY) > at);
      const wrong = [
        sickFor(each, at) < each.bad ? `it was sick for ${sickFor(each, at) / 1000} s` : "",
        each.said.findLast(({ from }) => from <= at)?.as === "good" ? "it is well" : "",
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
