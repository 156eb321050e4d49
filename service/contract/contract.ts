import { z } from "zod";
import { LONGEST_NAME } from "./limits.ts";
import { parseUsd } from "./money.ts";

/**
 * Everything that the service's specification shows, as code; the rest stands in a {@link WireProfile}.
 *
 * Unknown fields of answers are ignored: a service may add some. Errors name missing required ones.
 */

/** The version prefix of every path (specification, section 9). */
export const API_PREFIX = "/api/v1";

/** The operations the specification names, relative to the base address (section 4). */
export const PATHS = {
  account: `${API_PREFIX}/account`,
  balance: `${API_PREFIX}/account/balance`,
  deployments: `${API_PREFIX}/deployments`,
  deployment: (id: string): string => `${API_PREFIX}/deployments/${encodeURIComponent(id)}`,
  offers: `${API_PREFIX}/offers`,
} as const;

/** The active states, in the order the specification lists them (section 3). */
export const ACTIVE_STATES = ["initializing", "provisioning", "connecting", "running", "stopping"] as const;

/** Active states before running: a stop in one of them gives the reserved first hour back (section 3). */
export const STATES_BEFORE_RUNNING: readonly string[] = ["initializing", "provisioning", "connecting"];

/** The specification's terminal states (section 3); it shows no name for a stopped deployment. */
export const TERMINAL_STATES = ["failed", "interrupted"] as const;

export type ActiveState = (typeof ACTIVE_STATES)[number];
export type TerminalState = (typeof TERMINAL_STATES)[number];

/** The error code of a combination that cools down: HTTP 503 with a `Retry-After` in seconds (section 7). */
export const OFFER_COOLING_DOWN = "offer_cooling_down";
export const COOLING_DOWN_STATUS = 503;

/** The failure codes in the specification (section 2). It does not show the full list. */
export const FAILURE_UNKNOWN = "UNKNOWN";
export const FAILURE_DUPLICATE_REQUEST = "DUPLICATE_REQUEST";
export const FAILURE_PLATFORM_PROVIDER_ISSUE = "PLATFORM_PROVIDER_ISSUE";

/** `GET /api/v1/account` (section 2). */
export const accountSchema = z.object({
  id: z.uuid(),
  email: z.string().max(LONGEST_NAME),
  display_name: z.string().max(LONGEST_NAME),
  created_at: z.iso.datetime(),
});
export type Account = Readonly<z.infer<typeof accountSchema>>;

/** `GET /api/v1/account/balance`: USD with 4 decimal places, as a string (sections 2 and 8). */
export const balanceSchema = z.object({
  balance: z
    .string()
    .regex(/^-?\d{1,30}\.\d{4}$/, "expected a decimal string with 4 places, such as 12.3400")
    .refine((text) => parseUsd(text), "expected an amount that a balance can have"),
  currency: z.literal("USD"),
});
/** In USD, or in the currency of a profile 2. */
export type Balance = Readonly<{ balance: string; currency: string }>;

/** An exact offer, provider and location: it is what is launched, and what cools down (sections 1 and 7). */
export interface Combination {
  readonly offer: string;
  readonly provider: string;
  readonly location: string;
}

/** A text that is equal for equal combinations only. */
export function combinationKey({ offer, provider, location }: Combination): string {
  return JSON.stringify([offer, provider, location]);
}

/** How messages name a combination. */
export function combinationText({ offer, provider, location }: Combination): string {
  return `${offer} @ ${provider}/${location}`;
}
