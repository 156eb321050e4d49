import { fleetOwner } from "../../../ledger/owner.ts";
import { type Usd, ZERO_USD } from "../../../service/contract/money.ts";
import { ownBudgetOf, sharedBudgetOf } from "../../fleet/money/remaining-budget.ts";
import type { Option } from "../mix/mix.ts";
import type { Situation } from "./move.ts";

/** What machines cost an hour together; undefined: of one nobody knows the price. */
export function costOf(mix: readonly Option[]): Usd | undefined {
  return mix.reduce<Usd | undefined>(
    (sum, { pricePerHour }) => pricePerHour && sum?.plus(pricePerHour),
    ZERO_USD,
  );
}

const LIMITS = ["floor", "perHour", "perDay", "total"] as const;

/**
 * Whether each limit on money pays for so much an hour, once `freed` an hour is free: only the one by the hour gets it back.
 * Undefined: of something the price is not known, and no limit pays for that.
 */
export function isPaid(
  { draft, fleet, wish, context }: Situation,
  costs: Usd | undefined,
  freed: Usd,
): boolean {
  const { budget } = wish;
  const owner = fleetOwner(fleet.name);
  const shared = sharedBudgetOf(draft, owner, context);
  if (shared && !costs?.lte(shared.usd)) return false;
  return LIMITS.every((limit) => {
    if (budget[limit] === undefined) return true;
    if (!costs) return false;
    const alone = { ...wish, budget: { [limit]: budget[limit], totalOf: budget.totalOf } };
    const left = ownBudgetOf(draft, owner, alone, context);
    return left !== undefined && costs.lte(limit === "perHour" ? left.usd.plus(freed) : left.usd);
  });
}
