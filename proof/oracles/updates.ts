import { combinationKey } from "../../service/contract/contract.ts";
import { milliseconds } from "../../service/text/duration.ts";
import { clockError, specOf, traitsOf } from "../scenario/scenario.ts";
import { isLimited } from "../world/fleet-file.ts";
import type { MoveSpan, Recorder } from "../world/recorder.ts";
import type { Evidence, OurMachine, Violation } from "./evidence.ts";
import { aliveAt, gpusOf, isLiving } from "./evidence.ts";
import { paidLeft } from "./idle.ts";

/** A stop that takes longer leaves the count: the next machine may go beside it. */
const STUCK_MS = 15 * 60_000;
const MINUTE = 60_000;
/** How long before the end of a paid hour what waits for it may begin, with a tick; and earlier by the time of a command before a stop. */
const BEFORE_THE_HOUR_MS = 16 * MINUTE;
const SAVING_MS = 5 * MINUTE;
/** So long, with a tick less, is what is new given to start. */
const STARTS_MS = 9 * MINUTE;
/** How long an end may go unseen. */
const UNSEEN_MS = 5 * MINUTE;

/**
 * An update replaces what its fleet's candidates do not allow any more, and nothing else: so many at a time as the fleet says, what
 * is old once what is new runs, and in the end all of it, unless it is paused. What is too old goes likewise, one at a time, at the
 * end of its paid hour. A life begins once its fleet is whole.
 */
export function updatesGoOn(evidence: Evidence): readonly Violation[] {
  const { recorder } = evidence;
  const updates = recorder.moves.filter(({ by }) => by !== "improve");
  const what = [
    ...updates.flatMap((update) => [
      ...(update.by === "age" ? tooEarly(evidence, update) : needless(evidence, update)),
      ...tooMany(evidence, update, updates),
      ...hasty(evidence, update),
    ]),
    ...leftOver(evidence),
    ...recorder.lives.filter(({ isFirst }) => isFirst).flatMap((life) => unlived(evidence, life)),
  ];
  return what.map(([at, text]) => ({ rule: "15 updates", at, what: text }));
}

type Found = readonly (readonly [at: number, text: string])[];

function oldOf({ ours }: Evidence, { left }: MoveSpan): readonly OurMachine[] {
  return ours.filter(({ machine }) => left.includes(machine.id));
}

/** What the candidates allow stays: so nothing is replaced twice for one wish. */
function needless(evidence: Evidence, update: MoveSpan): Found {
  return oldOf(evidence, update)
    .filter(({ machine }) => update.allowed.includes(combinationKey(machine.combination)))
    .map(({ machine }) => [update.from, `${machine.id} is replaced, and its fleet's candidates allow it`]);
}

function tooMany({ scenario, recorder, truth }: Evidence, update: MoveSpan, all: readonly MoveSpan[]): Found {
  const { most = 1 } = (update.by === "update" && specOf(scenario, update.owner)?.update) || {};
  const others = all
    .filter(({ owner, from }) => owner === update.owner && from < update.from)
    .flatMap(({ left }) => left)
    .filter((id) => {
      const asked = recorder.condemned.get(id) ?? Number.POSITIVE_INFINITY;
      const ended = truth.machines.find((each) => each.id === id)?.endedAt ?? truth.now;
      return asked <= update.from && update.from < ended && update.from - asked < STUCK_MS;
    });
  const count = update.left.length + others.length;
  return count > most ? [[update.from, `${count} machines are replaced at once, and ${most} may be`]] : [];
}

