import loadHighs from "highs";
import { pricesOf, RESTART_HOURS } from "./score.ts";
import { DAY_MS, HOUR_MS, type Tape } from "./tape.ts";

/*
 * What somebody would pay who knows the whole tape before it begins, hour by hour. Machines may be held in part, and together as
 * many of an offer as there ever was room for before: so a true optimum costs no less.
 */

export interface Optimum {
  /** USD for each GPU-hour that was of use. */
  readonly usd: number;
  /** GPU-hours had, of those that were wanted. */
  readonly hours: number;
}

interface Hours {
  readonly count: number;
  /** By hour and offer: GPUs that may begin. */
  readonly room: readonly (readonly number[])[];
  /** By hour and offer: GPUs that may live. */
  readonly most: readonly (readonly number[])[];
  /** By hour and offer: USD an hour of one GPU. */
  readonly price: readonly (readonly number[])[];
  /** By hour and offer: the share of machines that the market leaves. */
  readonly left: readonly (readonly number[])[];
}

function hoursOf(tape: Tape): Hours {
  const prices = pricesOf(tape);
  const count = Math.floor((tape.days * DAY_MS) / HOUR_MS);
  const rooms = tape.start.map(([, room]) => room);
  const largest = [...rooms];
  const room: number[][] = [];
  const most: number[][] = [];
  const left: number[][] = [];
  let next = 0;
  for (let hour = 0; hour < count; hour++) {
    const begin = [...rooms];
    const live = rooms.map(() => Number.POSITIVE_INFINITY);
    const stays = rooms.map(() => 1);
    for (; next < tape.events.length; next++) {
      const [at, kind, offer, value] = tape.events[next] ?? [Number.POSITIVE_INFINITY, "c" as const, 0, 0];
      if (at >= (hour + 1) * HOUR_MS) break;
      if (kind === "x") stays[offer] = (stays[offer] ?? 1) * (1 - value);
      if (kind === "s") live[offer] = Math.min(live[offer] ?? 0, value);
      if (kind !== "c") continue;
      rooms[offer] = value;
      begin[offer] = Math.max(begin[offer] ?? 0, value);
      largest[offer] = Math.max(largest[offer] ?? 0, value);
    }
    room.push(tape.offers.map(({ gpus }, offer) => (begin[offer] ?? 0) * gpus));
    most.push(tape.offers.map(({ gpus }, offer) => Math.min(live[offer] ?? 0, largest[offer] ?? 0) * gpus));
    left.push(stays);
  }
  const price = room.map((_, hour) =>
    tape.offers.map(({ gpus }, offer) => prices.between(offer, hour * HOUR_MS, (hour + 1) * HOUR_MS) / gpus),
  );
  return { count, room, most, price, left };
}

/** Moves cost nothing: each hour is met by the cheapest GPUs of that hour. */
export function freeMoves(tape: Tape, wanted: number): Optimum {
  const hours = hoursOf(tape);
  let [cost, had] = [0, 0];
  for (let hour = 0; hour < hours.count; hour++) {
    let missing = wanted;
    const cheapest = (hours.price[hour] ?? [])
      .map((price, offer) => ({ price, room: hours.most[hour]?.[offer] ?? 0 }))
      .sort((one, other) => one.price - other.price);
    for (const { price, room } of cheapest) {
      const taken = Math.min(missing, room);
      [missing, cost, had] = [missing - taken, cost + taken * price, had + taken];
    }
  }
  return { usd: cost / had, hours: had / (wanted * hours.count) };
}

// Its types are those of a CommonJS module, and what Node imports is none.
const highs = await (loadHighs as unknown as typeof loadHighs.default)();

/** More than any GPU-hour costs: what can be had is had. */
const MISSING_USD = 1_000;

/** Prices of the time are paid, and each GPU that begins anew loses some of its work: the least of both together. */
export function paidMoves(tape: Tape, wanted: number): Optimum {
  const hours = hoursOf(tape);
  const offers = tape.offers.map((_, offer) => offer);
  const objective: string[] = [];
  const rules: string[] = [];
  const bounds: string[] = [];
  for (let hour = 0; hour < hours.count; hour++) {
    for (const offer of offers) {
      const price = hours.price[hour]?.[offer] ?? 0;
      objective.push(`${price} h${hour}_${offer} + ${price * RESTART_HOURS} b${hour}_${offer}`);
      bounds.push(` 0 <= h${hour}_${offer} <= ${hours.most[hour]?.[offer] ?? 0}`);
      bounds.push(` 0 <= b${hour}_${offer} <= ${hours.room[hour]?.[offer] ?? 0}`);
      const before = hours.left[hour]?.[offer] ?? 1;
      rules.push(
        hour === 0
          ? ` b${hour}_${offer} - h${hour}_${offer} >= 0`
          : ` b${hour}_${offer} - h${hour}_${offer} + ${before} h${hour - 1}_${offer} >= 0`,
      );
    }
    objective.push(`${MISSING_USD} m${hour}`);
    rules.push(` ${offers.map((offer) => `h${hour}_${offer}`).join(" + ")} + m${hour} = ${wanted}`);
  }
  const model = `Minimize\n obj: ${objective.join("\n + ")}\nSubject To\n${rules.join("\n")}\nBounds\n${bounds.join("\n")}\nEnd`;
  const { Columns, Status } = highs.solve(model, { output_flag: false });
  if (Status !== "Optimal") throw new Error(`the optimum is ${Status}`);
  const value = (name: string): number => Columns[name]?.Primal ?? 0;
  let [cost, had, begun] = [0, 0, 0];
  for (let hour = 0; hour < hours.count; hour++)
    for (const offer of offers) {
      const held = value(`h${hour}_${offer}`);
      cost += held * (hours.price[hour]?.[offer] ?? 0);
      had += held;
      begun += value(`b${hour}_${offer}`);
    }
  const restarts = Math.max(0, begun - wanted);
  return { usd: cost / (had - restarts * RESTART_HOURS), hours: had / (wanted * hours.count) };
}
