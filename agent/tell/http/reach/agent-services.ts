import type { Keeper } from "../../../../launch/keeper.ts";
import type { ServiceToRead } from "../../../reconcile/preview-services.ts";

/** One service of the agent, and what orders are written with in its account. */
export interface AgentService extends ServiceToRead {
  readonly orders?: Keeper | undefined;
}

export interface OverOptions {
  /** All of them, in the order of the fleet file, as they stand now. */
  readonly services: () => Promise<readonly AgentService[]>;
  /** The agent has one service, which has no name in its file. */
  readonly isOne?: boolean;
}

/** The same, for pages. */
export interface OverPages extends OverOptions {
  /** Takes what any of them knows as secret out of a text. */
  hide(text: string): string;
}
