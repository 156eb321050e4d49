import type { Combination } from "../../service/contract/contract.ts";
import type { CatalogueOffer, Chance, Target } from "../../simulator/index.ts";
import { Prng } from "../../simulator/prng.ts";
import { SPOILT } from "../../simulator/spoil.ts";
import type { Blow } from "../scenario/blow.ts";
import { atCloud, CLOUDS, endsUnlisted } from "../scenario/clouds.ts";
import { OFFERS } from "../scenario/plain.ts";
import { BEFORE_START, type FleetSpec, type Moment, type Scenario } from "../scenario/scenario.ts";
import { ABSENCES, WIRE_NAMES } from "../scenario/wires.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

const [SINGLE] = OFFERS;

/** Draws a whole scenario from a number. Equal numbers give equal worlds, to the last byte. */
export function drawScenario(seed: number): Scenario {
  const plain = withIdle(new Prng(`idle ${seed}`), drawWorld(seed));
  const moving = withMoves(new Prng(`moves ${seed}`), withSchedule(new Prng(`windows ${seed}`), plain));
  const metered = withMetric(new Prng(`metric ${seed}`), moving);
  const updated = withUpdate(new Prng(`update ${seed}`), metered);
  const aged = withAge(new Prng(`age ${seed}`), withBuffer(new Prng(`buffer ${seed}`), updated));
  const drawn = withTeam(new Prng(`team ${seed}`), withWork(new Prng(`work ${seed}`), aged));
  // A tenth of all: a third of them has a marker.
  const random = new Prng(`cloud ${seed}`);
  // Not every cloud is told the place: there an update could not be judged by where machines stand. Work is drawn where it can be done.
  const isOwn = drawn.fleets.some(({ update, work }) => update ?? work);
  const isOther = drawn.wire === "marker" && drawn.absence === undefined && !isOwn;
  if (!isOther || random.next() >= 0.3) return drawn;
  const cloud = random.pick(CLOUDS);
  const there = atCloud(drawn, cloud);
  return endsUnlisted(cloud) ? { ...there, events: hiddenByAndBy(random.fork("hidden"), there) } : there;
}

/** Where ends are not listed, in every third world machines are hidden one after the other, as if each had ended. */
function hiddenByAndBy(random: Prng, { events, noisyMs }: Scenario): readonly Moment[] {
  if (random.next() >= 0.33) return events;
  const at = random.integer(4 * MINUTE, noisyMs - MINUTE);
  const hidden = Array.from({ length: random.integer(3, 8) }, (_, index): Moment => {
    const forMs = random.integer(5, 30) * MINUTE;
    return {
      at: at + index * random.integer(30, 120) * 1000,
      kind: "forget",
      pick: random.integer(0, 99),
      forMs,
    };
  });
  return [...events, ...hidden].sort((one, other) => one.at - other.at);
}

/**
 * In every eighth world (of those with several services, every third) the first fleet wants other counts for a while, one of them at the end, too. Nobody sets a clock
 * there, and none is all or nothing, lowered, or past its deadline.
 */
export function withSchedule(random: Prng, drawn: Scenario, share = 0.125): Scenario {
  const [first, ...others] = drawn.fleets;
  const isMoved = drawn.events.some(
    (event) =>
      event.kind === "jump" ||
      event.kind === "giveBackOne" ||
      (event.kind === "reboot" && event.jumpMs !== 0),
  );
  if (random.next() >= share || !first || isMoved) return drawn;
  if (first.idle || first.allOrNothing || first.untilMs !== undefined) return drawn;
  const noisyMs = drawn.noisyMs + random.pick([0, 75 * MINUTE]);
  const windows = Array.from({ length: random.integer(1, 4) }, (_, index) => {
    const fromMs = random.integer(MINUTE, noisyMs - 5 * MINUTE);
    const toMs = fromMs + random.integer(1, random.pick([5, 30])) * MINUTE;
    return { fromMs, toMs: index === 0 && random.next() < 0.5 ? 6 * HOUR : toMs, gpus: random.integer(0, 6) };
  });
  const zone = random.pick(["UTC", "Asia/Kolkata", "Asia/Kathmandu", "America/Phoenix"] as const);
  const schedule = { zone, weekly: random.next() < 0.5, windows };
  return { ...drawn, noisyMs, fleets: [{ ...first, schedule }, ...others] };
}

/**
 * In every tenth world the first fleet leaves dear machines for cheaper ones. What is cheap is sold out at first, prices go up
 * and down, and it goes on over some ends of paid hours. Time is billed in each way that there is.
 */
