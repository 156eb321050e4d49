import { pricesOf } from "../../agent/whatif/prices.ts";
import type { Tape } from "../../agent/whatif/tape.ts";
import { DAY_MS, HOUR_MS } from "../../ledger/instant.ts";

/*
 * A tape hour by hour, or in shorter steps, for those who know all of it before it begins. What may begin in a step is the most of its
 * minutes, and what may live is their mean: what is lost and comes back within a step was never lost.
 */

export interface Hours {
  readonly count: number;
  /** How long each is, in true hours. */
  readonly each: number;
  /** By hour and offer: GPUs that may begin. */
  readonly room: readonly (readonly number[])[];
  /** By hour and offer: GPUs that may live. */
  readonly most: readonly (readonly number[])[];
  /** By hour and offer: USD an hour of one GPU. */
  readonly price: readonly (readonly number[])[];
  /** By hour and offer: the least that a GPU that begins then costs an hour. */
  readonly least: readonly (readonly number[])[];
  /** By hour and offer: the share of machines that the market leaves. */
  readonly left: readonly (readonly number[])[];
}

/** `step`: in ms. */
export function hoursOf(tape: Tape, step = HOUR_MS): Hours {
  const prices = pricesOf(tape);
  const each = step / HOUR_MS;
  const count = Math.floor((tape.days * DAY_MS) / step);
  const rooms = tape.start.map(([, room]) => room);
  // Machines outlive a fall of room, but not one of those that may live.
  const caps = [...rooms];
  const costs = tape.start.map(([price]) => price);
  const room: number[][] = [];
  const most: number[][] = [];
  const least: number[][] = [];
  const left: number[][] = [];
  let next = 0;
  for (let hour = 0; hour < count; hour++) {
    const begin = [...rooms];
    const cheapest = [...costs];
    const lived = rooms.map(() => 0);
    const since = rooms.map(() => hour * step);
    const cap = (offer: number, machines: number, at: number): void => {
      lived[offer] = (lived[offer] ?? 0) + ((caps[offer] ?? 0) * (at - (since[offer] ?? 0))) / step;
      [caps[offer], since[offer]] = [machines, at];
    };
    const stays = rooms.map(() => 1);
    for (; next < tape.events.length; next++) {
      const [at, kind, offer, value] = tape.events[next] ?? [Number.POSITIVE_INFINITY, "c" as const, 0, 0];
      if (at >= (hour + 1) * step) break;
      if (kind === "x") stays[offer] = (stays[offer] ?? 1) * (1 - value);
      if (kind === "s") cap(offer, Math.min(caps[offer] ?? 0, value), at);
      if (kind === "p") {
        costs[offer] = value;
        cheapest[offer] = Math.min(cheapest[offer] ?? value, value);
      }
      if (kind !== "c") continue;
      rooms[offer] = value;
      begin[offer] = Math.max(begin[offer] ?? 0, value);
      cap(offer, Math.max(caps[offer] ?? 0, value), at);
    }
    room.push(tape.offers.map(({ gpus }, offer) => (begin[offer] ?? 0) * gpus));
    for (const [offer, machines] of caps.entries()) cap(offer, machines, (hour + 1) * step);
    most.push(tape.offers.map(({ gpus }, offer) => (lived[offer] ?? 0) * gpus));
    least.push(tape.offers.map(({ gpus }, offer) => (cheapest[offer] ?? 0) / gpus));
    left.push(stays);
  }
  const price = room.map((_, hour) =>
    tape.offers.map(({ gpus }, offer) => prices.between(offer, hour * step, (hour + 1) * step) / gpus / each),
  );
  return { count, each, room, most, price, least, left };
}
