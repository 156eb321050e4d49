import Big from "big.js";
import type { TruthMachine } from "../../simulator/index.ts";
import { traitsOf } from "../scenario/scenario.ts";
import type { Evidence, OurMachine, Violation } from "./evidence.ts";
import { haltedBy, isLiving, mistakenGpus, postOf } from "./evidence.ts";
import { standInsOf } from "./stand-ins.ts";

/** What should be there at rest: GPUs by owner, from the least to the most. */
export type Wanted = ReadonlyMap<string, Range>;

export interface Range {
  /** What must be reached; 0 if a budget may forbid it. */
  readonly least: number;
  readonly asked: number;
  readonly most: number;
}

const NOTHING: Range = { least: 0, asked: 0, most: 0 };

/**
 * With a marker or on an exclusive account every owner has exactly what it wants, with the machines it took
 * over, and nothing else of ours runs: no billed duplicate, no leak. Elsewhere it has at least what it wants,
 * with strangers' machines that had to be claimed.
 */
export function exactCount(evidence: Evidence, wanted: Wanted): readonly Violation[] {
  const { scenario, truth, ours, said } = evidence;
  const { now } = truth;
  const { clear, others } = traitsOf(scenario);
  const living = ours.filter(({ machine }) => isLiving(machine, now));
  // Only certain claims are stopped: a shared account without a marker has no upper limit.
  if (!clear)
    return exactTotal(evidence, wanted, living, others ? standIns(evidence) : []).filter(
      ({ rule }) => rule === REACHED,
    );
  const adopted = truth.machines.filter(
    (machine) =>
      machine.origin.by === "hand" &&
      scenario.tenure === "exclusive" &&
      isLiving(machine, now) &&
      !said.reported.has(machine.id),
  );
  const taken = adopted.map(({ gpus }) => gpus);
  if (taken.length > 0 || mayCross(evidence)) return exactTotal(evidence, wanted, living, taken);
  const owners = new Set([...wanted.keys(), ...living.map(({ owner }) => owner)]);
  return [...owners].flatMap((owner) => {
    const owned = living.filter((each) => each.owner === owner).map(({ machine }) => machine.gpus);
    return compared(owned, wanted.get(owner) ?? NOTHING, now, owner);
  });
}

/**
 * GPUs of living stand-ins. One that its person stopped counts on if the profile names no such state: it is
 * reported, and nothing shows its end.
 */
function standIns(evidence: Evidence): readonly number[] {
  const { scenario, truth } = evidence;
  const endsUnnamed = ({ states }: TruthMachine): boolean =>
    scenario.unnamedEnd && states.at(-1)?.state === "stopped";
  return standInsOf(evidence)
    .filter(({ machine }) => isLiving(machine, truth.now) || endsUnnamed(machine))
    .map(({ gpus }) => gpus);
}

function exactTotal(
  evidence: Evidence,
  wanted: Wanted,
  living: readonly OurMachine[],
  adopted: readonly number[],
): readonly Violation[] {
  const { least, asked, most } = totalOf(wanted);
  const gpus = [...living.map(({ machine }) => machine.gpus), ...adopted];
  const kept = tooBig(living, wanted);
  const excess = sum(gpus) - most - kept;
  const range = {
    least: least - mistakenGpus(evidence, living),
    asked,
    most: most + kept + (mayKeep(excess, wanted, living, adopted) ? excess : 0),
  };
  return compared(gpus, range, evidence.truth.now, "everything");
}

/** The truth does not know a taken-over machine's owner. It may be too big for it, as its own may be. */
function mayKeep(
  excess: number,
  wanted: Wanted,
  living: readonly OurMachine[],
  adopted: readonly number[],
): boolean {
  if (excess <= 0 || adopted.length === 0 || adopted.some((gpus) => gpus <= excess)) return false;
  return [...wanted].some(
    ([owner, { asked }]) =>
      asked > 0 && living.every((each) => each.owner !== owner || each.machine.gpus > excess),
  );
}

const sum = (gpus: readonly number[]): number => gpus.reduce((total, each) => total + each, 0);

const REACHED = "count reached";
export const DUPLICATE = "no duplicate, no leak";

function totalOf(wanted: Wanted): Range {
  let total = NOTHING;
  for (const { least, asked, most } of wanted.values())
    total = { least: total.least + least, asked: total.asked + asked, most: total.most + most };
  return total;
}

function compared(gpus: readonly number[], wanted: Range, at: number, who: string): readonly Violation[] {
  const { least, asked, most } = wanted;
  const has = sum(gpus);
  if (has < least) return [{ rule: REACHED, at, what: `${who}: ${has} GPUs run, and ${least} are wanted` }];
  if (has <= most || isTooSmallToStop(gpus, asked)) return [];
  return [{ rule: DUPLICATE, at, what: `${who}: ${has} GPUs run, and ${most} are the most` }];
}

/** True if no machine is small enough to stop without falling below what is wanted. */
function isTooSmallToStop(gpus: readonly number[], asked: number): boolean {
  const has = sum(gpus);
  return gpus.every((each) => has - each < asked);
}

/** GPUs that owners have too many, because their machines are too big for what they want. */
function tooBig(living: readonly OurMachine[], wanted: Wanted): number {
  return [...Map.groupBy(living, ({ owner }) => owner)].reduce((so, [owner, machines]) => {
    const { asked, most } = wanted.get(owner) ?? NOTHING;
    const gpus = machines.map(({ machine }) => machine.gpus);
    const excess = sum(gpus) - most;
    return excess > 0 && isTooSmallToStop(gpus, asked) ? so + excess : so;
  }, 0);
}