function withMoves(random: Prng, drawn: Scenario): Scenario {
  const [first, ...others] = drawn.fleets;
  if (random.next() >= 0.1 || !first || first.allOrNothing || drawn.before.length > 0) return drawn;
  const noisyMs = drawn.noisyMs + random.integer(60, 150) * MINUTE;
  const saves = random.pick(["5%", "5%", "15%", "0.10"]);
  const improve = {
    ...{ saves, per: random.pick(["1m", "1m", "20m", "1h"]), restart: random.pick(["1m", "1m", "15m"]) },
    ...(random.fork("window").next() < 0.2 ? { fromMs: random.integer(30, 100) * MINUTE } : {}),
  };
  const byUnit = { by: random.pick(["second", "minute"] as const), minimum: "1m" };
  // The oracle of totals knows what a drain foresees by the hour alone.
  const isPlain =
    drawn.wire === "marker" && drawn.absence === undefined && drawn.fleets.every(({ total }) => !total);
  const terms = isPlain && random.fork("terms").next() < 0.5 ? { billing: byUnit } : {};
  const cheap = drawn.offers
    .toSorted((one, other) => Number(one.pricePerHour) / one.gpus - Number(other.pricePerHour) / other.gpus)
    .slice(0, random.integer(2, 3));
  const { name } = first;
  const events: readonly Moment[] = [
    // Whatever was wanted before, there is something to move from then on.
    { at: drawn.noisyMs, kind: "edit", name, gpus: random.integer(2, 5) },
    ...cheap.flatMap((offer): readonly Moment[] => [
      { at: BEFORE_START, kind: "capacity", combination: placeOf(offer), capacity: 0 },
      { at: random.integer(5, 90) * MINUTE, kind: "capacity", combination: placeOf(offer), capacity: 8 },
    ]),
    ...Array.from({ length: random.integer(1, 6) }, () =>
      priceChange(random, drawn.offers, noisyMs, [0.5, 0.7, 1.15, 1.5]),
    ),
    ...Array.from({ length: random.integer(0, 3) }, () =>
      serviceTrouble(random, drawn, random.integer(40 * MINUTE, noisyMs - 12 * MINUTE)),
    ).flat(),
    ...(random.next() < 0.5 ? [blow(random, false, random.integer(40 * MINUTE, noisyMs - MINUTE))] : []),
  ];
  const surge = random.pick([0, 1, 2, 2]);
  // Before a deadline nothing would pay.
  const spec = (fleet: FleetSpec): FleetSpec => ({ ...endless(fleet), select: true, surge, improve });
  return {
    ...drawn,
    ...terms,
    noisyMs,
    settings: { ...drawn.settings, billing: random.pick(["perSecond", "perHour"]) },
    fleets: [spec(first), ...others],
    events: [...declaredAgain(drawn, first, spec), ...events].sort((one, other) => one.at - other.at),
  };
}

/**
 * In a tenth of all worlds (of those with several services, a seventh) the size of the first fleet follows a metric, which fails, hangs, and says what is no number, too. Nobody
 * sets a clock there, and none is declared anew, all or nothing, lowered, or past its deadline.
 */
export function withMetric(random: Prng, drawn: Scenario, share = 0.25): Scenario {
  const [first, ...others] = drawn.fleets;
  const kinds: readonly Moment["kind"][] = [
    "jump",
    "giveBackOne",
    "remove",
    "declare",
    "newLedger",
    "reboot",
  ];
  if (random.next() >= share || !first || drawn.events.some(({ kind }) => kinds.includes(kind))) return drawn;
  if (first.idle || first.allOrNothing || first.schedule || first.improve || first.untilMs !== undefined)
    return drawn;
  const noisyMs = drawn.noisyMs + random.pick([0, 75 * MINUTE]);
  const [min, max, target] = [random.integer(0, 2), random.integer(3, 6), random.integer(1, 3)];
  const step = () => ({ most: random.integer(1, 4), stabilization: random.pick(["1s", "1m", "2m"]) });
  const value = (): number => random.integer(0, (max + 2) * target);
  const says = Array.from({ length: random.integer(3, 14) }, () => ({
    fromMs: random.integer(0, noisyMs),
    says: random.pick([
      ...Array.from({ length: 6 }, () => String(value())),
      "fails",
      "hangs",
      "NaN",
      "-1",
      "",
      "1e9",
    ]),
  })).sort((one, other) => one.fromMs - other.fromMs);
  const metric = { min, max, target, up: step(), down: step(), says, finally: value() };
  return { ...drawn, noisyMs, fleets: [{ ...first, metric }, ...others] };
}

/**
 * In most worlds of a fleet with a marker that nothing else says the size of, it has work. All faults end long before its
 * deadline: then it must be done. No limit keeps it back, and nobody sets a clock, changes it, or takes its agent away for good.
 */
function withWork(random: Prng, drawn: Scenario): Scenario {
  const [first, ...others] = drawn.fleets;
  const kinds: readonly Moment["kind"][] = [
    ...(["jump", "reboot", "giveBackOne", "remove", "declare", "newLedger", "edit", "rename"] as const),
    ...(["pauseFleet", "drainFleet", "holdOne", "balance", "hand", "handStop", "stranger"] as const),
    ...(["haltOne", "candidates", "price"] as const),
  ];
  if (random.next() >= 0.8 || !first || drawn.wire !== "marker" || drawn.tenure !== "exclusive") return drawn;
  if (drawn.before.length > 0 || drawn.absence !== undefined || isMoving(first) || isBound(first))
    return drawn;
  const events = drawn.events.filter(({ kind }) => !kinds.includes(kind));
  const gpus = random.integer(1, 6);
  const gpuHours = random.integer(1, 3 * gpus) / 2;
  const byMs = drawn.noisyMs + random.integer(150, 200) * MINUTE + ((gpuHours * HOUR) / gpus) * 1.1;
  const work = { gpuHours, byMs: Math.round(byMs) };
  return { ...drawn, noisyMs: work.byMs + MINUTE, fleets: [{ ...first, gpus, work }, ...others], events };
}

/** What keeps a fleet from its work, or would say how many GPUs it has. */
const BOUNDS = [
  ...([
    "floor",
    "perHour",
    "perGpuHour",
    "perDay",
    "total",
    "churn",
    "untilMs",
    "otherSizes",
    "idle",
  ] as const),
  ...(["allOrNothing", "update", "saveMs", "setupMs", "health", "buffer", "maxAge", "life"] as const),
];

function isBound(fleet: FleetSpec): boolean {
  return fleet.isChecked === true || BOUNDS.some((key) => fleet[key] !== undefined);
}

