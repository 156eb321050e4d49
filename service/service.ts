import type { Account, Balance, Combination } from "./contract.ts";
import type { Unread } from "./unread.ts";

/** A value that JSON can carry. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/**
 * One deployment as the service shows it. Only `id` and `status` are certain (specification, section 2); every field
 * that a wire profile must map is undefined where it is not mapped or not present in this answer.
 */
export interface Deployment {
  readonly id: string;
  /** A state of the specification (aliases of the profile applied), or whatever else the service says. */
  readonly status: string;
  readonly failureCode?: string;
  readonly stopReason?: string;
  readonly failureReason?: string;
  readonly suggestedAction?: string;
  readonly offer?: string;
  readonly provider?: string;
  readonly location?: string;
  /** The value that the service echoes back from the launch. */
  readonly marker?: string;
  /** As the service writes it. */
  readonly createdAt?: string;
  /** USD an hour, an exact decimal string. */
  readonly pricePerHour?: string;
  readonly gpus?: number;
  readonly connection?: Readonly<Record<string, string>>;
  /** Those that the profile calls secret. They are stored in no ledger: whoever needs them asks the service. */
  readonly secretConnection?: Readonly<Record<string, string>>;
  /** Fields that are left out here because what the service shows there cannot be read: which, and why, for people. */
  readonly flaw?: string;
}

/** One offer, as far as the profile maps it (offer fields are not shown). */
export interface Offer extends Combination {
  readonly gpus: number;
  readonly gpuModel?: string;
  /** USD an hour for the whole machine, an exact decimal string. */
  readonly pricePerHour?: string;
  /** Undefined where the profile maps no availability. */
  readonly available?: boolean;
  /** How many machines can be had now; undefined where the service says no number. */
  readonly stock?: number;
}

/** What one POST asks for: the combination, the marker if the profile has one, and the user's free parameters. */
export interface LaunchRequest extends Combination {
  readonly marker: string;
  readonly parameters: Readonly<Record<string, Json>>;
  /** Asked when the connection stands and the first byte is about to leave. False: it is not sent. */
  readonly mayLeave?: () => boolean;
}

/**
 * What one POST came to. `unknown` is everything that cannot be proven to be one of the others: it is capacity and
 * money until it is resolved, and it is never sent again.
 */
export type LaunchAnswer =
  | { readonly kind: "accepted"; readonly id: string; readonly deployment: Partial<Deployment> }
  | {
      readonly kind: "rejected";
      readonly status: number;
      readonly code?: string;
      readonly message?: string;
      /** Seconds, as the service gave them; undefined if it gave none. */
      readonly retryAfter?: number;
    }
  /** `permanent`: to send it again would come to the same, as where the profile or a parameter is missing. */
  | { readonly kind: "notSent"; readonly reason: string; readonly permanent?: true }
  | { readonly kind: "unknown"; readonly reason: string };

/** One stop call. `mayLeave`: as of a launch. */
export interface StopRequest {
  readonly id: string;
  readonly mayLeave?: () => boolean;
}

/** What one stop call came to. `gone`: the service says there is nothing (left) to stop. */
export type StopAnswer =
  | { readonly kind: "accepted" }
  | { readonly kind: "gone" }
  /** `retryAfter`: seconds for which the service asked not to be asked again. */
  | { readonly kind: "failed"; readonly reason: string; readonly retryAfter?: number };

/** What the wire profile makes possible: asked before anything is tried, so that a missing part stops nothing else. */
export interface Abilities {
  /** The launch body carries a marker and the deployment fields map it back. */
  readonly marker: boolean;
  /** Offer, provider and location are all mapped on a deployment. */
  readonly combination: boolean;
  readonly launch: boolean;
  readonly stop: boolean;
  readonly get: boolean;
  readonly offers: boolean;
  /** Deployments' prices are mapped. */
  readonly price: boolean;
  /** Offers' prices are mapped. */
  readonly offerPrice?: boolean;
  /** Those of offer, provider and location that the profile itself says of every deployment: they tell nothing apart. */
  readonly constants?: readonly (keyof Combination)[];
  /** Connection details that are secret are mapped. */
  readonly secretConnection?: boolean;
}

/**
 * The GPU deployment service through one account's credential and one wire profile. Every method throws a
 * `FleetkeeperError` (see errors.ts) when it cannot answer, except `launch` and `stop`, whose outcomes are all values.
 * `launch` never throws: a missing part or parameter is `notSent`. `stop` throws PROFILE_PART_MISSING, before anything is
 * sent. No method ever sends a POST twice.
 */
export interface Service {
  readonly baseUrl: string;
  readonly abilities: Abilities;
  /** SHA-256 (hex) of the profile's meaning: equal for two files that say the same. */
  readonly profileHash: string;
  /** True for a state that ends a deployment: the specification's two, and those the profile names. */
  isTerminal(status: string): boolean;
  /** Undefined: the profile does not say. */
  isRetryable(failureCode: string): boolean | undefined;
  account(signal: AbortSignal): Promise<Account>;
  balance(signal: AbortSignal): Promise<Balance>;
  /**
   * Every deployment of the account, whatever its status; throws rather than return a list it cannot know whole. Records that
   * cannot be read are in it as such.
   */
  deployments(signal: AbortSignal): Promise<readonly (Deployment | Unread)[]>;
  /** Undefined: the service answered 404. */
  deployment(id: string, signal: AbortSignal): Promise<Deployment | undefined>;
  /** Those that cannot be read are in it as such; throws if there is no other. */
  offers(signal: AbortSignal): Promise<readonly (Offer | Unread)[]>;
  /**
   * Waits for a turn under the profile's request rate. `launch` and `stop` themselves never wait: between the last look at
   * what is asked for and the request nothing may take time.
   */
  turn(signal: AbortSignal): Promise<void>;
  /** Sends the POST exactly once, at once; ask for a `turn` before. */
  launch(request: LaunchRequest, signal: AbortSignal): Promise<LaunchAnswer>;
  /** At once, as `launch`; never throws for what the service answers. */
  stop(request: StopRequest, signal: AbortSignal): Promise<StopAnswer>;
}
