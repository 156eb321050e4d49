import type { Context } from "../../../launch/facts/context.ts";
import { livingOf } from "../../../launch/facts/occupancy.ts";
import type { Draft } from "../../../ledger/draft.ts";
import { fleetOwner } from "../../../ledger/owner.ts";
import type { FleetRow } from "../../../ledger/rows.ts";
import { parseWish } from "../../fleet/wish/wish.ts";
import { gpusOf } from "../count/machine-gpus.ts";
import { isReady } from "../machines/readiness.ts";
import { mayBeStopped, minutesLeft, pricePerGpu } from "../machines/scale-down.ts";
import { mostWithin } from "../mix/most-within.ts";
import type { Going, PartFacts } from "./part-facts.ts";

/*
 * A whole that becomes smaller by a clock, a metric or a person has less in the parts whose machines a fleet in one service would
 * stop: those that do not work, then those nearest to the end of the time that is paid for, then the dearest.
 */

/** What may go of a part, the first first. */
export function goingOf(draft: Draft, fleet: FleetRow, context: Context): readonly Going[] {
  const wish = parseWish(fleet.wish);
  const givenBack = { gpus: fleet.lowered ?? 0, order: [-1] };
  const machines = livingOf(draft, fleetOwner(fleet.name))
    .filter((row) => mayBeStopped(row, context.now))
    .map((row): Going => {
      const isWanted = row.intent === null ? 1 : 0;
      const works = isReady(row, wish) ? 1 : 0;
      const left = minutesLeft(draft, row, context);
      return { gpus: gpusOf(draft, row), order: [isWanted, works, left, -(pricePerGpu(draft, row) ?? 0)] };
    });
  return [givenBack, ...machines].filter(({ gpus }) => gpus > 0).sort(byOrder);
}

function byOrder({ order: one }: Going, { order: other }: Going): number {
  for (const [index, each] of one.entries()) {
    const by = each - (other[index] ?? each);
    if (by !== 0) return by;
  }
  return 0;
}

/**
 * GPUs that go of each part, `less` of all of them at most. `gone`: what goes of it already. `perPart`: what is above that in one part
 * goes first, as the whole is spread.
 */
export function lessOfEach(
  parts: readonly PartFacts[],
  less: number,
  gone: (part: PartFacts) => number,
  perPart: number,
): ReadonlyMap<string, number> {
  const sums = new Map<string, number>();
  let left = less;
  const take = (all: readonly (Going & { readonly name: string })[], most: number): void => {
    for (const each of mostWithin(all, ({ gpus }) => gpus, Math.min(left, most))) {
      taken.add(each);
      sums.set(each.name, (sums.get(each.name) ?? 0) + each.gpus);
      left -= each.gpus;
    }
  };
  const taken = new Set<object>();
  const ofAll = parts.map((part) => {
    const all = part.goes.map((each) => ({ ...each, name: part.name }));
    const before = new Set<object>(mostWithin(all, ({ gpus }) => gpus, gone(part)));
    return { part, all: all.filter((each) => !before.has(each)) };
  });
  for (const { part, all } of ofAll) {
    const has = (part.held.gpus ?? 0) - gone(part);
    if (has > perPart) take(all, has - perPart);
  }
  const rest = ofAll.flatMap(({ all }) => all).filter((each) => !taken.has(each));
  take(rest.sort(byOrder), left);
  return sums;
}
