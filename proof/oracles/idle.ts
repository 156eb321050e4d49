import { milliseconds } from "../../service/text/duration.ts";
import { specOf } from "../scenario/scenario.ts";
import type { Evidence, OurMachine, Violation } from "./evidence.ts";
import { aliveAt, postOf } from "./evidence.ts";
import { leftAfter } from "./limits.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
/** How early a stop may come before the next hour, with a tick; and earlier by the time of a command before it. */
const BEFORE_THE_HOUR_MS = 7 * MINUTE;
const SAVING_MS = 5 * MINUTE;
/** Each is asked once a minute after a tick, and may take half a minute to answer. */
const LONGEST_GAP_MS = 2.5 * MINUTE + 2_000;

/**
 * A fleet that gives back idle machines stops only what said for all of its time that it is idle, while an agent was there to
 * hear it; at the end of an hour that is paid for; and it keeps what it says. With `drain` all of them go together.
 */
export function onlyIdleIsGivenBack(evidence: Evidence): readonly Violation[] {
  const { recorder, ours, scenario } = evidence;
  const idled = ours.flatMap(({ machine, owner }) => {
    const { idle, saveMs } = specOf(scenario, owner) ?? {};
    const at = recorder.idled.get(machine.id);
    return idle && at !== undefined ? [{ machine, owner, at, idle, saveMs }] : [];
  });
  return idled.flatMap(({ machine, owner, at, idle, saveMs }) => {
    const idleMs = heardIdle(evidence, machine.id, at);
    // With `drain` the first whose hour ends takes the others with it, and may have been there before its fleet.
    const together = idled.filter((each) => each.owner === owner && each.at === at);
    const isWithOthers = [...recorder.idled].some(
      ([id, each]) => each === at && ours.every((known) => known.machine.id !== id),
    );
    const left =
      idle.then === "drain"
        ? Math.min(isWithOthers ? 0 : HOUR, ...together.map((each) => paidLeft(evidence, each.machine, at)))
        : paidLeft(evidence, machine, at);
    const before = BEFORE_THE_HOUR_MS + (saveMs === undefined ? 0 : SAVING_MS);
    const keep = Math.min(idle.keep, declaredLeast(evidence, owner));
    const wrong = [
      idle.then === "tell" ? "its fleet tells of it only" : "",
      idleMs < milliseconds(idle.for) ? `it was heard to be idle for ${idleMs / 1000} s` : "",
      left > before ? `its paid hour has ${left / MINUTE} minutes left` : "",
      // What was there before its fleet is nobody's by the truth.
      idle.then === "stop" && scenario.before.length === 0 && leftAfter(evidence, owner, at) < keep
        ? `too few are left of ${keep}`
        : "",
      idle.then === "drain" && stays(evidence, owner, at) ? "not all of its fleet go with it" : "",
    ].filter((why) => why !== "");
    return wrong.map((why) => ({ rule: "8 idle", at, what: `${machine.id} is to be stopped, and ${why}` }));
  });
}

/**
 * For how long it said that it is idle, each time that it was asked, and often enough. What was heard right before an agent
 * died, or could not store it, says nothing.
 */
function heardIdle({ recorder, scenario, started }: Evidence, id: string, at: number): number {
  const locked = scenario.events.flatMap((event) =>
    event.kind === "lockLedger"
      ? [{ from: started + event.at, until: started + event.at + event.forMs }]
      : [],
  );
  const lost = [...locked, ...recorder.deaths.map((moment) => ({ from: moment, until: moment }))];
  const heard = recorder.heard.filter((each) => each.id === id && each.at <= at);
  let [since, next] = [at, at];
  for (const each of heard.toReversed()) {
    if (next - each.at > LONGEST_GAP_MS) break;
    const isLost = lost.some(({ from, until }) => until >= each.at && from - each.at < MINUTE);
    if (each.as !== "idle" && !isLost) break;
    if (each.as === "idle") since = next = each.at;
  }
  return at - since;
}

/** Of the hour that is paid for, from its launch on; 0 where nobody here knows it, or less than hours are paid for. */
export function paidLeft(evidence: Evidence, { id, statement }: OurMachine["machine"], at: number): number {
  const { said, recorder } = evidence;
  const post = postOf(evidence, said.claims.get(id)?.intent ?? "");
  if (!post || recorder.jumps.length > 0 || (statement.terms?.unitMs ?? HOUR) < HOUR) return 0;
  return HOUR - ((at - post.stamped) % HOUR);
}

/** The fewest GPUs that people ever asked for: `keep` is never more. */
function declaredLeast({ recorder }: Evidence, owner: string): number {
  const asked = recorder.wishes.filter((wish) => wish.owner === owner && !wish.isGivenBack);
  return Math.min(...asked.map(({ gpus }) => gpus));
}

/** True if a machine of it runs, is known, and is not to be stopped. */
function stays({ ours, recorder, said }: Evidence, owner: string, at: number): boolean {
  return ours.some(
    ({ machine, late, ...each }) =>
      each.owner === owner &&
      !late &&
      !recorder.forgotten.has(machine.id) &&
      said.claims.get(machine.id)?.claim === "certain" &&
      aliveAt(machine, at) &&
      (recorder.condemned.get(machine.id) ?? Number.POSITIVE_INFINITY) > at,
  );
}
