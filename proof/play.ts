import { DEFAULT_SETTINGS } from "../launch/index.ts";
import { settingsSchema } from "../simulator/settings.ts";
import { type Played, playTrace } from "./model/trace.ts";
import { affordableGpus } from "./oracles/affordable.ts";
import { neverBeyondTheBound } from "./oracles/bound.ts";
import { endAt } from "./oracles/deadline.ts";
import type { Evidence, Violation } from "./oracles/evidence.ts";
import { CRASHED, evidenceOf, ourMachines } from "./oracles/evidence.ts";
import { fiveTicks } from "./oracles/five-ticks.ts";
import { onlySickIsReplaced } from "./oracles/health.ts";
import { onlyIdleIsGivenBack } from "./oracles/idle.ts";
import {
  bufferLimit,
  countLimit,
  floorLimit,
  heldIsKept,
  hourlyLimit,
  lossesLimit,
  noNeedlessStop,
} from "./oracles/limits.ts";
import { matchedFirst } from "./oracles/matched.ts";
import { sizesFollowTheirMetric } from "./oracles/metric.ts";
import {
  churnLimit,
  closedLaunchesNothing,
  gpuPriceLimit,
  neverBelowTheBill,
  sharedLimits,
  sumLimits,
  totalNeverCrossed,
} from "./oracles/money.ts";
import { movesPay } from "./oracles/moves.ts";
import type { Range, Wanted } from "./oracles/outcome.ts";
import {
  destroyedIsGone,
  exactCount,
  moneyConserved,
  noneIsOlder,
  noSurprise,
  nothingSilent,
  servesOrStops,
} from "./oracles/outcome.ts";
import { cheapestByWork, portionsAreTheWhole, spreadLimit } from "./oracles/portions.ts";
import {
  haltsInTime,
  noCoolingLaunch,
  noLaunchAtTheEnd,
  oneAgentActs,
  onlyOurs,
  postOnce,
  toldInTime,
} from "./oracles/requests.ts";
import { savedBefore } from "./oracles/saved.ts";
import { setUpOnce } from "./oracles/setup.ts";
import { updatesGoOn } from "./oracles/updates.ts";
import { givenBack } from "./oracles/whole.ts";
import { workInTime } from "./oracles/work.ts";
import { gpusOfValue } from "./scenario/metric.ts";
import { type FleetSpec, type Scenario, specOf } from "./scenario/scenario.ts";
import { sizesFrom } from "./scenario/windows.ts";
import { MAY_VANISH_MIN } from "./scenario/wires.ts";
import { isLimited } from "./world/fleet-file.ts";
import { happen } from "./world/happen.ts";
import type { Recorder } from "./world/recorder.ts";
import { LEDGER_ID, World } from "./world/world.ts";

/** What one scenario came to. */
export interface Verdict {
  readonly scenario: Scenario;
  readonly violations: readonly Violation[];
  readonly simulatedMs: number;
  readonly requests: number;
  readonly launches: number;
  /** By target and kind, as they really happened. */
  readonly faults: Readonly<Record<string, number>>;
  readonly outcomes: Readonly<Record<string, number>>;
  readonly counts: Recorder["counts"];
  readonly reached: Recorder["reached"];
  /** What its trace came to, as steps of the model. */
  readonly steps: Readonly<Record<string, number>>;
  readonly trace: Recorder["trace"];
  readonly started: number;
}

const { poll, settle, postTimeout } = DEFAULT_SETTINGS;
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
/** Ticks that are watched once everything is at rest. */
const CALM_TICKS = 6;
/** By then all that a fleet had when its life ended is gone, and so is what runs before its stops. */
const DRAINED_MS = 15 * MINUTE;

export async function play(
  scenario: Scenario,
  onWorld: (world: World) => void = () => undefined,
): Promise<Verdict> {
  // Imported only here: most worlds need no server.
  if (scenario.ledger !== "postgres") return playOut(new World(scenario), onWorld);
  const { worldLedger } = await import("./postgres/world-ledger.ts");
  const { on, drop } = await worldLedger(LEDGER_ID, 1);
  try {
    return await playOut(new World(scenario, on), onWorld);
  } finally {
    await drop();
  }
}

