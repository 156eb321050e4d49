import { DEFAULT_SETTINGS } from "../../launch/index.ts";
import type { Evidence, OurMachine, Violation } from "../evidence.ts";
import { aliveAt, gpusOf, isLiving, isRepriced, stoppingSince } from "../evidence.ts";
import type { WishSpan } from "../recorder.ts";
import type { Scenario } from "../scenario.ts";
import { specOf, traitsOf } from "../scenario.ts";

/**
 * Live, starting, unknown and stopping machines of an owner are never more than it asked for, with the overshoot and the
 * surge that it allows; without those that stop, or whose stop is stored and on its way, never more than with the overshoot
 * alone. Looked at whenever one comes to be: only then the number rises. Left out are machines that came later than the settle time (4.5 finds them and stops
 * them), those that have been stopping for a quarter of an hour (4.6), and those
 * that the service itself denied for a while (they were believed gone). On a shared account without a marker, where
 * others launch, nobody can count exactly: there the limit is not demanded.
 */
export function countLimit(evidence: Evidence): readonly Violation[] {
  if (!canCount(evidence)) return [];
  return timely(evidence).flatMap(({ machine, owner, post }) => {
    const at = machine.committedAt;
    const all = countedAt(evidence, owner, at);
    const isCondemned = (id: string): boolean =>
      (evidence.recorder.condemned.get(id) ?? Number.POSITIVE_INFINITY) <= at;
    const staying = all.filter(({ machine }) => isLiving(machine, at) && !isCondemned(machine.id));
    return [
      ...above(
        all,
        mostWanted(evidence, owner, { at, post }, ({ gpus, overshoot, surge }) => gpus + overshoot + surge),
      ),
      ...above(
        staying,
        mostWanted(evidence, owner, { at, post }, ({ gpus, overshoot }) => gpus + overshoot),
      ),
    ].map((what) => ({ rule: "4.10 count", at, what: `${owner} has ${what}` }));
  });
}

function above(there: readonly OurMachine[], limit: number): readonly string[] {
  const gpus = gpusOf(there);
  const ids = there.map((each) => each.machine.id.slice(0, 8)).join(", ");
  return gpus > limit ? [`${gpus} GPUs (${ids}), and ${limit} are the most`] : [];
}

/** All machines of an owner together never cost more an hour than it allows. */
export function hourlyLimit(evidence: Evidence): readonly Violation[] {
  if (!canCount(evidence)) return [];
  return timely(evidence).flatMap(({ machine, owner, post }) => {
    const at = machine.committedAt;
    const limit = mostWanted(
      evidence,
      owner,
      { at, post },
      ({ perHour }) => perHour ?? Number.POSITIVE_INFINITY,
    );
    const there = countedAt(evidence, owner, at);
    const cost = there.reduce((sum, each) => sum + Number(each.machine.statement.pricePerHour), 0);
    if (cost <= limit + 1e-9 || there.some((each) => isRepriced(evidence, each.machine))) return [];
    return [
      { rule: "4.10 perHour", at, what: `${owner} costs ${cost} USD an hour, and ${limit} are the most` },
    ];
  });
}

/**
 * No launch takes the balance below the floor. Machines may burn through it, and so may people: what they took while the
 * balance that the product had read was still good is allowed for.
 */
export function floorLimit({ scenario, truth, recorder, ours, started }: Evidence): readonly Violation[] {
  const fresh = DEFAULT_SETTINGS.poll + 2 * DEFAULT_SETTINGS.stampAge;
  return ours.flatMap(({ machine, owner, post, late }) => {
    if (late) return [];
    const spans = spansAt(recorder.wishes, owner, post.arrived, fresh);
    const floor = Math.min(...spans.map((wish) => wish.floor ?? Number.NEGATIVE_INFINITY));
    const since = post.arrived - fresh;
    const people = truth.machines.filter(
      (each) => each.origin.by === "hand" && each.committedAt >= since && each.committedAt <= post.arrived,
    );
    const spent = people.reduce((sum, each) => sum + Number(each.statement.firstHour), 0);
    const moved = scenario.events.some(
      ({ kind, at }) => kind === "balance" && isWithin(at, post.arrived - started, fresh),
    );
    const burn = truth.machines
      .filter((each) => aliveAt(each, post.arrived))
      .reduce((sum, each) => sum + (Number(each.statement.pricePerHour) * fresh) / 3_600_000, 0);
    const left = Number(post.balance) - Number(machine.statement.firstHour) + spent + burn;
    if (moved || left >= floor - 1e-9) return [];
    return [
      {
        rule: "4.10 floor",
        at: post.arrived,
        what: `${owner} launched with ${post.balance} USD, above a floor of ${floor}`,
      },
    ];
  });
}

