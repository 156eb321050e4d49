import type { CatalogueOffer, Target } from "../../simulator/index.ts";
import { Prng } from "../../simulator/prng.ts";
import { FLEET, OFFERS, PLAIN } from "../scenario/plain.ts";
import type { FleetSpec, Moment, Scenario } from "../scenario/scenario.ts";
import { WIRE_NAMES } from "../scenario/wires.ts";
import {
  faultWindow,
  getFaults,
  launchFaults,
  listFaults,
  serviceTrouble,
  stopFaults,
  withMetric,
  withSchedule,
} from "./draw.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

const [SINGLE, , , PAIR] = OFFERS;
const ALL: readonly Target[] = [
  "account",
  "balance",
  "deployments",
  "deployment",
  "offers",
  "stop",
  "launch",
];

/** Draws a world with a fleet over two or three services, an agent for each, and most often two hosts. */
export function drawSeveral(seed: number): Scenario {
  const drawn = drawOfOneSize(seed);
  // A part drains at its share of a total, though the whole has some left: worlds that go on for longer come to that. And nobody could
  // stop at a service that stays out what is asked for no more.
  if (drawn.staysOut !== undefined || drawn.fleets.some(({ total }) => total !== undefined)) return drawn;
  const sized = withSchedule(new Prng(`several windows ${seed}`), drawn, 0.5);
  return withMetric(new Prng(`several metric ${seed}`), sized, 0.4);
}

function drawOfOneSize(seed: number): Scenario {
  const random = new Prng(`several ${seed}`);
  const services = random.pick([["north", "south"] as const, ["north", "south", "west"] as const]);
  const offers = services.flatMap((provider) => offersOf(random.fork(provider), provider));
  const wire = random.pick(WIRE_NAMES);
  const tenure = random.next() < 0.7 ? "exclusive" : "shared";
  const noisyMs = random.integer(20, 45) * MINUTE + (random.next() < 0.1 ? random.integer(1, 4) * HOUR : 0);
  const drawn = drawFleet(random.fork("fleet"), tenure === "shared" && wire !== "marker");
  const drains = random.fork("drains");
  const fleet = drains.next() < 0.4 ? { ...drawn, surge: drains.integer(1, 2) } : drawn;
  const atLeast = random.next() < 0.25 ? 2 : undefined;
  const staysOut = atLeast === undefined && random.next() < 0.2 ? random.pick(services) : undefined;
  const shape = { services, offers, fleet, noisyMs, staysOut } as const;
  const hasHosts = random.next() < 0.75;
  const hasLeases = hasHosts && random.fork("leases").next() < 0.5;
  const left = drawLeft(drains, shape);
  const held = [...drawPauses(random.fork("pauses"), shape), ...drawStandbys(random.fork("standbys"), shape)];
  const events = [...drawEvents(random.fork("events"), shape), ...left, ...held];
  return {
    ...PLAIN,
    name: `several ${seed}`,
    seed: `several ${seed}`,
    ...{ wire, tenure, offers, services, noisyMs },
    ...(atLeast === undefined ? {} : { atLeast }),
    ...(staysOut === undefined ? {} : { staysOut }),
    ...(hasHosts
      ? {
          otherHost: {
            skewMs: random.pick([-7, -1, 0, 1, 7]) * MINUTE,
            rate: 1 + random.integer(0, 10) / 1000,
          },
        }
      : {}),
    unnamedEnd: random.next() < 0.3,
    latencyMs: random.pick([0, 50, 200]),
    settings: { refundOnStop: random.next() < 0.5, coolAfterFailure: random.next() < 0.3 },
    fleets: [fleet],
    watched: random.next() < 0.5,
    startMs: 24 * HOUR - random.integer(0, random.pick([30 * MINUTE, 24 * HOUR])),
    ...(hasLeases && { hasLeases }),
    ...(staysOut === undefined && atLeast === undefined && drains.next() < 0.5 && { staysLeft: true }),
    events: events.sort((one, other) => one.at - other.at),
  };
}

interface Shape {
  readonly services: readonly string[];
  readonly offers: readonly CatalogueOffer[];
  readonly fleet: FleetSpec;
  readonly noisyMs: number;
  readonly staysOut: string | undefined;
}

function offersOf(random: Prng, provider: string): readonly CatalogueOffer[] {
  const price = (gpus: number) => (gpus * (2 + random.integer(0, 12) / 10)).toFixed(4);
  const single = { ...SINGLE, provider, pricePerHour: price(1), capacity: random.integer(1, 6) };
  if (random.next() < 0.7) return [single];
  return [single, { ...PAIR, provider, pricePerHour: price(2), capacity: random.integer(1, 3) }];
}

function drawFleet(random: Prng, matchNone: boolean): FleetSpec {
  const gpus = random.integer(2, 6);
  const usd = (factors: readonly number[]) => (gpus * random.pick(factors)).toFixed(2);
  const limits: readonly Partial<FleetSpec>[] = [
    { perHour: usd([2.4, 2.9]) },
    { perHour: usd([2.4, 2.9]) },
    { total: usd([3, 6, 12]) },
    { perDay: usd([3, 6]) },
    { churn: random.pick(["2.50", "8.00"]) },
    { perHour: usd([2.9]), total: usd([6, 12]) },
  ];
  return {
    ...FLEET,
    gpus,
    overshoot: random.pick([0, 0, 1]),
    select: true,
    matchNone,
    ...limits[random.integer(0, 11)],
  };
}

