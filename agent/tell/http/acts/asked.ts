import type { Act } from "../pages/acts.ts";

/** What a person chose, as the address of the first step has it: the order and what it is about, too. */
export type Chosen = Readonly<Record<string, string>>;

/** An order that somebody asks about on a page. */
export interface Asked {
  readonly act: Act;
  readonly target: string;
  readonly chosen: Chosen;
  /** It leads back to the page of what it is about, and not to the status page. */
  readonly isOwnPage: boolean;
}
