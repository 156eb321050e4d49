import type { Context } from "../../../launch/facts/context.ts";
import type { FleetRow } from "../../../ledger/rows.ts";
import { createMemory } from "../../../service/same/memory.ts";
import { milliseconds } from "../../../service/text/duration.ts";
import { parseWish, type Wish } from "../wish/wish.ts";

/*
 * A fleet with a `life` ends so long after it was whole for the first time. That is a deadline like `until`, so whatever
 * asks when a fleet ends asks its wish with its end, and knows of one moment only.
 */

type Lived = Pick<FleetRow, "wish" | "whole">;

/** Its wish, where `until` is the earlier of its deadline and the end of its life. */
export function wishWithEnd(fleet: Lived): Wish {
  const wish = parseWish(fleet.wish);
  const end = lifeEnd(fleet);
  if (end === undefined || (wish.until !== undefined && Date.parse(wish.until) <= end)) return wish;
  return ended.of(wish, [end], () => ({ ...wish, until: new Date(end).toISOString() }));
}

const ended = createMemory<Wish, Wish>();

/** When its life is over, wall time in ms; undefined: it has none, or was never whole. */
export function lifeEnd({ wish, whole }: Lived): number | undefined {
  const { life } = parseWish(wish);
  return life === undefined || whole === undefined ? undefined : whole + milliseconds(life);
}

/** What ends it, for people. */
export function endText(fleet: Lived): string {
  const { until } = wishWithEnd(fleet);
  const { life, until: declared } = parseWish(fleet.wish);
  return until === declared
    ? `the fleet's deadline, ${until},`
    : `the fleet's life of ${life}, until ${until},`;
}

/** When its life ends, or what begins it. */
export function lifeText(fleet: Lived, { now }: Pick<Context, "now">): readonly string[] {
  const { life } = parseWish(fleet.wish);
  const end = lifeEnd(fleet);
  if (life === undefined || (end !== undefined && end <= now.wall)) return [];
  return [
    end === undefined
      ? `its life of ${life} begins once all of its GPUs run`
      : `its life of ${life} ends at ${new Date(end).toISOString().replace(/\.\d+Z$/, "Z")}: then it is drained`,
  ];
}