function isWithin(at: number, now: number, ms: number): boolean {
  return at <= now && at >= now - ms;
}

/**
 * A stop never takes an owner below what it wants, but for machines that ended while nobody could know it yet. (A stop
 * that was asked for is carried out even if the wish grows again: so the least wish of the last while counts.)
 */
export function noNeedlessStop(evidence: Evidence): readonly Violation[] {
  const { ours, recorder, scenario } = evidence;
  // What was taken over was launched for nobody: whose it is now, the truth does not know.
  if (!canCount(evidence) || scenario.before.length > 0 || takesOver(scenario)) return [];
  const fleets = ours.filter(({ owner }) => !owner.startsWith("slot:") && !mayDrain(evidence, owner));
  const asked = new Map(recorder.stops.map(({ id, at }) => [id, at] as const).reverse());
  return fleets.flatMap(({ machine, owner }) => {
    const at = stoppingSince(machine);
    const first = asked.get(machine.id);
    if (at === undefined || first === undefined) return [];
    const known = ours.filter(
      (each) =>
        each.owner === owner &&
        each.machine.committedAt <= at &&
        (isLiving(each.machine, at) || endedUnseen(each.machine, at, asked.has(each.machine.id))),
    );
    const least = Math.min(...spansAt(recorder.wishes, owner, at, WISH_MEMORY_MS).map(({ gpus }) => gpus));
    if (gpusOf(known) >= least) return [];
    return [
      { rule: "4.10 stops", at, what: `${owner} wants ${least} GPUs, and a stop left ${gpusOf(known)}` },
    ];
  });
}

/** A person launches on an exclusive account: that is ours from then on. */
function takesOver(scenario: Scenario): boolean {
  return scenario.tenure === "exclusive" && traitsOf(scenario).others;
}

/** A fleet that is drained wants nothing, whatever it asks for; nor does one that gives back what it got. */
function mayDrain({ scenario, recorder }: Evidence, owner: string): boolean {
  const spec = specOf(scenario, owner);
  return (
    spec?.untilMs !== undefined ||
    spec?.total !== undefined ||
    spec?.allOrNothing !== undefined ||
    recorder.holds.some((hold) => hold.owner === owner)
  );
}

const WISH_MEMORY_MS = 20 * 60_000;
/** How long an end may go unseen: lists fail, lag and lie. */
const UNSEEN_MS = 5 * 60_000;

function endedUnseen(machine: OurMachine["machine"], at: number, stoppedByUs: boolean): boolean {
  if (machine.endedAt === null || machine.endedAt > at) return false;
  return !stoppedByUs && at - machine.endedAt < UNSEEN_MS;
}

function canCount({ scenario }: Evidence): boolean {
  const { clear, others } = traitsOf(scenario);
  return clear || !others;
}

function timely({ ours, recorder }: Evidence): readonly OurMachine[] {
  return ours.filter(({ machine, late }) => !late && !recorder.forgotten.has(machine.id));
}

function countedAt(evidence: Evidence, owner: string, at: number): readonly OurMachine[] {
  return timely(evidence).filter((each) => {
    const stopping = stoppingSince(each.machine);
    const stuck = stopping !== undefined && at - stopping > DEFAULT_SETTINGS.stopping;
    return each.owner === owner && aliveAt(each.machine, at) && !stuck;
  });
}

/** What an owner may have asked for when the launch that arrives now was decided upon. */
function spansAt(
  wishes: readonly WishSpan[],
  owner: string,
  at: number,
  before: number,
): readonly WishSpan[] {
  return wishes.filter((wish) => wish.owner === owner && wish.from <= at && wish.until + before >= at);
}

function mostWanted(
  { recorder }: Evidence,
  owner: string,
  { at, post }: { readonly at: number; readonly post: OurMachine["post"] },
  value: (wish: WishSpan) => number,
): number {
  // Its intent was written under a wish; what was launched after it and is there already, under a later one.
  const before = at - post.stamped + 2 * DEFAULT_SETTINGS.stampAge;
  return Math.max(0, ...spansAt(recorder.wishes, owner, at, before).map(value));
}
