import type { Combination } from "../../service/contract/contract.ts";
import type { CatalogueOffer, Chance, SettingsInput, Target } from "../../simulator/index.ts";
import type { OtherHost } from "../world/host.ts";
import type { Blow, EffectKind } from "./blow.ts";
import type { Absence, Billing, Halting, Quirk, Refusing, WireName } from "./wires.ts";

/** Zones whose clocks are never set, and how many minutes ahead of UTC they are. */
export const ZONES = { UTC: 0, "Asia/Kolkata": 330, "Asia/Kathmandu": 345, "America/Phoenix": -420 } as const;

/** A fleet as this world's fleet file declares it. */
export interface FleetSpec {
  readonly name: string;
  /** Stays with the fleet through renames. Its launches name it. */
  readonly owner: string;
  readonly previousName?: string;
  readonly gpus: number;
  readonly overshoot: number;
  readonly surge?: number;
  readonly candidates: readonly CatalogueOffer[];
  /** True: it chooses among the service's offers, not among the candidates. */
  readonly select: boolean;
  /** Of what it chooses among offers, what costs more than this a GPU, or than what is usual, is taken only after GPUs were missing for so long. */
  readonly patience?: ({ readonly price: string } | { readonly above: string }) & { readonly forMs: number };
  /** It pays so much more for machines that are lost less often, such as "20%". */
  readonly steadier?: string;
  /** Each model that it may choose, and how much work one GPU of it does. Without it: H100. */
  readonly worth?: Readonly<Record<string, string>>;
  /** True: the candidates name no price. */
  readonly noPrices?: boolean;
  readonly floor?: string;
  readonly perHour?: string;
  readonly perGpuHour?: string;
  readonly perDay?: string;
  readonly total?: string;
  readonly churn?: string;
  /** The label under which it spends. */
  readonly team?: string;
  /** Another value has its machines replaced, one after the other. */
  readonly triggers?: string;
  /** Its deadline, in milliseconds from the start. */
  readonly untilMs?: number;
  /** It gives back what it got unless all of it runs within this time, such as "5m". */
  readonly allOrNothing?: string;
  /** Each machine is set up by a command that takes so long. */
  readonly setupMs?: number;
  /** A command that takes so long runs before each stop, which waits for it 5 minutes at most. Infinity: it hangs. */
  readonly saveMs?: number;
  /** And then it fails, or dies. */
  readonly saveFails?: boolean;
  /** And it is replaced if it is not ready within 5 minutes after that. */
  readonly isChecked?: boolean;
  /** On a shared account: go ahead beside strangers' machines. */
  readonly matchNone?: boolean;
  /** Its machines are given back where they say for so long that they are idle. */
  readonly idle?: { readonly for: string; readonly then: "tell" | "stop" | "drain"; readonly keep: number };
  /** Other counts than `gpus`, each for a while. The file says when by the clock of this zone, each week or by a date. */
  readonly schedule?: {
    readonly zone: keyof typeof ZONES;
    readonly weekly: boolean;
    readonly windows: readonly { readonly fromMs: number; readonly toMs: number; readonly gpus: number }[];
  };
  /** A person may ask for another count. */
  readonly isRanged?: boolean;
  /** Dear machines are left for cheaper ones; `fromMs`: in a window of twelve hours that opens so long after the start. */
  readonly improve?: {
    readonly saves: string;
    readonly per: string;
    readonly restart?: string;
    readonly fromMs?: number;
  };
  /** What only machines of another size can fill waits so long for the right one, such as "5m". */
  readonly otherSizes?: string;
  /** So many GPUs more, while one costs at most so much an hour. */
  readonly buffer?: { readonly gpus: number; readonly price: string };
  /** Its size follows a number, from `gpus` on. */
  readonly metric?: {
    readonly min: number;
    readonly max: number;
    readonly target: number;
    readonly up: MetricStep;
    readonly down: MetricStep;
    /** What it says from when on: a number, another text, "fails", or "hangs", and then says a number too late. */
    readonly says: readonly { readonly fromMs: number; readonly says: string }[];
    /** What it says when all is quiet. */
    readonly finally: number;
  };
  /** So many GPU-hours, so many milliseconds from the start; `gpus` are the most at a time. */
  readonly work?: { readonly gpuHours: number; readonly byMs: number };
  /** What its candidates do not allow any more is replaced. */
  readonly update?: {
    readonly most: number;
    readonly within?: string;
    readonly pauseOnFailure?: boolean;
  };
  /** A machine that is older is replaced, such as "30m". */
  readonly maxAge?: string;
  /** It ends so long after it was whole for the first time, such as "1h". */
  readonly life?: string;
  /** Its machines are replaced where they say for so long that they are sick. */
  readonly health?: { readonly bad: string };
}

interface MetricStep {
  readonly most: number;
  readonly stabilization: string;
}

/** What a machine says if it is asked whether it is idle. If it hangs, it says nothing for as long as anybody waits. */
export type Use = "busy" | "idle" | "unknown" | "hangs";

