import { parseArgs } from "node:util";
import { columns } from "../agent/fleet/text/text.ts";
import { createService } from "../service/client.ts";
import type { LaunchAnswer, Service } from "../service/contract/service.ts";
import { readable } from "../service/contract/unread.ts";
import type { CatalogueOffer, Chance } from "../simulator/index.ts";
import { createSimulator, SIMULATOR_URL, VirtualClock } from "../simulator/index.ts";
import { countOf } from "./arguments.ts";
import type { Evidence } from "./oracles/evidence.ts";
import { evidenceOf } from "./oracles/evidence.ts";
import { DUPLICATE, exactCount } from "./oracles/outcome.ts";
import { postOnce } from "./oracles/requests.ts";
import { FLEET, OFFERS, PLAIN } from "./scenario/plain.ts";
import type { Scenario } from "./scenario/scenario.ts";
import { wireOf } from "./scenario/wires.ts";
import { Recorder } from "./world/recorder.ts";
import { World } from "./world/world.ts";

/**
 * The control: what two clients that people write do in the same trouble, counted by the same truth and
 * judged by the same oracles. It shows that the oracles bite, and what the protocol is worth.
 *
 * `node proof/naive.ts [--launches 10000]`
 */

/** Machines of one account. More would only make its lists longer. */
const AT_ONCE = 100;
const OWNER = "A";
const SECOND = 1_000;
const HOUR = 3_600_000;

/** 17%: 5% dropped before their effect, 5% after, 2% late, 3% and 2% server errors before and after. */
const FAULTS: readonly Chance[] = [
  { fault: { kind: "dropBefore" }, probability: 0.05 },
  { fault: { kind: "dropAfter" }, probability: 0.05 },
  ...[1, 2, 4, 8, 12, 16, 20, 45].map((seconds) => ({
    fault: { kind: "commitLate", seconds } as const,
    probability: 0.02 / 8,
  })),
  { fault: { kind: "errorBefore", status: 500 }, probability: 0.03 },
  { fault: { kind: "errorAfter", status: 500 }, probability: 0.02 },
];

const OFFER: CatalogueOffer = { ...(OFFERS[0] as CatalogueOffer), capacity: 10_000 };

interface Outcome {
  readonly wanted: number;
  readonly posts: number;
  readonly committed: number;
  /** Machines that run at the end beyond what was wanted. Each bills until somebody notices. */
  readonly duplicates: number;
  /** Machines that are wanted and do not run. */
  readonly missing: number;
  readonly worlds: number;
  /** Worlds in which the oracle of duplicates and leaks, and the one of repeated POSTs, find something. */
  readonly doubled: number;
  readonly resent: number;
}

type Client = (service: Service, clock: VirtualClock, wanted: number) => Promise<void>;

/** A retry around the POST, as an HTTP library offers it. */
const retrying: Client = async (service, _clock, wanted) => {
  for (let index = 0; index < wanted; index++) {
    while ((await launchOnce(service, `${index}`)).kind !== "accepted");
  }
};

/**
 * Waits half a minute, takes one list, and sends again if it shows nothing created since. Nobody has a
 * machine that comes later.
 */
const lookingOnce: Client = async (service, clock, wanted) => {
  const known = new Set<string>();
  for (let index = 0; index < wanted; ) {
    const sent = clock.now();
    const answer = await launchOnce(service, `${index}`);
    if (answer.kind === "accepted") known.add(answer.id);
    else {
      await clock.sleep(30 * SECOND);
      const listed = readable(await service.deployments(never));
      const found = listed.find(({ id, createdAt }) => !known.has(id) && momentOf(createdAt) >= sent);
      if (!found) continue;
      known.add(found.id);
    }
    index += 1;
  }
};

function momentOf(createdAt: string | undefined): number {
  const moment = Date.parse(createdAt ?? "");
  if (Number.isNaN(moment)) throw new Error(`the list says no time that can be read: ${createdAt}`);
  return moment;
}

/** These clients have no ledger, so nothing about the sender is judged. */
const NO_POST = {
  marker: "",
  process: "naive",
  asked: 0,
  stamped: 0,
  arrived: 0,
  entry: 0,
  ending: false,
  balance: "0",
};

const never = new AbortController().signal;

function launchOnce(service: Service, marker: string): Promise<LaunchAnswer> {
  const { offer, provider, location } = OFFER;
  return service.launch({ offer, provider, location, marker, parameters: { owner: OWNER } }, never);
}

/** Plays as many worlds as these launches need, and adds up what the truth says of each. */
async function inWorlds(launches: number, played: (seed: string) => Promise<Evidence>): Promise<Outcome> {
  const outcomes: Outcome[] = [];
  for (let world = 0; world * AT_ONCE < launches; world++)
    outcomes.push(outcomeOf(await played(`naive ${world}`), AT_ONCE));
  return sum(outcomes);
}