async function playOut(world: World, onWorld: (world: World) => void): Promise<Verdict> {
  onWorld(world);
  const { scenario } = world;
  const { clock } = world;
  const violations: Violation[] = [];
  const events = [...scenario.events].sort((one, other) => one.at - other.at);
  try {
    for (const event of events) if (event.at < 0) happen(world, event);
    world.start();
    for (const event of events.filter(({ at }) => at >= 0)) {
      await clock.advanceTo(world.started + event.at);
      happen(world, event);
    }
    await clock.advanceTo(world.started + scenario.noisyMs);
    violations.push(...(await calmDown(world)));
  } catch (error) {
    const what = error instanceof Error ? (error.stack ?? error.message) : String(error);
    violations.push({ rule: CRASHED, at: world.now, what });
  }
  const truth = world.truth();
  violations.push(...(await assertionsHold(world)));
  const { steps, refused } = tracedSteps(world, truth);
  if (refused) violations.push({ rule: "a step of the model", ...refused });
  world.ledger.close();
  return {
    scenario,
    violations: violations.sort((one, other) => one.at - other.at),
    simulatedMs: world.now - world.started,
    requests: Object.values(truth.requests).reduce((sum, count) => sum + count, 0),
    launches: truth.launches.length,
    faults: countBy(truth.faults, ({ target, fault }) => `${target} ${fault.kind}`),
    outcomes: countBy(truth.launches, ({ outcome }) => outcome.kind),
    counts: world.recorder.counts,
    reached: world.recorder.reached,
    steps,
    trace: world.recorder.trace,
    started: world.started,
  };
}

function tracedSteps({ scenario, recorder }: World, truth: Evidence["truth"]): Played {
  return playTrace({ scenario, recorder, truth, ours: ourMachines(scenario, truth, recorder) });
}

/** No decision was refused by a rule of money (docs/how/assertions.md): that is a mistake of the product, whatever came of it. */
async function assertionsHold({ ledger }: World): Promise<readonly Violation[]> {
  return (await ledger.accounts()).flatMap(({ unsound }) =>
    unsound ? [{ rule: `assertion ${unsound.rule}` as const, at: unsound.at, what: unsound.what }] : [],
  );
}

/**
 * The noise is over. Launches on their way take effect. Then come the time that the design promises and the
 * waits that the service imposed. Then everything must be exact, and no request may be sent.
 */
async function calmDown(world: World): Promise<readonly Violation[]> {
  const { clock } = world;
  await clock.advanceTo(lastCommit(world));
  const { tells, tellsNot } = world.scenario;
  // What people are told of ends with the trouble.
  const told = tells || tellsNot ? toldInTime(await evidenceOf(world)) : [];
  world.calm();
  await stayInTime(world);
  const quietFrom = world.now;
  const exactBy =
    quietFrom + Math.max(promisedMs(world), doubtedLossMs(world)) + paidHourMs(world) + updatedMs(world);
  for (let round = 0; round < ROUNDS_OF_COMMANDS; round++) {
    for (const [name, { wanted, stack }] of world.stacks) {
      if (wanted || !stack.empty) world.operate(name, wanted ? "up" : "destroy");
    }
    await clock.advance(Math.floor((exactBy - quietFrom) / (ROUNDS_OF_COMMANDS + 1)));
  }
  const ends = world.recorder.lives.filter(({ over }) => over > exactBy).map(({ end }) => end + DRAINED_MS);
  await clock.advanceTo(Math.max(exactBy, ...ends));
  const wanted = wantedOf(world);
  const evidence = await evidenceOf(world);
  const before = callsOf(world);
  await world.noteReasons();
  await clock.advance(CALM_TICKS * poll);
  const last = await evidenceOf(world);
  return [
    ...countLimit(last),
    ...bufferLimit(last),
    ...lossesLimit(last),
    ...hourlyLimit(last),
    ...floorLimit(last),
    ...gpuPriceLimit(last),
    ...sumLimits(last),
    ...sharedLimits(last),
    ...totalNeverCrossed(last),
    ...churnLimit(last),
    ...neverBelowTheBill(last),
    ...neverBeyondTheBound(last),
    ...closedLaunchesNothing(last),
    ...givenBack(last),
    ...noNeedlessStop(last),
    ...heldIsKept(last),
    ...setUpOnce(last),
    ...savedBefore(last),
    ...onlyIdleIsGivenBack(last),
    ...sizesFollowTheirMetric(last),
    ...workInTime(last),
    ...onlySickIsReplaced(last),
    ...movesPay(last),
    ...updatesGoOn(last),
    ...postOnce(last),
    ...noLaunchAtTheEnd(last),
    ...oneAgentActs(last),
    ...haltsInTime(last),
    ...told,
    ...noCoolingLaunch(last),
    ...onlyOurs(last),
    ...exactCount(evidence, wanted),
    ...exactCount(last, wanted),
    ...nothingSilent(last),
    ...servesOrStops(last),
    ...noneIsOlder(last),
    ...matchedFirst(last),
    ...destroyedIsGone(last),
    ...world.services.flatMap(({ simulator }) => moneyConserved(simulator.truth())),
    ...portionsAreTheWhole(last),
    ...spreadLimit(last),
    ...cheapestByWork(last),
    ...fiveTicks(last),
    ...noSurprise(last),
    ...calmRequests(world, before, last),
  ];
}

