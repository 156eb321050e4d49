import type { Policy } from "../policy/rules.ts";
import type { Billing } from "../service/contract/billing.ts";
import type { Combination } from "../service/contract/contract.ts";
import type { Json } from "../service/contract/service.ts";
import type { EventKind } from "./event-kind.ts";
import type { Instant, ProcessIdentity } from "./instant.ts";

/**
 * The ledger's rows: all that the launch protocol decides on. A row is immutable; a change puts a new row in
 * its place. All belong to one account of one service, but cooldowns belong to the service.
 */

/** Exclusive: nobody else launches or stops in this account. Without a marker there is no default. */
export type Tenure = "exclusive" | "shared" | "unstated";

/** What answered launches taught about a profile. Kept by profile hash: another profile knows nothing yet. */
export interface ProfileKnowledge {
  /** A list or a GET showed an id that an accepted launch had answered with. */
  readonly proven: boolean;
  /**
   * Fields that an answered launch showed back: `marker`, `offer=VALUE`, `provider=VALUE`, `location=VALUE`.
   */
  readonly shown: readonly string[];
  /** States outside specification and profile that were seen to end a deployment. */
  readonly ends: readonly string[];
  /** Such states that machines were seen to live in: never ends. Absent: none, or an older version. */
  readonly living?: readonly string[];
  /** Why launches are halted until the id shows, the profile changes, or an operator resumes. */
  readonly halted: { readonly reason: string; readonly id: string | null } | null;
  /**
   * Machines that were stopped since the profile says that they bill and do not serve, and the states they were in, where
   * nothing has shown since that others serve. Two are no chance: see launch/ends/unserving.ts.
   */
  readonly unserving?: readonly { readonly id: string; readonly state: string }[];
  /** How prices compared with records and balance. Absent: nothing contradicted one, or an older version. */
  readonly prices?: {
    /** The newest doubt of each combination. */
    readonly doubts: readonly PriceDoubt[];
    /** The balance lost for a first hour what the launch expected. */
    readonly paid?: true;
  };
}

/** A machine that costs more than its launch expected. */
export interface PriceDoubt extends Combination {
  readonly gpus: number;
  readonly deployment: string;
  /** USD an hour at which it was launched. */
  readonly expected: string;
  /** USD an hour that it was seen to cost. This counts. */
  readonly costs: string;
  /** What showed it: the machine's own record, or the balance over its first hour. */
  readonly by: "record" | "balance";
  /** The balance right before the launch, and after it. */
  readonly balance?: { readonly before: string; readonly after: string };
  /** It halts nothing: a person has looked at it, or had written the expected price. */
  readonly looked?: true;
}