/**
 * In one of 25 worlds the first fleet replaces what its candidates do not allow any more, and these change once to four times: what
 * was allowed before may be allowed again, in the middle of an update, too.
 */
function withUpdate(random: Prng, drawn: Scenario): Scenario {
  const [first, ...others] = drawn.fleets;
  const hasSingle = drawn.offers.some(({ gpus }) => gpus === 1);
  const isPlain =
    hasSingle && drawn.wire === "marker" && drawn.tenure === "exclusive" && drawn.before.length === 0;
  if (random.next() >= 0.3 || !isPlain || !first || first.allOrNothing || isMoving(first)) return drawn;
  const noisyMs = drawn.noisyMs + random.integer(20, 60) * MINUTE;
  const { name } = first;
  const some = () => {
    // Any count can be made of single GPUs.
    const chosen = drawn.offers.filter(() => random.next() < 0.5);
    const single = random.pick(drawn.offers.filter(({ gpus }) => gpus === 1));
    return chosen.includes(single) ? chosen : [...chosen, single];
  };
  const events: readonly Moment[] = [
    { at: drawn.noisyMs, kind: "edit", name, gpus: random.integer(2, 5) },
    ...Array.from(
      { length: random.integer(1, 4) },
      (): Moment => ({
        at: random.integer(5 * MINUTE, noisyMs - MINUTE),
        kind: "candidates",
        name,
        candidates: some(),
      }),
    ),
    ...(random.next() < 0.5 ? [blow(random, false, random.integer(10 * MINUTE, noisyMs - MINUTE))] : []),
  ];
  const update = {
    most: random.pick([1, 1, 2]),
    within: random.pick(["5m", "20m"]),
    pauseOnFailure: random.next() < 0.7,
  };
  const updated = { ...endless(first), select: false, surge: random.pick([0, 1, 2]), update };
  return {
    ...drawn,
    noisyMs,
    fleets: [updated, ...others],
    events: [...declaredAgain(drawn, first, () => updated), ...events].sort(
      (one, other) => one.at - other.at,
    ),
  };
}

/**
 * In one of 25 worlds the first fleet replaces what is too old, which goes on over some ends of paid hours, and in one of 25 it has
 * a life. Nobody sets a clock there.
 */
function withAge(random: Prng, drawn: Scenario): Scenario {
  const [first, ...others] = drawn.fleets;
  const which = random.next();
  const isMoved = drawn.events.some(({ kind }) => kind === "jump" || kind === "reboot");
  if (which >= 0.13 || !first || first.allOrNothing || first.buffer || isMoving(first) || isMoved)
    return drawn;
  const [isAged, lives] = [which < 0.07, which >= 0.06];
  const noisyMs = drawn.noisyMs + random.integer(isAged ? 60 : 20, isAged ? 150 : 60) * MINUTE;
  const aged = {
    ...(isAged && { maxAge: random.pick(["20m", "50m", "1h30m"]) }),
    ...(lives && { life: random.pick(["15m", "40m", "2h"]) }),
  };
  const at = (): number => random.integer(30 * MINUTE, noisyMs - MINUTE);
  const events: readonly Moment[] = [
    ...(isAged
      ? [{ at: drawn.noisyMs, kind: "edit", name: first.name, gpus: random.integer(2, 5) } as const]
      : []),
    ...Array.from({ length: random.integer(0, 2) }, () => serviceTrouble(random, drawn, at())).flat(),
    ...(random.next() < 0.5 ? [blow(random, false, at())] : []),
  ];
  const surge = isAged ? random.pick([0, 1, 2]) : (first.surge ?? 0);
  const spec = (fleet: FleetSpec): FleetSpec => ({ ...(isAged ? endless(fleet) : fleet), ...aged, surge });
  return {
    ...drawn,
    noisyMs,
    fleets: [spec(first), ...others],
    events: [...declaredAgain(drawn, first, spec), ...events].sort((one, other) => one.at - other.at),
  };
}

function endless({ untilMs: _none, ...fleet }: FleetSpec): FleetSpec {
  return fleet;
}

/** In every eighth world the first fleet has a buffer. What nobody uses is no buffer, nor what goes as a whole. */
function withBuffer(random: Prng, drawn: Scenario): Scenario {
  const [first, ...others] = drawn.fleets;
  if (random.next() >= 0.125 || !first || first.idle || first.allOrNothing) return drawn;
  const buffer = { gpus: random.integer(1, 2), price: random.pick(["2.45", "2.6", "3.2"]) };
  const events = drawn.events.map((event) =>
    event.kind === "declare" && event.fleet.owner === first.owner
      ? { ...event, fleet: { ...event.fleet, buffer } }
      : event,
  );
  return { ...drawn, events, fleets: [{ ...first, buffer }, ...others] };
}

/** In every tenth world all fleets are of one team, which may spend so much on a day or in all. Work has no limit. */
function withTeam(random: Prng, drawn: Scenario): Scenario {
  const { fleets } = drawn;
  if (random.next() >= 0.1 || fleets.length === 0 || fleets.some(({ work }) => work)) return drawn;
  const limit = (fleets.reduce((sum, { gpus }) => sum + gpus, 1) * random.pick([1, 2, 4])).toFixed(2);
  const [team, kind] = ["vision", random.pick(["perDay", "total"] as const)];
  const events = drawn.events.map((event) =>
    event.kind === "declare" ? { ...event, fleet: { ...event.fleet, team } } : event,
  );
  return {
    ...drawn,
    events,
    fleets: fleets.map((fleet) => ({ ...fleet, team })),
    shared: { team, [kind]: limit },
  };
}

