import { priceOf } from "../../../launch/money/price.ts";
import { fleetOwner } from "../../../ledger/owner.ts";
import type { DeploymentRow } from "../../../ledger/rows.ts";
import { toRenew } from "../../fleet/phase/renewal-marks.ts";
import { type Choice, choose } from "../choices/options.ts";
import { type Growth, growthOf } from "../choices/placement.ts";
import { isCheap } from "../count/buffer.ts";
import { gpusOf, gpusOfAll } from "../count/machine-gpus.ts";
import { askedInForce } from "../count/wish-in-force.ts";
import { isReady } from "../machines/readiness.ts";
import { surplus } from "../machines/scale-down.ts";
import type { Option } from "../mix/mix.ts";
import { atHome } from "./launch.ts";
import type { Situation } from "./move.ts";

/* What each move asks before it replaces machines by others. */

/** Nothing starts or stops, all that it has works, and nothing is to be replaced for another reason, or may not be. */
export function isSettled({ draft, fleet, wish, counted, context }: Situation): boolean {
  const { machines, starting, stopping } = counted;
  if (fleet.improving || fleet.updating || fleet.updateHeld || starting > 0 || stopping > 0) return false;
  if (surplus(draft, machines, wish.gpus, context).length > 0) return false;
  return machines.every((row) => isReady(row, wish)) && toRenew(draft, fleet.name).length === 0;
}

/** What may be launched where it is to be; undefined: something holds all of it. */
export function launchable(of: Situation): (Choice & Pick<Growth, "spread">) | undefined {
  const { draft, fleet, wish, counted, inputs, context } = of;
  const growth = growthOf(draft, wish, counted);
  const choice = choose(draft, fleetOwner(fleet.name), wish, inputs.offers, context);
  if (choice.hold || growth.hold) return undefined;
  return { ...atHome(choice, growth), spread: growth.spread };
}

/** What of these options may take the place of these machines: only what its buffer may cost, where it would be short without them. */
export function withinBuffer(
  { draft, fleet, wish, counted, context }: Situation,
  old: readonly DeploymentRow[],
  options: readonly Option[],
): readonly Option[] {
  const kept = counted.machines.filter(
    (row) => !old.includes(row) && isCheap(wish, priceOf(draft, row), gpusOf(draft, row)),
  );
  if (gpusOfAll(draft, kept) >= wish.gpus - askedInForce(draft, fleet, context)) return options;
  return options.filter((each) => isCheap(wish, each.pricePerHour, each.gpus));
}
