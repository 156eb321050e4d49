import type { Context } from "../../launch/facts/context.ts";
import type { Draft } from "../../ledger/draft.ts";
import type { FleetRow } from "../../ledger/rows.ts";
import { parsePrice } from "../../service/contract/money.ts";
import { fleetPhase } from "../fleet/phase/fleet-phase.ts";
import { waitsFirst } from "../fleet/phase/lacking.ts";
import { parseWish } from "../fleet/wish/wish.ts";
import { count } from "./count/count.ts";
import { gpusOf } from "./count/machine-gpus.ts";
import { wishInForce } from "./count/wish-in-force.ts";

/**
 * Stores since when a fleet lacks GPUs, if its wish waits for something first. It is over once all of them run: a launch that
 * fails begins no new wait.
 */
export function storeLacking(draft: Draft, fleet: FleetRow, context: Context): void {
  const { lacking: before, usual: paid, ...rest } = fleet;
  const lacking = isLacking(draft, fleet, context) ? (before ?? context.now) : undefined;
  const usual = lacking ? paid : usualPrice(draft, fleet, context);
  if (lacking !== before || usual !== paid)
    draft.putFleet({ ...rest, ...(lacking && { lacking }), ...(usual !== undefined && { usual }) });
}

/** What half of its GPUs cost at most, where its wish asks for that. */
function usualPrice(draft: Draft, fleet: FleetRow, context: Context): string | undefined {
  if (parseWish(fleet.wish).select?.patience?.above === undefined) return undefined;
  const priced = count(draft, fleet, context).machines.flatMap((row) => {
    const [gpus, price] = [gpusOf(draft, row), parsePrice(row.pricePerHour)];
    return price && gpus > 0 ? [{ gpus, each: price.div(gpus) }] : [];
  });
  let half = priced.reduce((sum, { gpus }) => sum + gpus, 0) / 2;
  const found = priced
    .sort((one, other) => one.each.cmp(other.each))
    .find(({ gpus }) => {
      half -= gpus;
      return half <= 0;
    });
  return found?.each.round(6).toFixed();
}

function isLacking(draft: Draft, fleet: FleetRow, context: Context): boolean {
  const wish = wishInForce(draft, fleet, context);
  if (!waitsFirst(wish) || !fleet.born || fleetPhase(draft, fleet, context).kind !== "kept") return false;
  const { missing, running } = count(draft, fleet, context);
  const isShort = missing > 0 || (fleet.part?.short ?? 0) > 0;
  return isShort || (fleet.lacking !== undefined && running < wish.gpus);
}