/** A fleet that is declared anew has no deadline either. */
/** A fleet that is declared anew is the same. */
function declaredAgain(
  { events }: Scenario,
  { owner }: FleetSpec,
  spec: (fleet: FleetSpec) => FleetSpec,
): readonly Moment[] {
  return events.map((event) =>
    event.kind === "declare" && event.fleet.owner === owner ? { ...event, fleet: spec(event.fleet) } : event,
  );
}

/** In every eighth world machines say whether they are idle. It goes on over one or two ends of their paid hours. */
function withIdle(random: Prng, drawn: Scenario): Scenario {
  if (random.next() >= 0.125) return drawn;
  const then = random.pick(["stop", "stop", "stop", "drain", "tell"] as const);
  const idle = { for: random.pick(["5m", "20m"]), then, keep: random.pick([0, 0, 1, 2]) };
  const noisyMs = drawn.noisyMs + random.integer(45, 110) * MINUTE;
  const at = (): number => random.integer(2 * MINUTE, noisyMs - MINUTE);
  const pick = (): number => random.integer(0, 99);
  const all: readonly Moment[] = Array.from({ length: 16 }, (_, index) => ({
    at: index < 8 ? random.integer(10, 40) * MINUTE : at(),
    kind: "use",
    pick: index % 8,
    as: "idle",
  }));
  const some = Array.from({ length: random.integer(2, 10) }, (): Moment => {
    const as = random.pick(["idle", "idle", "idle", "busy", "unknown", "hangs"] as const);
    return { at: at(), kind: "use", pick: pick(), as };
  });
  // It is idle and busy in turns.
  const [from, which] = [at(), pick()];
  const flapping = ["idle", "busy", "idle", "unknown", "idle", "idle"] as const;
  const turns = flapping.map(
    (as, index): Moment => ({ at: from + index * MINUTE, kind: "use", pick: which, as }),
  );
  const shape = { ...drawn, noisyMs };
  // Nobody hears anything for a while before the first of these ends.
  const still: Moment = {
    at: random.integer(35, 54) * MINUTE,
    kind: "blow",
    who: "agent",
    on: "commit",
    skip: 0,
    blow: { kind: "pause", ms: random.integer(5, 10) * MINUTE },
  };
  const later: readonly Moment[] = [
    ...edits(random, shape, at()),
    ...faultWindow(random, at(), "deployments", listFaults(random), 45_000),
    blow(random, false, at()),
    { at: at(), kind: random.pick(["kill", "terminate"] as const), who: "agent" },
  ];
  const more = [...all, ...some, ...turns, ...later, ...(random.next() < 0.5 ? [still] : [])].filter(
    (moment) => moment.at < noisyMs,
  );
  return {
    ...shape,
    fleets: drawn.fleets.map((fleet) => ({ ...fleet, idle })),
    events: [...drawn.events, ...more].sort((one, other) => one.at - other.at),
  };
}

function drawWorld(seed: number): Scenario {
  const random = new Prng(`scenario ${seed}`);
  const wire = random.pick(WIRE_NAMES);
  const tenure = random.next() < 0.6 ? "exclusive" : "shared";
  const plain = wire === "nothing";
  const offers = plain ? OFFERS.slice(0, 3) : OFFERS;
  const noisyMs = random.integer(15, 40) * MINUTE;
  const ofFleets = random.fork("fleets");
  const matchNone = tenure === "shared" && wire !== "marker";
  const fleets = ofFleets
    .pick([["A"], ["A"], ["A"], ["A", "B"]])
    .map((owner) => drawFleet(ofFleets, offers, owner, matchNone));
  const deployments = drawDeployments(random.fork("deployments"), offers);
  const before =
    tenure === "exclusive" && !plain && fleets.length === 1 && !fleets[0]?.select && random.next() < 0.15
      ? [random.pick(fleets[0]?.candidates ?? offers)]
      : [];
  const shape = { wire, tenure, offers, fleets, deployments, noisyMs } as const;
  const echoesLate = wire !== "nothing" && random.fork("echo").next() < 0.25;
  return {
    name: `seed ${seed}`,
    seed: String(seed),
    ...shape,
    unnamedEnd: random.next() < 0.3,
    ledger: "memory",
    latencyMs: random.pick([0, 50, 200]),
    settings: {
      refundOnStop: random.next() < 0.5,
      coolAfterFailure: random.next() < 0.3,
      ...(echoesLate ? { connectingSeconds: [60, 300] as const } : {}),
    },
    ...(echoesLate ? { quirk: "lateEcho" as const } : {}),
    // A limit on churn counts what ended within a day.
    ...(fleets.every(({ churn }) => churn === undefined) && random.fork("archive").next() < 0.5
      ? { archivesSoon: true }
      : {}),
    balance: "1000.0000",
    watched: before.length === 0 && random.fork("watched").next() < 0.5,
    before,
    ...drawAbsence(
      random.fork("absence"),
      shape,
      drawHalted(random.fork("halted"), noisyMs, drawEvents(random.fork("events"), shape)),
    ),
    ...drawHours(random.fork("hours"), noisyMs),
  };
}