/** At constant prices moves go on for a while. Then people take `improve` and `maxAge` out, whatever is under way. */
async function stayInTime(world: World): Promise<void> {
  if (!world.file.fleets.some(({ improve, maxAge }) => improve ?? maxAge)) return;
  await world.clock.advance(75 * MINUTE);
  world.file.stay();
  world.applyFile();
}

/** A command whose machine failed is repeated, as people do. */
const ROUNDS_OF_COMMANDS = 6;

function lastCommit(world: World): number {
  const pending = world.truth().launches.map(({ outcome, fault, at }) => {
    if (fault?.kind === "commitTwice") return at + fault.seconds * 1000;
    return outcome.kind === "pending" ? outcome.due : 0;
  });
  return Math.max(world.now, ...pending);
}

/**
 * The POST's timeout, the settle time and 5 ticks. On top comes only what is left of known waits: a reboot
 * (4.4), failed stops (backoff up to 5 minutes), failed launches (up to 15), a service that could not be read
 * (up to 1), markers shown only once machines run (up to 6), and for stacks the rounds in which people repeat
 * commands.
 */
function promisedMs(world: World): number {
  const { recorder, scenario, now } = world;
  const truth = world.truth();
  const left = (ms: number, moments: readonly number[]): number =>
    Math.max(0, ...moments.map((at) => at + ms - now));
  const failures = [
    ...truth.machines.flatMap(({ failure, endedAt }) => (failure === null ? [] : [endedAt ?? now])),
    // A lost launch counts as failed once it was looked for and not found.
    ...truth.launches.flatMap(({ outcome, at }) => (/^(refused|lost)$/.test(outcome.kind) ? [at] : [])),
    ...truth.faults.flatMap(({ fault, target, at }) =>
      target === "launch" && fault.kind === "tooMany" ? [at] : [],
    ),
  ];
  const stops = truth.faults.flatMap(({ target, at }) => (target === "stop" ? [at] : []));
  const reads = truth.faults.flatMap(({ target, at }) => (READS.has(target) ? [at] : []));
  const halted = truth.machines.flatMap(({ states }) =>
    states.flatMap(({ state, at }) => (state === "halted" ? [at] : [])),
  );
  const vanished = truth.launches.flatMap(({ fault, at }) => (fault?.kind === "vanish" ? [at] : []));
  const rebooted = recorder.reboots.some((at) => now - at < 30 * MINUTE);
  return (
    postTimeout +
    settle +
    5 * poll +
    (rebooted ? postTimeout : 0) +
    left(6 * MINUTE, stops) +
    left(15 * MINUTE, failures) +
    left(2 * MINUTE, reads) +
    // It is stopped after a settle time, and what takes its place is launched once it is gone.
    left(settle + 5 * MINUTE, halted) +
    (scenario.quirk === "lateEcho" ? 6 * MINUTE : 0) +
    left(VANISHED_MS, vanished.length > 0 ? [...vanished, ...recorder.reboots] : []) +
    (world.stacks.size > 0 ? 6 * MINUTE : 0)
  );
}

/**
 * What a provider lost in the noise ends only at the service's next health check, in the quiet. The end of a
 * machine that came back from one before is believed a settle time after it is shown, by rule 8. Other losses
 * get no longer: what is promised is longer than a check.
 */
