import { holdText } from "../../../launch/facts/hold.ts";
import { hourOf } from "../../../launch/money/price.ts";
import { HOUR_MS } from "../../../ledger/instant.ts";
import { fleetOwner } from "../../../ledger/owner.ts";
import type { DeploymentRow } from "../../../ledger/rows.ts";
import { type Usd, ZERO_USD } from "../../../service/contract/money.ts";
import { toRenew } from "../../fleet/phase/renewal-marks.ts";
import { gpusText } from "../../fleet/text/text.ts";
import { OVERLAP_HOURS } from "../choices/better-machines.ts";
import { choose } from "../choices/options.ts";
import { growthOf } from "../choices/placement.ts";
import { wouldChurn } from "../count/churn.ts";
import { gpusOf, gpusOfAll } from "../count/machine-gpus.ts";
import { olderOf } from "../machines/older-wish.ts";
import { isReady } from "../machines/readiness.ts";
import { inStopOrder, isNearPaidEnd, mayBeStopped, surplus } from "../machines/scale-down.ts";
import { agedOf } from "../machines/updating.ts";
import { cheapestMix, type Option } from "../mix/mix.ts";
import { withinBuffer } from "./before-replacing.ts";
import { costOf, isPaid } from "./is-paid.ts";
import { atHome, fleetHolds } from "./launch.ts";
import type { Move, Planned, Situation } from "./move.ts";
import { byHand, heldTexts, idsOf } from "./stopping.ts";

/** Machines that are to be replaced for one reason, in the order in which they go. */
interface Due {
  readonly by: "update" | "age";
  readonly why: string;
  readonly rows: readonly DeploymentRow[];
  readonly most: number;
  readonly isAtPaidEnd: boolean;
}

/** Begins to replace machines of an older wish, and those that are too old, in a fleet that has all that it asks for. */
export const update: Move = {
  alone: false,
  plan: (of) => {
    const { draft, fleet, inputs, context } = of;
    if (fleet.part || fleet.updating || fleet.updateHeld || fleet.improving) return undefined;
    const due = duesOf(of).filter(({ rows }) => rows.length > 0);
    const [first] = due;
    if (!first || toRenew(draft, fleet.name).length > 0) return undefined;
    const wait = (why: string, { why: what, rows } = first): Planned => ({
      notes: [`${idsOf(rows)} to be replaced (${what}): ${why}`],
    });
    if (!inputs.can.stop) return { notes: [byHand(first.rows, first.why)] };
    if (!inputs.can.launch) return wait('nothing can be launched: the profile has no part "launch"');
    const busy = whyBusy(of, first);
    if (busy !== undefined) return wait(busy);
    const [held] = fleetHolds(of);
    if (held) return wait(holdText(held, context.now.wall));
    const next = due.map((each) => ({ ...each, rows: each.rows.filter((row) => mayGo(of, each, row)) }));
    const free = next.find(({ rows }) => rows.length > 0);
    if (!free) return wait(whyNone(of, first));
    return begin(of, free) ?? wait(whyNoOther(of, free), free);
  },
};

/** What is of an older wish goes first: what comes in its place is young, too. */
function duesOf({ draft, fleet, wish, context }: Situation): readonly Due[] {
  const { update, maxAge } = wish;
  const older = update ? olderOf(draft, fleet, context).map(({ row }) => row) : [];
  const inOrder = inStopOrder(draft, older, context);
  const rows = [false, true].flatMap((ready) => inOrder.filter((row) => isReady(row, wish) === ready));
  const { most = 1, when } = update ?? {};
  return [
    { by: "update", why: "of an older wish", rows, most, isAtPaidEnd: when === "paidEnd" },
    {
      ...{ by: "age", why: `older than ${maxAge}`, rows: agedOf(draft, fleet, context) },
      ...{ most: 1, isAtPaidEnd: true },
    },
  ];
}

/** What has to be over first. Machines that are to go need not be ready, all others do. */
function whyBusy({ draft, wish, counted, context }: Situation, { rows }: Due): string | undefined {
  const { machines, missing, starting, stopping } = counted;
  if (missing > 0) return "first the fleet has to have all that it asks for";
  if (surplus(draft, machines, wish.gpus, context).length > 0)
    return "first what is above the count is stopped";
  if (starting > 0 || stopping > 0) return "one after the other";
  const unready = machines.filter((row) => !isReady(row, wish) && !rows.includes(row));
  return unready.length > 0 ? `first ${idsOf(unready)} has to be ready` : undefined;
}

function mayGo({ draft, wish, context }: Situation, { isAtPaidEnd }: Due, row: DeploymentRow): boolean {
  if (!mayBeStopped(row, context.now)) return false;
  const startMs = gpusOf(draft, row) <= wish.surge ? OVERLAP_HOURS * HOUR_MS : 0;
  return !isAtPaidEnd || isNearPaidEnd(draft, wish, row, context, startMs);
}

