import { accountStatus } from "../../agent/status/account-status.ts";
import { billOf, costOf } from "../../launch/money/spend.ts";
import { readDraft } from "../../ledger/read-draft.ts";
import type { DeploymentRow } from "../../ledger/rows.ts";
import { type Combination, combinationKey } from "../../service/contract/contract.ts";
import type { Truth, TruthMachine } from "../../simulator/index.ts";
import { LISTING } from "../scenario/clouds.ts";
import type { Scenario } from "../scenario/scenario.ts";
import type { Recorder, SentPost } from "../world/recorder.ts";
import type { World } from "../world/world.ts";

/** A machine that a POST of ours made, with the fleet or slot it was launched for. */
export interface OurMachine {
  readonly machine: TruthMachine;
  readonly owner: string;
  readonly post: SentPost;
  /**
   * Its commit or its listing came later than the settle time allows, or it is its launch's second machine, or
   * its launch was refused all the same.
   * It is found in the end, and nobody can count it until then.
   */
  readonly late: boolean;
}

/** What the oracles judge. The number is the chapter of the first design; docs/how/proof.md says where these rules stand now. */
export const RULES = [
  "no duplicate, no leak",
  "count reached",
  "4.2 baseline",
  "4.2 ends",
  "4.3 POST once",
  "4.3 cooldown",
  "4.3 halt",
  "4.6 only certain claims",
  "4.6 what does not serve is stopped",
  "4.7 match first",
  "4.8 nothing is silent",
  "4.9 destroy",
  "4.10 buffer",
  "4.10 count",
  "4.10 floor",
  "4.10 metric",
  "4.10 perHour",
  "4.10 stops",
  "5 all or nothing",
  "5 churn",
  "5 losses of an hour",
  "5 never below the bill",
  "5 pause",
  "5 perDay",
  "5 perGpuHour",
  "5 shared perDay",
  "5 shared total",
  "5 total",
  "5 until",
  "6.5 one agent acts",
  "8 healthy",
  "8 held",
  "8 idle",
  "8 saved",
  "a step of the model",
  "9 setup",
  "13 by work",
  "13 five ticks",
  "13 portions",
  "13 spread",
  "14 moves",
  "15 updates",
  "17 bound",
  "work by its deadline",
  "work that is over",
  "told",
  "quiet at rest",
  "launches at least",
  "launches at most",
  "stops at most",
  "balance conserved",
  "no unknown error",
] as const;
export type Rule = (typeof RULES)[number];
/** What is asserted as a decision is stored (docs/how/assertions.md), if it had to stop one. */
export type Asserted = `assertion ${string}`;

/** A rule that did not hold. */
export interface Violation {
  readonly rule: Rule | Asserted | typeof CRASHED;
  readonly at: number;
  readonly what: string;
}

/** The rule of a play that ended with an error of its own: nothing was judged. */
export const CRASHED = "the simulation itself";

interface Said {
  /** Ids that the status reports as nobody's. */
  readonly reported: ReadonlySet<string>;
  /** What it believes to be ours, by id: certainly, or as the explanation of a launch of ours. */
  readonly claims: ReadonlyMap<string, Pick<DeploymentRow, "claim" | "intent"> & { readonly cost: string }>;
  /** Kinds of the newest events, and states of launches in the status. */
  readonly told: ReadonlySet<string>;
}

/** The POST that left for an intent, by its marker; undefined: none left. */
export function postOf({ recorder }: Evidence, intent: string): SentPost | undefined {
  return recorder.posts.find(({ marker }) => marker.endsWith(`-${intent}`));
}

/** What an intent asked for; undefined: no POST left for it. */
export function askedFor(evidence: Evidence, intent: string): Scenario["offers"][number] | undefined {
  const post = postOf(evidence, intent);
  const asked = post && evidence.truth.launches[post.entry - 1]?.combination;
  return asked && evidence.scenario.offers.find((each) => combinationKey(each) === combinationKey(asked));
}

/** GPUs that machines lack of the larger launches they were claimed for: they count as those. */
export function mistakenGpus(evidence: Evidence, machines: readonly OurMachine[]): number {
  return machines.reduce((sum, { machine }) => {
    const intent = evidence.said.claims.get(machine.id)?.intent ?? "";
    return sum + Math.max(0, (askedFor(evidence, intent)?.gpus ?? 0) - machine.gpus);
  }, 0);
}

/** Everything the oracles judge by: the truth, and what was watched at the borders of the product. */
export interface Evidence {
  readonly scenario: Scenario;
  readonly truth: Truth;
  /** Of each service alone, where there are several. */
  readonly services: ReadonlyMap<string, Truth>;
  readonly recorder: Recorder;
  readonly ours: readonly OurMachine[];
  /** When the world began. */
  readonly started: number;
  /** What the product itself says. Only used to check that no doubtful machine is silent. */
  readonly said: Said;
}

/**
 * A commit this long after its POST, listed as late as lists may lag, may miss the POST's timeout plus the
 * settle time, for which every launch is looked for. A POST that itself comes late is no excuse.
 */