/** Which account it is, and what its owner has said of it. Written by: account, ledger, launch/people. */
interface OpenedAccount {
  readonly key: string;
  readonly baseUrl: string;
  readonly accountId: string;
  /** Further credentials that open it, where no call shows the account: account/account-of-key.ts. */
  readonly keys?: readonly string[];
  readonly email: string;
  readonly tenure: Tenure;
  /** Where the tenure was stated. */
  readonly tenureBy?: string;
  /** Of all amounts in its rows. Absent: USD. */
  readonly currency?: string;
  /** How the service bills time. Absent: as the specification has it. */
  readonly billing?: Billing;
  /** By its name, what each statement of a profile that ships said when the account was last opened: a digest each. */
  readonly shipped?: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

/** What its full lists have shown. Written by: ledger, launch/facts, launch/list, launch/machine, launch/resolve. */
interface ListedAccount {
  /** The newest sequence number given to a deployment id. A baseline is such a number. */
  readonly sequence: number;
  /** When the newest believed full list was asked for. */
  readonly list: Instant | null;
  /** Since when believed lists came without a break longer than `gone`. */
  readonly watched?: Instant;
  /**
   * The ledger file may be from a backup: nothing is launched before two full lists. `first`: when the first
   * of them was asked for; null: none yet.
   */
  readonly restored?: { readonly first: Instant | null };
  /** A list that lacked too much at once. It is believed when a second one agrees. */
  readonly doubt: { readonly begun: Instant; readonly missing: readonly string[] } | null;
  /**
   * Machines vanished together (launch/resolve/vanished.ts). `why`: some count on, as people were told. `listed`: since when a
   * new machine is listed beside them. `settled`: what vanished until then is gone. Absent: none ever did.
   */
  readonly vanished?: { readonly why?: string; readonly listed?: Instant; readonly settled?: Instant };
  /**
   * Records of the newest list without a readable id, how many of them a person disowned, and why the first
   * has none. Absent: there are none.
   */
  readonly nameless?: { readonly count: number; readonly disowned: number; readonly why: string };
  /** Since when lists take longer than a poll (null: the newest did not), and when people were last told. */
  readonly slow?: { readonly since: Instant | null; readonly told: Instant };
}

/** A decision that was refused, as it would have broken a rule of money. See docs/how/assertions.md. */
export interface UnsoundRow {
  /** A `SoundRule` of ledger/unsound.ts, or one of another version. */
  readonly rule: string;
  readonly what: string;
  /** Wall time in ms. */
  readonly at: number;
  /** What it would have stored, as far as the rules are about it; the newest last. */
  readonly changes: readonly Readonly<Record<string, string | number | boolean | null>>[];
  /** A person has looked: it halts nothing any more. */
  readonly looked?: true;
}

/** What its launches have taught, and what it has left. Written by: ledger, launch/facts, launch/keeper.ts, launch/list, launch/people. */
interface LearntAccount {
  readonly profiles: Readonly<Record<string, ProfileKnowledge>>;
  readonly balance: { readonly amount: string; readonly begun: Instant } | null;
  /** When an operator last said that launches go on. Earlier waits of the service count no more. */
  readonly forgiven?: Instant;
  /** The newest decision that was refused, as it would have broken a rule of money. Absent: none ever was. */
  readonly unsound?: UnsoundRow;
}

/** The agent that keeps it, and what that knows of its fleets. Written by: agent/fleet, agent/reconcile, agent/status, launch/beat.ts, launch/mark-wake.ts. */
interface KeptAccount {
  /** The agent that keeps this account's fleets. */
  readonly agent: {
    readonly process: ProcessIdentity;
    readonly beat: Instant;
    /** For people only. */
    readonly host: string;
    /** Absent: an older fleetkeeper keeps it. */
    readonly since?: Instant;
    /** Programs that it runs for fleets of stacks. Absent: none. */
    readonly commands?: readonly string[];
  } | null;
  /** Hash of the wire profile with which an agent last kept the account. */
  readonly profile?: string;
  /**
   * What the fleet file of its agent calls this service, and, by the file's word for it, what a GPU model is called here. A stack
   * names services by it. `file`: the source of that file's fleets. Absent: it has one service, or no agent with a file kept the account.
   */
  readonly service?: {
    readonly name: string;
    readonly file: string;
    readonly gpuModels?: Readonly<Record<string, readonly string[]>>;
  };
  /** How often its agent was left something to do; see launch/mark-wake.ts. Absent: never. */
  readonly wakes?: number;
  /** Limits that hold all launches of the account, or those under a label. Absent: there are none. */
  readonly budgets?: readonly BudgetRow[];
  /** How much of each was told to be spent: see agent/fleet/money/budget-alerts.ts. */
  readonly budgetsTold?: Readonly<Record<string, BudgetTold>>;
  /** What each fleet has to say that is declared in the account. Absent: nothing. */
  readonly policies?: readonly PolicyRow[];
  /** Sources of fleets whose Pulumi resource was deleted, newest last. None may declare a fleet again. */
  readonly retired?: readonly string[];
  /** Hours of balance below which people are told; if it is so short now; when last told (wall time). */
  readonly runway?: { readonly alertHours: number; readonly short: boolean; readonly told: number | null };
  /**
   * No list was believed since the first look that failed; null or absent: the newest was. `refused`: since
   * when the service refuses the key. `told`: what people were told.
   */
  readonly outage?: {
    readonly since: Instant;
    readonly refused?: Instant;
    readonly reason: string;
    readonly told?: "unreadable" | "refused";
  } | null;
}

/** A limit over all that is spent under some labels, or in the whole account. Amounts in its currency. See docs/how/labels.md. */
export interface BudgetRow {
  /** The fleet file that says it. */
  readonly source: string;
  /** What has all of these counts. Absent: everything. */
  readonly label?: Labels;
  readonly perDay?: string;
  readonly total?: string;
}

export interface PolicyRow {
  /** The fleet file that says it. */
  readonly source: string;
  readonly policy: Policy;
}

export interface BudgetTold {
  /** As it was then. */
  readonly limit: string;
  /** Of a day's limit: the number of the day since 1970. */
  readonly day?: number;
  /** Percent. */
  readonly share: number;
}

/** What people were told, and who may read it. Written by: agent/tell. */
interface ToldAccount {
  /** States that people were told of, with the wall time since when. */
  readonly alarms?: Readonly<Record<string, number>>;
  /** Links by which others may read the status page. Absent: none. */
  readonly shares?: readonly ShareRow[];
  /** By notification target. */
  readonly outboxes?: Readonly<Record<string, OutboxRow>>;
}

/** Who may order what, and what was answered. Written by: agent/orders. */
interface OrderedAccount {
  /** Tokens of the agent's API. Absent: none. */
  readonly tokens?: readonly TokenRow[];
  /** Answers to orders that had an idempotency key, the newest last. */
  readonly answers?: readonly AnswerRow[];
}

/** One row, stored flat. Each part has an owner: docs/how/account-row.md says who writes which field. */
export interface AccountRow
  extends OpenedAccount,
    ListedAccount,
    LearntAccount,
    KeptAccount,
    ToldAccount,
    OrderedAccount {}

/** A token of the agent's API. See agent/orders/tokens.ts. */
export interface TokenRow {
  readonly id: string;
  /** What people call it. One name is one open token's. */
  readonly name: string;
  /** SHA-256 of its secret, in hexadecimal. */
  readonly digest: string;
  readonly may: Right;
  /** Patterns of the fleets that it may order about. Absent: all, and the account. */
  readonly fleets?: readonly string[];
  readonly made: Instant;
  /** Milliseconds. */
  readonly lasts: number;
}

/** What a token may do. Each may do what stands before it, too. */
export const RIGHTS = ["read", "operate", "declare", "admin"] as const;
export type Right = (typeof RIGHTS)[number];

/** An answer that is given again to whoever sends the same order with the same key. */
export interface AnswerRow {
  readonly key: string;
  /** Whose: keys of two actors are two. */
  readonly actor: string;
  /** SHA-256 of the order, in hexadecimal. */
  readonly order: string;
  /** Wall time, in milliseconds. */
  readonly at: number;
  readonly answer: Json;
}

/** A link to the status page for others. See agent/tell/http/reach/share.ts. */
export interface ShareRow {
  readonly id: string;
  /** SHA-256 of its secret, in hexadecimal. */
  readonly digest: string;
  readonly made: Instant;
  /** Milliseconds. */
  readonly lasts: number;
}

/** What one notification target was told of this account's events. */
export interface OutboxRow {
  /** Events up to this sequence number were told, or need not be. */
  readonly after: number;
  /** A message about the events up to this one may be under way. It is repeated unchanged. */
  readonly sending: number | null;
  /** When each thing was last told, wall time. It is not told again in its quiet time. */
  readonly told: Readonly<Record<string, number>>;
  /** When the newest messages were sent, wall time. */
  readonly sent: readonly number[];
}

/** Names and values by which people sum up what is spent, such as the team. Their names stand in order. */
export type Labels = Readonly<Record<string, string>>;

/** Who wants a machine: a fleet, or the slot of one Pulumi `Deployment`. */
export type Owner = `fleet:${string}` | `slot:${string}`;

export type IntentState =
  /** The POST may be on its way, or its outcome is not known yet. */
  | "open"
  /** Resolved: it made the machine in `deployment`. */
  | "claimed"
  /** Resolved: the service refused it and made nothing. */
  | "rejected"
  /** Resolved: no byte left this machine, or the sender gave up before sending. */
  | "notSent"
  /** Looked for long enough, and not found. For 24 hours it explains one machine that comes late. */
  | "absent"
  /** On a shared account it made one of several machines. They count as one until a person decides. */
  | "disputed";

/** A refusal in the service's own terms, for decisions. Its text in `detail` is only for people. */
export interface RefusalRow {
  /**
   * `cooling`: HTTP 503 `offer_cooling_down` (specification, section 7). `tooMany`: HTTP 429, which concerns
   * the account and no combination. `soldOut`: the profile says that it means so. `other`: any other refusal.
   */
  readonly kind: "cooling" | "tooMany" | "soldOut" | "other";
  readonly status: number;
  readonly code?: string;
}

export interface SettleRow {
  readonly since: Instant;
  /** When the newest full list that counted was asked for. */
  readonly last: Instant;
  /** Milliseconds. Each list adds at most one poll interval. */
  readonly covered: number;
  readonly lists: number;
}

/** One attempt to fill an owner's wish for one machine: one POST. */
export interface IntentRow extends Combination {
  readonly id: string;
  readonly owner: Owner;
  /** 0 if not known, as for a `Deployment` whose offer nobody counts. A fleet's is always known. */
  readonly gpus: number;
  /**
   * USD an hour, by the offer, and the first hour that is reserved; null if not known. Once the machine was
   * seen to cost more, that higher price.
   */
  readonly pricePerHour: string | null;
  /** What work one GPU does, as its fleet said when it was launched. Absent: 1. */
  readonly worth?: string;
  /** The balance right before the launch, if it may show the machine's cost. See launch/money/price-balance.ts. */
  readonly before?: { readonly amount: string; readonly begun: Instant };
  /** The labels of its owner when it was written: what its machine costs is spent under these. Absent: none. */
  readonly labels?: Labels;
  /** What the offer said of its GPUs' model. Absent: nothing, or a row of an older version. */
  readonly model?: string;
  /** Fingerprint of those that were sent; in rows of older versions the values, or that of all. See launch/admit/parameters.ts. */
  readonly parameters: string | Readonly<Record<string, Json>>;
  readonly marker: string;
  /** Its machine is to be replaced: its fleet's triggers changed while it was under way. */
  readonly renew?: true;
  /** Hash of the profile it is sent under. */
  readonly profile: string;
  /** Intents of one group cannot be told apart by a list; see launch/claim/groups.ts. */
  readonly group: string;
  /** Ids with a sequence number up to this one were there before the POST. */
  readonly baseline: number;
  /** This many records without a readable id were there before the POST. */
  readonly nameless?: number;
  readonly state: IntentState;
  readonly sender: ProcessIdentity;
  /** When it was written, or renewed right before the send. */
  readonly stamped: Instant;
  /** Milliseconds after which the sender gives up waiting for the answer. */
  readonly timeout: number;
  /**
   * The outcome, if the sender lived to record one: an accepted id that is not shown yet, or none. `unshown`:
   * an accepted id that did not show in time, so launches were halted. If it shows later, it is claimed.
   * `lost`: no answer came. Rows of older versions do not say so. `cooled`: by the answer its combination is sold out.
   */
  readonly answer: {
    readonly at: Instant;
    readonly id: string | null;
    readonly reason: string;
    readonly unshown?: string;
    readonly lost?: true;
    readonly cooled?: true;
  } | null;
  /** How much of the settle time full lists have covered without showing a candidate. */
  readonly settle: SettleRow | null;
  readonly resolved: Instant | null;
  /** Not sent, and a retry would end the same: the profile or a parameter lacks something. */
  readonly permanent?: true;
  /** The refusal. Absent: not refused, or a row of an older version, whose reason is not known. */
  readonly refusal?: RefusalRow;
  /** Refused, though its combination does not cool: seconds that the service asked us to wait. */
  readonly retryAfter?: number;
  readonly deployment: string | null;
  /** On a shared account: the late machine that was reported for this absent intent. It explains no other. */
  readonly reported?: string;
  /** What happened, for people. */
  readonly detail: string;
}

/**
 * `certain`: the answer named its id, it carries our marker, it was adopted, or the account is exclusive.
 * `inferred`: a list showed it while an intent of ours was looked for. `disputed`: one of several such.
 * `foreign`: disowned for good.
 */
export type Claim = "certain" | "inferred" | "disputed" | "foreign";

export type End = "failed" | "interrupted" | "stopped" | "gone";

/** What runs before the call of a stop that we choose. See launch/ends/stop-hook.ts. */
export interface StopHookRow {
  readonly state: "waiting" | "running" | "done" | "failed";
  /** From then on its time counts. */
  readonly since: Instant;
  /** The call waits for it so many milliseconds at most. */
  readonly lasts: number;
  /** It may run a second time, where the process that ran it has died. */
  readonly again?: true;
  /** Who runs it, or ran it. */
  readonly by?: ProcessIdentity;
  /** The command's own process: it outlives an agent that is killed, and is ended before another one begins. */
  readonly program?: ProcessIdentity;
  /** Why it failed, for people. */
  readonly said?: string;
}

export interface StopRow {
  readonly asked: Instant;
  readonly why: string;
  /** Nothing but a wish asked for it, and no call has left yet: another wish takes it back. */
  readonly revocable?: true;
  /** Absent: the call waits for nothing. */
  readonly hook?: StopHookRow;
  /** Only a fleet's plan asked for it: it waits while the fleet is paused. */
  readonly planned?: true;
  /** It waits for that now. */
  readonly held?: true;
  /** It did not serve. If it runs again before a call has left, it is kept. */
  readonly unserving?: true;
  /** People asked for it, or changed the wish after the launch: its cost is no loss. */
  readonly ordered?: true;
  readonly attempts: number;
  readonly attempted: Instant | null;
  /** The service accepted a stop call. */
  readonly accepted: boolean;
  /**
   * The state that a GET showed right before the service last accepted a stop call; `running` if no GET
   * showed a state before that.
   */
  readonly acceptedIn?: string;
  /** When the service first accepted one, and the newest known state at that moment. */
  readonly first?: { readonly at: Instant; readonly status: string };
  /** What the last attempt that failed said. */
  readonly error: string | null;
  /** Seconds that this answer asked us to wait. */
  readonly retryAfter?: number;
  /** The calls since nothing held them. Absent: none yet, or only an older version made some. */
  readonly calls?: StopCalls;
}

/** For people: stop calls, and what came of them. */
export interface StopCalls {
  /** When the first one was made. */
  readonly since: Instant;
  readonly times: number;
  /** Method and path of the newest one. Null: it was not sent. */
  readonly sent: string | null;
  /** What it came to: `the service answered 404, ...`. */
  readonly said: string;
}

/** Whether a running machine passes the user's own check. Written when that changes. */
export interface ReadyRow {
  readonly ok: boolean;
  /** Since when `ok` is so. */
  readonly since: Instant;
  /** True if it was ready once. */
  readonly ever: boolean;
  /** Why it is not ready, for people. */
  readonly why: string | null;
  /** The check that it did not pass in time: it was stopped for that. */
  readonly gaveUp?: string;
}

/** The fleet's setup command on one machine: see agent/planning/machines/setup.ts. */
export interface SetupRow {
  /** `waiting`: for its next try. `failed`: no further one follows. */
  readonly state: "waiting" | "running" | "done" | "failed";
  readonly since: Instant;
  /** Tries that began. */
  readonly tries: number;
  /** Those of them that failed. One whose agent ended meanwhile did not. */
  readonly failures: number;
  /** The last lines of the newest try that came to an end, or why it failed. Null: there was none, or it said nothing. */
  readonly said: string | null;
  /** While it runs. */
  readonly lease?: SetupLease;
}

/** Who runs a try. Nobody else begins one until it is surely over. */
export interface SetupLease {
  readonly agent: ProcessIdentity;
  /** Milliseconds from its begin. */
  readonly lasts: number;
  /** The program itself. Absent: it was not stored yet. */
  readonly program?: ProcessIdentity;
}

/** What the fleet's health check says of a machine that is ready. Written when that changes, and with each bad answer. */
export interface HealthRow {
  readonly ok: boolean;
  /** Since when `ok` is so. */
  readonly since: Instant;
  /** The check that says so. What another one found does not count. */
  readonly by: string;
  /** Of bad: what it said last, for people; for how long it was seen bad, in ms; when the newest answer came, null: that was no bad one. */
  readonly bad?: { readonly why: string; readonly ms: number; readonly seen: Instant | null };
  /** It was good for as long as a bad one must be bad. */
  readonly proven?: true;
  /** When people were told last. `open`: not yet that it is over. */
  readonly told?: { readonly at: Instant; readonly open: boolean };
  /** It was stopped for that. */
  readonly gaveUp?: true;
}

/** A machine of ours that ended and was shown active again, though nobody stopped it. */
export interface ReturnRow {
  readonly times: number;
  /** The last return that no old list explains; null: none yet. */
  readonly at: Instant | null;
  /** Nothing is launched for its owner before a person has looked. */
  readonly held?: true;
  /** Lists show an end again. `listed`: one of them is late enough. `agreed`: a GET showed it, too. */
  readonly ending?:
    | { readonly since: Instant; readonly listed: boolean; readonly agreed: boolean }
    | undefined;
}

/** A GET of a machine that lists lack shows neither it nor that there is none. */
export interface DoubtRow {
  readonly since: Instant;
  readonly why: string;
  /** The service answered. Else it was down. */
  readonly refused: boolean;
}

/** A person holds a machine: no stop that we choose takes it. See launch/facts/machine-hold.ts. */
export interface MachineHoldRow {
  /** Wall time in ms. From then on nobody holds it. */
  readonly until: number;
  /** For people. */
  readonly why?: string;
}

/** A machine is idle, or nobody knows. See agent/planning/machines/idle.ts. */
export interface IdleRow {
  /** The first idle answer since when all were; null: the last one was unknown. */
  readonly since: Instant | null;
  /** The last answer. */
  readonly asked: Instant;
  /** The check that said so. */
  readonly by: string;
  /** Why it is unknown, for people. */
  readonly why?: string;
}

/** One deployment that a list, a GET or an answer showed. Never deleted. No claim is taken back silently. */
export interface DeploymentRow {
  readonly id: string;
  readonly sequence: number;
  readonly firstSeen: Instant;
  /** When the newest answer that showed it was asked for; null: only its launch's answer named it. */
  readonly lastSeen: Instant | null;
  readonly status: string;
  readonly statusSince: Instant;
  readonly offer: string | null;
  readonly provider: string | null;
  readonly location: string | null;
  readonly marker: string | null;
  readonly gpus: number | null;
  /** The number that a person says. It counts before any other. */
  readonly saidGpus?: number;
  /** The number taken for it when it came without our launch: a smaller one does not count. */
  readonly expectedGpus?: number;
  /** The number shown when people were told that more were expected. */
  readonly toldGpus?: number;
  readonly pricePerHour: string | null;
  /**
   * What cannot be read of its newest record. `setAside`: all of it, so the row shows an older one. `contradicts`: the list
   * has two, and they differ.
   */
  readonly flaw?: { readonly why: string; readonly setAside: boolean; readonly contradicts?: true };
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
  /** By the profile it bills in this state and does not serve. */
  readonly unserving?: true;
  /** Full lists in a row that showed one unnamed state after a stop. Two make an end. */
  readonly unnamedLists: number;
  /** It was last seen `stopping` of the active states. */
  readonly stoppingSeen?: boolean;
  /** It was shown running once. Absent: never, or a row of an older version. */
  readonly ran?: true;
  /** Milliseconds from its launch until it was first shown running. Absent: it never was, nobody here launched it, or not known. */
  readonly toRun?: number;
  /** It was never shown running or stopping. Absent: a row of an older version, so not known. */
  readonly young?: boolean;
  /** Since when full lists lack it; how many do (2 is two or more, 3: and the id that was never shown is asked for once more, 0: only such as have records without an id); if the newest GET found it neither. */
  readonly missing: {
    readonly since: Instant;
    readonly lists: number;
    readonly notFound: boolean;
    readonly doubt?: DoubtRow;
  } | null;
  readonly end: End | null;
  readonly ended: Instant | null;
  /** When its end was first seen, no list had been believed for so many ms. Absent: one had, shortly before. */
  readonly unwatched?: number;
  /** Its id showed another offer and size (launch/machine/reused.ts). Nobody has said since whose it is. */
  readonly reused?: true;
  /** It came back after an end. Absent: never, or a row of an older version. */
  readonly returned?: ReturnRow;
  /** A person has put its failure away. */
  readonly seen?: true;
  /** What the fleet's own check said of it. Absent: it was never checked. */
  readonly ready?: ReadyRow;
  /** Absent: its fleet's setup was never begun on it. */
  readonly setup?: SetupRow;
  /** What the fleet's health check said of it. Absent: it was never asked, or said nothing. */
  readonly health?: HealthRow;
  /** Absent: nobody ever held it, or released it. */
  readonly hold?: MachineHoldRow;
  /** What its fleet's idle check last said of it, unless that is busy. Absent: busy, or nobody asked. */
  readonly idle?: IdleRow;
  /** The labels of the owner that took it. Absent: those of its launch count. */
  readonly labels?: Labels;
  /** The fleet that asks for its replacement, if still its owner: see agent/planning/moves/renew.ts. */
  readonly renew?: Owner;
}

/** What is kept in memory of a machine that is archived: what the rules still ask of it without its row. */
export interface Archived {
  readonly owner: Owner | null;
  /** Digest of a record that changes nothing of its row; null: none is known. See launch/list/archive.ts. */
  readonly record: string | null;
  /** USD for the hours that began on each day of UTC, by the number of the day since 1970. */
  readonly spent: Readonly<Record<string, string>>;
  /** Under which labels that was spent. Absent: none. */
  readonly labels?: Labels;
  /** It was ours, and ended by itself. `code` is the service's word for why; empty: it gave none. */
  readonly loss?: { readonly kind: Exclude<End, "stopped">; readonly code: string };
  /** Absent: nobody here launched it, or an older version archived it. */
  readonly stay?: Stay;
}

/** How long a machine that was launched here was there, and what came of it. */
export interface Stay extends Combination {
  /** When its launch was sent, wall time in ms. */
  readonly from: number;
  /** When it ended, or now, wall time in ms. */
  readonly until: number;
  /** `none`: it lives. `failed`: it never ran. `lost`: it ended by itself. */
  readonly end: "none" | "stopped" | "failed" | "lost";
  /** See `DeploymentRow`. */
  readonly toRun?: number;
}

/** The slot of one Pulumi `Deployment`. It exists before any money moves. */
export interface SlotRow {
  readonly id: string;
  readonly name: string;
  readonly created: Instant;
  /** Its deletion has begun: nothing is launched into it. */
  readonly closing: boolean;
  /** Its deletion stops nothing: what is in it, or turns out to be, becomes foreign and runs on. */
  readonly abandoned?: boolean;
  /** Wall time in ms. From then on nothing is launched into it, and what is in it is stopped. */
  readonly until?: number | null;
  /** What is launched into it is spent under these. Absent: none. */
  readonly labels?: Labels;
  /** A digest of the URN of Pulumi's resource. Absent: a row of an older version. */
  readonly resource?: string;
  /** Its stack was seen without it when another slot took its resource. See launch/people/left-behind.ts. */
  readonly unheld?: true;
}

/** What of a fleet moves between its parts: GPUs, and amounts in the account's currency as exact decimals. */
export interface Portion {
  readonly gpus: number;
  readonly overshoot: number;
  /** Absent in rows from before it moved: 0. */
  readonly surge?: number;
  readonly perHour: string;
  readonly perDay: string;
  readonly total: string;
  readonly churn: string;
}

/** An amount on its way: taken from its giver, and not yet written down by the part that it is for. */
export interface GrantRow {
  /** The name of that part. */
  readonly to: string;
  /** Higher than that of any grant before from the same giver to the same part. */
  readonly sequence: number;
  readonly amount: Portion;
}

/** The fleet is a part of one that several accounts keep. See agent/fleet/phase/part.ts. */
export interface PartRow {
  /** The name of the whole, and of its first part. */
  readonly of: string;
  /** Its service, as the fleet's declaration calls it. Absent in rows of older versions. */
  readonly service?: string;
  /** The wish for the whole. */
  readonly whole: Json;
  /** Parts at least that it stands in, if it says so. */
  readonly atLeast?: number;
  /** All that was taken, less all that was given. The first part begins with the whole. */
  readonly net: Portion;
  /** Not known to be taken, the oldest first. */
  readonly given: readonly GrantRow[];
  /** By the name of the part that it was for: the newest grant that was ever given. */
  readonly sent: Readonly<Record<string, number>>;
  /** By the name of its giver: the newest grant that was taken. An older one is not taken again. */
  readonly taken: Readonly<Record<string, number>>;
  /** Limits of the whole that are newer than this part, until a grant brings it something of them. */
  readonly awaits?: readonly Exclude<keyof Portion, "gpus" | "overshoot" | "surge">[];
  /** Its share moves to the other parts: an operator drains its service, or the fleet's declaration leaves it out. */
  readonly leaving?: "operator" | "declaration";
  /** Of a part that is leaving: GPUs that stay until others run in their place. Absent: all. */
  readonly keeps?: number;
  /** GPUs, out of its surge, that it has in the place of some that a leaving part still has. */
  readonly ahead?: number;
  /** GPUs that the whole lacks, as was last seen. Absent: none. */
  readonly short?: number;
  /** What the agent that chooses among the parts sees of all of them, for people. */
  readonly troubles?: readonly string[];
  /** What GPUs can be had for here, at the wall time `at`. */
  readonly offered?: OfferedRow;
  /** When it was last chosen to launch what it lacks, wall time. */
  readonly chosen?: number;
  /** Of a first part whose whole follows a clock, a metric or a person: GPUs that the whole wants. Absent: what it declares. */
  readonly size?: number;
  /** When that became more last, wall time. */
  readonly rose?: number;
  /** When it last had to stop something as that became less. */
  readonly fell?: Instant;
}

/** What more GPUs cost at best. */
export interface OfferedRow {
  readonly at: number;
  /** A number of GPUs each, what they cost an hour, and, where not all GPUs do the same work, that by their worth. */
  readonly costs: readonly (readonly [number, string, string?])[];
  /** GPUs in one machine, of all that fits, to be had now or not. */
  readonly sizes: readonly number[];
  /** Why there is nothing, where that is known. */
  readonly hold?: HoldRow;
}

export interface FleetRow {
  readonly name: string;
  /** The fleet file or the Pulumi stack that owns the name. */
  readonly source: string;
  /** The wish, as agent/fleet/wish/wish.ts reads it. */
  readonly wish: Json;
  /** Hash of a Pulumi `Fleet`'s triggers. Another hash asks for new machines. */
  readonly triggers?: string;
  /** Matching is done, and the fleet may launch. */
  readonly born: boolean;
  /** The first of the two agreeing lists that a birth needs. */
  readonly birth: { readonly begun: Instant; readonly ids: readonly string[] } | null;
  /** Its owner removed it. It wants nothing, and stays until nothing of it is claimed or open. */
  readonly removed: boolean;
  /** What was paid under its name before this life. Absent: nothing, or the ledger is from before lives were told apart. */
  readonly earlier?: EarlierLives;
  /** An operator paused it: what runs stays, and nothing is launched or stopped. */
  readonly paused: boolean;
  /** When its wish last changed or an operator resumed it. Earlier permanent failures count no more. */
  readonly forgiven?: Instant;
  /** When an operator last resumed it. Losses to machines that ended young count from then on. */
  readonly resumed?: Instant;
  readonly drained?: DrainRow | null;
  /** GPUs that were given back machine by machine: it wants so many less than it declares. See agent/fleet/size/lowered-count.ts. */
  readonly lowered?: number;
  /** When its count was lowered last, milliseconds since 1970. Only of a fleet with a schedule: a window that begins later wakes it. */
  readonly loweredAt?: number;
  /** What of it was given back as idle. Absent: nothing. */
  readonly idled?: {
    readonly gpus: number /** An hour, without machines of unknown price. */;
    readonly price: string;
  };
  /** What was asked for when its count was lowered last. Only of a fleet whose count has a range: another number may be asked for later. */
  readonly loweredFrom?: number;
  /** What the metric that its size follows said. Absent: it was never asked. */
  readonly metric?: MetricRow;
  /** How many GPUs a person asks for, within its range. Absent: nobody ever did. */
  readonly ask?: AskRow;
  /** It is a part of a fleet in several accounts, and `wish` is what this part wants. */
  readonly part?: PartRow;
  /** The move that is under way: to cheaper machines (docs/how/improve.md), or to one of another size (docs/how/waiting.md). */
  readonly improving?: ImprovingRow;
  /** Such moves that were made, at least those of the last day, the oldest first. */
  readonly improved?: readonly ImprovedRow[];
  /** Machines of an older wish, or old ones, are being replaced. See docs/how/update.md. */
  readonly updating?: UpdatingRow;
  /** What replaced them was not ready in time: until a person says so nothing more is replaced by choice. */
  readonly updateHeld?: { readonly since: number /** Wall time in ms. */; readonly why: string };
  /** When all GPUs of a fleet with a `life` ran for the first time, wall time in ms. */
  readonly whole?: number;
  /** What of its work is asked for now. Absent: it has none, or was not looked at yet. */
  readonly work?: WorkRow;
  /** Since when it lacks GPUs, where its wish waits for a price or a size first. Absent: it lacks none. */
  readonly lacking?: Instant;
  /**
   * What half of its GPUs cost at most when it lacked none, an hour of one as an exact decimal, where its wish waits for what costs
   * so much more. Absent: nobody knows.
   */
  readonly usual?: string;
  /** How far an all-or-nothing fleet is. */
  readonly attempt?: AttemptRow | null;
  /** Launches that may be under way at once: 1, 2, 4, ... and 1 again after a refusal. */
  readonly pace: number;
  /** What holds its launches by the newest tick, the one that matters most first. Absent: nothing, or an older version. */
  readonly holds?: readonly HoldRow[];
  /** What else is waited for. Rows of older versions have the texts of what holds launches here, too. */
  readonly reasons: readonly string[];
}

/** See agent/fleet/size/metric-size.ts. */
export interface MetricRow {
  /** The last answer that was believed. Absent: none was yet. */
  readonly known?: {
    /** An exact decimal. */
    readonly value: string;
    /** When it was asked for. */
    readonly at: Instant;
    /** The GPUs that the metric asks for, after its steps. */
    readonly gpus: number;
    /** More, or less, is asked for since then without a break: `nearest` is the number of GPUs closest to what there is. */
    readonly run?: { readonly way: "up" | "down"; readonly since: Instant; readonly nearest: number };
  };
  /** When it asked for less last. */
  readonly fell?: Instant;
  /** Since when no answer was believed, and why not. `told`: people were. */
  readonly problem?: { readonly since: Instant; readonly why: string; readonly told?: true };
}

/** See agent/fleet/size/person-ask.ts. */
export interface AskRow {
  /** Absent: nobody asks now. */
  readonly now?: {
    readonly gpus: number;
    /** Wall time in ms: from then on it asks for nothing. Absent: until it is taken back. */
    readonly until?: number;
    /** For people. */
    readonly why?: string;
  };
  /** When it asked for less last, or ended. */
  readonly fell?: Instant;
}

/** See agent/planning/work/work-size.ts. */
export interface WorkRow {
  /** When it began. */
  readonly since: Instant;
  /** How many GPUs are asked for. */
  readonly gpus: number;
  /** What one of them may cost an hour. Absent: what the wish allows. */
  readonly ceiling?: number;
  /** Past its point of no return. */
  readonly late?: true;
  readonly over?: "done" | "missed";
  /** When fewer were asked for last. */
  readonly fell?: Instant;
  /** What was done by then, in ms of one GPU. Absent: nothing was counted yet. See agent/planning/work/worked.ts. */
  readonly counted?: { readonly at: Instant; readonly gpuMs: number };
  /** What one of its GPUs cost an hour, an hour after the other; the newest last, seen at the wall time `at`. */
  readonly prices?: { readonly at: number; readonly of: readonly number[] };
}

/** A machine that a move leaves, with what it cost an hour. */
interface LeftRow extends Combination {
  readonly id: string;
  readonly pricePerHour: string;
}

export interface ImprovingRow {
  readonly begun: Instant;
  readonly why: string;
  readonly left: readonly LeftRow[];
  /** GPUs that come. */
  readonly gpus: number;
  /** So many more come than go, as the fleet lacked them. Absent: none; it is a move to cheaper machines. */
  readonly fills?: number;
  /** So many of them may be launched above the count, before the old ones are stopped. 0: those go first. */
  readonly ahead: number;
  /** What the new machines may cost an hour together. */
  readonly most: string;
}

export interface ImprovedRow {
  /** When it began: wall time in ms. */
  readonly at: number;
  readonly left: readonly LeftRow[];
  /** The machines that came. */
  readonly came: readonly string[];
}

export interface UpdatingRow {
  readonly begun: Instant;
  /** For its age it is replaced, or as its wish is older. */
  readonly by: "update" | "age";
  readonly why: string;
  /** The machines that go. */
  readonly old: readonly string[];
  /** GPUs that have to come. */
  readonly gpus: number;
  /** At most so many are launched above the count, before the old ones are stopped. 0: those go first. */
  readonly ahead: number;
}

/** Something that holds launches: launch/facts/hold.ts makes a text of it. */
export interface HoldRow {
  /** A kind of launch/facts/hold.ts, or one of another version. */
  readonly kind: string;
  /** What its text is made of. */
  readonly numbers: Readonly<Record<string, string | number>>;
  /** When it passes by itself, wall time in ms. Absent: not by time, or nobody knows. */
  readonly until?: number;
}

/** Amounts of USD as decimals, which the fleet's total leaves out. A life begins where another source takes the name. */
export interface EarlierLives {
  /** Paid before this life. */
  readonly life: string;
  /** The part of it that other stacks and files paid: what `totalOf: name` leaves out. */
  readonly name: string;
  /** When this life began: wall time in ms. */
  readonly since: number;
}

/** An all-or-nothing fleet on its way to its whole count. */
export interface AttemptRow {
  /** Nothing launched yet; under way; whole once; or giving back what it launched. */
  readonly state: "idle" | "begun" | "whole" | "givenBack";
  readonly since: Instant;
  /** Attempts in a row that were given back. */
  readonly failures: number;
}

/** A fleet that is emptied although it is declared. */
export interface DrainRow {
  /** An operator, until they resume it. A deadline or a spent total, while the wish still says it. */
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
  /** The launch that it is about. Absent: none, or a row of an older version. */
  readonly intent?: string;
  /** Who ordered it: `token:NAME`, `user:NAME@HOST`. Absent: nobody did, or a row of an older version. */
  readonly actor?: string;
  readonly text: string;
}

/** An event as it was stored: later ones have higher numbers. */
export interface StoredEvent extends Omit<EventRow, "kind"> {
  /** An {@link EventKind}, or one of another version. */
  readonly kind: string;
  readonly sequence: number;
}

/** What each table of the ledger stores. */
export interface RowOf {
  readonly account: AccountRow;
  readonly intent: IntentRow;
  readonly deployment: DeploymentRow;
  readonly slot: SlotRow;
  readonly fleet: FleetRow;
  readonly cooldown: CooldownRow;
  readonly event: EventRow;
}
