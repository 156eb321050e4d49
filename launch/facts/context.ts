import type { Draft } from "../../ledger/draft.ts";
import { DAY_MS, type Instant, MINUTE_MS, type ProcessIdentity } from "../../ledger/instant.ts";
import type { ProfileKnowledge } from "../../ledger/rows.ts";
import type { Abilities } from "../../service/contract/service.ts";

/** The protocol's times, in milliseconds. */
export interface ProtocolSettings {
  /** How long a POST may take. */
  readonly postTimeout: number;
  /** How long full lists must show nothing after that before a launch is called absent. */
  readonly settle: number;
  /** How many full lists that takes at least. */
  readonly settleLists: number;
  /** The interval between lists; one list covers at most this much of the settle time. */
  readonly poll: number;
  /** How old a stamp may be when the POST leaves. */
  readonly stampAge: number;
  /** How long an absent intent explains a late arrival. */
  readonly lateArrival: number;
  /** How far apart two full lists must be that agree on a deployment being gone. */
  readonly gone: number;
  /** How long a machine may be `stopping` and still count as capacity. */
  readonly stopping: number;
  /** How long after its end a machine is archived at the earliest. */
  readonly archive: number;
  /** How many ended machines of each owner, the newest, are not archived: pages show them. A number. */
  readonly archiveKept: number;
}

export const DEFAULT_SETTINGS: ProtocolSettings = Object.freeze({
  postTimeout: 120_000,
  settle: 120_000,
  settleLists: 3,
  poll: 15_000,
  stampAge: 5_000,
  lateArrival: DAY_MS,
  gone: MINUTE_MS,
  stopping: 15 * MINUTE_MS,
  archive: 2 * DAY_MS,
  archiveKept: 50,
});

/** What the protocol must know of the wire. */
export interface WireFacts {
  readonly profileHash: string;
  readonly abilities: Pick<
    Abilities,
    | "marker"
    | "combination"
    | "get"
    | "constants"
    | "offerPrice"
    | "balance"
    | "extra"
    | "launchEvery"
    | "missing"
    | "mayVanish"
    | "endedUnlisted"
    | "parameters"
    | "details"
  > &
    Partial<Pick<Abilities, "stop">>;
  isTerminal(status: string): boolean;
  /** No such function: no state is. */
  isUnserving?(status: string): boolean;
  /** Undefined, or no such function: it is not known. */
  isRetryable?(failureCode: string): boolean | undefined;
}

/** What a decision knows beside the rows: ledger id, moment, living processes, wire and settings. */
export interface Context {
  /** The first half of every marker of this ledger. */
  readonly ledger: string;
  readonly now: Instant;
  isAlive(process: ProcessIdentity): boolean;
  readonly wire: WireFacts;
  readonly settings: ProtocolSettings;
  /** Who decides, where a person or a program does: `token:NAME`, `user:NAME@HOST`. It is written beside what happens. */
  readonly actor?: string | undefined;
}

const NOTHING_KNOWN: ProfileKnowledge = { proven: false, shown: [], ends: [], halted: null };

export function knowledgeOf(draft: Draft, profile: string): ProfileKnowledge {
  return draft.account.profiles[profile] ?? NOTHING_KNOWN;
}

export function learn(draft: Draft, profile: string, news: Partial<ProfileKnowledge>): void {
  const known = { ...knowledgeOf(draft, profile), ...news };
  draft.putAccount({ ...draft.account, profiles: { ...draft.account.profiles, [profile]: known } });
}
