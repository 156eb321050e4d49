import { HOUR_MS } from "../../../ledger/instant.ts";
import { fleetOwner } from "../../../ledger/owner.ts";
import { amountText } from "../../../service/contract/money.ts";
import { remainingBudgetOf } from "../../fleet/money/remaining-budget.ts";
import { untilDeadline } from "../../fleet/phase/fleet-phase.ts";
import { gpusText } from "../../fleet/text/text.ts";
import { stopAhead } from "../../fleet/wish/before-stop-wish.ts";
import type { Wish } from "../../fleet/wish/wish.ts";
import { isCheap, mostBuffered } from "../count/buffer.ts";
import { bufferRoom } from "../count/count.ts";
import { askedInForce } from "../count/wish-in-force.ts";
import { mixesUpTo, type Option } from "../mix/mix.ts";
import { launchable } from "./before-replacing.ts";
import { fleetHolds } from "./launch.ts";
import type { Move, Situation } from "./move.ts";

/** A fleet that has all that it asks for launches its buffer, as much of it as can be had at its price. */
export const fillBuffer: Move = {
  alone: false,
  plan: (of) => {
    const { draft, fleet, wish, counted, inputs, context } = of;
    const gpus = bufferRoom(draft, fleet, context);
    const { launch, stop } = inputs.can;
    if (counted.missing > 0 || gpus <= 0 || !launch || !stop || fleetHolds(of).length > 0) return undefined;
    if (endsSoon(of)) return undefined;
    const choice = launchable(of);
    if (!choice) return undefined;
    const options = cheapOf(wish, choice.ready);
    const cost = remainingBudgetOf(draft, fleetOwner(fleet.name), wish, context)?.usd;
    const mix: readonly Option[] = mixesUpTo(options, { gpus, cost, spread: choice.spread }).at(-1) ?? [];
    return { launches: mix.map((option) => ({ option, why: `${gpusText(gpus)} of its buffer can be had` })) };
  },
};

/** What there is of the buffer, for people. */
export function bufferText(of: Situation): readonly string[] {
  const { draft, fleet, wish, context } = of;
  const asked = askedInForce(draft, fleet, context);
  const most = mostBuffered(wish, asked);
  if (!wish.buffer || most === 0) return [];
  const price = amountText(wish.buffer.maxPricePerGpuHour, draft.account.currency);
  const has = wish.gpus - asked;
  if (has < most && endsSoon(of))
    return [
      `buffer: ${has} of ${gpusText(most)} beside the ${asked} without it; none is launched in the fleet's last hour`,
    ];
  const lacks = has < most ? `, where one costs at most ${price} an hour${tooLarge(of)}` : "";
  return [`buffer: ${has} of ${gpusText(most)} beside the ${asked} without it${lacks}`];
}

/** What may never be of use has no first hour paid for it. */
function endsSoon({ wish, context }: Situation): boolean {
  const left = untilDeadline(wish, context);
  return left !== undefined && left <= HOUR_MS + stopAhead(wish);
}

/** That every machine at its price is larger than what the buffer lacks. */
function tooLarge(of: Situation): string {
  const lacks = bufferRoom(of.draft, of.fleet, of.context);
  const least = Math.min(...cheapOf(of.wish, launchable(of)?.ready ?? []).map(({ gpus }) => gpus));
  if (lacks <= 0 || least <= lacks || !Number.isFinite(least)) return "";
  return `; each machine at that price is larger than the ${lacks} that it lacks: ${gpusText(least)} or more`;
}

function cheapOf(wish: Wish, options: readonly Option[]): readonly Option[] {
  return options.filter(({ pricePerHour, gpus }) => isCheap(wish, pricePerHour, gpus));
}
