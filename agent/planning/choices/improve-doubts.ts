import type { Offer } from "../../../service/contract/service.ts";
import { opensAt } from "../../fleet/clock/windows.ts";
import { gpusText } from "../../fleet/text/text.ts";
import type { Wish } from "../../fleet/wish/wish.ts";
import { withinCeiling } from "./options.ts";

/** Why a fleet's `improve` does not do what somebody may expect of it, whatever runs now. Without offers not all is known. */
export function improveDoubts(
  wish: Wish,
  offers: readonly Offer[] | undefined,
  now: number,
): readonly string[] {
  const { improve, surge, select } = wish;
  if (!improve) return [];
  const options = select && !offers ? [] : withinCeiling(wish, offers);
  const least = Math.min(...options.map(({ gpus }) => gpus));
  const isOver = improve.within !== undefined && opensAt(improve.within, now) === undefined;
  return [
    ...(isOver ? ["no window of within comes any more, so nothing moves"] : []),
    ...(surge > 0 && options.length > 0 && least > surge
      ? [
          `no machine fits into surge, which is ${surge}: the smallest has ${gpusText(least)}, so old machines are stopped before new ones are launched`,
        ]
      : []),
    ...(options.length > 0 && options.every(({ pricePerHour }) => pricePerHour === undefined)
      ? ["nobody knows what its machines cost, so nothing moves: no offer shows a price"]
      : []),
  ];
}
