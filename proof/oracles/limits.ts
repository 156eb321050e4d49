import { DEFAULT_SETTINGS } from "../../launch/index.ts";
import { combinationKey } from "../../service/contract/contract.ts";
import type { TruthMachine } from "../../simulator/index.ts";
import type { Scenario } from "../scenario/scenario.ts";
import { clockError, specOf, traitsOf } from "../scenario/scenario.ts";
import { isLimited } from "../world/fleet-file.ts";
import type { WishSpan } from "../world/recorder.ts";
import { looksDear } from "./affordable.ts";
import { timeAhead, timeBegun } from "./billed.ts";
import { endOf } from "./deadline.ts";
import type { Evidence, OurMachine, Violation } from "./evidence.ts";
import { aliveAt, gpusOf, haltedBy, isLiving, isRepriced, mistakenGpus, stoppingSince } from "./evidence.ts";
import { letGoSince, standInsAt } from "./stand-ins.ts";

/**
 * Live, starting, unknown and stopping machines of an owner never exceed its count, overshoot and surge.
 * Without those that stop, or whose stop is stored, they never exceed count and overshoot. Checked at each
 * new machine: only then the number rises. Left out are machines later than the settle time (4.5 stops them),
 * those stopping for a quarter of an hour (4.6), and those that the service denied for a while. On a shared
 * account without a marker, strangers' machines that had to be claimed are allowed for.
 */
export function countLimit(evidence: Evidence): readonly Violation[] {
  return timely(evidence).flatMap(({ machine, owner, post }) => {
    const at = machine.committedAt;
    const others = takenGpus(evidence, at);
    const all = countedAt(evidence, owner, at);
    const isCondemned = (id: string): boolean =>
      (evidence.recorder.condemned.get(id) ?? Number.POSITIVE_INFINITY) <= at;
    const staying = all.filter(({ machine }) => isLiving(machine, at) && !isCondemned(machine.id));
    // What is launched ahead of a service's drain, or for a move, stands beside what it replaces.
    const isLeft =
      leavesAt(evidence, post.stamped, at).length > 0 ||
      movesAt(evidence, owner, post.stamped, at).length > 0;
    return [
      ...above(
        all,
        others +
          mostWanted(
            evidence,
            owner,
            { at, post },
            (wish) => wish.gpus + wish.overshoot + wish.surge + buffered(wish),
          ),
      ),
      ...above(
        staying,
        others +
          mostWanted(
            evidence,
            owner,
            { at, post },
            (wish) => wish.gpus + wish.overshoot + (isLeft ? wish.surge : 0) + buffered(wish),
          ),
      ),
    ].map((what) => ({ rule: "4.10 count", at, what: `${owner} has ${what}` }));
  });
}

/** A fleet that wants nothing has no buffer either. */
function buffered({ gpus, buffer }: WishSpan): number {
  return gpus > 0 ? (buffer?.gpus ?? 0) : 0;
}

/** What an owner has above its count, its overshoot and its surge is launched at the price of its buffer at most. */
export function bufferLimit(evidence: Evidence): readonly Violation[] {
  return timely(evidence).flatMap((made) => {
    const { machine, owner, post } = made;
    const at = machine.committedAt;
    const wanted = (value: (wish: WishSpan) => number): number =>
      mostWanted(evidence, owner, { at, post }, value);
    const most = wanted(({ buffer }) => buffer?.price ?? 0);
    const price = Number(machine.statement.pricePerHour) / machine.gpus;
    // What a move or an update launches ahead is no buffer.
    const isAhead = movesAt(evidence, owner, post.stamped, at).length > 0;
    if (most === 0 || price <= most + 1e-9 || isAhead || isRepriced(evidence, made)) return [];
    const enough = takenGpus(evidence, at) + wanted((wish) => wish.gpus + wish.overshoot + wish.surge);
    // Of those of one moment, what was sent later is the one more.
    const there = countedAt(evidence, owner, at).filter((each) => each.post.entry <= post.entry);
    return above(there, enough).map((what) => {
      return { rule: "4.10 buffer", at, what: `${owner} has ${what}, and pays ${price} for one more` };
    });
  });
}

/** The drains of services that were in force at some time between these moments. */
function leavesAt({ recorder }: Evidence, since: number, at: number): Evidence["recorder"]["leaves"] {
  return recorder.leaves.filter(({ from, until }) => from <= at && until + DEFAULT_SETTINGS.poll >= since);
}

/** An owner's moves to cheaper machines that were under way at some time between these moments, new ones first. */
function movesAt({ recorder }: Evidence, owner: string, since: number, at: number) {
  return recorder.moves.filter(
    (move) => move.owner === owner && move.isAhead && move.from <= at && move.until >= since,
  );
}