/** A scenario as this one, with a second host, which has an agent for most of the time. What happens to hosts is shared out. */
export function onTwoHosts(scenario: Scenario): Scenario {
  const random = new Prng(`hosts ${scenario.seed}`);
  const { noisyMs } = scenario;
  const minutes = random.pick([-7, -5, -1, 0, 1, 5, 7]);
  const at = random.integer(0, 5 * MINUTE);
  const second: Moment = { at, kind: "secondAgent", forMs: random.integer(5 * MINUTE, noisyMs) };
  const jump: Moment = {
    at: random.integer(0, noisyMs - MINUTE),
    kind: "ledgerJump",
    ms: random.pick([-3_600_000, -60_000, 60_000, 3_600_000]),
  };
  const events = scenario.events.map((event): Moment => {
    if (event.kind !== "jump" && event.kind !== "reboot") return event;
    return random.next() < 0.5 ? { ...event, other: true } : event;
  });
  const isScheduled = scenario.fleets.some(({ schedule, metric, life }) => schedule ?? metric ?? life);
  const added = random.next() < 0.2 && !isScheduled ? [second, jump] : [second];
  return {
    ...scenario,
    otherHost: { skewMs: minutes * MINUTE, rate: 1 + random.integer(0, 10) / 1000 },
    hasLeases: random.fork("leases").next() < 0.5,
    events: [...events, ...added].sort((one, other) => one.at - other.at),
  };
}

/**
 * A tenth of the services have other words than a 404 for what is not there, and accept launches that make nothing, or make
 * it late. Beside machines that vanish such an id would be one of a crowd, which takes an hour.
 */
function drawAbsence(
  random: Prng,
  { noisyMs }: Shape,
  drawn: Pick<Scenario, "events" | "halting">,
): Pick<Scenario, "absence" | "events" | "halting" | "mayWait"> {
  const { events } = drawn;
  if (random.next() >= 0.13 || drawn.halting) return drawn;
  const absence = random.pick(ABSENCES);
  if (absence === "untold" || events.some(({ kind }) => kind === "forget" || kind === "hide"))
    return { absence, events };
  const seconds = random.pick([undefined, random.integer(1, 1_800)]);
  const fault = { kind: "vanish", ...(seconds === undefined ? {} : { seconds }) } as const;
  const at = random.integer(0, noisyMs - MINUTE);
  const more: Moment = { at, kind: "fault", target: "launch", fault };
  // Where it is the first launch under the profile, a person has to look.
  return { absence, mayWait: true, events: [...events, more].sort((one, other) => one.at - other.at) };
}

/** Most scenarios cross a midnight or a full hour. Some go on for hours after their noise. */
function drawHours(random: Prng, noisyMs: number): Pick<Scenario, "startMs" | "noisyMs"> {
  const startMs = 24 * HOUR - random.integer(0, random.pick([30 * MINUTE, 24 * HOUR]));
  return { startMs, noisyMs: noisyMs + (random.next() < 0.06 ? random.integer(60, 240) * MINUTE : 0) };
}

function drawFleet(
  random: Prng,
  offers: readonly CatalogueOffer[],
  owner: string,
  matchNone: boolean,
): FleetSpec {
  const candidates = random.shuffle(offers).slice(0, random.integer(1, offers.length));
  const single = candidates.some(({ gpus }) => gpus === 1) ? candidates : [...candidates, SINGLE];
  const gpus = random.integer(1, 5);
  const fleet: FleetSpec = {
    name: `fleet-${owner.toLowerCase()}`,
    owner,
    gpus,
    overshoot: random.pick([0, 0, 1]),
    candidates: single,
    select: random.next() < 0.15,
    matchNone,
    ...(random.next() < 0.15 ? { perHour: (gpus * 2.9).toFixed(2) } : {}),
    ...(random.next() < 0.15 ? { floor: "950" } : {}),
    surge: random.fork(`surge ${owner}`).pick([0, 0, 0, 1, 2]),
    ...drawSetup(random.fork(`setup ${owner}`)),
    ...drawHealth(random.fork(`checks ${owner}`)),
    ...drawMoney(random.fork(`money ${owner}`), gpus),
    ...drawSaving(random.fork(`saving ${owner}`)),
  };
  const waits = random.fork(`waits ${owner}`);
  return { ...fleet, ...drawPatience(waits, fleet), ...drawOtherSizes(waits, fleet) };
}

/** A third of those that may have more than their count for a while waits for the right size first. */
function drawOtherSizes(random: Prng, { overshoot, surge = 0 }: FleetSpec): Partial<FleetSpec> {
  if (overshoot + surge === 0 || random.next() < 0.67) return {};
  return { otherSizes: random.pick(["1m", "4m"]) };
}

/** Half of those that choose among offers pay more than so much only after a while. */
function drawPatience(random: Prng, { select, perGpuHour }: FleetSpec): Partial<FleetSpec> {
  if (!select || perGpuHour !== undefined || random.next() < 0.5) return {};
  const forMs = random.pick([2, 6]) * MINUTE;
  const price = random.pick(["0.01", "2.45", "2.6"]);
  const usual = random.fork("above");
  return { patience: usual.next() < 0.3 ? { above: usual.pick(["3%", "10%"]), forMs } : { price, forMs } };
}

/** In every eighth fleet a command runs before each stop. Some fail, or hang. */
function drawSaving(random: Prng): Partial<FleetSpec> {
  if (random.next() >= 0.125) return {};
  const saveMs = random.pick([0, MINUTE / 2, 2 * MINUTE, 4 * MINUTE, Number.POSITIVE_INFINITY]);
  return { saveMs, ...(random.next() < 0.3 ? { saveFails: true } : {}) };
}

/** Every eighth fleet asks its machines for their health. */
function drawHealth(random: Prng): Partial<FleetSpec> {
  return random.next() < 0.125 ? { health: { bad: random.pick(["2m", "5m"]) } } : {};
}

/** Every eighth fleet sets its machines up. */
function drawSetup(random: Prng): Partial<FleetSpec> {
  return random.next() < 0.125 ? { setupMs: random.integer(1, 6) * MINUTE } : {};
}

