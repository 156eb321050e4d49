import { holdText } from "../../../launch/facts/hold.ts";
import { launchedBy, whyGivenBack } from "../holds/all-or-nothing.ts";
import { firstEnd } from "../told/fleet-plan.ts";
import type { Move } from "./move.ts";
import { stopAll } from "./stopping.ts";

/** An all-or-nothing fleet that was not whole in time stops what it launched. After a pause everything is tried anew. */
export const giveBack: Move = {
  alone: true,
  plan: ({ draft, fleet, inputs, context }) => {
    if (fleet.attempt?.state !== "givenBack") return undefined;
    const given = whyGivenBack(draft, fleet, context);
    const why = given
      ? holdText({ ...given, numbers: { ...given.numbers, next: "" } })
      : "what was launched is given back";
    const { stops, obstacles } = stopAll(launchedBy(draft, fleet), why, inputs, context.now);
    const holds = given ? [given] : [];
    return { stops, holds, notes: obstacles, wake: firstEnd(holds, context) };
  },
};
