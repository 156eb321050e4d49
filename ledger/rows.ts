import type { Combination } from "../service/contract.ts";
import type { Json } from "../service/service.ts";
import type { EventKind } from "./event-kind.ts";
import type { Instant, ProcessIdentity } from "./instant.ts";

/**
 * The ledger's rows: everything the launch protocol decides upon. A row is immutable; a change is a new row put in the
 * place of the old one. All of it belongs to one account of one service, but cooldowns, which belong to the service.
 */

/** Who else launches and stops in this account: nobody at all, or maybe somebody. Without a marker there is no default. */
export type Tenure = "exclusive" | "shared" | "unstated";

/** What answered launches have taught about a profile. Kept for each profile hash: another profile knows nothing yet. */
export interface ProfileKnowledge {
  /** An id that an accepted launch answered with was then shown by a list or a GET. */
  readonly proven: boolean;
  /** Fields that came back equal on an answered launch: `marker`, or `offer=VALUE`, `provider=VALUE`, `location=VALUE`. */
  readonly shown: readonly string[];
  /** States outside the specification and the profile that were seen to end a deployment. */
  readonly ends: readonly string[];
  /** Such states that machines were seen to live in: no ends, whatever else is seen. Absent: none, or an older version. */
  readonly living?: readonly string[];
  /** Why no launch may be sent under this profile until the id shows, the profile changes, or an operator resumes. */
  readonly halted: { readonly reason: string; readonly id: string | null } | null;
  /** How prices stood what machines' records and the balance showed. Absent: nothing contradicted one, or an older version. */
  readonly prices?: {
    /** The newest of each combination. */
    readonly doubts: readonly PriceDoubt[];
    /** A balance lost for a first hour what its launch expected. */
    readonly paid?: true;
  };
}

/** A machine that costs more than its launch expected. */
export interface PriceDoubt extends Combination {
  readonly gpus: number;
  readonly deployment: string;
  /** USD an hour that it was launched at. */
  readonly expected: string;
  /** USD an hour that it was seen to cost: this counts. */
  readonly costs: string;
  /** By the machine's own record, or by what the balance lost for its first hour. */
  readonly by: "record" | "balance";
  /** The balance right before the launch, and after it. */
  readonly balance?: { readonly before: string; readonly after: string };
  /** A person has looked at it, or has written the price that was expected: it halts nothing. */
  readonly looked?: true;
}

export interface AccountRow {
  readonly key: string;
  readonly baseUrl: string;
  readonly accountId: string;
  readonly email: string;
  readonly tenure: Tenure;
  /** Where that was stated. */
  readonly tenureBy?: string;
  /** The newest sequence number given to a deployment id. A baseline is such a number. */
  readonly sequence: number;
  readonly profiles: Readonly<Record<string, ProfileKnowledge>>;
  /** When the newest full list that was believed was asked for. */
  readonly list: Instant | null;
  /** Since when such lists were taken with no longer a break than two lists are apart that agree on an absence. */
  readonly watched?: Instant;
  /**
   * The ledger file was restored from a backup, maybe: nothing is launched before two full lists have agreed. `first`: when the
   * first of them was asked for; null: none was taken yet.
   */
  readonly restored?: { readonly first: Instant | null };
  /** A list that lacked too much at once: believed only when a second one agrees. */
  readonly doubt: { readonly begun: Instant; readonly missing: readonly string[] } | null;
  /**
   * Records of the newest list without an id that can be read, how many of them a person says are none of ours, and why the
   * first has none. Absent: there are none.
   */
  readonly nameless?: { readonly count: number; readonly disowned: number; readonly why: string };
  readonly balance: { readonly amount: string; readonly begun: Instant } | null;
  /** Below how many hours of balance people are told; whether it is so short now; when they were told last, wall time. */
  readonly runway?: { readonly alertHours: number; readonly short: boolean; readonly told: number | null };
  /**
   * No list was believed since the first look that failed; null or absent: the newest look was. `refused`: since when the service
   * refuses the key; `told`: what people were told of it.
   */
  readonly outage?: {
    readonly since: Instant;
    readonly refused?: Instant;
    readonly reason: string;
    readonly told?: "unreadable" | "refused";
  } | null;
  /** Since when lists take longer than one poll interval (null: the newest did not), and when people were told so last. */
  readonly slow?: { readonly since: Instant | null; readonly told: Instant };
  /** The agent that keeps this account's fleets. */
  readonly agent: { readonly process: ProcessIdentity; readonly beat: Instant; readonly host: string } | null;
  /** Hash of the wire profile with which an agent kept the account last. */
  readonly profile?: string;
  /** When an operator last said that launches go on: what the service had asked to wait for before does not count any more. */
  readonly forgiven?: Instant;
  /** States that people were told of, and since when, wall time. */
  readonly alarms?: Readonly<Record<string, number>>;
  /** Sources of fleets whose Pulumi resource was deleted, the newest last: none of them declares a fleet again. */
  readonly retired?: readonly string[];
  /** By target of notifications. */
  readonly outboxes?: Readonly<Record<string, OutboxRow>>;
}

