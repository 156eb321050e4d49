import { fleetOwner } from "../../../ledger/owner.ts";
import type { DeploymentRow, UpdatingRow } from "../../../ledger/rows.ts";
import { remainingBudgetOf } from "../../fleet/money/remaining-budget.ts";
import { cameSince } from "../count/came-since.ts";
import { gpusOf, gpusOfAll } from "../count/machine-gpus.ts";
import { isReady, unreadyText } from "../machines/readiness.ts";
import { mayBeStopped } from "../machines/scale-down.ts";
import { failedSince, isUpdateOverdue } from "../machines/updating.ts";
import { cheapestMix, type Option } from "../mix/mix.ts";
import { launchable, withinBuffer } from "./before-replacing.ts";
import type { Move, Planned, Situation } from "./move.ts";
import { idsOf } from "./stopping.ts";

/** Goes on with machines that are being replaced: launches what has not come yet, and then stops what it replaces. */
export const goOnUpdating: Move = {
  alone: true,
  plan: (of) => {
    const { updating } = of.fleet;
    if (!updating) return undefined;
    return updating.ahead > 0 ? ahead(of, updating) : behind(of, updating);
  },
};

function ahead(of: Situation, updating: UpdatingRow): Planned {
  const { draft, fleet, wish, counted, context } = of;
  const { why, gpus, begun } = updating;
  const old = updating.old.flatMap((id) => counted.machines.filter((row) => row.id === id));
  const isWhole = old.length === updating.old.length && old.every((row) => mayBeStopped(row, context.now));
  const came = cameSince(draft, fleet, { begun }, context);
  const there = gpusOfAll(draft, came.machines);
  // What the fleet has without the new ones: less than its count, and one was lost; more, and it wants less.
  const others = counted.there - there;
  const most = Math.max(wish.gpus + wish.overshoot, wish.gpus + gpusOfAll(draft, old) - gpus);
  if (!isWhole || others < wish.gpus || others > most) return over();
  const ready = came.machines.filter((row) => isReady(row, wish));
  const missing = gpus - there - came.unknown;
  if (missing <= 0 && came.unknown === 0 && ready.length === came.machines.length)
    return { ...over(), stops: old.map(({ id }) => ({ id, why })) };
  if (isUpdateOverdue(updating, wish, draft.account.watched, context))
    return failed(of, updating, came.machines, old);
  const excess = Math.max(0, others - wish.gpus - wish.overshoot);
  const slack = updating.ahead - gpus - excess;
  if (missing > 0) return { launches: more(of, updating, old, { gpus: missing, slack }), notes: [why] };
  return { notes: [`${why}: it stays until what is new is ready`] };
}

/** What is not ready goes itself: as surplus, it could stay in the place of one that works. What is ready takes the place of old ones. */
function failed(
  of: Situation,
  updating: UpdatingRow,
  came: readonly DeploymentRow[],
  old: readonly DeploymentRow[],
): Planned {
  const { draft, wish, context } = of;
  const unready = came.filter((row) => !isReady(row, wish));
  let room = came.reduce((sum, row) => sum + (unready.includes(row) ? 0 : gpusOf(draft, row)), 0);
  const goes = old.filter((row) => {
    const fits = gpusOf(draft, row) <= room;
    if (fits) room -= gpusOf(draft, row);
    return fits;
  });
  return {
    ...over(whyFailed(of, updating, unready)),
    stops: [
      ...unready
        .filter((row) => mayBeStopped(row, context.now))
        .map(({ id }) => ({ id, why: `it was not ready in time to replace another one: ${updating.why}` })),
      ...goes.map(({ id }) => ({ id, why: updating.why })),
    ],
  };
}

/** The old ones were stopped first: what is missing is launched as for any loss. */
function behind(of: Situation, updating: UpdatingRow): Planned | undefined {
  const { draft, fleet, wish, counted, context } = of;
  const { missing, starting, stopping } = counted;
  const came = cameSince(draft, fleet, updating, context).machines;
  const unready = came.filter((row) => !isReady(row, wish));
  if (missing <= 0 && starting === 0 && stopping === 0 && unready.length === 0) return over();
  if (!isUpdateOverdue(updating, wish, draft.account.watched, context)) return undefined;
  return over(whyFailed(of, updating, unready));
}

/** Undefined: nothing came, or not all of it. That says nothing of the wish. */
function whyFailed(
  { draft, fleet, context }: Situation,
  { begun, why }: UpdatingRow,
  unready: readonly DeploymentRow[],
): string | undefined {
  if (unready.length > 0) {
    const said = unready.flatMap((row) => unreadyText(row) ?? [])[0];
    return `${why}, and ${idsOf(unready)} ${unready.length === 1 ? "was" : "were"} not ready in time to replace that${said === undefined ? "" : `: ${said}`}`;
  }
  const ended = failedSince(draft, fleet, begun, context);
  return ended.length === 0 ? undefined : `${why}, and ${idsOf(ended)} failed in its place`;
}

function over(failed?: string): Planned {
  return { update: { failed }, wake: 0 };
}

/** What of the new machines has not been launched yet, or nothing, if it cannot be had now. */
function more(
  of: Situation,
  { why }: UpdatingRow,
  old: readonly DeploymentRow[],
  size: { readonly gpus: number; readonly slack: number },
): NonNullable<Planned["launches"]> {
  const { draft, fleet, wish, context } = of;
  const choice = launchable(of);
  if (!choice) return [];
  const { ready, avoided, spread } = choice;
  const cost = remainingBudgetOf(draft, fleetOwner(fleet.name), wish, context)?.usd;
  const bounds = { ...size, cost, spread };
  const mix: readonly Option[] = cheapestMix(withinBuffer(of, old, [...ready, ...avoided]), bounds) ?? [];
  return mix.map((option) => ({ option, why: `in its place: ${why}` }));
}