/** True if a late machine may go to another owner: lists tell nothing apart. */
function mayCross({ scenario, ours }: Evidence): boolean {
  return scenario.wire !== "marker" && ours.some(({ late }) => late);
}

/**
 * Each machine that runs is somebody's or is reported, both sides of a dispute too. On a shared account no
 * stranger's machine is ever certainly ours, and each claimed one stands for one launch.
 */
export function nothingSilent({ scenario, truth, ours, said }: Evidence): readonly Violation[] {
  const rule = "4.8 nothing is silent";
  const { now } = truth;
  // By these no list can show it: people are told of its launch, or of the list, as the story says.
  if (scenario.quirk === "unsaidPages" || scenario.quirk === "otherKind") return [];
  const launched = new Set(ours.map(({ machine }) => machine.id));
  const explained = new Map<string | null, string>();
  return truth.machines.flatMap((machine): readonly Violation[] => {
    if (!isLiving(machine, now) || said.reported.has(machine.id)) return [];
    const id = machine.id.slice(0, 8);
    const { claim = null, intent = null } = said.claims.get(machine.id) ?? {};
    if (claim !== "certain" && claim !== "inferred")
      return [{ rule, at: now, what: `${id} runs, is ${claim ?? "nobody's"}, and is not reported` }];
    if (claim === "certain")
      return scenario.tenure === "exclusive" || launched.has(machine.id)
        ? []
        : [{ rule: "4.6 only certain claims", at: now, what: `${id} of others is taken for certainly ours` }];
    const other = explained.get(intent);
    explained.set(intent, id);
    return other === undefined
      ? []
      : [{ rule, at: now, what: `${id} and ${other} are both taken for what one launch made` }];
  });
}

/** What is billed and does not serve is stopped, where it is certainly ours. */
export function servesOrStops({ scenario, truth, ours, said }: Evidence): readonly Violation[] {
  const { now } = truth;
  return ours.flatMap(({ machine }) => {
    const isOurs = said.claims.get(machine.id)?.claim === "certain";
    if (!isOurs || scenario.halts || !isLiving(machine, now) || !haltedBy(machine, now)) return [];
    const what = `${machine.id.slice(0, 8)} is halted, bills, and is not stopped`;
    return [{ rule: "4.6 what does not serve is stopped", at: now, what }];
  });
}

/** How long a machine may be there before lists show it: they lag, are cut, or fail. */
const UNLISTED_MS = 2 * 60_000;

/** A machine that is claimed for a launch was not there before the launch was sent. */
export function noneIsOlder(evidence: Evidence): readonly Violation[] {
  const { truth, said, recorder } = evidence;
  return truth.machines.flatMap((machine) => {
    const { intent = null } = said.claims.get(machine.id) ?? {};
    const post = intent === null ? undefined : postOf(evidence, intent);
    const unseen = recorder.hidden.has(machine.id) || recorder.forgotten.has(machine.id);
    if (!post || unseen || post.stamped - machine.committedAt <= UNLISTED_MS) return [];
    const seconds = Math.round((post.stamped - machine.committedAt) / 1000);
    const what = `${machine.id.slice(0, 8)} is taken for what a launch made that was sent ${seconds} s later`;
    return [{ rule: "4.2 baseline", at: post.stamped, what }];
  });
}

/** A destroy that succeeded left nothing of its stack that bills, or is still to come. */
export function destroyedIsGone(evidence: Evidence): readonly Violation[] {
  const { recorder, ours } = evidence;
  return recorder.destroyed.flatMap(({ owner, at }) =>
    ours
      .filter(({ machine, late, post, ...each }) => {
        const sent = post.asked <= at && (machine.endedAt === null || machine.endedAt > at);
        const isKnown = !late && !recorder.forgotten.has(machine.id) && !isSwapped(evidence, machine, owner);
        return each.owner === owner && sent && isKnown;
      })
      .map(({ machine }) => ({
        rule: "4.9 destroy",
        at,
        what: `the destroy of ${owner} succeeded, and ${machine.id.slice(0, 8)} still bills`,
      })),
  );
}

/**
 * True if nothing tells our machines from strangers', and the owner's machine was claimed for another owner,
 * who answers for it: a stranger's was claimed for this one.
 */
function isSwapped(evidence: Evidence, { id }: TruthMachine, owner: string): boolean {
  const { scenario, said, truth } = evidence;
  const { clear, others } = traitsOf(scenario);
  const post = postOf(evidence, said.claims.get(id)?.intent ?? "");
  return !clear && others && !!post && truth.launches[post.entry - 1]?.parameters.owner !== owner;
}

/** initial + adjustments + refunds - reservations - usage = balance, and all statements add up to it. */
export function moneyConserved(truth: Evidence["truth"]): readonly Violation[] {
  const [account] = truth.accounts;
  if (!account) return [];
  const { initial, adjustments, refunds, reservations, usage, balance } = account;
  const sum = new Big(initial).plus(adjustments).plus(refunds).minus(reservations).minus(usage);
  const charged = truth.machines.reduce((total, { statement }) => total.plus(statement.charged), new Big(0));
  const kept = new Big(reservations).plus(usage).minus(refunds);
  const violations = [];
  if (!sum.eq(balance)) violations.push(`the parts make ${sum.toFixed(4)}, and the balance is ${balance}`);
  if (!charged.eq(kept))
    violations.push(`the statements make ${charged.toFixed(4)}, and the account paid ${kept.toFixed(4)}`);
  return violations.map((what) => ({ rule: "balance conserved", at: truth.now, what }));
}

/** No part of the product ends with an unknown error. */
export function noSurprise({ recorder, truth }: Evidence): readonly Violation[] {
  return recorder.surprises.map((what) => ({ rule: "no unknown error", at: truth.now, what }));
}