function doubtedLossMs(world: World): number {
  const { recorder, scenario } = world;
  const isDue = world
    .truth()
    .machines.some(
      ({ id, lostAt, states }) =>
        lostAt !== null && states.at(-1)?.state === "running" && recorder.returned.has(id),
    );
  const { healthCheckSeconds } = settingsSchema.parse(scenario.settings);
  return isDue ? healthCheckSeconds * 1000 + settle + 5 * poll : 0;
}

/** One after the other, each with the wait for what is new, and for the service's health check. */
function updatedMs({ file, scenario }: World): number {
  const isUpdated = ({ owner, update }: FleetSpec): boolean =>
    (update ?? specOf(scenario, owner)?.maxAge) !== undefined;
  return file.fleets
    .filter(isUpdated)
    .reduce((sum, { gpus, buffer }) => sum + (gpus + (buffer?.gpus ?? 0)) * 8 * MINUTE, 0);
}

/** What a schedule, a metric, a person, a buffer or work wants no more stays until the end of its paid hour; a metric takes its steps first. */
function paidHourMs({ file }: World): number {
  return Math.max(
    0,
    ...file.fleets.map(({ schedule, metric, buffer, work, isRanged }) =>
      metric ? 85 * MINUTE : (schedule ?? buffer ?? work ?? isRanged) ? 65 * MINUTE : 0,
    ),
  );
}

/** An accepted id that nothing shows is absent, and its launch counted as failed. */
const VANISHED_MS = (MAY_VANISH_MIN + 20) * MINUTE;

const READS: ReadonlySet<string> = new Set(["deployments", "deployment", "account", "balance", "offers"]);

function wantedOf(world: World): Wanted {
  const { file, stacks, recorder, started, now } = world;
  const wanted = new Map<string, Range>();
  const waits = waitsForPeople(world);
  for (const fleet of file.fleets) {
    const { owner, overshoot, buffer } = fleet;
    const end = endAt(world, fleet, now);
    const [size] = sizesFrom(fleet, started, now);
    const { metric } = fleet;
    const sized = metric ? gpusOfValue(metric, metric.finally) : (size?.gpus ?? 0);
    const gpus = sized - file.loweredOf(owner);
    const isPast = now >= end;
    // If the clock was moved, nobody here knows when it takes the deadline to have come.
    const unsure = Number.isFinite(end) && recorder.jumps.length > 0;
    const asked = isPast && !unsure ? 0 : gpus;
    const least = unsure || waits ? 0 : affordableGpus(world, fleet, asked) - heldUnseen(world);
    const more = overshoot + (gpus > 0 ? (buffer?.gpus ?? 0) : 0);
    wanted.set(owner, { least, asked, most: asked === 0 ? 0 : gpus + more });
  }
  for (const { stack, gpus, wanted: isWanted } of stacks.values()) {
    const exactly = isWanted ? gpus : 0;
    wanted.set(stack.owner, { least: waits ? 0 : exactly, asked: exactly, most: exactly });
  }
  return wanted;
}

/** GPUs that a service which stays out may hold, for all that anybody can tell: what ended there, and what was sent there. */
function heldUnseen({ scenario, services, started }: World): number {
  const { staysOut, offers, noisyMs } = scenario;
  const out = services.find(({ service }) => service !== undefined && service === staysOut);
  if (!out) return 0;
  const since = started + noisyMs - 20 * MINUTE;
  const { machines, launches } = out.simulator.truth();
  const ended = machines.filter(({ endedAt }) => endedAt !== null && endedAt >= since);
  const sent = launches.filter(({ at, outcome }) => at >= since && outcome.kind !== "committed");
  const largest = Math.max(...offers.map(({ gpus }) => gpus));
  return (ended.length + sent.length) * largest;
}

/**
 * True if a person is needed: the story halts, or a launch may have made a stranger's machine. On a shared
 * account that is one which ended before it could show that it has no marker, in an unnamed state.
 */
function waitsForPeople(world: World): boolean {
  const { scenario } = world;
  if (scenario.halts || scenario.mayWait) return true;
  if (!scenario.unnamedEnd || scenario.tenure !== "shared" || scenario.wire !== "marker") return false;
  return world
    .truth()
    .machines.some(
      ({ origin, states }) =>
        origin.by === "hand" &&
        states.at(-1)?.state === "stopped" &&
        states.every(({ state }) => state !== "running"),
    );
}

