import { isUnserving, unservingWhy, whyKept } from "../../../launch/ends/unserving.ts";
import type { Move } from "./move.ts";

/** The next machine that bills and does not serve is stopped. What is missing then is launched as for any other that stops. */
export const replaceUnserving: Move = {
  alone: false,
  plan: ({ draft, counted, context }) => {
    const next = counted.machines.find(
      (row) => isUnserving(draft, row, context) && whyKept(draft, row, context) === undefined,
    );
    return next && { stops: [{ id: next.id, why: unservingWhy(next) }] };
  },
};