function drawEvents(random: Prng, shape: Shape): readonly Moment[] {
  const { services, offers, fleet, noisyMs, staysOut } = shape;
  const { name } = fleet;
  const moments: Moment[] = [];
  const at = (): number => random.integer(0, noisyMs - MINUTE);
  const add = (count: number, draw: (service: string) => readonly Moment[]): void => {
    for (let index = 0; index < count; index++) {
      const service = random.pick(services);
      moments.push(...draw(service).map((moment) => ({ ...moment, service })));
    }
  };
  add(random.integer(1, 3), () =>
    faultWindow(random, random.integer(0, 10 * MINUTE), "launch", launchFaults(random, false), noisyMs),
  );
  add(random.integer(0, 2), () => faultWindow(random, at(), "deployments", listFaults(random), 45_000));
  add(random.integer(0, 1), () => faultWindow(random, at(), "stop", stopFaults(random)));
  add(random.integer(0, 1), () => faultWindow(random, at(), "offers", getFaults(random)));
  add(random.integer(1, 6), (service) =>
    serviceTrouble(random, { offers: offers.filter(({ provider }) => provider === service) }, at()),
  );
  add(random.integer(0, 2), () => {
    const from = at();
    return out(from, from + random.integer(1, random.pick([5, 30, 240])) * MINUTE);
  });
  add(random.integer(0, 2), () => [{ at: at(), kind: "away", forMs: random.integer(1, 20) * MINUTE }]);
  add(random.next() < 0.25 ? 1 : 0, () => {
    const from = at();
    const until = from + random.integer(1, 15) * MINUTE;
    return [
      { at: from, kind: "drainFleet", name, drained: true },
      { at: until, kind: "drainFleet", name, drained: false },
    ];
  });
  for (let index = random.integer(0, 6); index > 0; index--) {
    const on = random.pick(["any", "commit", "commit", "commit", "post", "read"] as const);
    const when = random.pick(["before", "after"] as const);
    const kind = (on === "commit" || on === "read") && random.next() < 0.25 ? "ledgerError" : "crash";
    const who = random.next() < 0.5 ? "agent" : agentOf(random.pick(services), services);
    moments.push({ at: at(), kind: "blow", who, on, skip: random.integer(0, 12), blow: { kind, when } });
  }
  // Who reads the file anew asks each service for its account first.
  for (let index = staysOut === undefined ? random.integer(0, 3) : 0; index > 0; index--)
    moments.push({ at: at(), kind: "edit", name, gpus: random.integer(0, 6) });
  if (random.next() < 0.1) moments.push({ at: at(), kind: "reboot", jumpMs: 0, other: random.next() < 0.5 });
  if (random.next() < 0.1)
    moments.push({ at: at(), kind: "lockLedger", forMs: random.integer(5, 240) * 1000 });
  const from = noisyMs - random.integer(0, 10) * MINUTE;
  const last = out(from).map((each) => ({ ...each, service: staysOut ?? "" }));
  // What ends earlier would end a part of it.
  const isOver = ({ at: when, service, kind }: Moment) =>
    staysOut !== undefined && service === staysOut && kind === "faults" && when >= from;
  const all = [...moments.filter((each) => !isOver(each)), ...(staysOut === undefined ? [] : last)];
  return all.sort((one, other) => one.at - other.at);
}

/** In every third world `fleetkeeper services drain` moves the share of a service to the others. Some take that back. */
function drawLeft(random: Prng, { services, fleet: { name }, noisyMs }: Shape): readonly Moment[] {
  if (random.next() >= 0.35) return [];
  const service = random.pick(services);
  const at = random.integer(3 * MINUTE, noisyMs - MINUTE);
  const left: Moment = { at, kind: "leaveService", name, leaves: true, service };
  if (random.next() < 0.5) return [left];
  const until = at + random.integer(10, random.pick([60, 1_200])) * 1000;
  return [left, { at: until, kind: "leaveService", name, leaves: false, service }];
}

/** An agent stands still between any two of its steps, and goes on with what it knew. */
function drawPauses(random: Prng, { services, noisyMs }: Shape): readonly Moment[] {
  if (random.next() >= 0.5) return [];
  return Array.from({ length: random.integer(1, 5) }, (): Moment => {
    const on = random.pick(["any", "commit", "commit", "read", "read", "post", "stop"] as const);
    const when = random.pick(["before", "after"] as const);
    const blow = { kind: "pause", ms: random.integer(1, random.pick([10, 90, 600])) * 1000, when } as const;
    const at = random.integer(0, noisyMs - MINUTE);
    return {
      at,
      kind: "blow",
      who: agentOf(random.pick(services), services),
      on,
      skip: random.integer(0, 12),
      blow,
    };
  });
}

/** A second agent of some accounts, on the other host. With leases it stands by, and without them it is refused. */
function drawStandbys(random: Prng, { services, noisyMs }: Shape): readonly Moment[] {
  if (random.next() >= 0.7) return [];
  return services.flatMap((service): readonly Moment[] => {
    if (random.next() >= 0.7) return [];
    const forMs = random.integer(5 * MINUTE, noisyMs);
    return [{ at: random.integer(0, 5 * MINUTE), kind: "secondAgent", forMs, service }];
  });
}

function agentOf(service: string, [first]: readonly string[]): string {
  return service === first ? "agent" : `agent-${service}`;
}

/** Nothing of a service answers, until then or for good. */
function out(from: number, to?: number): readonly Moment[] {
  return ALL.flatMap((target): readonly Moment[] => [
    { at: from, kind: "faults", target, chances: [{ fault: { kind: "dropBefore" }, probability: 1 }] },
    ...(to === undefined ? [] : [{ at: to, kind: "faults", target, chances: [] } as const]),
  ]);
}