const LATE_MS = 195_000;

/** A status that blames the request: whoever understands its body believes that nothing was launched. */
const REFUSED = 400;

export async function evidenceOf(world: World): Promise<Evidence> {
  const { scenario, recorder } = world;
  const truth = world.truth();
  return {
    scenario,
    truth,
    services: new Map(world.services.map((each) => [each.service ?? "", each.simulator.truth()])),
    recorder,
    ours: ourMachines(scenario, truth, recorder),
    started: world.started,
    said: await saidBy(world),
  };
}

async function saidBy({ services }: World): Promise<Said> {
  const all = await Promise.all(services.map(saidOf));
  return {
    reported: new Set(all.flatMap(({ reported }) => [...reported])),
    claims: new Map(all.flatMap(({ claims }) => [...claims])),
    told: new Set(all.flatMap(({ told }) => [...told])),
  };
}

async function saidOf(world: World): Promise<Said> {
  const { ledger } = world;
  const account = await world.account();
  if (!account) return { reported: new Set(), claims: new Map(), told: new Set() };
  const { unaccounted, launches } = await accountStatus(ledger, account.key, world.context());
  const draft = await readDraft({ ledger, account: account.key });
  const { archive } = draft;
  const archived = [...archive.ids()].flatMap((id) => archive.pair(id)?.row ?? []);
  const claimOf = (row: DeploymentRow) => {
    const { id, claim, intent } = row;
    return [id, { claim, intent, cost: costOf(billOf(draft, row, world.context())).toFixed() }] as const;
  };
  return {
    told: new Set([
      ...(await ledger.events(account.key, 1_000)).map(({ kind }) => kind),
      ...launches.map(({ state }) => state),
    ]),
    reported: new Set(unaccounted.map(({ id }) => id)),
    claims: new Map([...archived, ...draft.deployments.values()].map(claimOf)),
  };
}

export function ourMachines(scenario: Scenario, truth: Truth, recorder: Recorder): readonly OurMachine[] {
  const posts = new Map(recorder.posts.map((post) => [post.entry, post]));
  return truth.machines.flatMap((machine) => {
    if (machine.origin.by === "hand") return [];
    const post = posts.get(machine.origin.number);
    if (!post) return [];
    const hidden = scenario.strict ? undefined : recorder.hidden.get(machine.id);
    const { outcome, answer, fault } = truth.launches[post.entry - 1] ?? {};
    const again = outcome?.kind === "committed" && outcome.id !== machine.id;
    // One that names its machine is an answer as every other.
    const names = fault?.kind === "errorAfter" && fault.withId;
    const refused = answer?.kind === "answer" && answer.status === REFUSED && !names;
    const late = Math.max(machine.committedAt, hidden ?? 0) - post.arrived > LATE_MS || again || refused;
    return [{ machine, owner: String(machine.parameters.owner), post, late }];
  });
}

/** Offers are read now and then: after a price change, or while reads fail, launches cost another price. */
const REPRICED_MS = 3 * 60_000;

/** True if its sender did not know its price: the service takes that of the moment of the commit. */
export function isRepriced(evidence: Evidence, { machine, post }: OurMachine): boolean {
  const { scenario, truth, started } = evidence;
  const { combination, committedAt } = machine;
  // Where no offers are listed, candidates are written by hand, each with its price.
  const isByHand = scenario.cloud !== undefined && !LISTING.has(scenario.cloud);
  // Where the offer alone is sent, the service says where.
  const isAnywhere = truth.launches[post.entry - 1]?.combination?.location === "";
  const isOf = (other: Combination): boolean =>
    isAnywhere ? other.offer === combination.offer : combinationKey(other) === combinationKey(combination);
  return scenario.events.some((event) => {
    if (event.kind !== "price" || !isOf(event.combination)) return false;
    const changed = started + event.at;
    const unread = truth.faults.some(
      ({ target, at }) => target === "offers" && at <= post.stamped && at >= changed,
    );
    return (
      changed <= committedAt && (isAnywhere || isByHand || unread || post.stamped - changed < REPRICED_MS)
    );
  });
}

export function aliveAt({ committedAt, endedAt }: TruthMachine, at: number): boolean {
  return committedAt <= at && (endedAt === null || endedAt > at);
}

/** When it began to stop; undefined if it never did. */
export function stoppingSince({ states }: TruthMachine): number | undefined {
  return states.find(({ state }) => state === "stopping")?.at;
}

/** True if it was halted by then and did not run again. */
export function haltedBy({ states }: TruthMachine, at: number): boolean {
  const before = states.filter((each) => each.at <= at && ["running", "halted"].includes(each.state));
  return before.at(-1)?.state === "halted";
}

/** Alive, and nobody has asked for its stop. */
export function isLiving(machine: TruthMachine, at: number): boolean {
  const stopping = stoppingSince(machine);
  return aliveAt(machine, at) && (stopping === undefined || stopping > at);
}

export function gpusOf(machines: readonly { readonly machine: TruthMachine }[]): number {
  return machines.reduce((sum, { machine }) => sum + machine.gpus, 0);
}
