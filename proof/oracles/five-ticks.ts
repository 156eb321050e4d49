import { allowedDelay } from "../../agent/fleet/phase/agent-alive.ts";
import { CHOSEN_POLLS } from "../../agent/planning/holds/fleet-holds.ts";
import { DEFAULT_SETTINGS } from "../../launch/index.ts";
import { combinationKey } from "../../service/contract/contract.ts";
import { isLimited } from "../world/fleet-file.ts";
import { partOf } from "../world/several.ts";
import type { Evidence, OurMachine, Violation } from "./evidence.ts";
import { aliveAt } from "./evidence.ts";

const { poll } = DEFAULT_SETTINGS;
const TICKS = 5;
const SECOND = 1_000;
/** What a service said counts for so long, whatever happens there meanwhile. */
const SAID_MS = CHOSEN_POLLS * poll;
/** Of an agent that is gone the others know after so long. */
const GONE_MS = allowedDelay({ settings: DEFAULT_SETTINGS });
/** After one failure; after each further one twice as long, up to the longest. */
const BACKOFF_MS = 30_000;
const LONGEST_BACKOFF_MS = 15 * 60_000;

interface Span {
  readonly from: number;
  readonly until: number;
}

/**
 * What a fleet over several services lacks is launched within 5 ticks where it is to be had. A service has its own clock. It
 * runs while the fleet lacks GPUs by one wish alone, and one more can be had there: by the truth there is room, the service
 * answers, its agent is at work, its part is born, and nothing cools, is backed off from, drained, or full by the spread. It
 * begins anew at each launch that any service gets, and while anything excuses the whole: see `excuses`. What a machine had is
 * missing once its end is stored, and a launch without an outcome lacks nothing. Fleets with limits are not judged here.
 */
export function fiveTicks(evidence: Evidence): readonly Violation[] {
  const { scenario, recorder, truth, started } = evidence;
  const [fleet] = scenario.fleets;
  if (!scenario.services || !fleet || isLimited(fleet)) return [];
  // A tick takes the time of its requests, too.
  const most = TICKS * (poll + (truth.machines.length + 3) * scenario.latencyMs);
  const excused = excuses(evidence);
  const rooms = scenario.services.map((service) => roomAt(evidence, service, fleet.owner));
  const clocks = rooms.map(() => 0);
  const posts = recorder.posts.map(({ arrived }) => arrived).sort((one, other) => one - other);
  const found: Violation[] = [];
  for (let at = started; at < truth.now; at += SECOND) {
    while ((posts[0] ?? Number.POSITIVE_INFINITY) < at) {
      posts.shift();
      clocks.fill(0);
    }
    const lacks = excused(at) ? 0 : lackingAt(evidence, fleet.owner, at);
    for (const [index, hasRoom] of rooms.entries()) {
      clocks[index] = lacks > 0 && hasRoom(at) ? (clocks[index] ?? 0) + SECOND : 0;
      if (clocks[index] <= most) continue;
      clocks.fill(0);
      const what = `${fleet.owner} lacks ${lacks} GPUs for 5 ticks, which ${scenario.services[index]} has`;
      found.push({ rule: "13 five ticks", at, what });
    }
  }
  return found;
}

function isIn(spans: readonly Span[]): (at: number) => boolean {
  return (at) => spans.some(({ from, until }) => from <= at && at <= until);
}

/** GPUs that are missing by the only wish in force; 0 where there are two. */
function lackingAt({ recorder, ours }: Evidence, owner: string, at: number): number {
  const [wish, other] = recorder.wishes.filter(
    (each) => each.owner === owner && each.from <= at && each.until >= at,
  );
  if (!wish || other) return 0;
  const there = ours.filter(
    ({ machine }) =>
      machine.committedAt <= at && (recorder.ended.get(machine.id) ?? Number.POSITIVE_INFINITY) > at,
  );
  const made = new Set(there.map(({ post }) => post.marker));
  const open = [...recorder.opened].filter(
    ([marker, { from, until }]) => from <= at && until > at && !made.has(marker),
  );
  const all = [...there.map(({ machine }) => machine.gpus), ...open.map(([, { gpus }]) => gpus)];
  const has = all.reduce((sum, each) => sum + each, 0);
  return wish.gpus - has;
}

/**
 * What excuses the whole: a ledger that is locked; an agent that is dead or paused, until its account has one again or the
 * others know; a service that fails or waits, for as long as what it said before counts; one that goes out, for as long; and
 * a part that is not born yet.
 */