/** What one target of notifications was told of this account's events. */
export interface OutboxRow {
  /** Events up to this sequence number were told, or need not be. */
  readonly after: number;
  /** A message about those up to this one may be under way: it is sent again as it was. */
  readonly sending: number | null;
  /** When each thing was told last, wall time: the same is not told again in its quiet time. */
  readonly told: Readonly<Record<string, number>>;
  /** When the newest messages were sent, wall time. */
  readonly sent: readonly number[];
}

/** Who wants a machine: a fleet, or the slot of one Pulumi `Deployment`. */
export type Owner = `fleet:${string}` | `slot:${string}`;

export type IntentState =
  /** The POST may be on its way, or its outcome is not known yet. */
  | "open"
  /** Resolved: it made the machine in `deployment`. */
  | "claimed"
  /** Resolved: the service refused it and made nothing. */
  | "rejected"
  /** Resolved: nothing left this machine, or the sender gave up before sending. */
  | "notSent"
  /** Looked for long enough and not found. Explains one late arrival for 24 hours. */
  | "absent"
  /** More machines than it can explain appeared on a shared account: they count as one until a person decides. */
  | "disputed";

/** A refusal in the service's own terms: what decisions read, so that nobody reads `detail`, which is written for people. */
export interface RefusalRow {
  /**
   * `cooling`: HTTP 503 `offer_cooling_down` (specification, section 7). `tooMany`: HTTP 429, which is the account's and of no
   * combination. `other`: every other one.
   */
  readonly kind: "cooling" | "tooMany" | "other";
  readonly status: number;
  readonly code?: string;
}

export interface SettleRow {
  readonly since: Instant;
  /** When the newest full list that counted was asked for. */
  readonly last: Instant;
  /** Milliseconds; each list adds at most one poll interval. */
  readonly covered: number;
  readonly lists: number;
}

/** One attempt to fill an owner's wish for one machine: one POST. */
export interface IntentRow extends Combination {
  readonly id: string;
  readonly owner: Owner;
  readonly gpus: number;
  /**
   * USD an hour, as expected from the offer; null where it is not known. Also the first hour that is reserved. Once it was seen
   * to cost more: that.
   */
  readonly pricePerHour: string | null;
  /** The balance as it was read right before, where what it loses may say what the machine costs. See launch/price-balance.ts. */
  readonly before?: { readonly amount: string; readonly begun: Instant };
  /** Their fingerprint; the values themselves where an older version wrote the row. See launch/parameters.ts. */
  readonly parameters: string | Readonly<Record<string, Json>>;
  readonly marker: string;
  /** What it makes is to be replaced: its fleet's triggers changed while it was under way. */
  readonly renew?: true;
  /** Hash of the profile it is sent under. */
  readonly profile: string;
  /** Intents of one group cannot be told apart by a list; see launch/groups.ts. */
  readonly group: string;
  /** Ids with a sequence number up to this one were there before the POST. */
  readonly baseline: number;
  /** So many records without an id that can be read were there before the POST. */
  readonly nameless?: number;
  readonly state: IntentState;
  readonly sender: ProcessIdentity;
  /** When it was written, or confirmed right before the send. */
  readonly stamped: Instant;
  /** Milliseconds after which the sender gives up waiting for the answer. */
  readonly timeout: number;
  /**
   * The outcome, where the sender lived to record one: an accepted id that is not shown yet, or not known. `unshown`: an
   * accepted id that nothing showed for so long that launches were halted; if it shows after all, it is claimed.
   */
  readonly answer: {
    readonly at: Instant;
    readonly id: string | null;
    readonly reason: string;
    readonly unshown?: string;
  } | null;
  /** How much of the settle time full lists have covered without showing a candidate. */
  readonly settle: SettleRow | null;
  readonly resolved: Instant | null;
  /** Not sent, and to try it again would come to the same: the profile or a parameter lacks something. */
  readonly permanent?: true;
  /** What refused it. Absent: it was not refused, or an older version wrote the row, and nobody knows whether it cooled. */
  readonly refusal?: RefusalRow;
  /** Refused, and not because its combination cools: seconds for which the service asked not to be asked again. */
  readonly retryAfter?: number;
  readonly deployment: string | null;
  /** On a shared account: the late arrival that was reported beside this absent intent. It explains no other. */
  readonly reported?: string;
  /** What happened, for people. */
  readonly detail: string;
}

