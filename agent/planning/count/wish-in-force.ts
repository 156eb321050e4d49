import type { Context } from "../../../launch/facts/context.ts";
import { doubtsOf } from "../../../launch/money/price.ts";
import type { Draft } from "../../../ledger/draft.ts";
import type { FleetRow } from "../../../ledger/rows.ts";
import { createMemory } from "../../../service/same/memory.ts";
import { fleetPhase } from "../../fleet/phase/fleet-phase.ts";
import { atLast, atUsual, isOutOfPatience } from "../../fleet/phase/lacking.ts";
import { wishWithEnd } from "../../fleet/phase/life.ts";
import { countInForce } from "../../fleet/size/lowered-count.ts";
import type { Wish } from "../../fleet/wish/wish.ts";
import { bufferedGpus } from "./buffer.ts";
import { knownWish } from "./known-prices.ts";

/**
 * What a fleet wants now, which is the only thing that launches and stops go by: what was declared, or what its schedule asks
 * for at this moment, with what it has of its buffer, but no GPUs while the fleet is drained, none that were given back, candidates at the prices that are known
 * of them, and the higher of two prices once its patience is over.
 */
export function wishInForce(draft: Draft, fleet: FleetRow, context: Context): Wish {
  const wish = atUsual(knownWish(doubtsOf(draft, context.wire.profileHash), wishWithEnd(fleet)), fleet);
  if (fleetPhase(draft, fleet, context).kind === "drained") return { ...wish, gpus: 0 };
  const priced = isOutOfPatience(wish, fleet, context) ? atLast(wish) : wish;
  const asked = countInForce(fleet, context);
  const { ceiling } = fleet.work ?? {};
  if (wish.work)
    return sized.of(priced, [asked, ceiling], () => atWork({ ...priced, gpus: asked }, wish.gpus, ceiling));
  const gpus = asked + bufferedGpus(draft, fleet, wish, asked, context);
  return gpus === wish.gpus ? priced : sized.of(priced, [gpus], () => ({ ...priced, gpus }));
}

/** How many GPUs it asks for now, without its buffer. */
export function askedInForce(draft: Draft, fleet: FleetRow, context: Context): number {
  return fleetPhase(draft, fleet, context).kind === "drained" ? 0 : countInForce(fleet, context);
}

/** The same object for the same count: what was found out of a wish is remembered by it. */
const sized = createMemory<Wish, Wish>();

/** The wish as it asks for so many GPUs now. Where machines do not add up to that, larger ones are taken. */
function atWork(wish: Wish, most: number, ceiling: number | undefined): Wish {
  const { gpus, overshoot, budget } = wish;
  const said = budget.perGpuHour;
  const perGpuHour = ceiling === undefined || (said && Number(said) < ceiling) ? said : String(ceiling);
  return {
    ...wish,
    overshoot: gpus === 0 ? overshoot : overshoot + most - gpus,
    budget: perGpuHour === undefined ? budget : { ...budget, perGpuHour },
  };
}
