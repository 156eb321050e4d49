import { combinationKey } from "../../service/contract/contract.ts";
import { milliseconds } from "../../service/text/duration.ts";
import type { TruthMachine } from "../../simulator/index.ts";
import { clockError, specOf } from "../scenario/scenario.ts";
import { opensAt } from "../scenario/windows.ts";
import type { MoveSpan } from "../world/recorder.ts";
import type { Evidence, OurMachine, Violation } from "./evidence.ts";
import { aliveAt, gpusOf, isRepriced } from "./evidence.ts";
import { isHeldUp } from "./saved.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
/** Over so long a time a move pays, and what came with one stays. */
const HORIZON_MS = 6 * HOUR;
const DAY_MS = 24 * HOUR;
/** By then what failed or was avoided in the noise is tried as everything else. */
const SETTLED_MS = 20 * MINUTE;

interface Moved {
  readonly move: MoveSpan;
  readonly old: readonly OurMachine[];
  readonly came: readonly OurMachine[];
}

/**
 * A move to cheaper machines saves what its fleet demands, and more within six hours than it costs, by the simulator's books as
 * they were when it was made. What is old goes once what is new runs. Moves keep their pace, none goes back, and what came stays.
 */
export function movesPay(evidence: Evidence): readonly Violation[] {
  const { recorder, scenario } = evidence;
  // Where somebody moves the clock, nobody here knows which time moves go by.
  if (recorder.jumps.length > 0) return [];
  const moves = recorder.moves.filter(({ by }) => by === "improve");
  const every = moves.map((move) => movedBy(evidence, move));
  const isDone = ({ move, old }: Moved): boolean => move.isDone && old.length === move.left.length;
  // What fills a hole may cost more than what it leaves.
  const all = every.filter(({ move }) => move.fills === 0);
  const done = all.filter(isDone);
  const what = [
    ...every.filter((each) => isDone(each) && each.move.isAhead).flatMap(hasty),
    ...done.filter(({ move }) => move.isAhead).flatMap((each) => dear(evidence, each)),
    ...all.flatMap(({ move }) => [
      ...apart(scenario, move, all),
      ...inQuiet(evidence, move),
      ...early(evidence, move),
      ...inPart(evidence, move),
    ]),
    ...done.flatMap((each) => goesRound(each, done)),
  ];
  return what.map(([at, text]) => ({ rule: "14 moves", at, what: text }));
}

type Found = readonly (readonly [at: number, text: string])[];

/** What it left, and what was launched for it and known by its end. */
function movedBy({ ours, recorder }: Evidence, move: MoveSpan): Moved {
  const known = ({ machine: { id } }: OurMachine): boolean =>
    (recorder.claimed.get(id) ?? Number.POSITIVE_INFINITY) <= move.until;
  const came = ours.filter(
    (each) =>
      each.owner === move.owner &&
      each.post.stamped >= move.from &&
      each.machine.committedAt <= move.until &&
      known(each),
  );
  return { move, old: ours.filter(({ machine }) => move.left.includes(machine.id)), came };
}

function dear(evidence: Evidence, moved: Moved): Found {
  const { scenario, truth } = evidence;
  const { move, old } = moved;
  const came = move.isInPart ? inTheirPlace(moved) : moved.came;
  if (came.some((each) => each.late || isRepriced(evidence, each))) return [];
  const { saves = "0" } = specOf(scenario, move.owner)?.improve ?? {};
  const leaves = sum(old.map(({ machine }) => priceOf(machine)));
  // What failed meanwhile costs nothing any more.
  const stay = came.filter(({ machine }) => aliveAt(machine, move.until));
  const costs = sum(stay.map(({ machine }) => priceOf(machine)));
  const least = saves.endsWith("%") ? (leaves * Number.parseFloat(saves)) / 100 : Number(saves);
  const end = Math.max(...old.map(({ machine }) => machine.endedAt ?? truth.now));
  const until = move.from + HORIZON_MS;
  const stays = sum(old.map(({ machine }) => used(machine, until)));
  const moves =
    sum(old.map(({ machine }) => charged(machine, machine.endedAt ?? truth.now, scenario))) +
    sum(came.map(({ machine }) => used(machine, until)));
  // What held it up could not be foreseen.
  const isDear = moves > stays + 1e-9 && !isHeldUp(evidence, move.owner, move.from, end);
  return [
    ...(leaves - costs < least - 1e-9
      ? [[move.from, `a move saves ${leaves - costs} USD an hour, and ${least} are the least`] as const]
      : []),
    ...(isDear
      ? [[move.from, `a move costs ${moves} USD in six hours, and ${stays} without it`] as const]
      : []),
  ];
}

/** Of a move that was made in part, the cheapest of what ran in the place of what it left: the rest took the place of what was lost. */
function inTheirPlace({ move: { until }, old, came }: Moved): readonly OurMachine[] {
  const running = came.filter(
    ({ machine }) =>
      aliveAt(machine, until) && machine.states.some(({ state, at }) => state === "running" && at <= until),
  );
  const perGpu = ({ machine }: OurMachine): number => priceOf(machine) / machine.gpus;
  let lacks = gpusOf(old);
  return running
    .sort((one, other) => perGpu(one) - perGpu(other))
    .filter(({ machine }) => {
      const isNeeded = lacks > 0;
      lacks -= machine.gpus;
      return isNeeded;
    });
}