/**
 * `certain`: its id was in the answer, it carries our marker, an operator adopted it, or the account is exclusive.
 * `inferred`: a list showed it where an intent of ours was looked for. `disputed`: one of several such.
 * `foreign`: disowned for good.
 */
export type Claim = "certain" | "inferred" | "disputed" | "foreign";

export type End = "failed" | "interrupted" | "stopped" | "gone";

export interface StopRow {
  readonly asked: Instant;
  readonly why: string;
  /** Nothing but a deadline asked for it, and no call has left yet: a later deadline takes it back. */
  readonly revocable?: true;
  /** Nothing but the plan of a fleet asked for it: it waits while that fleet is paused. */
  readonly planned?: true;
  /** It waits for that now. */
  readonly held?: true;
  /** People asked for it, or their wish did that was changed after its launch: what it costs is no loss. */
  readonly ordered?: true;
  readonly attempts: number;
  readonly attempted: Instant | null;
  /** The service accepted a stop call. */
  readonly accepted: boolean;
  /**
   * The state in which a GET had shown it just before the service last accepted one; `running` if there was none that can
   * say that it did not run.
   */
  readonly acceptedIn?: string;
  /** When the service first accepted one, and the state in which the newest look had shown it then. */
  readonly first?: { readonly at: Instant; readonly status: string };
  /** What the last attempt that failed said. */
  readonly error: string | null;
  /** Seconds for which the service asked, in that answer, not to be asked again. */
  readonly retryAfter?: number;
}

/** Whether a running machine is ready for use, by a check of the user's own. Written when it changes. */
export interface ReadyRow {
  readonly ok: boolean;
  /** Since when it is so. */
  readonly since: Instant;
  /** It was ready once. */
  readonly ever: boolean;
  /** Why it is not; for people. */
  readonly why: string | null;
  /** The check that it never passed in time: it was stopped for that. */
  readonly gaveUp?: string;
}

/** A machine of ours that ended, and was shown active again though nobody stopped it. */
export interface ReturnRow {
  readonly times: number;
  /** The last time that no old list explains; null: there was none yet. */
  readonly at: Instant | null;
  /** Nothing is launched for its owner before a person has looked. */
  readonly held?: true;
  /** Lists show an end again since then; `listed`: one did that is late enough; `agreed`: so did a look at it alone. */
  readonly ending?:
    | { readonly since: Instant; readonly listed: boolean; readonly agreed: boolean }
    | undefined;
}

/** One deployment that a list, a GET or an answer ever showed. Never deleted, and a claim is never taken back silently. */
export interface DeploymentRow {
  readonly id: string;
  readonly sequence: number;
  readonly firstSeen: Instant;
  /** When the newest answer that showed it was asked for; null if only a launch's answer ever named it. */
  readonly lastSeen: Instant | null;
  readonly status: string;
  readonly statusSince: Instant;
  readonly offer: string | null;
  readonly provider: string | null;
  readonly location: string | null;
  readonly marker: string | null;
  readonly gpus: number | null;
  /** How many a person says that it has: counts before all else. */
  readonly saidGpus?: number;
  /** How many it was taken for when it came without a launch of ours: what is shown later counts as no less. */
  readonly expectedGpus?: number;
  /** The number that was shown when people were told that more were expected. */
  readonly toldGpus?: number;
  readonly pricePerHour: string | null;
  /** What of its newest record cannot be read. Set aside: the whole of it, and this row is as it was shown last. */
  readonly flaw?: { readonly why: string; readonly setAside: boolean };
  readonly createdAt: string | null;
  readonly failureCode: string | null;
  readonly failureReason: string | null;
  readonly suggestedAction: string | null;
  readonly stopReason: string | null;
  readonly connection: Readonly<Record<string, string>> | null;
  readonly claim: Claim | null;
  readonly owner: Owner | null;
  readonly intent: string | null;
  readonly claimed: Instant | null;
  readonly stop: StopRow | null;
  /** Full lists in a row that showed one state outside the specification after a stop: two make an end. */
  readonly unnamedLists: number;
  /** It was seen `stopping`, and not in another active state since. */
  readonly stoppingSeen?: boolean;
  /** It was shown running once; absent: it never was, or an older version wrote the row. */
  readonly ran?: true;
  /** It was never shown running or stopping; absent: an older version wrote the row, and nobody knows. */
  readonly young?: boolean;
  /** Since when full lists lack it, how many did (two or more are two), and whether the newest GET by id said the same. */
  readonly missing: { readonly since: Instant; readonly lists: number; readonly notFound: boolean } | null;
  readonly end: End | null;
  readonly ended: Instant | null;
  /** Its id showed another offer and another size once: see launch/reused.ts. Nobody has said since whose it is. */
  readonly reused?: true;
  /** It came back after it had ended; absent: never, or an older version wrote the row. */
  readonly returned?: ReturnRow;
  /** A person has put its failure away. */
  readonly seen?: true;
  /** What the fleet's own check of this machine said; absent: it was never checked. */
  readonly ready?: ReadyRow;
  /** The fleet that asks for another one in its place, if it is its own still: see agent/planning/renewal.ts. */
  readonly renew?: Owner;
}

