import type { Context } from "../../launch/facts/context.ts";
import { livingOf, unresolvedOf } from "../../launch/facts/occupancy.ts";
import { settleDoubts } from "../../launch/money/price-doubt.ts";
import type { Draft } from "../../ledger/draft.ts";
import { fleetOwner } from "../../ledger/owner.ts";
import type { FleetRow } from "../../ledger/rows.ts";
import { fleetPhase, storePhase } from "../fleet/phase/fleet-phase.ts";
import { storeAskOver } from "../fleet/size/ask-for-count.ts";
import { storeWoken } from "../fleet/size/lowered-count.ts";
import { count } from "../planning/count/count.ts";
import { storeDoubtedGpus } from "../planning/count/doubted-gpus.ts";
import { askedInForce, wishInForce } from "../planning/count/wish-in-force.ts";
import { storeAttempt } from "../planning/holds/all-or-nothing.ts";
import { adoptInitially, matchFurther } from "../planning/machines/initial-adoption.ts";
import { storeLacking } from "../planning/store-lacking.ts";
import { storeWork } from "../planning/work/work.ts";
import type { TickInputs } from "./read-service.ts";

/** Stores what follows from what was seen, for each fleet that is `mine`. */
export function storeFleets(
  draft: Draft,
  { believed, inputs: { offers } }: TickInputs,
  mine: (fleet: string) => boolean,
  context: Context,
): void {
  settleDoubts(draft, offers, context);
  const { list } = draft.account;
  if (!believed || !list) return;
  // Each step for all fleets before the next one: a step sees what the last one wrote of every fleet.
  const forEach = (step: (fleet: FleetRow) => void): void => {
    for (const fleet of draft.fleets.values()) if (mine(fleet.name)) step(fleet);
  };
  forEach((fleet) => storeLeft(draft, fleet));
  forEach((fleet) => storePhase(draft, fleet, context));
  forEach((fleet) => storeAskOver(draft, fleet, context));
  forEach((fleet) => storeWoken(draft, fleet, context));
  forEach((fleet) => adoptInitially(draft, fleet, list, offers, context));
  forEach((fleet) => matchFurther(draft, fleet, offers, context));
  forEach((fleet) => storeWhole(draft, fleet, context));
  forEach((fleet) => storeAttempt(draft, fleet, context));
  forEach((fleet) => storeWork(draft, fleet, offers, context));
  forEach((fleet) => storeLacking(draft, fleet, context));
  forEach((fleet) => storeDoubtedGpus(draft, fleet, context));
}

/** Its life begins once all that it asks for without its buffer runs, ready or not: a check that never passes must not keep it for good. */
function storeWhole(draft: Draft, fleet: FleetRow, context: Context): void {
  const { life } = wishInForce(draft, fleet, context);
  const gpus = askedInForce(draft, fleet, context);
  if (life === undefined || fleet.whole !== undefined || fleetPhase(draft, fleet, context).kind !== "kept")
    return;
  if (gpus > 0 && count(draft, fleet, context).running >= gpus)
    draft.putFleet({ ...fleet, whole: context.now.wall });
}

/** A part that its declaration leaves out is over once nothing is left there. The first part stays: it keeps the whole's count. */
function storeLeft(draft: Draft, fleet: FleetRow): void {
  if (fleet.part?.leaving !== "declaration" || fleet.name === fleet.part.of || fleet.removed) return;
  const owner = fleetOwner(fleet.name);
  if (livingOf(draft, owner).length + unresolvedOf(draft, owner).length > 0) return;
  draft.putFleet({ ...fleet, removed: true });
}