function above(there: readonly OurMachine[], limit: number): readonly string[] {
  const gpus = gpusOf(there);
  const ids = there.map((each) => each.machine.id.slice(0, 8)).join(", ");
  return gpus > limit ? [`${gpus} GPUs (${ids}), and ${limit} are the most`] : [];
}

const HOUR_MS = 3_600_000;

/**
 * Machines that lists showed, and that the service denies within an hour, have two others rented in their place at most, or
 * half as many as the owner wants: each of them may run on.
 */
export function lossesLimit(evidence: Evidence): readonly Violation[] {
  const { forgotten, seen, condemned } = evidence.recorder;
  // What ended an hour ago is archived there.
  if (evidence.scenario.archivesSoon) return [];
  return timely(evidence).flatMap(({ machine, owner, post }) => {
    const at = machine.committedAt;
    const denied = evidence.ours
      .filter((each) => each.owner === owner && aliveAt(each.machine, at))
      .filter(({ machine: { id } }) => (forgotten.get(id) ?? 0) > at - HOUR_MS && (seen.get(id) ?? at) < at)
      .filter(({ machine: { id } }) => (condemned.get(id) ?? at) >= at)
      .sort((one, other) => other.machine.gpus - one.machine.gpus);
    if (denied.length <= 2) return [];
    const most = mostWanted(
      evidence,
      owner,
      { at, post },
      (wish) => wish.gpus + wish.overshoot + wish.surge + buffered(wish),
    );
    const replaced = gpusOf(denied.slice(0, Math.max(2, Math.floor(most / 2))));
    const there = [...countedAt(evidence, owner, at), ...denied];
    return above(there, takenGpus(evidence, at) + most + replaced).map((what) => {
      return { rule: "5 losses of an hour", at, what: `${owner} has ${what}` };
    });
  });
}

/** All machines of an owner never cost more an hour than it allows, with those that stop and never end. */
export function hourlyLimit(evidence: Evidence): readonly Violation[] {
  return timely(evidence).flatMap(({ machine, owner, post }) => {
    const at = machine.committedAt;
    const limit = mostWanted(evidence, owner, { at, post }, ({ perHour }) => perHour ?? Infinity);
    const others = standInsAt(evidence, at).reduce((sum, { price }) => sum + price, 0);
    // Nobody knew the cost of a machine whose price had just changed: it does not count.
    const cost = aliveOf(evidence, owner, at)
      .filter((each) => !isRepriced(evidence, each))
      .reduce((sum, each) => sum + Number(each.machine.statement.pricePerHour), 0);
    if (cost <= limit + others + 1e-9) return [];
    const what = `${owner} costs ${cost} USD an hour, and ${limit} are the most`;
    return [{ rule: "4.10 perHour", at, what }];
  });
}

/**
 * No launch takes the balance below the floor. Machines and people may: what people took while the balance
 * that was read was still good is allowed for.
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
    const what = `${owner} launched with ${post.balance} USD, above a floor of ${floor}`;
    return [{ rule: "4.10 floor", at: post.arrived, what }];
  });
}

function isWithin(at: number, now: number, ms: number): boolean {
  return at <= now && at >= now - ms;
}

/**
 * A stop never takes an owner below what it wants when the stop is stored, except for machines that ended
 * unseen. A stored stop is carried out, whatever is wished later.
 */
export function noNeedlessStop(evidence: Evidence): readonly Violation[] {
  const { ours, recorder, scenario } = evidence;
  const { condemned } = recorder;
  // A machine that was taken over was launched for nobody: the truth does not know its owner.
  if (scenario.before.length > 0 || takesOver(scenario) || scenario.halting === "wrongly") return [];
  return ours.flatMap(({ machine, owner, late }) => {
    const at = condemned.get(machine.id);
    // A late one may have been taken for another owner's, where lists tell nothing apart yet.
    if (at === undefined || (late && scenario.wire !== "marker")) return [];
    // One at a time may go before its replacement is there.
    const isRenewed = recorder.renewals.some(
      (each) => each.owner === owner && each.at >= machine.committedAt && each.at <= at,
    );
    const renewed = isRenewed || recorder.unhealthy.has(machine.id) ? machine.gpus : 0;
    // The launch that is not resolved goes on to be one of those that are left, and is made again if it made nothing.
    const open = recorder.idled.has(machine.id) ? openGpus(evidence, owner, at) : 0;
    const left = leftAfter(evidence, owner, at) + renewed + open + goneFirst(evidence, machine, owner, at);
    const least = leastWanted(evidence, owner, at);
    // What does not serve may go before its replacement is there.
    if (left >= least || haltedBy(machine, at) || goesFirst(evidence, machine, owner, at)) return [];
    return [{ rule: "4.10 stops", at, what: `${owner} wants ${least} GPUs, and a stop leaves ${left}` }];
  });
}

