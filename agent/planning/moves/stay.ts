import { pausedStopsText } from "../../fleet/phase/paused-stops.ts";
import { whyUncounted } from "../count/count.ts";
import { initialAdoptionHold, untilSecondList } from "../machines/initial-adoption.ts";
import type { Move } from "./move.ts";

/* What leaves a fleet as it is. */

export const pause: Move = {
  alone: true,
  plan: ({ draft, fleet, phase }) => {
    if (phase.kind !== "paused") return undefined;
    const kept = `${phase.why}: what runs is kept, nothing is launched or stopped`;
    return { notes: [kept, ...pausedStopsText(draft, fleet)] };
  },
};

/** A new fleet looks twice at what is there before it rents anything. */
export const twoListsFirst: Move = {
  alone: true,
  plan: ({ draft, fleet, wish, inputs, context }) => {
    if (fleet.born) return undefined;
    const hold = fleet.birth === null ? undefined : initialAdoptionHold(draft, wish, inputs.offers, context);
    const apart = Math.round(context.settings.gone / 1000);
    const first = `two agreeing lists, ${apart} s apart, are taken first, so that machines which are there already are matched`;
    const left = fleet.birth === null ? 0 : untilSecondList(draft, fleet, context.now, context);
    return { notes: [hold ?? first], wake: left > 0 ? left : undefined };
  },
};

/** A fleet with machines of an unknown size neither rents nor stops. */
export const countFirst: Move = {
  alone: true,
  plan: ({ draft, fleet, context }) => {
    const uncounted = whyUncounted(draft, fleet, context);
    return uncounted && { holds: [uncounted] };
  },
};
