import type { Billing } from "./billing.ts";
import type { Account, Balance, Combination } from "./contract.ts";
import type { Unread } from "./unread.ts";

/** A value that JSON can carry. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/**
 * One deployment as the service shows it. Only `id` and `status` are certain (specification, section 2). A
 * field that the profile has to map is undefined if it is not mapped, or not in this answer.
 */
export interface Deployment {
  readonly id: string;
  /** A state of the specification (after the profile's aliases), or any other text of the service. */
  readonly status: string;
  readonly failureCode?: string;
  readonly stopReason?: string;
  readonly failureReason?: string;
  readonly suggestedAction?: string;
  readonly offer?: string;
  readonly provider?: string;
  readonly location?: string;
  /** The launch's marker, as the service shows it back. */
  readonly marker?: string;
  /** As the service writes it. */
  readonly createdAt?: string;
  /** USD an hour, an exact decimal string. */
  readonly pricePerHour?: string;
  readonly gpus?: number;
  readonly connection?: Readonly<Record<string, string>>;
  /** Details that the profile calls secret. No ledger stores them: they are asked for when needed. */
  readonly secretConnection?: Readonly<Record<string, string>>;
  /** Fields left out because they cannot be read, and why; for people. */
  readonly flaw?: string;
}

/** One offer, as far as the profile maps it (the specification shows no fields of an offer). */
export interface Offer extends Combination {
  readonly gpus: number;
  readonly gpuModel?: string;
  /** USD an hour for the whole machine, an exact decimal string. */
  readonly pricePerHour?: string;
  /** Undefined where the profile maps no availability. */
  readonly available?: boolean;
  /** How many machines can be had now. Undefined where the service gives no number. */
  readonly stock?: number;
  /** What else its launch sends (`offers.fields.extra` of the profile). */
  readonly extra?: Extra;
}

/** By the name that a profile gives it. */
export type Extra = Readonly<Record<string, string | number | boolean>>;

/** What one POST asks for: combination, marker (if the profile has one) and the user's free parameters. */
export interface LaunchRequest extends Combination {
  readonly marker: string;
  readonly parameters: Readonly<Record<string, Json>>;
  /** Of the offer. */
  readonly extra?: Extra | undefined;
  /** Asked when the connection stands, just before the first byte. False: nothing is sent. */
  readonly mayLeave?: () => boolean;
}

/**
 * The outcome of one POST. `unknown` is all that is not proven to be another kind: it counts as a machine
 * that costs money until it is resolved, and it is never sent again.
 */
export type LaunchAnswer =
  | {
      readonly kind: "accepted";
      readonly id: string;
      readonly deployment: Partial<Deployment>;
      /** The error that carried the id. */
      readonly though?: string;
    }
  | {
      readonly kind: "rejected";
      readonly status: number;
      readonly code?: string;
      readonly message?: string;
      /** Seconds, as the service gave them. Undefined if it gave none. */
      readonly retryAfter?: number;
      /** Sold out: seconds for which the combination is left alone. Not for the specification's own cooldown. */
      readonly cools?: number;
    }
  /** `permanent`: a second attempt would fail too, as without a part of the profile or a parameter. */
  | { readonly kind: "notSent"; readonly reason: string; readonly permanent?: true }
  /**
   * `lost`: no answer came at all, so the service has said nothing. `refused`: it would be a refusal, were refusals
   * certain. `cools`: as of a rejected one.
   */
  | {
      readonly kind: "unknown";
      readonly reason: string;
      readonly lost?: true;
      readonly refused?: true;
      readonly cools?: number;
    };

/** One stop call. `mayLeave`: as in a launch. */
export interface StopRequest {
  readonly id: string;
  readonly mayLeave?: () => boolean;
}

/**
 * The outcome of one stop call. `gone`: the service says that there is nothing to stop. For people, `said` is its
 * answer, and `sent` is method and path; absent: it was not sent.
 */
export type StopAnswer = { readonly sent?: string } & (
  | { readonly kind: "accepted"; readonly said: string }
  | { readonly kind: "gone"; readonly said: string }
  /** `retryAfter`: seconds for which the service asked not to be asked again. */
  | { readonly kind: "failed"; readonly reason: string; readonly retryAfter?: number }
);

