import { ago, MINUTE_MS } from "../../../ledger/instant.ts";
import type { DeploymentRow, ImprovingRow } from "../../../ledger/rows.ts";
import { parseUsd, type Usd } from "../../../service/contract/money.ts";
import { cameSince } from "../count/came-since.ts";
import { gpusOf, gpusOfAll } from "../count/machine-gpus.ts";
import { checksMs, isReady } from "../machines/readiness.ts";
import { mayBeStopped } from "../machines/scale-down.ts";
import { cheapestMix, type Option } from "../mix/mix.ts";
import { launchable, withinBuffer } from "./before-replacing.ts";
import { leftInPart } from "./in-part.ts";
import type { Move, Planned, Situation } from "./move.ts";

/** A move is given up after so long, and what the fleet's checks may take. */
const LASTS_MS = 30 * MINUTE_MS;

/** Goes on with a move that was begun, to cheaper machines or to one of another size: launches what has not come yet, and then stops what it replaces. */
export const goOnImproving: Move = {
  alone: true,
  plan: (of) => {
    const { improving } = of.fleet;
    if (!improving) return undefined;
    return improving.ahead > 0 ? ahead(of, improving) : behind(of, improving);
  },
};

function ahead(of: Situation, improving: ImprovingRow): Planned {
  const { draft, fleet, wish, counted, context } = of;
  const { why, left, gpus } = improving;
  const old = left.flatMap(({ id }) => counted.machines.filter((row) => row.id === id));
  const isWhole = old.length === left.length && old.every((row) => mayBeStopped(row, context.now));
  const came = cameSince(draft, fleet, improving, context);
  const there = gpusOfAll(draft, came.machines);
  // What the fleet has without the new ones: less than its count, and one was lost; more, and it wants less.
  const others = counted.there - there;
  const isLess = others > wish.gpus + wish.overshoot;
  const isWanted = improving.fills === undefined ? wish.improve : wish.otherSizes;
  const giveUp = (): Planned => givenUp(of, improving, old, came.machines, others);
  if (!isWanted || isLess) return giveUp();
  const isCut = !isWhole || others < wish.gpus - (improving.fills ?? 0);
  if (isMoveOverdue(of, improving)) {
    const planned = giveUp();
    const late = wish.allOrNothing || isCut ? [] : unready(of, came.machines, why);
    return { ...planned, stops: [...(planned.stops ?? []), ...late] };
  }
  const missing = isCut ? 0 : gpus - there - came.unknown;
  const launches = missing > 0 ? more(of, improving, old, missing, came.price) : undefined;
  if (launches) return { launches: launches.map((option) => ({ option, why })), notes: [why] };
  const isInPart = isCut || missing > 0;
  // What the fleet lacks comes first, and what came and would replace nothing goes before it is paid for.
  const isWorth = counted.missing <= 0 && leftInPart(of, improving, old, came.machines, others).length > 0;
  if (isInPart && !isWorth) return giveUp();
  if (came.unknown > 0 || !came.machines.every((row) => isReady(row, wish)))
    return { notes: [`${why}: it stays until what is new is ready`] };
  return isInPart ? giveUp() : { ...over(left), stops: old.map(({ id }) => ({ id, why })) };
}

/**
 * What came takes the place of what was lost, and of what the move was to leave, as far as it is ready. The rest is surplus. Of a
 * fleet that moves as a whole it goes itself, but for what takes the place of what was lost.
 */
function givenUp(
  of: Situation,
  improving: ImprovingRow,
  old: readonly DeploymentRow[],
  came: readonly DeploymentRow[],
  others: number,
): Planned {
  const { draft, wish, context } = of;
  const { why } = improving;
  if (!wish.allOrNothing) {
    const ready = came.filter((row) => isReady(row, wish));
    const goes = leftInPart(of, improving, old, ready, others);
    return { ...over(goes), stops: goes.map(({ id }) => ({ id, why: `in part: ${why}` })) };
  }
  let lost = wish.gpus - others;
  const goes = came.filter((row) => {
    const isKept = lost > 0 || !mayBeStopped(row, context.now);
    lost -= gpusOf(draft, row);
    return !isKept;
  });
  return { ...over([]), stops: goes.map(({ id }) => ({ id, why: `given up: ${why}` })) };
}

/** What came and was not ready in time goes itself: as surplus, it could stay in the place of one that works. */
function unready({ wish, context }: Situation, came: readonly DeploymentRow[], why: string) {
  return came
    .filter((row) => !isReady(row, wish) && mayBeStopped(row, context.now))
    .map(({ id }) => ({ id, why: `given up, as it was not ready in time: ${why}` }));
}

/** The old ones were stopped first: what is missing is launched as for any loss. */
function behind(of: Situation, improving: ImprovingRow): Planned | undefined {
  const { missing, starting, stopping } = of.counted;
  const isThere = missing <= 0 && starting === 0 && stopping === 0;
  return isThere || isMoveOverdue(of, improving) ? over(improving.left) : undefined;
}

function over(leaves: readonly { readonly id: string }[]): Planned {
  return { move: { leaves: leaves.map(({ id }) => id) }, wake: 0 };
}

function isMoveOverdue({ wish, context }: Situation, { begun }: ImprovingRow): boolean {
  return ago(begun, context.now) > LASTS_MS + checksMs(wish);
}

/** What of the new machines has not been launched yet, for no more than was planned; undefined: it cannot be had for that. */
function more(
  of: Situation,
  { most }: ImprovingRow,
  old: readonly DeploymentRow[],
  missing: number,
  spent: Usd | undefined,
): readonly Option[] | undefined {
  const cost = spent && parseUsd(most)?.minus(spent);
  if (!cost) return undefined;
  const choice = launchable(of);
  if (!choice) return [];
  return cheapestMix(withinBuffer(of, old, choice.ready), {
    gpus: missing,
    slack: 0,
    cost,
    spread: choice.spread,
  });
}