/** Something that happens to the world, whatever our processes do. */
type Happening =
  | { readonly kind: "faults"; readonly target: Target; readonly chances: readonly Chance[] }
  | {
      readonly kind: "fault";
      readonly target: Target;
      readonly fault: Chance["fault"];
      /** Falls on the nth request from now (1 is the next). Without it, on the next free one. */
      readonly nth?: number;
    }
  | {
      readonly kind: "blow";
      readonly who: string;
      readonly on: EffectKind | "any";
      readonly skip: number;
      readonly blow: Blow;
    }
  | { readonly kind: "kill" | "terminate"; readonly who: string }
  /** Its agent is killed, and nobody starts it for so long. */
  | { readonly kind: "away"; readonly forMs: number }
  /** `other`: on the second host. */
  | { readonly kind: "jump"; readonly ms: number; readonly other?: boolean }
  | { readonly kind: "reboot"; readonly jumpMs: number; readonly other?: boolean }
  /** Somebody sets the clock of the database that several hosts share. */
  | { readonly kind: "ledgerJump"; readonly ms: number }
  | { readonly kind: "edit"; readonly name: string; readonly gpus: number }
  /** Other combinations are allowed from then on. */
  | { readonly kind: "candidates"; readonly name: string; readonly candidates: readonly CatalogueOffer[] }
  | { readonly kind: "triggers"; readonly name: string; readonly triggers: string }
  | { readonly kind: "rename"; readonly name: string; readonly to: string }
  | { readonly kind: "remove"; readonly name: string }
  | { readonly kind: "declare"; readonly fleet: FleetSpec }
  | { readonly kind: "pauseFleet"; readonly name: string; readonly paused: boolean }
  | { readonly kind: "drainFleet"; readonly name: string; readonly drained: boolean }
  /** `fleetkeeper services drain`: its share moves to the others. Or that is taken back. */
  | { readonly kind: "leaveService"; readonly name: string; readonly leaves: boolean }
  /** A person holds one of the machines that are certainly ours. */
  | { readonly kind: "holdOne"; readonly pick: number; readonly forMs: number }
  /** A machine is used from then on, or not, or says nothing when it is asked. At first all are used. */
  | { readonly kind: "use"; readonly pick: number; readonly as: Use }
  /** A machine says from then on that it is well, or sick, or nothing, when it is asked for its health. At first all are well. */
  | { readonly kind: "ail"; readonly pick: number; readonly as: "good" | "bad" | "unknown" }
  /** One of a fleet's machines is given back, and its count is lowered with it. */
  | { readonly kind: "giveBackOne"; readonly pick: number }
  /** A person asks for so many of a fleet's GPUs for a while. */
  | { readonly kind: "ask"; readonly name: string; readonly gpus: number; readonly forMs: number }
  | { readonly kind: "hand"; readonly combination: Combination }
  | { readonly kind: "handStop"; readonly pick: number }
  | { readonly kind: "stranger"; readonly combination: Combination }
  | { readonly kind: "lose"; readonly provider: string; readonly now: boolean }
  /** It serves nothing from then on, and is billed until it is stopped. */
  | { readonly kind: "haltOne"; readonly pick: number }
  | { readonly kind: "loseOne"; readonly pick: number; readonly now: boolean }
  | {
      readonly kind: "failNext";
      readonly combination: Combination;
      readonly code: string;
      readonly times: number;
    }
  | { readonly kind: "maintenance"; readonly provider: string; readonly on: boolean }
  | { readonly kind: "cooldown"; readonly combination: Combination; readonly seconds: number }
  | { readonly kind: "capacity"; readonly combination: Combination; readonly capacity: number }
  | { readonly kind: "price"; readonly combination: Combination; readonly pricePerHour: string }
  | { readonly kind: "balance"; readonly balance: string }
  | { readonly kind: "forget"; readonly pick: number; readonly forMs: number }
  | { readonly kind: "hide"; readonly pick: number; readonly forMs: number }
  /** Every answer denies all machines that are there, or the account's whole list, which shows new ones no more either. */
  | { readonly kind: "vanish"; readonly what: "machines" | "account"; readonly forMs: number }
  /** For this long every answer says that the machine is over, though it runs on. */
  | {
      readonly kind: "showAs";
      readonly pick: number;
      readonly state: "failed" | "interrupted" | "stopped";
      readonly forMs: number;
    }
  /** A living machine, or the last to end, loses its id to one that a person launches. */
  | {
      readonly kind: "giveAnew";
      readonly pick: number | "ended";
      readonly combination: Combination;
    }
  | { readonly kind: "up" | "destroy" | "replace"; readonly deployment: string }
  /** The program gives a `Deployment` other arguments, which the next `up` takes. */
  | {
      readonly kind: "program";
      readonly deployment: string;
      readonly triggers?: string;
      /** Beside those that the launch sends. */
      readonly parameters?: Readonly<Record<string, string>>;
    }
  /** For this long nobody can write the ledger, as while a backup locks it. */
  | { readonly kind: "lockLedger"; readonly forMs: number }
  /** `pulumi state delete` of both halves. */
  | { readonly kind: "stateDelete"; readonly deployment: string }
  | { readonly kind: "take" | "tickOnce" }
  | { readonly kind: "secondAgent"; readonly forMs: number }
  /** Processes that start from now on get a new ledger, or another account's key, by mistake. */
  | { readonly kind: "newLedger" | "otherKey" }
  /** Processes that start from now on have a later version's profile, which says more than before. */
  | { readonly kind: "upgrade" };