/** What amounts mean, and what time costs. */
export interface Money {
  /** In which all amounts are. Absent: USD. */
  readonly currency?: string;
  /** Absent: as the specification has it. */
  readonly billing?: Billing;
}

/** What the wire profile makes possible. Asked first, so that a missing part stops nothing else. */
export interface Abilities extends Money {
  /** The launch body carries a marker and the deployment fields map it back. */
  readonly marker: boolean;
  /** Offer, provider and location are all mapped on a deployment. */
  readonly combination: boolean;
  readonly launch: boolean;
  readonly stop: boolean;
  readonly get: boolean;
  readonly offers: boolean;
  /** Offers' prices are mapped. */
  readonly offerPrice?: boolean;
  /** Parts of the combination that the profile says of every deployment: they tell none apart. */
  readonly constants?: readonly (keyof Combination)[];
  /** What the launch sends of an offer beside the combination. Absent: nothing. */
  readonly extra?: readonly string[];
  /** What the launch sends that the owner must give. Absent: nothing. */
  readonly parameters?: readonly string[];
  /** False: the service shows no balance. Absent: it does. */
  readonly balance?: false;
  /** The least time between two launches of an account, in ms. Absent: the profile names none. */
  readonly launchEvery?: number;
  /** The profile says in its own words what "no such deployment" is. Absent: a 404. */
  readonly missing?: true;
  /** What has ended leaves lists. Absent: they go on showing it, as the specification says. */
  readonly endedUnlisted?: true;
  /** For so many milliseconds lists must lack an accepted id that never appears. Absent: the profile does not say. */
  readonly mayVanish?: number;
  /** The connection details that are mapped, by their names. No ledger holds a secret one. */
  readonly details?: Readonly<Record<string, "open" | "secret">>;
}

/**
 * The GPU deployment service, for one account's credential and one wire profile. Every method throws a
 * `FleetkeeperError` (errors.ts) if it cannot answer, but the outcomes of `launch` and `stop` are values.
 * `launch` never throws: a missing part or parameter is `notSent`. `stop` throws PROFILE_PART_MISSING before
 * it sends. No method sends a POST twice.
 */
export interface Service {
  readonly baseUrl: string;
  readonly abilities: Abilities;
  /** SHA-256 (hex) of the profile's meaning: equal for two files that say the same. */
  readonly profileHash: string;
  /** True for a state that ends a deployment: the specification's two, and those in the profile. */
  isTerminal(status: string): boolean;
  /** True for a state in which a machine bills and does not serve, by the profile. */
  isUnserving(status: string): boolean;
  /** Undefined if the profile does not say. */
  isRetryable(failureCode: string): boolean | undefined;
  account(signal: AbortSignal): Promise<Account>;
  balance(signal: AbortSignal): Promise<Balance>;
  /**
   * Every deployment of the account, whatever its status, with an entry for each unreadable record. Throws
   * LIST_INCOMPLETE rather than return a list that may be cut. Null: it is null beside a total of 0, which is an
   * empty list only where nothing is known to live.
   */
  deployments(signal: AbortSignal): Promise<readonly (Deployment | Unread)[] | null>;
  /**
   * Undefined if the service says that there is none: by a 404, or as the profile says it (`deployments.get.missing`), which
   * is proven first. `living`: asked for then, one that lists show. Without one, nothing has shown that living ones are
   * answered otherwise.
   */
  deployment(
    id: string,
    signal: AbortSignal,
    living?: () => Promise<string | undefined>,
  ): Promise<Deployment | undefined>;
  /** With an entry for each unreadable offer. Throws if there are offers and none can be read. */
  offers(signal: AbortSignal): Promise<readonly (Offer | Unread)[]>;
  /**
   * Waits for a turn under the profile's request rate. `launch` and `stop` never wait: between the last check
   * of what is wanted and the request no time may pass.
   */
  turn(signal: AbortSignal): Promise<void>;
  /** Sends the POST once, without a wait: call `turn` first. */
  launch(request: LaunchRequest, signal: AbortSignal): Promise<LaunchAnswer>;
  /** Sends without a wait, as `launch`. Never throws for an answer of the service. */
  stop(request: StopRequest, signal: AbortSignal): Promise<StopAnswer>;
}
