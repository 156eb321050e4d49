import type { Context } from "../../../launch/facts/context.ts";
import { note } from "../../../launch/facts/events.ts";
import type { Draft } from "../../../ledger/draft.ts";
import { fleetOwner } from "../../../ledger/owner.ts";
import type { FleetRow, PartRow } from "../../../ledger/rows.ts";
import { rangeOfWhole, wholeOf, withPart } from "../phase/part.ts";
import { gpusText } from "../text/text.ts";
import { askedAt } from "../wish/schedule.ts";
import { parseWish } from "../wish/wish.ts";
import { askedNow, asWhole } from "./asked-size.ts";
import { unlowered } from "./lowered-count.ts";

/*
 * The size in time of a fleet that several accounts keep. Its first part has it, beside what it follows: one row says how many GPUs
 * the whole has, and one transaction changes that. So shares and grants on their way add up to it at every commit, whoever's clock
 * or answer it is by, and it never leaves the range.
 */

/** What the whole of this first part is to have by now; undefined: it has that, its size follows nothing, or it is no first part. */
export function nextSize(fleet: FleetRow, context: Context): number | undefined {
  const { name, part, removed } = fleet;
  if (!part || name !== part.of || removed || !rangeOfWhole(part)) return undefined;
  const asked = askedNow(asWhole(fleet), context);
  const size = wholeOf({ ...part, size: asked }).gpus;
  return size === wholeOf(part).gpus ? undefined : size;
}

/** The whole has another size from here on: the first part's share has what is more or less, until it is divided. */
export function storeSize(draft: Draft, name: string, context: Context): void {
  const fleet = draft.fleets.get(name);
  const size = fleet && nextSize(fleet, context);
  if (!fleet?.part || size === undefined) return;
  const more = size - wholeOf(fleet.part).gpus;
  if (more > 0) {
    draft.putFleet(withPart(fleet, { ...fleet.part, size, rose: context.now.wall }));
    return;
  }
  // What was chosen for more is launched no more.
  const { chosen: _over, ...part } = fleet.part;
  // What was given back is the first of what goes.
  draft.putFleet(withPart(lessLowered(fleet, -more), { ...part, size, fell: context.now }));
}

/** So many fewer GPUs are asked for: what was given back goes first. */
export function lessLowered(fleet: FleetRow, gpus: number): FleetRow {
  const { lowered = 0 } = fleet;
  if (lowered === 0 || gpus <= 0) return fleet;
  return lowered > gpus ? { ...fleet, lowered: lowered - gpus } : unlowered(fleet);
}

/** Since machines were given back in this part, more was asked for of the whole of this first part: a new wish. */
export function isToWake(fleet: FleetRow, first: PartRow): boolean {
  return (fleet.lowered ?? 0) > 0 && (first.rose ?? Number.NEGATIVE_INFINITY) > (fleet.loweredAt ?? 0);
}

/** It wants its share again. */
export function wakePart(draft: Draft, name: string, first: PartRow, context: Context): void {
  const fleet = draft.fleets.get(name);
  if (!fleet || !isToWake(fleet, first)) return;
  draft.putFleet(unlowered(fleet));
  const text = `${name} wants its ${gpusText(askedNow(fleet, context))} again: more is asked for of ${first.of}`;
  note(draft, context, "resumed", text, { owner: fleetOwner(name) });
}

/**
 * A window has ended since that moment, by this clock. Only the first part's row knows what is asked for now, but what was chosen in
 * a window is launched nowhere after it.
 */
export function isPastItsWindow({ whole }: PartRow, then: number, { now }: Pick<Context, "now">): boolean {
  const { schedule } = parseWish(whole);
  return schedule !== undefined && askedAt(schedule, then).gpus > askedAt(schedule, now.wall).gpus;
}