/** Before anything of ours starts, so from its first effect on. At 0 the first ones are over. */
export const BEFORE_START = -1;

/** When, in milliseconds from the start, and what. `service`: to which one, where there are several. */
export type Moment = Happening & { readonly at: number; readonly service?: string };

/** One world and what happens in it: plain data, drawn from a seed or written, and shrunk by leaving out. */
export interface Scenario {
  readonly name: string;
  readonly seed: string;
  readonly wire: WireName;
  /** In place of the simulator's own profile for that wire: the name of one that ships. */
  readonly cloud?: string;
  readonly unnamedEnd: boolean;
  readonly tenure: "exclusive" | "shared";
  readonly ledger: "memory" | "sqlite" | "postgres";
  /** A second host shares the ledger: the second agent runs there, single ticks, and every other Pulumi command. */
  readonly otherHost?: OtherHost;
  /** Its agents keep the account by leases. Without them the second one is refused while the first one keeps it. */
  readonly hasLeases?: boolean;
  readonly latencyMs: number;
  readonly offers: readonly CatalogueOffer[];
  /** Each is a service of its own, which has the offers of the provider of this name. Its fleet has a part in each. */
  readonly services?: readonly [string, ...string[]];
  /** Services at least among which the fleet stands. */
  readonly atLeast?: number;
  /** This service does not come back when all is quiet. */
  readonly staysOut?: string;
  /** What is drained of services stays so when all is quiet. */
  readonly staysLeft?: boolean;
  readonly settings: SettingsInput;
  readonly balance: string;
  readonly fleets: readonly FleetSpec[];
  /** What the fleets of one team may spend together. */
  readonly shared?: { readonly team: string; readonly perDay?: string; readonly total?: string };
  /** Pulumi `Deployment`s that are wanted from the start: created by `up`. */
  readonly deployments: readonly { readonly name: string; readonly offer: CatalogueOffer }[];
  /** The ledger has read lists for a while: a new fleet needs no minute's wait before it matches. */
  readonly watched: boolean;
  /** Machines that a person launched before anything of ours began. */
  readonly before: readonly Combination[];
  readonly events: readonly Moment[];
  /** When it begins, in milliseconds after a midnight UTC. */
  readonly startMs?: number;
  /** How long the noise lasts, in milliseconds. */
  readonly noisyMs: number;
  readonly quirk?: Quirk;
  /** Its profile is one of version 2: a service whose errors may have made a machine. */
  readonly aggregator?: Refusing;
  readonly halting?: Halting;
  /** Its profile is one of version 2: a service that has other words than 404, and whose accepted ids may vanish. */
  readonly absence?: Absence;
  /** The profile says how time is billed, and counts euros. */
  readonly billing?: Billing;
  /** Ended machines are archived as soon as no old list shows them, and all of them: else after two days. */
  readonly archivesSoon?: boolean;
  /** What it hides or denies should break no rule: it is judged as everything else. */
  readonly strict?: boolean;
  /** The count need not be reached: this needs a person. */
  readonly halts?: boolean;
  /** It need not be, either: what happens may look like a mistake of the service, and wait for a person or an hour. */
  readonly mayWait?: boolean;
  readonly launchesAtMost?: number;
  readonly launchesAtLeast?: number;
  /** How many machines may be stopped. */
  readonly stopsAtMost?: number;
  /** What people must have been told: a kind of event, or the state of a launch, when the trouble ends. And what they must not. */
  readonly tells?: readonly string[];
  readonly tellsNot?: readonly string[];
}

/** What the fleet file says of this owner. Its count and its name are edited, so they do not count. */
export function specOf(scenario: Scenario, owner: string): FleetSpec | undefined {
  const declared = scenario.events.flatMap((event) => (event.kind === "declare" ? [event.fleet] : []));
  return [...scenario.fleets, ...declared].find((each) => each.owner === owner);
}

/** By how much a process may know the time wrongly, in milliseconds: with one host it does not. */
export function clockError({ otherHost }: Scenario): number {
  return otherHost ? 1_000 : 0;
}

/** Events by which other people launch. */
const OTHERS: readonly Happening["kind"][] = ["hand", "stranger", "giveAnew"];

/** What the oracles may demand of a scenario. */
export function traitsOf(scenario: Scenario): {
  /** Our machines can be told from strangers': the count must be exact. */
  readonly clear: boolean;
  /** Other people launch in the account. */
  readonly others: boolean;
} {
  const others = scenario.events.some(({ kind }) => OTHERS.includes(kind));
  return { clear: scenario.wire === "marker" || scenario.tenure === "exclusive", others };
}
