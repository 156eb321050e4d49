import { accountStatus } from "../agent/status/account-status.ts";
import type { DeploymentRow } from "../ledger/rows.ts";
import { combinationKey } from "../service/contract.ts";
import type { Truth, TruthMachine } from "../simulator/index.ts";
import type { Recorder, SentPost } from "./recorder.ts";
import type { Scenario } from "./scenario.ts";
import type { World } from "./world.ts";

/** A machine that a POST of ours made, with the fleet or slot it was launched for. */
export interface OurMachine {
  readonly machine: TruthMachine;
  readonly owner: string;
  readonly post: SentPost;
  /**
   * It came, or was listed, later than the settle time allows, or is the second one of its launch: it is found in the end,
   * and until then nobody can count it.
   */
  readonly late: boolean;
}

/** A rule that did not hold. */
export interface Violation {
  readonly rule: string;
  readonly at: number;
  readonly what: string;
}

/** Stands in a violation's place where a play ended with an error of its own: then nothing was judged. */
export const CRASHED = "the simulation itself";

interface Said {
  /** Ids that the status reports as nobody's. */
  readonly reported: ReadonlySet<string>;
  /** What it believes to be ours, by id: surely, or because a launch of ours is explained by it. */
  readonly claims: ReadonlyMap<string, Pick<DeploymentRow, "claim" | "intent">>;
}

/** The POST that left for an intent, as its marker names it; undefined: none did. */
export function postOf({ recorder }: Evidence, intent: string): SentPost | undefined {
  return recorder.posts.find(({ marker }) => marker.endsWith(`-${intent}`));
}

/** What an intent asked for; undefined: no POST left for it. */
export function askedFor(evidence: Evidence, intent: string): Scenario["offers"][number] | undefined {
  const post = postOf(evidence, intent);
  const asked = post && evidence.truth.launches[post.entry - 1]?.combination;
  return asked && evidence.scenario.offers.find((each) => combinationKey(each) === combinationKey(asked));
}

/** GPUs that machines lack which were taken for what a larger launch made: each counts as that, and a person is told. */
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
  readonly recorder: Recorder;
  readonly ours: readonly OurMachine[];
  /** When the world began. */
  readonly started: number;
  /** What the product itself says, which is asked for one rule only: that no doubtful machine is silent. */
  readonly said: Said;
}

/**
 * A commit that comes later than this after its POST, and is then listed as late as lists may lag, may come after the POST's
 * timeout and the settle time: so long, at least, is every launch looked for. That the POST itself comes late is no excuse.
 */
const LATE_MS = 195_000;

export async function evidenceOf(world: World): Promise<Evidence> {
  const { scenario, recorder, simulator } = world;
  const truth = simulator.truth();
  return {
    scenario,
    truth,
    recorder,
    ours: ourMachines(scenario, truth, recorder),
    started: world.started,
    said: await saidBy(world),
  };
}

async function saidBy(world: World): Promise<Said> {
  const { ledger } = world;
  const [account] = await ledger.accounts();
  if (!account) return { reported: new Set(), claims: new Map() };
  const { unaccounted } = await accountStatus(ledger, account.key, world.context());
  const { deployments } = await ledger.read(account.key);
  return {
    reported: new Set(unaccounted.map(({ id }) => id)),
    claims: new Map(deployments.map(({ id, claim, intent }) => [id, { claim, intent }])),
  };
}

function ourMachines(scenario: Scenario, truth: Truth, recorder: Recorder): readonly OurMachine[] {
  const posts = new Map(recorder.posts.map((post) => [post.entry, post]));
  return truth.machines.flatMap((machine) => {
    if (machine.origin.by === "hand") return [];
    const post = posts.get(machine.origin.number);
    if (!post) return [];
    const hidden = scenario.strict ? undefined : recorder.hidden.get(machine.id);
    const outcome = truth.launches[post.entry - 1]?.outcome;
    const again = outcome?.kind === "committed" && outcome.id !== machine.id;
    const late = Math.max(machine.committedAt, hidden ?? 0) - post.arrived > LATE_MS || again;
    return [{ machine, owner: String(machine.parameters.owner), post, late }];
  });
}

/** Offers are read once in a while: right after a price changed, or while they cannot be read, a launch costs another one. */
const REPRICED_MS = 3 * 60_000;

/** What it costs was not known to whoever launched it: the service takes the price of the moment at which it commits. */
export function isRepriced(evidence: Evidence, { machine, post }: OurMachine): boolean {
  const { scenario, truth, started } = evidence;
  const { combination, committedAt } = machine;
  return scenario.events.some((event) => {
    if (event.kind !== "price" || combinationKey(event.combination) !== combinationKey(combination))
      return false;
    const changed = started + event.at;
    const unread = truth.faults.some(
      ({ target, at }) => target === "offers" && at <= post.stamped && at >= changed,
    );
    return changed <= committedAt && (unread || post.stamped - changed < REPRICED_MS);
  });
}

export function aliveAt({ committedAt, endedAt }: TruthMachine, at: number): boolean {
  return committedAt <= at && (endedAt === null || endedAt > at);
}

/** When it began to stop; undefined if it never did. */
export function stoppingSince({ states }: TruthMachine): number | undefined {
  return states.find(({ state }) => state === "stopping")?.at;
}

/** Alive, and nobody has asked for its stop. */
export function isLiving(machine: TruthMachine, at: number): boolean {
  const stopping = stoppingSince(machine);
  return aliveAt(machine, at) && (stopping === undefined || stopping > at);
}

export function gpusOf(machines: readonly { readonly machine: TruthMachine }[]): number {
  return machines.reduce((sum, { machine }) => sum + machine.gpus, 0);
}