function excuses(evidence: Evidence): (at: number) => boolean {
  const { scenario, recorder, services, started } = evidence;
  const at = (ms: number): number => started + ms;
  const locks = scenario.events.flatMap((event) =>
    event.kind === "lockLedger" ? [{ from: at(event.at), until: at(event.at) + event.forMs + poll }] : [],
  );
  const names = scenario.services ?? [];
  const idle = names.flatMap((service) => awayOf(evidence, service));
  const outs = names.flatMap((service) => outagesOf(evidence, service));
  const faults = names.flatMap((service) => {
    const isOut = isIn(outagesOf(evidence, service));
    return (services.get(service)?.faults ?? [])
      .filter((each) => !isOut(each.at) && each.target !== "stop")
      .map(({ at: from, fault }) => {
        const seconds = "seconds" in fault ? (fault.seconds ?? 0) : 0;
        return { from, until: from + seconds * SECOND + SAID_MS };
      });
  });
  const unborn = names.map((service) => ({ from: started, until: bornAt(evidence, service) }));
  const errors = recorder.struck.flatMap(({ blow, at: from }) =>
    blow.kind === "ledgerError" ? [{ from, until: from + poll }] : [],
  );
  return isIn([
    ...locks,
    ...errors,
    ...faults,
    ...idle.map(({ from, until }) => ({ from, until: Math.min(until, from + GONE_MS) })),
    ...outs.map(({ from }) => ({ from, until: from + SAID_MS })),
    // One that is out from the beginning keeps nobody waiting.
    ...unborn.map(({ from, until }, index) => {
      const out = outs.length > 0 || (idle[index]?.until ?? 0) > until;
      return { from, until: out ? Math.min(until, from + GONE_MS) : until };
    }),
  ]);
}

/** When nobody was at work for its account. */
function awayOf({ recorder, started, truth }: Evidence, service: string): readonly Span[] {
  const works = recorder.shifts
    .filter((each) => each.service === service)
    .flatMap(({ process, from, until }) => {
      const pauses = recorder.pauses.filter((each) => each.process === process);
      const starts = [from, ...pauses.map((pause) => pause.until)];
      const ends = [...pauses.map((pause) => pause.from), until];
      return starts.map((start, index) => ({ from: start, until: ends[index] ?? until }));
    })
    .sort((one, other) => one.from - other.from);
  const gaps: Span[] = [];
  let last = started;
  for (const { from, until } of works) {
    if (from > last) gaps.push({ from: last, until: from });
    last = Math.max(last, Math.min(until, truth.now));
  }
  return last < truth.now ? [...gaps, { from: last, until: Number.POSITIVE_INFINITY }] : gaps;
}

/** When no list of it was answered at all. */
function outagesOf({ scenario, started, recorder }: Evidence, service: string): readonly Span[] {
  const spans: { from: number; until: number }[] = [];
  for (const event of scenario.events) {
    if (event.kind !== "faults" || event.target !== "deployments" || event.service !== service) continue;
    const last = spans.at(-1);
    const isOut = event.chances.some(
      ({ probability, fault }) => probability === 1 && fault.kind === "dropBefore",
    );
    if (last?.until === Number.POSITIVE_INFINITY) last.until = started + event.at;
    if (isOut) spans.push({ from: started + event.at, until: Number.POSITIVE_INFINITY });
  }
  const last = spans.at(-1);
  if (last?.until === Number.POSITIVE_INFINITY && scenario.staysOut !== service)
    last.until = recorder.quietFrom;
  return spans;
}

function bornAt({ scenario, recorder }: Evidence, service: string): number {
  const { name } = partOf({ name: scenario.fleets[0]?.name ?? "" }, scenario, service);
  return recorder.born.get(name) ?? Number.POSITIVE_INFINITY;
}