/** True if it is in a service that is drained, and nothing may fit beside it: the surge has no room, or limits do not pay for both. */
function goesFirst(evidence: Evidence, { combination }: TruthMachine, owner: string, at: number): boolean {
  const { scenario } = evidence;
  const spec = specOf(scenario, owner);
  const isLeft = leavesAt(evidence, at, at).some(({ service }) => service === combination.provider);
  const elsewhere = scenario.offers.filter(({ provider }) => provider !== combination.provider);
  const largest = Math.max(...elsewhere.map(({ gpus }) => gpus));
  const hasRoom = (spec?.surge ?? 0) >= largest && scenario.atLeast === undefined;
  return isLeft && !(hasRoom && spec && !isLimited(spec));
}

/** GPUs of a move to cheaper machines that go before new ones come, as the surge has no room for these or limits do not pay for both. */
function goneFirst({ recorder, ours, scenario }: Evidence, { id }: TruthMachine, owner: string, at: number) {
  const move = recorder.moves.find(({ left, from, until }) => left.includes(id) && from <= at && until >= at);
  const spec = specOf(scenario, owner);
  const gpus = gpusOf(ours.filter(({ machine }) => move?.left.includes(machine.id)));
  const hasRoom = (spec?.surge ?? 0) >= gpus;
  return move && spec && !(hasRoom && !isLimited(spec)) ? gpus : 0;
}

/** GPUs that an owner may count on after the stops that are stored by then. */
export function leftAfter(evidence: Evidence, owner: string, at: number): number {
  const { ours, recorder, scenario } = evidence;
  const staying = ours.filter(
    (each) =>
      each.owner === owner &&
      each.machine.committedAt <= at &&
      (recorder.condemned.get(each.machine.id) ?? Number.POSITIVE_INFINITY) > at &&
      (isLiving(each.machine, at) || endedUnseen(each.machine, at, evidence)),
  );
  const others = takenGpus(evidence, at) + letGoSince(evidence, at).reduce((sum, { gpus }) => sum + gpus, 0);
  // Each account counts its own, and what may be there in another one is given to nobody.
  const open = scenario.services ? openGpus(evidence, owner, at) : 0;
  return gpusOf(staying) + others + open + promisedGpus(evidence, at) + mistakenGpus(evidence, staying);
}

/** No stop is stored for a machine that a person holds, but at its fleet's deadline or total. */
export function heldIsKept({ recorder, ours, scenario }: Evidence): readonly Violation[] {
  return recorder.heldMachines.flatMap(({ id, from, until }) => {
    const at = recorder.condemned.get(id);
    const owner = ours.find(({ machine }) => machine.id === id)?.owner ?? "";
    const { untilMs, life, total } = specOf(scenario, owner) ?? {};
    // Where somebody moves the clock, nobody here knows when the product takes the hold to be over.
    const isMoved = recorder.jumps.length > 0;
    if (at === undefined || at <= from || at >= until || isMoved) return [];
    if ((untilMs ?? life ?? total) !== undefined) return [];
    return [{ rule: "8 held", at, what: `${id} is to be stopped, and a person holds it` }];
  });
}

/** GPUs of launches that were accepted, and whose machines nothing has made yet: they count as machines. */
function promisedGpus({ truth, scenario }: Evidence, at: number): number {
  return truth.launches
    .filter((each) => each.promised !== undefined && each.at <= at)
    .filter(({ outcome }) => !(outcome.kind === "committed" && outcome.at <= at))
    .flatMap(({ combination: asked }) =>
      scenario.offers.filter((each) => asked && combinationKey(each) === combinationKey(asked)),
    )
    .reduce((sum, { gpus }) => sum + gpus, 0);
}

/** GPUs of launches of an owner that were sent, whose outcome is not stored, and which have made nothing so far. */
function openGpus({ recorder, truth, scenario }: Evidence, owner: string, at: number): number {
  return recorder.posts
    .filter(({ marker }) => {
      const span = recorder.opened.get(marker);
      return span !== undefined && span.from <= at && span.until > at;
    })
    .flatMap(({ entry }) => truth.launches[entry - 1] ?? [])
    .filter(
      ({ parameters, outcome }) =>
        parameters.owner === owner && !(outcome.kind === "committed" && outcome.at <= at),
    )
    .flatMap(({ combination: asked }) =>
      scenario.offers.filter((each) => asked && combinationKey(each) === combinationKey(asked)),
    )
    .reduce((sum, { gpus }) => sum + gpus, 0);
}