/** A machine goes that is old, near the end of its paid hour, and not so near that another one begins while what is new starts. */
function tooEarly(evidence: Evidence, update: MoveSpan): Found {
  const { owner, from, isAhead } = update;
  const { recorder, scenario } = evidence;
  const { maxAge = "", saveMs } = specOf(scenario, owner) ?? {};
  if (recorder.jumps.length > 0) return [];
  const saving = saveMs === undefined ? 0 : SAVING_MS;
  return oldOf(evidence, update).flatMap(({ machine, post }) => {
    const paid = paidLeft(evidence, machine, from);
    const left = paid - saving;
    const wrong = [
      from - post.stamped < milliseconds(maxAge) - clockError(scenario) ? `it is younger than ${maxAge}` : "",
      left > BEFORE_THE_HOUR_MS ? `its paid hour has ${paid / MINUTE} minutes left` : "",
      isAhead && paid > 0 && left < STARTS_MS ? "another hour begins while what is new starts" : "",
    ].filter((why) => why !== "");
    return wrong.map((why) => [from, `${machine.id} is replaced, and ${why}`] as const);
  });
}

/** A life begins once all that the fleet asks for has run, by the truth, and not anew before its fleet was removed. */
function unlived({ ours, recorder, scenario }: Evidence, { owner, from }: Recorder["lives"][number]): Found {
  if (recorder.lives.some((each) => each.owner === owner && each.from < from && !each.isRemoved))
    return [[from, "a life begins anew"]];
  // A machine that was taken over was launched for nobody.
  if (scenario.before.length > 0 || traitsOf(scenario).others) return [];
  const asked = recorder.wishes.filter(
    (each) => each.owner === owner && each.from <= from && each.until >= from,
  );
  const ran = ours.filter(
    ({ machine: { states, endedAt }, owner: of }) =>
      of === owner &&
      states.some(({ state, at }) => state === "running" && at <= from) &&
      (endedAt ?? from) > from - UNSEEN_MS,
  );
  const least = Math.min(...asked.map(({ gpus }) => gpus));
  return gpusOf(ran) < least ? [[from, `a life begins, and ${gpusOf(ran)} GPUs of ${least} have run`]] : [];
}

/** Where what is new comes first, what is old is stopped for it when that runs. */
function hasty(evidence: Evidence, update: MoveSpan): Found {
  const { ours, recorder, scenario } = evidence;
  const { owner, left, isAhead, from } = update;
  if (!isAhead || (specOf(scenario, owner)?.overshoot ?? 0) > 0) return [];
  return left.flatMap((id) => {
    const at = recorder.updated.get(id);
    if (at === undefined || at < from) return [];
    const gone = oldOf(evidence, update).filter(
      ({ machine }) => (recorder.updated.get(machine.id) ?? at + 1) <= at,
    );
    const came = ours.filter(
      ({ owner: of, post, machine }) =>
        of === owner &&
        post.stamped >= from &&
        machine.states.some((one) => one.state === "running" && one.at <= at),
    );
    // What was above the count, and no machine was small enough to go for it, goes with what is replaced.
    const asked = recorder.wishes.filter(
      (wish) => wish.owner === owner && wish.from <= at && wish.until >= from,
    );
    const there = ours.filter(
      (each) => each.owner === owner && each.post.stamped < from && aliveAt(each.machine, from),
    );
    const excess = Math.max(0, gpusOf(there) - Math.max(...asked.map(({ gpus }) => gpus)));
    const what = `an update stops ${gpusOf(gone)} GPUs, and ${gpusOf(came)} new ones run`;
    return gpusOf(came) + excess < gpusOf(gone) ? [[at, what] as const] : [];
  });
}

/** In the end nothing that is certainly ours stands where its fleet may have nothing. */
function leftOver({ ours, recorder, scenario, said, truth }: Evidence): Found {
  return ours.flatMap(({ machine, owner }) => {
    const spec = specOf(scenario, owner);
    const { keys = [], isHeld = false } = recorder.allowed.get(owner) ?? {};
    const isOurs = said.claims.get(machine.id)?.claim === "certain";
    if (!spec?.update || isHeld || isLimited(spec) || !isOurs || !isLiving(machine, truth.now)) return [];
    if (keys.includes(combinationKey(machine.combination))) return [];
    return [[truth.now, `${machine.id} is of an older wish, and was not replaced`] as const];
  });
}