/** At most one of the limits over time and the deadline: one must not hide another. */
function drawMoney(random: Prng, gpus: number): Partial<FleetSpec> {
  const until = (): Partial<FleetSpec> => ({ untilMs: random.integer(3 * MINUTE, 14 * MINUTE) });
  const total = (): Partial<FleetSpec> => ({ total: (gpus * random.pick([1.5, 3, 6])).toFixed(2) });
  const seldom: readonly (() => Partial<FleetSpec>)[] = [
    until,
    until,
    total,
    total,
    () => ({ perDay: (gpus * random.pick([1.5, 3, 6])).toFixed(2) }),
    () => ({ perGpuHour: random.pick(["2.45", "2.6", "2.8"]) }),
    () => ({ churn: random.pick(["0.10", "1.50"]) }),
  ];
  return seldom[random.integer(0, 20)]?.() ?? {};
}

function drawDeployments(random: Prng, offers: readonly CatalogueOffer[]): Scenario["deployments"] {
  const count = random.pick([0, 0, 1, 2]);
  return Array.from({ length: count }, (_, index) => ({ name: `web${index}`, offer: random.pick(offers) }));
}

type Shape = Pick<Scenario, "wire" | "tenure" | "offers" | "fleets" | "deployments" | "noisyMs">;

function drawEvents(random: Prng, shape: Shape): readonly Moment[] {
  // On a shared account a marker counts from the first answer that showed it: it gets time for that.
  const from = shape.wire === "marker" && shape.tenure === "shared" ? 3 * MINUTE : 0;
  const late = random.next() < 0.15;
  const moments: Moment[] = [];
  const at = (): number => random.integer(from, shape.noisyMs - MINUTE);
  const add = (count: number, draw: () => readonly Moment[]): void => {
    for (let index = 0; index < count; index++) moments.push(...draw());
  };
  add(random.integer(1, 3), () => faultWindow(random, at(), "launch", launchFaults(random, late)));
  add(random.integer(0, 4), () => faultWindow(random, at(), "deployments", listFaults(random), 45_000));
  add(random.integer(0, 2), () => faultWindow(random, at(), "deployment", getFaults(random)));
  add(random.integer(0, 2), () => faultWindow(random, at(), "stop", stopFaults(random)));
  add(random.integer(0, 1), () => faultWindow(random, at(), "balance", getFaults(random)));
  add(random.integer(0, 1), () => faultWindow(random, at(), "offers", getFaults(random)));
  add(random.integer(0, 4), () => [blow(random, late, at())]);
  add(random.integer(0, 8), () => serviceTrouble(random, shape, at()));
  add(random.integer(0, 4), () => edits(random, shape, at()));
  add(random.integer(0, 2), () => machineTrouble(random, at()));
  for (const { name } of shape.deployments) {
    moments.push({ at: at(), kind: "up", deployment: name });
    add(random.integer(0, 2), () => [
      { at: at(), kind: random.pick(["up", "destroy", "replace"] as const), deployment: name },
    ]);
  }
  add(random.integer(0, 3), () => [{ at: at(), kind: random.pick(["take", "tickOnce"] as const) }]);
  if (random.next() < 0.2)
    moments.push({ at: at(), kind: "secondAgent", forMs: random.integer(2, 10) * MINUTE });
  moments.push(...drains(random.fork("drains"), shape));
  moments.push(...heldMachines(random.fork("held"), shape));
  moments.push(...ailments(random.fork("ailments"), shape));
  moments.push(...savings(random.fork("savings"), shape));
  moments.push(...prices(random.fork("prices"), shape));
  moments.push(...repeats(random.fork("repeats"), shape));
  moments.push(...locks(random.fork("locks"), shape));
  if (shape.tenure === "shared") add(random.integer(0, 4), () => others(random, shape, at()));
  if (moments.some(({ kind }) => kind === "hand")) moments.push(...doubt(random.fork("doubt"), shape));
  if (late)
    add(1, () => [
      {
        at: at(),
        kind: random.pick(["forget", "hide"] as const),
        pick: random.integer(0, 99),
        forMs: random.integer(10, 400) * 1000,
      },
    ]);
  return moments.sort((one, other) => one.at - other.at);
}

export function faultWindow(
  random: Prng,
  at: number,
  target: Target,
  chances: readonly Chance[],
  atMost = 10 * MINUTE,
): readonly Moment[] {
  const until = at + random.integer(20_000, atMost);
  return [
    { at, kind: "faults", target, chances },
    { at: until, kind: "faults", target, chances: [] },
  ];
}

function spread(random: Prng, faults: readonly Chance["fault"][], total: number): readonly Chance[] {
  const chosen = random.shuffle(faults).slice(0, random.integer(1, faults.length));
  return chosen.map((fault) => ({ fault, probability: total / chosen.length }));
}

export function launchFaults(random: Prng, late: boolean): readonly Chance[] {
  const status = random.pick([500, 502, 503, 504, 408, 409]);
  const kinds: Chance["fault"][] = [
    { kind: "refuse" },
    { kind: "dropBefore" },
    { kind: "dropAfter" },
    { kind: "commitLate", seconds: late ? random.integer(5, 900) : random.integer(1, 190) },
    { kind: "errorBefore", status },
    { kind: "errorAfter", status },
    { kind: "tooMany", seconds: random.integer(1, 60) },
    { kind: "slow", seconds: random.integer(1, 180) },
    { kind: "unreadable", how: random.pick(SPOILT) },
  ];
  return spread(random, kinds, random.pick([0.17, 0.3, 0.6, 1]));
}