function priceOf({ statement }: TruthMachine): number {
  return Number(statement.pricePerHour);
}

/** What a machine costs that lives until then, by its terms: without any, an hour at least, and more by the simulator's setting. */
function charged(machine: TruthMachine, until: number, { settings }: Evidence["scenario"]): number {
  const { terms } = machine.statement;
  const unit = terms?.unitMs ?? (settings.billing === "perHour" ? HOUR : 1_000);
  const least = terms?.minimumMs ?? HOUR;
  const begun = Math.ceil(Math.max(0, until - billedFrom(machine, until)) / unit) * unit;
  return (priceOf(machine) * Math.max(least, begun)) / HOUR;
}

/** What the time until then is worth at its price: what of a paid hour comes after it is used, too. */
function used(machine: TruthMachine, until: number): number {
  return (priceOf(machine) * Math.max(0, until - billedFrom(machine, until))) / HOUR;
}

/** Without terms it is billed from the moment on at which it runs. */
function billedFrom({ statement, committedAt, states }: TruthMachine, until: number): number {
  return statement.terms ? committedAt : (states.find(({ state }) => state === "running")?.at ?? until);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}

/** The old ones are stopped when the new ones run. */
function hasty({ move, old, came }: Moved): Found {
  const { until } = move;
  const running = came.filter(({ machine }) =>
    machine.states.some(({ state, at }) => state === "running" && at <= until),
  );
  const [has, had] = [gpusOf(running), gpusOf(old)];
  return has < had + move.fills ? [[until, `a move stops ${had} GPUs, and ${has} new ones run`]] : [];
}

/** None begins within the fleet's time after another one. */
function apart(scenario: Evidence["scenario"], move: MoveSpan, moves: readonly Moved[]): Found {
  const per = milliseconds(specOf(scenario, move.owner)?.improve?.per ?? "0s");
  const before = moves.find(
    ({ move: { owner, begun } }) => owner === move.owner && begun < move.begun && move.begun - begun < per,
  );
  return before
    ? [[move.from, `a move begins ${(move.begun - before.move.begun) / 1000} s after another one`]]
    : [];
}

/** What is whole or not at all leaves all of its machines, or none. */
function inPart({ ours, scenario }: Evidence, { owner, from, left }: MoveSpan): Found {
  if (specOf(scenario, owner)?.allOrNothing === undefined) return [];
  const stays = ours.filter(
    ({ machine, owner: of, post }) =>
      of === owner && post.stamped < from && aliveAt(machine, from) && !left.includes(machine.id),
  );
  return stays.map(({ machine }) => [from, `an all-or-nothing fleet moves, and ${machine.id} stays`]);
}

/** None begins before its window. */
function early({ scenario, started }: Evidence, move: MoveSpan): Found {
  const { fromMs } = specOf(scenario, move.owner)?.improve ?? {};
  const opens = fromMs === undefined ? 0 : opensAt(started, fromMs);
  return move.from < opens - clockError(scenario)
    ? [[move.from, `a move begins ${(opens - move.from) / 1000} s before its window`]]
    : [];
}

/** What was launched where nothing happens any more is the cheapest, and stays. */
function inQuiet({ ours, recorder }: Evidence, move: MoveSpan): Found {
  return ours
    .filter(
      ({ machine, post }) => move.left.includes(machine.id) && post.stamped > recorder.quietFrom + SETTLED_MS,
    )
    .map(({ machine }) => [
      move.from,
      `${machine.id} is left, and nothing has happened since it was launched`,
    ]);
}

/** What came with a move is left by another one too early, or is what another one left within a day, for no less. */
function goesRound({ move, old, came }: Moved, done: readonly Moved[]): Found {
  const before = done.filter((each) => each.move.owner === move.owner && each.move.begun < move.begun);
  const within = (ms: number) => before.filter((each) => move.begun - each.move.begun < ms);
  // What costs as much as what it took the place of bridges a shortage, and may be left.
  const young = within(HORIZON_MS).flatMap((each) => {
    const dearest = Math.max(...each.old.map(({ machine }) => priceOf(machine)));
    return old.filter(
      ({ machine }) => priceOf(machine) < dearest && each.came.some((one) => one.machine.id === machine.id),
    );
  });
  const back = within(DAY_MS).flatMap(({ old: left }) =>
    came.filter(({ machine }) =>
      left.some((one) => isSame(one.machine, machine) && priceOf(machine) >= priceOf(one.machine)),
    ),
  );
  return [
    ...young.map(({ machine }) => [move.from, `${machine.id} came with a move, and is left again`] as const),
    // Where the old ones go first, what is missing is launched as for any loss.
    ...(move.isAhead ? back : []).map(
      ({ machine }) => [move.from, `${machine.id} is what a move left, and costs no less`] as const,
    ),
  ];
}

function isSame(one: TruthMachine, other: TruthMachine): boolean {
  return combinationKey(one.combination) === combinationKey(other.combination);
}
