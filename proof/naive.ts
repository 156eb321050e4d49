import { parseArgs } from "node:util";
import { createService } from "../service/client.ts";
import type { LaunchAnswer, Service } from "../service/service.ts";
import { readable } from "../service/unread.ts";
import type { CatalogueOffer, Chance } from "../simulator/index.ts";
import { createSimulator, SIMULATOR_URL, VirtualClock } from "../simulator/index.ts";
import { countOf } from "./arguments.ts";
import { OFFERS } from "./draw.ts";
import type { Evidence } from "./evidence.ts";
import { evidenceOf } from "./evidence.ts";
import { DUPLICATE, exactCount } from "./oracles/outcome.ts";
import { postOnce } from "./oracles/requests.ts";
import { Recorder } from "./recorder.ts";
import type { FleetSpec, Scenario } from "./scenario.ts";
import { wireOf } from "./wires.ts";
import { World } from "./world.ts";

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
export const FAULTS: readonly Chance[] = [
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

export interface Outcome {
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

export type Client = (service: Service, clock: VirtualClock, wanted: number) => Promise<void>;

/** A retry around the POST, as an HTTP library offers it. */
export const retrying: Client = async (service, _clock, wanted) => {
  for (let index = 0; index < wanted; index++) {
    while ((await launchOnce(service, `${index}`)).kind !== "accepted");
  }
};

/**
 * Waits half a minute, takes one list, and sends again if it shows nothing created since. Nobody has a
 * machine that comes later.
 */
export const lookingOnce: Client = async (service, clock, wanted) => {
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

export async function measure(client: Client, launches: number): Promise<Outcome> {
  let total = NOTHING;
  for (let world = 0; world * AT_ONCE < launches; world++) {
    const clock = new VirtualClock();
    const wire = wireOf({ name: "nothing", unnamedEnd: false });
    const simulator = createSimulator({
      clock,
      seed: `naive ${world}`,
      dialect: wire.dialect,
      offers: [OFFER],
      balance: "1000000.0000",
    });
    simulator.control.faults.chance("launch", FAULTS);
    const service = createService({
      baseUrl: SIMULATOR_URL,
      secret: simulator.apiKey,
      profile: wire.profile,
      transport: simulator.transport,
      clock: { now: () => clock.now(), sleep: (ms, signal) => clock.sleep(ms, signal) },
      random: () => 0.5,
    });
    const recorder = new Recorder();
    await clock.run(client(watched(service, recorder), clock, AT_ONCE));
    await clock.advance(HOUR / 2);
    const truth = simulator.truth();
    const ours = truth.machines.map((machine) => ({ machine, owner: OWNER, post: NO_POST, late: false }));
    const scenario = ourScenario(`naive ${world}`);
    const said = { reported: new Set<string>(), claims: new Map() };
    const evidence = { scenario, truth, recorder, ours, started: clock.now(), said };
    total = sum(total, outcomeOf(evidence, AT_ONCE));
  }
  return total;
}

/** The real agent, on an exclusive account whose lists tell nothing apart: the hardest wire. */
export async function measureOurs(launches: number): Promise<Outcome> {
  let total = NOTHING;
  for (let index = 0; index * AT_ONCE < launches; index++) {
    const world = new World(ourScenario(`naive ${index}`));
    world.simulator.control.faults.chance("launch", FAULTS);
    world.start();
    for (let hours = 0; hours < 24; hours++) {
      await world.clock.advance(HOUR);
      if (living(world.simulator.truth()) >= AT_ONCE) break;
    }
    await world.clock.advance(HOUR / 2);
    total = sum(total, outcomeOf(await evidenceOf(world), AT_ONCE));
  }
  return total;
}

function ourScenario(seed: string): Scenario {
  const fleet: FleetSpec = {
    name: "fleet-a",
    owner: OWNER,
    gpus: AT_ONCE,
    overshoot: 0,
    candidates: [OFFER],
    select: false,
  };
  return {
    name: seed,
    seed,
    wire: "nothing",
    unnamedEnd: false,
    tenure: "exclusive",
    ledger: "memory",
    latencyMs: 0,
    offers: [OFFER],
    settings: {},
    balance: "1000000.0000",
    fleets: [fleet],
    deployments: [],
    watched: false,
    before: [],
    events: [],
    noisyMs: 0,
  };
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

const NOTHING: Outcome = {
  wanted: 0,
  posts: 0,
  committed: 0,
  duplicates: 0,
  missing: 0,
  worlds: 0,
  doubled: 0,
  resent: 0,
};

function sum(one: Outcome, other: Outcome): Outcome {
  return {
    wanted: one.wanted + other.wanted,
    posts: one.posts + other.posts,
    committed: one.committed + other.committed,
    duplicates: one.duplicates + other.duplicates,
    missing: one.missing + other.missing,
    worlds: one.worlds + other.worlds,
    doubled: one.doubled + other.doubled,
    resent: one.resent + other.resent,
  };
}

export function tableOf(rows: readonly (readonly [string, Outcome])[]): string {
  const head = ["client", "wanted", "POSTs", "committed", "billed duplicates", "missing", ...ORACLES];
  const all = [
    head,
    ...rows.map(([name, each]) => [
      ...[name, each.wanted, each.posts, each.committed, each.duplicates, each.missing].map(String),
      ...[each.doubled, each.resent].map((bitten) => `${bitten} of ${each.worlds} worlds`),
    ]),
  ];
  const width = (column: number): number => Math.max(...all.map((row) => (row[column] ?? "").length));
  return all
    .map((row) =>
      row
        .map((text, column) => (column === 0 ? text.padEnd(width(0)) : text.padStart(width(column))))
        .join("  "),
    )
    .join("\n");
}

/** What should be seen and is not: naive clients pay twice, the oracles say so, fleetkeeper does neither. */
export function unseen(naive: Outcome, looking: Outcome, ours: Outcome): readonly string[] {
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