interface Calls {
  /** Each agent's lists. */
  readonly lists: ReadonlyMap<string, number>;
  readonly all: number;
  readonly restarts: number;
}

function callsOf({ scenario, recorder, services }: World): Calls {
  // A fleet that may not afford its count goes on reading offers and balance.
  const asks = scenario.fleets.some(isLimited);
  const counted = [...recorder.calls].filter(
    ([key]) => !asks || !(key.endsWith(" balance") || key.endsWith(" offers")),
  );
  return {
    lists: new Map(services.map(({ agentName }) => [agentName, recorder.callsOf(agentName, "deployments")])),
    all: counted.reduce((sum, [, count]) => sum + count, 0),
    restarts: recorder.counts.restarts,
  };
}

/** At rest each tick sends one list call, nobody sends anything else, and no process ends. */
function calmRequests(world: World, before: Calls, { scenario, truth }: Evidence): readonly Violation[] {
  const after = callsOf(world);
  const violations: string[] = [];
  const agents = [...before.lists.keys()];
  if (after.restarts > before.restarts || agents.some((name) => !after.lists.has(name)))
    violations.push(`${agents.join(" or ")} ended`);
  if (
    !(
      world.scenario.staysOut !== undefined ||
      waitsForPeople(world) ||
      comesDue(world) ||
      newDay(world) ||
      drainsForTotal(world)
    )
  ) {
    const lists = agents.map((name) => (after.lists.get(name) ?? 0) - (before.lists.get(name) ?? 0));
    const others = after.all - before.all - lists.reduce((sum, each) => sum + each, 0);
    // A tick takes the time of its requests, too: pages of a list, offers, balance.
    const longest = (truth.machines.length + 3) * scenario.latencyMs;
    const least = Math.min(CALM_TICKS - 1, Math.floor((CALM_TICKS * poll) / (poll + longest)));
    for (const each of lists)
      if (each > CALM_TICKS || each < least) violations.push(`${each} list calls in ${CALM_TICKS} ticks`);
    // A buffer that cannot be had at its price is looked for at each tick.
    const sought = world.file.fleets.some(({ buffer }) => buffer) ? 2 * CALM_TICKS : 0;
    if (others > sought) violations.push(`${others} requests beside the lists`);
  }
  return violations.map((what) => ({ rule: "quiet at rest", at: truth.now, what }));
}

/** True if a deadline, or the end of a fleet's patience, may come during the calm: by a clock that was set back, or as it lacks what no limit pays for. */
function comesDue(world: World): boolean {
  return world.file.fleets.some((fleet) => {
    if (fleet.patience && (world.recorder.jumps.length > 0 || isLimited(fleet))) return true;
    const since = world.wall - endAt(world, fleet, world.now);
    return since >= 0 && since < CALM_TICKS * poll + MINUTE;
  });
}

/** True around midnight UTC by its clock: a fleet that waits for a new day's budget launches. */
function newDay({ file, wall, scenario }: World): boolean {
  const intoDay = wall % (24 * HOUR);
  const isDaily = [scenario.shared, ...file.fleets].some((limits) => limits?.perDay !== undefined);
  return isDaily && intoDay < CALM_TICKS * poll + MINUTE;
}

/** True if a fleet is drained during the calm: its next hour would pass its total. */
function drainsForTotal(world: World): boolean {
  const { file, recorder } = world;
  const { now, machines } = world.truth();
  const owners = file.fleets.filter(({ total }) => total !== undefined).map(({ owner }) => owner);
  return machines.some(({ parameters, committedAt, endedAt, statement }) => {
    const untilNext = HOUR - ((now - committedAt) % HOUR);
    return (
      owners.includes(String(parameters.owner)) &&
      // An end in an unnamed state takes two more lists.
      (endedAt ?? now) >= now - (CALM_TICKS + 3) * poll &&
      // By the minute its next time begins at any moment.
      (statement.terms !== undefined || untilNext < 10 * MINUTE || recorder.jumps.length > 0)
    );
  });
}

function countBy<T>(items: readonly T[], key: (item: T) => string): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const item of items) counts[key(item)] = (counts[key(item)] ?? 0) + 1;
  return counts;
}