/** True if a person launches on an exclusive account: the machine is ours from then on. */
function takesOver(scenario: Scenario): boolean {
  return scenario.tenure === "exclusive" && traitsOf(scenario).others;
}

function leastWanted(evidence: Evidence, owner: string, at: number): number {
  if (mayDrain(evidence, owner, at) || specOf(evidence.scenario, owner)?.work) return 0;
  return Math.min(...spansAt(evidence.recorder.wishes, owner, at, 0).map(({ gpus }) => gpus));
}

/** True if the fleet may want nothing: it is drained, or gives back what it got. */
function mayDrain(evidence: Evidence, owner: string, at: number): boolean {
  const { scenario, recorder, ours } = evidence;
  const spec = specOf(scenario, owner);
  const { total, allOrNothing } = spec ?? {};
  const ahead = spec?.saveMs === undefined ? 0 : SAVE_MS;
  const end = endOf(evidence, owner, at) - ahead;
  const moved = recorder.jumps.length > 0;
  const paid = ours
    .filter((each) => each.owner === owner && each.machine.committedAt <= at)
    // What nobody has seen ending counts on, until somebody did.
    .map(({ machine: { endedAt, ...rest } }) => {
      const seen = recorder.endedFirst.get(rest.id) ?? Number.POSITIVE_INFINITY;
      return { ...rest, endedAt: endedAt === null ? null : Math.min(seen, endedAt + unseenMs(scenario)) };
    })
    .map((machine) => timeBegun(machine, at) + (aliveAt(machine, at) ? timeAhead(machine, ahead) : 0));
  // A machine that may be the owner's counts as its money until somebody disowns it.
  const maybe = standInsAt(evidence, at).map(
    ({ machine, price }) =>
      timeBegun(machine, at, price) + (aliveAt(machine, at) ? timeAhead(machine, ahead, price) : 0),
  );
  return (
    allOrNothing !== undefined ||
    (Number.isFinite(end) && (moved || at >= end - clockError(scenario))) ||
    (total !== undefined &&
      (moved ||
        // A machine that seems to cost what somebody took from the balance counts as that dear.
        looksDear(evidence, evidence.truth) ||
        [...paid, ...maybe].reduce((sum, each) => sum + each, 0) > Number(total))) ||
    recorder.holds.some((hold) => hold.owner === owner && hold.from <= at + SECOND && hold.over >= at)
  );
}

const SECOND = 1_000;
/** So much earlier is a fleet drained that saves the work of its machines. */
const SAVE_MS = 5 * 60_000;
/** How long an end may go unseen: lists fail, lag and lie. What ended beside machines that are hidden waits for an hour of lists. */
const UNSEEN_MS = 5 * 60_000;

/** Of several services one may be out for hours, in which nobody can see an end there, and the others go on. */
function endedUnseen(
  { id, endedAt, states }: OurMachine["machine"],
  at: number,
  { scenario, recorder }: Evidence,
): boolean {
  if (endedAt === null || endedAt > at) return false;
  if (scenario.services && (recorder.ended.get(id) ?? Number.POSITIVE_INFINITY) > at) return true;
  // The service stopped it, as for an empty balance, and shows that in a state that its profile does not name.
  if (scenario.unnamedEnd && states.at(-1)?.state === "stopped" && !recorder.condemned.has(id)) return true;
  return at - endedAt < unseenMs(scenario);
}

function unseenMs({ mayWait }: Scenario): number {
  return mayWait ? 2 * HOUR_MS : UNSEEN_MS;
}

/** GPUs of strangers that may count as ours. When they go, or turn out to be strangers', more is launched. */
function takenGpus(evidence: Evidence, at: number): number {
  return standInsAt(evidence, at).reduce((sum, { gpus }) => sum + gpus, 0);
}

export function timely({ ours, recorder }: Evidence): readonly OurMachine[] {
  return ours.filter(({ machine, late }) => !late && !recorder.forgotten.has(machine.id));
}

function aliveOf(evidence: Evidence, owner: string, at: number): readonly OurMachine[] {
  return timely(evidence).filter((each) => each.owner === owner && aliveAt(each.machine, at));
}

export function countedAt(evidence: Evidence, owner: string, at: number): readonly OurMachine[] {
  return aliveOf(evidence, owner, at).filter(({ machine }) => {
    const stopping = stoppingSince(machine);
    return stopping === undefined || at - stopping <= DEFAULT_SETTINGS.stopping;
  });
}

/** What an owner may have asked for when the launch that arrives now was decided. */
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
  // Its intent was written under one wish; machines launched after it, and there already, under a later one.
  const before = at - post.stamped + 2 * DEFAULT_SETTINGS.stampAge;
  return Math.max(0, ...spansAt(recorder.wishes, owner, at, before).map(value));
}