function measure(client: Client, launches: number): Promise<Outcome> {
  return inWorlds(launches, async (seed) => {
    const clock = new VirtualClock();
    const { dialect, profile } = wireOf({ name: "nothing", unnamedEnd: false });
    const scenario = ourScenario(seed);
    const { offers, balance } = scenario;
    const simulator = createSimulator({ clock, seed, dialect, offers, balance });
    simulator.control.faults.chance("launch", FAULTS);
    const service = createService({
      baseUrl: SIMULATOR_URL,
      secret: simulator.apiKey,
      profile,
      transport: simulator.transport,
      clock: { now: () => clock.now(), sleep: (ms, signal) => clock.sleep(ms, signal) },
      random: () => 0.5,
    });
    const recorder = new Recorder();
    await clock.run(client(watched(service, recorder), clock, AT_ONCE));
    await clock.advance(HOUR / 2);
    const truth = simulator.truth();
    const ours = truth.machines.map((machine) => ({ machine, owner: OWNER, post: NO_POST, late: false }));
    const said = { reported: new Set<string>(), claims: new Map(), told: new Set<string>() };
    return { scenario, truth, services: new Map(), recorder, ours, started: clock.now(), said };
  });
}

/** The real agent, on an exclusive account whose lists tell nothing apart: the hardest wire. */
function measureOurs(launches: number): Promise<Outcome> {
  return inWorlds(launches, async (seed) => {
    const world = new World(ourScenario(seed));
    world.simulator.control.faults.chance("launch", FAULTS);
    world.start();
    for (let hours = 0; hours < 24; hours++) {
      await world.clock.advance(HOUR);
      if (living(world.simulator.truth()) >= AT_ONCE) break;
    }
    await world.clock.advance(HOUR / 2);
    return evidenceOf(world);
  });
}

function ourScenario(seed: string): Scenario {
  const fleets = [{ ...FLEET, owner: OWNER, gpus: AT_ONCE, candidates: [OFFER] }];
  const name = seed;
  return { ...PLAIN, name, seed, offers: [OFFER], balance: "1000000.0000", fleets, watched: false };
}

type Truth = ReturnType<World["simulator"]["truth"]>;

function living({ machines }: Truth): number {
  return machines.filter(({ endedAt }) => endedAt === null).length;
}

/** Watched as a process of ours: each marker stands for one wanted machine. */
function watched(service: Service, { markers }: Recorder): Service {
  return {
    ...service,
    launch: (request, signal) => {
      markers.set(request.marker, (markers.get(request.marker) ?? 0) + 1);
      return service.launch(request, signal);
    },
  };
}

function outcomeOf(evidence: Evidence, wanted: number): Outcome {
  const { truth } = evidence;
  const alive = living(truth);
  const exactly = new Map([[OWNER, { least: wanted, asked: wanted, most: wanted }]]);
  const doubled = exactCount(evidence, exactly).some(({ rule }) => rule === DUPLICATE);
  return {
    wanted,
    posts: truth.launches.length,
    committed: truth.machines.length,
    duplicates: Math.max(0, alive - wanted),
    missing: Math.max(0, wanted - alive),
    worlds: 1,
    doubled: doubled ? 1 : 0,
    resent: postOnce(evidence).length > 0 ? 1 : 0,
  };
}

/** What the oracles of the proof say of the same worlds. */
const ORACLES = ["exactCount bites in", "postOnce bites in"] as const;

function sum(outcomes: readonly Outcome[]): Outcome {
  return outcomes.reduce((so, each) => {
    const sums = Object.entries(so).map(([key, value]) => [key, value + each[key as keyof Outcome]]);
    return Object.fromEntries(sums) as Outcome;
  });
}

function tableOf(rows: readonly (readonly [string, Outcome])[]): string {
  const all = [
    ["client", "wanted", "POSTs", "committed", "billed duplicates", "missing", ...ORACLES],
    ...rows.map(([name, each]) => [
      ...[name, each.wanted, each.posts, each.committed, each.duplicates, each.missing].map(String),
      ...[each.doubled, each.resent].map((bitten) => `${bitten} of ${each.worlds} worlds`),
    ]),
  ];
  return columns(all, 1);
}

/** What should be seen and is not: naive clients pay twice, the oracles say so, fleetkeeper does neither. */
function unseen(naive: Outcome, looking: Outcome, ours: Outcome): readonly string[] {
  const claims: Readonly<Record<string, boolean>> = {
    "a retry pays twice in more than 5 % of all launches": naive.duplicates > naive.wanted / 20,
    "a retry pays twice in every world": naive.doubled === naive.worlds,
    "a retry repeats POSTs in every world": naive.resent === naive.worlds,
    "who looks once pays twice": looking.duplicates > 0 && looking.doubled > 0,
    "who looks once pays twice less often":
      looking.duplicates / looking.wanted < naive.duplicates / naive.wanted,
    "who looks once repeats POSTs": looking.resent > 0,
    "fleetkeeper pays for no machine twice": ours.duplicates === 0 && ours.doubled === 0,
    "fleetkeeper has every machine": ours.missing === 0,
    "fleetkeeper repeats no POST": ours.resent === 0,
  };
  return Object.keys(claims).filter((claim) => !claims[claim]);
}

if (import.meta.main) {
  const { values } = parseArgs({ options: { launches: { type: "string", default: "10000" } } });
  const launches = countOf("--launches", values.launches);
  const naive = await measure(retrying, launches);
  // A machine that comes later than the look is rare: it takes more launches to see one.
  const looking = await measure(lookingOnce, 3 * launches);
  const ours = await measureOurs(launches);
  const table = tableOf([
    ["retry around the POST", naive],
    ["looks once, sends again", looking],
    ["fleetkeeper", ours],
  ]);
  process.stdout.write(`${table}\n`);
  for (const claim of unseen(naive, looking, ours)) {
    process.stdout.write(`not seen: ${claim}\n`);
    process.exitCode = 1;
  }
}
