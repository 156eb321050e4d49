import type { Context } from "../../../launch/facts/context.ts";
import type { Draft } from "../../../ledger/draft.ts";
import { DAY_MS, HOUR_MS } from "../../../ledger/instant.ts";
import type { DeploymentRow, FleetRow, ImprovedRow, ImprovingRow } from "../../../ledger/rows.ts";
import { combinationKey } from "../../../service/contract/contract.ts";
import { milliseconds } from "../../../service/text/duration.ts";
import type { Improve } from "../../fleet/wish/improve-wish.ts";
import type { Wish } from "../../fleet/wish/wish.ts";
import type { Option } from "../mix/mix.ts";
import { cameSince } from "./came-since.ts";
import { wishInForce } from "./wish-in-force.ts";

/* A move to cheaper machines in the ledger: the one that is under way, and those of the last day. */

/** A machine that came with a move stays for so long. */
const STAYS_MS = 6 * HOUR_MS;

/** GPUs that a move or an update may launch above the count: out of the surge, so never more than that. */
export function aheadOf(
  { improving, updating }: Pick<FleetRow, "improving" | "updating">,
  { surge }: Wish,
): number {
  return Math.min(improving?.ahead ?? updating?.ahead ?? 0, surge);
}

/** Stores that a move begins, or that the one under way is over: one that was given up counts for the pace, and left nothing. */
export function storeMove(draft: Draft, name: string, move: MoveNews, context: Context): void {
  const fleet = draft.fleets.get(name);
  if (!fleet) return;
  if (move.begins) {
    draft.putFleet({ ...fleet, improving: { ...move.begins, begun: context.now } });
    return;
  }
  const { improving, ...rest } = fleet;
  if (!improving) return;
  draft.putFleet({ ...rest, improved: withMove(draft, fleet, improving, move.leaves, context) });
}

/** What a plan says of a move: that it begins, or that it is over, and which of its old machines it leaves. */
export type MoveNews =
  | { readonly begins: Omit<ImprovingRow, "begun"> }
  | { readonly begins?: undefined; readonly leaves: readonly string[] };

function withMove(
  draft: Draft,
  fleet: FleetRow,
  { begun, left }: ImprovingRow,
  leaves: readonly string[],
  context: Context,
): readonly ImprovedRow[] {
  const came = cameSince(draft, fleet, { begun }, context).machines.map(({ id }) => id);
  const gone = left.filter(({ id }) => leaves.includes(id));
  return [...movesOfDay(fleet, context), { at: begun.wall, left: gone, came }];
}

function movesOfDay({ improved = [] }: FleetRow, { now }: Context): readonly ImprovedRow[] {
  return improved.filter(({ at }) => now.wall - at < DAY_MS);
}

/** When the next move may begin, as wall time in ms; undefined: now. */
export function nextMove(
  fleet: FleetRow,
  { most, per }: Pick<Improve, "most" | "per">,
  context: Context,
): number | undefined {
  const within = milliseconds(per);
  const { wall } = context.now;
  // One of a clock that was far ahead says nothing.
  const recent = (fleet.improved ?? []).filter(({ at }) => at <= wall && wall - at < within);
  const first = recent.at(-most);
  return first && first.at + within;
}

/** True while a move to cheaper machines is under way, and where one may begin. */
export function mayMove(draft: Draft, fleet: FleetRow, context: Context): boolean {
  const { improve } = wishInForce(draft, fleet, context);
  if (fleet.part || !improve) return false;
  return fleet.improving !== undefined || nextMove(fleet, improve, context) === undefined;
}

/** True if a move of the last day was given up: of a whole fleet each try pays for many first hours. */
export function gaveUpMoving(fleet: FleetRow, context: Context): boolean {
  return movesOfDay(fleet, context).some((move) => move.left.length === 0);
}

/** True if it came with a move of the last hours. */
export function cameByMove(fleet: FleetRow, { id }: DeploymentRow, { now }: Context): boolean {
  return (fleet.improved ?? []).some(({ at, came }) => now.wall - at < STAYS_MS && came.includes(id));
}

/** True if a move of the last day left such a machine when it was no dearer than this. */
export function wasLeft(fleet: FleetRow, option: Option, context: Context): boolean {
  const key = combinationKey(option);
  return movesOfDay(fleet, context).some(({ left }) =>
    left.some((each) => combinationKey(each) === key && option.pricePerHour?.gte(each.pricePerHour)),
  );
}