/** Whether one more GPU can be had at a service. */
function roomAt(evidence: Evidence, service: string, owner: string): (at: number) => boolean {
  const { scenario, ours, recorder } = evidence;
  const isAway = isIn([...awayOf(evidence, service), ...outagesOf(evidence, service)]);
  const isHeld = isIn([...heldSpans(evidence, service), ...failures(evidence, service)]);
  const born = bornAt(evidence, service);
  const offer = scenario.offers.find((each) => each.provider === service && each.gpus === 1);
  const capacity = capacityOf(evidence, offer);
  const own = ours.filter(({ machine }) => machine.combination.provider === service);
  const living = (all: readonly OurMachine[], at: number): number =>
    all
      .filter(({ machine }) => aliveAt(machine, at) || (recorder.ended.get(machine.id) ?? at) > at)
      .reduce((sum, { machine }) => sum + machine.gpus, 0);
  const same = own.filter(
    ({ machine }) => offer && combinationKey(machine.combination) === combinationKey(offer),
  );
  const { atLeast = 1 } = scenario;
  const share = (at: number): number => {
    const wish = recorder.wishes.find((each) => each.owner === owner && each.from <= at && each.until >= at);
    return atLeast === 1 ? Number.POSITIVE_INFINITY : Math.ceil((wish?.gpus ?? 0) / atLeast);
  };
  return (at) =>
    at >= born &&
    !isAway(at) &&
    !isHeld(at) &&
    living(same, at) < capacity(at) &&
    living(own, at) < share(at);
}

function capacityOf(
  { scenario, recorder, started }: Evidence,
  offer: Evidence["scenario"]["offers"][number] | undefined,
): (at: number) => number {
  const changes = scenario.events.flatMap((event) =>
    event.kind === "capacity" && offer && combinationKey(event.combination) === combinationKey(offer)
      ? [{ from: started + event.at, capacity: event.capacity }]
      : [],
  );
  return (at) => {
    if (at >= recorder.quietFrom) return Math.max(offer?.capacity ?? 0, 50);
    return changes.findLast(({ from }) => from <= at)?.capacity ?? offer?.capacity ?? 0;
  };
}

/** When nothing is launched at a service whatever it has: it is drained, cools, is in maintenance, or has no money. */
function heldSpans({ scenario, recorder, started }: Evidence, service: string): readonly Span[] {
  const noMoney = (balance: string): boolean => Number(balance) < 900;
  const here = scenario.events.filter((event) => {
    const provider =
      "combination" in event ? event.combination.provider : "provider" in event ? event.provider : "";
    return event.service === service || provider === service;
  });
  const until = (isEnd: (event: (typeof here)[number]) => boolean, from: number): number => {
    const end = here.find((event) => started + event.at > from && isEnd(event));
    return Math.min(end ? started + end.at : Number.POSITIVE_INFINITY, recorder.quietFrom);
  };
  const spans = here.flatMap((event): readonly Span[] => {
    const from = started + event.at;
    if (event.kind === "cooldown") return [{ from, until: from + event.seconds * SECOND }];
    if (event.kind === "maintenance" && event.on)
      return [{ from, until: until((each) => each.kind === "maintenance" && !each.on, from) }];
    if (event.kind === "balance" && noMoney(event.balance))
      return [
        { from, until: until((each) => each.kind === "balance" && !noMoney(each.balance), from) + poll },
      ];
    if (event.kind === "drainFleet" && event.drained)
      return [{ from, until: until((each) => each.kind === "drainFleet" && !each.drained, from) }];
    return [];
  });
  const cooling = recorder.cooling
    .filter(({ combination }) => combination.provider === service)
    .map(({ known, until: end }) => ({ from: known, until: end }));
  return [...spans, ...cooling, ...recorder.leaves.filter((each) => each.service === service)];
}

/** While launches there wait, as others failed, were refused or lost just before. */
function failures({ recorder, truth, ours }: Evidence, service: string): readonly Span[] {
  const bad = [
    ...truth.launches.flatMap(({ combination, outcome, fault, at }, index) => {
      if (combination?.provider !== service || (outcome.kind === "committed" && !fault)) return [];
      const { marker = "" } = recorder.posts.find(({ entry }) => entry === index + 1) ?? {};
      return [{ from: at, over: recorder.opened.get(marker)?.until ?? at }];
    }),
    ...ours.flatMap(({ machine: { id, combination, failure, endedAt } }) =>
      combination.provider === service && failure !== null && endedAt !== null
        ? [{ from: endedAt, over: recorder.ended.get(id) ?? endedAt }]
        : [],
    ),
  ].sort((one, other) => one.from - other.from);
  return bad.map(({ from, over }, index) => {
    const before = bad.slice(0, index).filter((each) => from - each.over < 2 * LONGEST_BACKOFF_MS).length;
    return { from, until: over + Math.min(LONGEST_BACKOFF_MS, BACKOFF_MS * 2 ** before) };
  });
}