/** Lists lie for a part of the settle time at most. A service that hides a machine for longer is "late". */
export function listFaults(random: Prng): readonly Chance[] {
  const kinds: Chance["fault"][] = [
    { kind: "lag", seconds: random.integer(1, 30) },
    { kind: "stale" },
    { kind: "cut", keep: random.next() },
    { kind: "reorder" },
    ...getKinds(random),
  ];
  return spread(random, kinds, random.pick([0.3, 0.7, 1]));
}

export function getFaults(random: Prng): readonly Chance[] {
  return spread(random, getKinds(random), random.pick([0.3, 0.7]));
}

function getKinds(random: Prng): Chance["fault"][] {
  return [
    { kind: "dropBefore" },
    { kind: "errorBefore", status: random.pick([500, 502, 503]) },
    { kind: "tooMany", seconds: random.integer(1, 40) },
    { kind: "slow", seconds: random.integer(1, 60) },
    { kind: "unreadable", how: random.pick(SPOILT) },
  ];
}

export function stopFaults(random: Prng): readonly Chance[] {
  return spread(
    random,
    [
      { kind: "dropBefore" },
      { kind: "dropAfter" },
      { kind: "errorBefore", status: random.pick([500, 502, 503]) },
      { kind: "errorAfter", status: random.pick([500, 502, 503]) },
      { kind: "unreadable", how: "html" },
      { kind: "tooMany", seconds: 30 },
      { kind: "ignore" },
    ],
    random.pick([0.3, 0.8]),
  );
}

const EFFECTS = ["any", "any", "commit", "post", "get", "stop", "sleep", "read"] as const;

function blow(random: Prng, late: boolean, at: number): Moment {
  const drawn: Blow =
    random.next() < 0.6
      ? { kind: "crash", when: random.pick(["before", "after"] as const) }
      : random.next() < 0.5
        ? { kind: "ledgerError", when: random.pick(["before", "after"] as const) }
        : { kind: "pause", ms: random.integer(1, late ? 600 : 90) * 1000 };
  const on = drawn.kind === "ledgerError" ? random.pick(["commit", "read"] as const) : random.pick(EFFECTS);
  const who = random.pick(["agent", "agent", "agent", "pulumi", "second", "editor", "once", "taker"]);
  // An editor that declares an old fleet file after a new one would make two wishes at once.
  const struck = drawn.kind === "pause" && who === "editor" ? "agent" : who;
  return { at, kind: "blow", who: struck, on, skip: random.integer(0, 12), blow: drawn };
}

export function serviceTrouble(
  random: Prng,
  { offers }: Pick<Shape, "offers">,
  at: number,
): readonly Moment[] {
  const combination = placeOf(random.pick(offers));
  const { provider } = combination;
  const failures = ["UNKNOWN", "DUPLICATE_REQUEST", "PLATFORM_PROVIDER_ISSUE", "CONNECTION_TIMEOUT"];
  return oneOf(random, [
    () => [{ at, kind: "lose", provider, now: random.next() < 0.5 }],
    () => [{ at, kind: "loseOne", pick: random.integer(0, 99), now: random.next() < 0.7 }],
    () => [{ at, kind: "failNext", combination, code: random.pick(failures), times: random.integer(1, 3) }],
    () => [
      { at, kind: "maintenance", provider, on: true },
      { at: at + random.integer(1, 10) * MINUTE, kind: "maintenance", provider, on: false },
    ],
    () => [{ at, kind: "cooldown", combination, seconds: random.integer(5, 180) }],
    () => [
      { at, kind: "capacity", combination, capacity: random.integer(0, 2) },
      { at: at + random.integer(1, 10) * MINUTE, kind: "capacity", combination, capacity: 8 },
    ],
    () => [
      { at, kind: "balance", balance: random.pick(["0.5000", "3.0000", "951.0000"]) },
      { at: at + random.integer(1, 5) * MINUTE, kind: "balance", balance: "1000.0000" },
    ],
    () => [
      { at, kind: "lose", provider, now: true },
      { at: at + random.integer(5, 100) * 1000, kind: "loseOne", pick: random.integer(0, 99), now: true },
    ],
  ]);
}

/** Draws a story first, and only then what is open in it. */
function oneOf(random: Prng, stories: readonly (() => readonly Moment[])[]): readonly Moment[] {
  return random.pick(stories)();
}

function edits(random: Prng, { fleets }: Shape, at: number): readonly Moment[] {
  const fleet = random.pick(fleets);
  const { name } = fleet;
  const later = (): number => at + random.integer(10, 300) * 1000;
  const edit = (): readonly Moment[] => [{ at, kind: "edit", name, gpus: random.integer(0, 5) }];
  return oneOf(random, [
    () => [{ at, kind: "rename", name, to: `${name}-${random.integer(1, 2)}` }],
    () => {
      const removed: Moment = { at, kind: "remove", name };
      return random.next() < 0.5 ? [removed, { at: later(), kind: "declare", fleet }] : [removed];
    },
    () => [
      { at, kind: "pauseFleet", name, paused: true },
      { at: later(), kind: "pauseFleet", name, paused: false },
    ],
    ...[edit, edit, edit],
  ]);
}

function drains(random: Prng, { fleets, noisyMs }: Shape): readonly Moment[] {
  if (random.next() >= 0.1) return [];
  const { name } = random.pick(fleets);
  const at = random.integer(MINUTE, noisyMs - MINUTE);
  return [
    { at, kind: "drainFleet", name, drained: true },
    { at: at + random.integer(10, 300) * 1000, kind: "drainFleet", name, drained: false },
  ];
}

function heldMachines(random: Prng, { noisyMs }: Shape): readonly Moment[] {
  if (random.next() >= 0.15) return [];
  const at = random.integer(2 * MINUTE, noisyMs - MINUTE);
  return [{ at, kind: "holdOne", pick: random.integer(0, 99), forMs: random.integer(30, 600) * 1000 }];
}

