import type { Context } from "../../launch/facts/context.ts";
import { doubtsOf } from "../../launch/money/price.ts";
import type { Draft } from "../../ledger/draft.ts";
import type { FleetRow } from "../../ledger/rows.ts";
import { fleetPhase } from "../fleet/fleet-phase.ts";
import { countInForce } from "../fleet/lowered-count.ts";
import type { Wish } from "../fleet/wish.ts";
import { parseWish } from "../fleet/wish.ts";
import { knownWish } from "./known-prices.ts";

/**
 * What a fleet wants now, which is the only thing that launches and stops go by: what was declared, but no GPUs while
 * the fleet is drained, none that were given back, and candidates at the prices that are known of them.
 */
export function wishInForce(draft: Draft, fleet: FleetRow, context: Context): Wish {
  const wish = knownWish(doubtsOf(draft, context.wire.profileHash), parseWish(fleet.wish));
  if (fleetPhase(draft, fleet, context).kind === "drained") return { ...wish, gpus: 0 };
  return fleet.lowered ? { ...wish, gpus: countInForce(fleet) } : wish;
}
