import type { Abilities, Offer } from "../service/contract/service.ts";

/**
 * What a service offered for some time. One row a change, not a reading. No decision about money reads it: it is for
 * previews by who has no key of this service.
 */
export interface Market {
  /** When this was first read so, wall time in ms. */
  readonly at: number;
  /** A moment at which it was still read so, wall time in ms: of an unchanged answer the newest is written down at intervals. */
  readonly until: number;
  /** What the agent's wire profile made possible then. */
  readonly can: Abilities;
  /** All that could be read, sold out or not. */
  readonly offers: readonly Offer[];
}