function whyNone({ context: { now } }: Situation, { rows, isAtPaidEnd }: Due): string {
  if (isAtPaidEnd && rows.some((row) => mayBeStopped(row, now)))
    return "at the end of the time that is paid for";
  return (
    heldTexts(rows, now)[0] ?? "this may be somebody else's and is not stopped: fleetkeeper adopt or disown"
  );
}

/** As many of them as may go together, new ones first if there is room for any. */
function begin(of: Situation, due: Due): Planned | undefined {
  const { draft, fleet, context } = of;
  const counts = Array.from({ length: Math.min(due.most, due.rows.length) }, (_, at) => at + 1).reverse();
  const tries = counts.flatMap((count) => {
    const old = due.rows.slice(0, count);
    return wouldChurn(draft, fleet, old, context) ? [] : [old];
  });
  for (const isAhead of [true, false])
    for (const old of tries) {
      const planned = inPlaceOf(of, due, old, isAhead);
      if (planned) return planned;
    }
  return undefined;
}

function inPlaceOf(
  of: Situation,
  due: Due,
  old: readonly DeploymentRow[],
  isAhead: boolean,
): Planned | undefined {
  const { draft, wish, counted } = of;
  const gpus = neededFor(of, old);
  // What goes first leaves a hole, which other sizes do not fill at once.
  const over = wish.otherSizes ? 0 : wish.overshoot;
  // More than the count and its overshoot are there where no machine is small enough to be stopped for that.
  const excess = Math.max(0, counted.there - wish.gpus - wish.overshoot);
  const slack = isAhead ? Math.min(wish.overshoot, wish.surge - gpus - excess) : over;
  if (gpus <= 0) return undefined;
  if (slack < 0) return undefined;
  const options = isAhead ? withinBuffer(of, old, optionsWithout(of, [])) : optionsWithout(of, old);
  const mix = cheapestMix(options, {
    ...{ gpus, slack },
    spread: growthWithout(of, isAhead ? [] : old).spread,
  });
  const freed = old.reduce<Usd>((sum, row) => sum.plus(hourOf(draft, row) ?? 0), ZERO_USD);
  if (!mix || !isPaid(of, costOf(mix), isAhead ? ZERO_USD : freed)) return undefined;
  const ids = old.map(({ id }) => id);
  const why = `${idsOf(old)} ${old.length === 1 ? "is" : "are"} ${due.why}`;
  const begins = { by: due.by, why, old: ids, gpus, ahead: isAhead ? gpus + slack + excess : 0 };
  return {
    update: { begins },
    ...(isAhead
      ? { launches: mix.map((option) => ({ option, why: `in its place: ${why}` })) }
      : { stops: ids.map((id) => ({ id, why: `it is ${due.why}` })) }),
  };
}

/** GPUs that are missing without these. */
function neededFor({ draft, wish, counted }: Situation, old: readonly DeploymentRow[]): number {
  return wish.gpus - counted.there + gpusOfAll(draft, old);
}

function growthWithout({ draft, wish, counted }: Situation, old: readonly DeploymentRow[]) {
  const machines = counted.machines.filter((row) => !old.includes(row));
  return growthOf(draft, wish, { ...counted, machines });
}

function optionsWithout(of: Situation, old: readonly DeploymentRow[]): readonly Option[] {
  const { draft, fleet, wish, inputs, context } = of;
  const choice = choose(draft, fleetOwner(fleet.name), wish, inputs.offers, context);
  const growth = growthWithout(of, old);
  if (choice.hold || growth.hold) return [];
  const { ready, avoided } = atHome(choice, growth);
  return [...ready, ...avoided];
}

/** Why nothing takes the place of the next one. */
function whyNoOther(of: Situation, { rows }: Due): string {
  const { draft, fleet, wish, inputs, context } = of;
  const next = rows.slice(0, 1);
  if (wouldChurn(draft, fleet, next, context))
    return "with that too much would be lost to machines that ended young (churn)";
  const options = optionsWithout(of, next);
  const gpus = neededFor(of, next);
  const [smallest] = options.map((each) => each.gpus).sort((one, other) => one - other);
  if (smallest === undefined) {
    const { hold, waiting, blocks, unfit } = choose(
      draft,
      fleetOwner(fleet.name),
      wish,
      inputs.offers,
      context,
    );
    const why = hold ?? waiting[0]?.hold ?? blocks[0]?.hold ?? unfit[0];
    return `kept until another one can be had${why ? `: ${holdText(why, context.now.wall)}` : ""}`;
  }
  if (smallest > gpus + wish.overshoot)
    return `the smallest machine that can be had has ${gpusText(smallest)}, and ${gpus} would be missing: raise update.most until old machines add up to it, or overshoot`;
  return "kept until another one can be had and is paid for";
}
