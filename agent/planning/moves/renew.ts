import { type Hold, holdText } from "../../../launch/facts/hold.ts";
import { overBudget } from "../../../launch/money/budget.ts";
import { overSharedBudget } from "../../../launch/money/shared-budget.ts";
import { fleetOwner } from "../../../ledger/owner.ts";
import type { DeploymentRow } from "../../../ledger/rows.ts";
import { toRenew } from "../../fleet/phase/renewal-marks.ts";
import { andMore } from "../../fleet/text/text.ts";
import { limitsOf } from "../../fleet/wish/wish.ts";
import { choose } from "../choices/options.ts";
import { growthOf } from "../choices/placement.ts";
import { gpusOf } from "../count/machine-gpus.ts";
import { inStopOrder, mayBeStopped } from "../machines/scale-down.ts";
import type { Option } from "../mix/mix.ts";
import { atHome, fleetHolds } from "./launch.ts";
import type { Move, Planned, Situation } from "./move.ts";
import { heldTexts } from "./stopping.ts";

/*
 * A new value of a fleet's triggers asks for other machines. The present ones are marked, and launches under
 * way. The planner replaces one after the other: it stops one once the fleet has its count and another can be
 * had, then launches what is missing. So it never pays for more at a time.
 */

const WHY = "its fleet's triggers changed";

/** The next machine to replace, for a fleet that has all that it asks for; or why it has to wait. */
export const renew: Move = {
  alone: false,
  plan: (of) => {
    const { draft, counted, inputs, context } = of;
    const rows = toRenew(draft, of.fleet.name);
    if (counted.missing > 0 || rows.length === 0) return undefined;
    const wait = (why: string): Planned => ({
      notes: [`${andMore(rows.map(({ id }) => id))} to be replaced (${WHY}): ${why}`],
    });
    const mayGo = rows.filter((row) => mayBeStopped(row, context.now));
    const [next] = inStopOrder(draft, mayGo, context);
    if (counted.stopping > 0 || counted.starting > 0) return wait("one after the other");
    if (of.fleet.updating) return wait("first what is being replaced already");
    if (of.fleet.updateHeld) return wait(`nothing is replaced now: ${of.fleet.updateHeld.why}`);
    const [held] = next ? [] : heldTexts(rows, context.now);
    if (held !== undefined) return wait(held);
    if (!next) return wait("this may be somebody else's and is not stopped: fleetkeeper adopt or disown");
    if (!inputs.can.stop) return wait('stop it in the service\'s dashboard: the profile has no part "stop"');
    const obstacle = whyNoOther(of, next);
    if (obstacle === undefined) return { stops: [{ id: next.id, why: WHY }] };
    return wait(
      `kept until another one can be had: ${typeof obstacle === "string" ? obstacle : holdText(obstacle, context.now.wall)}`,
    );
  },
};

/** Why nothing could take its place now. Its price an hour is free by then, what it has cost is not. */
function whyNoOther(of: Situation, row: DeploymentRow): Hold | string | undefined {
  const { draft, fleet, wish, counted, inputs, context } = of;
  const { offers, can, offersProblem } = inputs;
  const owner = fleetOwner(fleet.name);
  const { perHour: _free, ...limits } = limitsOf(wish);
  const [held] = fleetHolds(of);
  if (held) return held;
  if (!can.launch) return 'nothing can be launched: the profile has no part "launch"';
  if (offersProblem !== undefined) return `the offers cannot be read: ${offersProblem}`;
  const chosen = choose(draft, owner, wish, offers, context);
  if (chosen.hold) return chosen.hold;
  const growth = growthOf(draft, wish, counted);
  if (growth.hold) return growth.hold;
  const { ready, avoided, waiting, blocks, unfit } = atHome(chosen, growth);
  // What goes first leaves a hole, which other sizes do not fill at once.
  const more = wish.otherSizes ? 0 : wish.overshoot;
  const fit = [...ready, ...avoided].filter(({ gpus }) => gpus <= gpusOf(draft, row) + more);
  const over = ({ gpus, pricePerHour }: Option): Hold | undefined => {
    const priced = { owner, gpus, pricePerHour: pricePerHour?.toFixed() ?? null };
    return overBudget(draft, { ...priced, limits }, context) ?? overSharedBudget(draft, priced, context);
  };
  const refusals = fit.map(over);
  if (refusals.includes(undefined)) return undefined;
  const [first] = [...refusals, ...[...waiting, ...blocks].map((each) => each.hold), ...unfit];
  return first ?? "nothing of its size can be had now";
}