/** The slot of one Pulumi `Deployment`: it exists before any money moves. */
export interface SlotRow {
  readonly id: string;
  readonly name: string;
  readonly created: Instant;
  /** Its deletion has begun: nothing is launched into it any more. */
  readonly closing: boolean;
  /** Its deletion stops nothing: what is in it, or turns out to be, becomes foreign and runs on. */
  readonly abandoned?: boolean;
  /** Milliseconds of the epoch from which on nothing is launched into it, and what is in it is stopped. */
  readonly until?: number | null;
  /** Pulumi's name of the resource; absent: an older version wrote the row. */
  readonly urn?: string;
  /** Its stack was seen without it: another slot was about to be filled for its resource. See launch/unheld.ts. */
  readonly unheld?: true;
}

export interface FleetRow {
  readonly name: string;
  /** The fleet file or the Pulumi stack that owns the name. */
  readonly source: string;
  /** The wish, as agent/fleet/wish.ts reads it. */
  readonly wish: Json;
  /** Hash of the triggers of a Pulumi `Fleet`: another one asks for other machines. */
  readonly triggers?: string;
  /** Matching is done: from here on the fleet launches. */
  readonly born: boolean;
  /** The first of the two agreeing lists that a birth needs. */
  readonly birth: { readonly begun: Instant; readonly ids: readonly string[] } | null;
  /** Removed by its owner: wants nothing any more, and stays until nothing of it is claimed or open. */
  readonly removed: boolean;
  /** An operator holds it: what runs is kept, and nothing is launched or stopped. */
  readonly paused: boolean;
  /** When its wish was last changed, or an operator resumed it: failures for good from before that count no more. */
  readonly forgiven?: Instant;
  /** When an operator last resumed it: what it lost to machines that did not live counts from then on. */
  readonly resumed?: Instant;
  readonly drained?: DrainRow | null;
  /** Of an all-or-nothing fleet: how far it is. */
  readonly attempt?: AttemptRow | null;
  /** How many launches may be under way at once: 1, 2, 4, ... and back to 1 after a refusal. */
  readonly pace: number;
  /** Why the count is not reached yet, as the newest tick found it. */
  readonly reasons: readonly string[];
}

/** An all-or-nothing fleet on its way to its whole count. */
export interface AttemptRow {
  /** Nothing launched yet, on its way since its first launch, was whole once, or gives back what it launched. */
  readonly state: "idle" | "begun" | "whole" | "givenBack";
  readonly since: Instant;
  /** Attempts in a row that were given back. */
  readonly failures: number;
}

/** A fleet that is emptied although it is declared. */
export interface DrainRow {
  /** An operator, until they resume it; its deadline or its spent total, as long as the wish says the same. */
  readonly by: "operator" | "deadline" | "total";
  /** Wall time. */
  readonly since: number;
  /** The deadline or the total as the wish said it; null for an operator. */
  readonly limit: string | null;
}

/** A combination that the service suppresses, for every account (specification, section 7). */
export interface CooldownRow extends Combination {
  readonly since: Instant;
  readonly seconds: number;
}

/** Something that happened, kept for people: the service shows a failure once and sends no mail. */
export interface EventRow {
  readonly at: number;
  readonly kind: EventKind;
  readonly owner: Owner | null;
  readonly deployment: string | null;
  /** The launch that it is about; absent where there is none, or an older version wrote it. */
  readonly intent?: string;
  readonly text: string;
}

/** An event as it was stored: later ones have higher numbers. */
export interface StoredEvent extends Omit<EventRow, "kind"> {
  /** An {@link EventKind}, or one of another version. */
  readonly kind: string;
  readonly sequence: number;
}
