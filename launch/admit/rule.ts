import type { Draft } from "../../ledger/draft.ts";
import type { IntentRow, Owner } from "../../ledger/rows.ts";
import type { Combination } from "../../service/contract/contract.ts";
import type { Extra, Json } from "../../service/contract/service.ts";
import type { Context } from "../facts/context.ts";
import type { Hold } from "../facts/hold.ts";
import type { SpendLimits } from "../money/budget.ts";

/** What is known of an owner's next launch before its combination is chosen. */
export interface Owned {
  readonly owner: Owner;
  readonly limits: SpendLimits;
  /** What holds launches of such an owner alone: `SLOT_RULES`, or those of fleets. */
  readonly rules: readonly Rule[];
}

export interface LaunchWish extends Owned, Combination {
  readonly gpus: number;
  readonly pricePerHour: string | null;
  /** What work one GPU does, by the fleet; undefined: 1. */
  readonly worth?: string | undefined;
  /** What its offer says of the GPU's model. */
  readonly model?: string | undefined;
  readonly parameters: Readonly<Record<string, Json>>;
  /** What else of the offer is sent. */
  readonly extra?: Extra | undefined;
  /** What the owner asked for when this was chosen. */
  readonly asked?: unknown;
  /** Called once the launch is admitted. It is sent unless the last look finds a reason against it. */
  readonly admitted?: () => void;
}

/** A launch that is to be written, or to be sent. */
export interface Launch extends LaunchWish, Pick<IntentRow, "id"> {}

/**
 * One rule that holds launches. It is asked from the moment `from` on: `plan`, before anything is chosen; or `admit`,
 * where a launch is written down. The last time is `to`: `send`, the last look before the POST; or `admit`, if the
 * rule counts launches, and would count this one.
 */
export type Rule =
  | { readonly from: "plan"; readonly to: "admit" | "send"; readonly ask: Ask<Owned> }
  | { readonly from: "admit"; readonly to: "admit" | "send"; readonly ask: Ask<Launch> };

type Ask<T> = (draft: Draft, of: T, context: Context) => Hold | undefined;
