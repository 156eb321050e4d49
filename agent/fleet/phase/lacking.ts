import Big from "big.js";
import type { Context } from "../../../launch/facts/context.ts";
import { elapsed } from "../../../ledger/instant.ts";
import type { FleetRow } from "../../../ledger/rows.ts";
import { createMemory } from "../../../service/same/memory.ts";
import { milliseconds } from "../../../service/text/duration.ts";
import type { Wish } from "../wish/wish.ts";

/*
 * How long a fleet has lacked GPUs. Where its wish waits first, for a price or for a size, what it may launch depends on it.
 * See docs/how/waiting.md.
 */

/** Only of these fleets is it stored. */
export function waitsFirst({ select, otherSizes }: Wish): boolean {
  return select?.patience !== undefined || otherSizes !== undefined;
}

/** Milliseconds until it has lacked GPUs for so long, such as `2h`; 0: it has. */
export function untilLackedFor(text: string, { lacking }: FleetRow, { now }: Context): number {
  return Math.max(0, milliseconds(text) - (lacking ? elapsed(lacking, now) : 0));
}

/** True once the higher of its two prices is paid. */
export function isOutOfPatience({ select }: Wish, fleet: FleetRow, context: Context): boolean {
  return select?.patience !== undefined && untilLackedFor(select.patience.for, fleet, context) === 0;
}

/** The wish at the higher of its two prices. */
export function atLast(wish: Wish): Wish {
  const { select } = wish;
  if (!select?.patience || select.patience.above !== undefined) return wish;
  const dearer = select.patience.maxPricePerGpuHour;
  return later.of(wish, [], () => ({ ...wish, select: { ...select, maxPricePerGpuHour: dearer } }));
}

/**
 * Of a wish that leaves what is much dearer than usual for a while: the same with its two prices as if a person had written
 * them, while the fleet lacks GPUs. The second one is the wish's own ceiling; absent: any price.
 */
export function atUsual(wish: Wish, { lacking, usual }: FleetRow): Wish {
  const { select } = wish;
  const { above, for: wait = "" } = select?.patience ?? {};
  if (!select || above === undefined || usual === undefined || !lacking) return wish;
  return priced.of(wish, [usual], () => {
    const { maxPricePerGpuHour: own } = select;
    const most = new Big(usual)
      .times(100 + Number.parseFloat(above))
      .div(100)
      .round(6, Big.roundUp);
    if (own !== undefined && most.gte(own)) return wish;
    const patience = { for: wait, maxPricePerGpuHour: own };
    return { ...wish, select: { ...select, maxPricePerGpuHour: most.toFixed(), patience } };
  });
}

/** The same object for the same wish: what was found out of it is remembered by it. */
const [later, priced] = [createMemory<Wish, Wish>(), createMemory<Wish, Wish>()];