/** What is stopped saves its work, and its agent ends meanwhile, or is killed. */
function savings(random: Prng, { fleets, noisyMs }: Shape): readonly Moment[] {
  return fleets
    .filter(({ saveMs }) => saveMs !== undefined)
    .flatMap(({ name }) => {
      const at = random.integer(4 * MINUTE, noisyMs - 5 * MINUTE);
      const lowered: Moment = { at, kind: "edit", name, gpus: random.integer(0, 2) };
      const kind = random.pick(["kill", "terminate", undefined, undefined] as const);
      const later = at + random.integer(10, 240) * 1000;
      return kind ? [lowered, { at: later, kind, who: "agent" } as const] : [lowered];
    });
}

/** They flap, say nothing, and lie. */
function ailments(random: Prng, { fleets, noisyMs }: Shape): readonly Moment[] {
  if (!fleets.some(({ health }) => health)) return [];
  return Array.from({ length: random.integer(4, 12) }, (): Moment => {
    const as = random.pick(["bad", "bad", "bad", "good", "unknown"] as const);
    return { at: random.integer(2 * MINUTE, noisyMs - MINUTE), kind: "ail", pick: random.integer(0, 99), as };
  });
}

/** In every fourth world the service halts a machine, and bills it on. */
function drawHalted(
  random: Prng,
  noisyMs: number,
  events: readonly Moment[],
): Pick<Scenario, "events" | "halting"> {
  if (random.next() >= 0.25) return { events };
  const halted: Moment = {
    at: random.integer(4 * MINUTE, noisyMs - MINUTE),
    kind: "haltOne",
    pick: random.integer(0, 99),
  };
  return { halting: "rightly", events: [...events, halted].sort((one, other) => one.at - other.at) };
}

/** As while a backup holds the ledger, or its disk is full. */
function locks(random: Prng, { noisyMs }: Shape): readonly Moment[] {
  if (random.next() >= 0.15) return [];
  const at = random.integer(0, noisyMs - MINUTE);
  return [{ at, kind: "lockLedger", forMs: random.integer(5, 240) * 1000 }];
}

/** A gateway sends a launch twice. With a marker the second machine must be found, too. */
function repeats(random: Prng, { wire, noisyMs }: Shape): readonly Moment[] {
  if (wire !== "marker" || random.next() >= 0.3) return [];
  return Array.from({ length: random.integer(1, 2) }, (): Moment => {
    const fault = { kind: "commitTwice", seconds: random.integer(0, 600) } as const;
    return { at: random.integer(0, noisyMs - MINUTE), kind: "fault", target: "launch", fault };
  });
}

function prices(random: Prng, { offers, noisyMs }: Shape): readonly Moment[] {
  if (random.next() >= 0.25) return [];
  return Array.from({ length: random.integer(1, 3) }, () =>
    priceChange(random, offers, noisyMs, [0.7, 0.9, 1.15, 1.5]),
  );
}

function priceChange(
  random: Prng,
  offers: readonly CatalogueOffer[],
  noisyMs: number,
  factors: readonly number[],
): Moment {
  const offer = random.pick(offers);
  const pricePerHour = (Number(offer.pricePerHour) * random.pick(factors)).toFixed(4);
  const at = random.integer(0, noisyMs - MINUTE);
  return { at, kind: "price", combination: placeOf(offer), pricePerHour };
}

function machineTrouble(random: Prng, at: number): readonly Moment[] {
  const ms = random.pick([-7_200_000, -3_600_000, -60_000, 60_000, 3_600_000, 30 * 86_400_000]);
  return oneOf(random, [
    () => [{ at, kind: "jump", ms }],
    () => [{ at, kind: "reboot", jumpMs: random.next() < 0.5 ? 0 : ms }],
    () => [{ at, kind: "kill", who: random.pick(["agent", "pulumi"]) }],
    () => [{ at, kind: "terminate", who: "agent" }],
  ]);
}

function others(random: Prng, { offers, wire }: Shape, at: number): readonly Moment[] {
  const combination = placeOf(random.pick(offers));
  const pick = random.integer(0, 99);
  if (random.next() < 0.3) return [{ at, kind: "handStop", pick }];
  return [{ at, kind: wire === "marker" && random.next() < 0.5 ? "stranger" : "hand", combination }];
}

/** A machine is replaced, the answer is lost, and people launch the same: which is whose? */
function doubt(random: Prng, { wire, fleets, noisyMs }: Shape): readonly Moment[] {
  const { candidates } = random.pick(fleets);
  if (wire === "marker" || random.next() < 0.4) return [];
  const at = random.integer(4 * MINUTE, noisyMs - 3 * MINUTE);
  const [cheapest = SINGLE] = candidates.toSorted(
    (one, other) => Number(one.pricePerHour) - Number(other.pricePerHour),
  );
  const kind = random.pick(["dropAfter", "dropBefore"] as const);
  return [
    { at, kind: "fault", target: "launch", fault: { kind } },
    { at, kind: "loseOne", pick: random.integer(0, 99), now: true },
    ...Array.from({ length: random.integer(1, 2) }, (): Moment => {
      return { at: at + random.integer(0, 120_000), kind: "hand", combination: placeOf(cheapest) };
    }),
  ];
}

function placeOf({ offer, provider, location }: CatalogueOffer): Combination {
  return { offer, provider, location };
}

/** Its size or its machines change by themselves. */
function isMoving({ improve, schedule, metric }: FleetSpec): boolean {
  return (improve ?? schedule ?? metric) !== undefined;
}
