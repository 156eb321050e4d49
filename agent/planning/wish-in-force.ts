import type { Context } from "../../launch/facts/context.ts";
import { doubtsOf } from "../../launch/money/price.ts";
import type { Draft } from "../../ledger/draft.ts";
import type { FleetRow } from "../../ledger/rows.ts";
import { fleetPhase } from "../fleet/fleet-phase.ts";
import type { Wish } from "../fleet/wish.ts";
import { parseWish } from "../fleet/wish.ts";
import { knownWish } from "./known-prices.ts";

/**
 * What a fleet wants now, which is the only thing that launches and stops go by: what was declared, but no GPUs while
 * the fleet is drained, and candidates at the prices that are known of them.
 */
export function wishInForce(draft: Draft, fleet: FleetRow, context: Context): Wish {
  const wish = knownWish(doubtsOf(draft, context.wire.profileHash), parseWish(fleet.wish));
  return fleetPhase(draft, fleet, context).kind === "drained" ? { ...wish, gpus: 0 } : wish;
}
