import loadHighs from "highs";
import type { Tape } from "../../agent/whatif/tape.ts";
import { type Hours, hoursOf } from "./hours.ts";
import { RESTART_HOURS } from "./score.ts";

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

/** Prices of the time are paid, and each GPU that begins anew loses some of its work: the least of both together. `step`: in ms. */
export function paidMoves(tape: Tape, wanted: number, step?: number): Optimum {
  const hours = hoursOf(tape, step);
  return least(
    hours,
    wanted,
    tape.offers.map((_, offer) => ({
      offer,
      from: 0,
      price: (hour) => hours.price[hour]?.[offer] ?? 0,
      begins: () => true,
    })),
  );
}

/** Who holds a machine pays the price of its launch for as long, and each GPU that begins anew loses some of its work. */
export function keptPrices(tape: Tape, wanted: number): Optimum {
  const hours = hoursOf(tape);
  return least(
    hours,
    wanted,
    tape.offers.flatMap((_, offer) => {
      const asked = hours.least.map((prices) => prices[offer] ?? 0);
      // Machines of one offer that pay the same are alike, whenever they began: a price is a holding, and not an hour.
      return [...new Set(asked)].map((price) => ({
        offer,
        from: asked.indexOf(price),
        price: () => price,
        begins: (hour: number) => asked[hour] === price,
      }));
    }),
  );
}

/** Machines of one offer that cost the same. */
interface Holding {
  readonly offer: number;
  /** The first hour in which one may begin. */
  readonly from: number;
  /** USD an hour of one GPU. */
  price(hour: number): number;
  /** Whether one may begin in this hour. */
  begins(hour: number): boolean;
}

// Its types are those of a CommonJS module, and what Node imports is none.
const highs = await (loadHighs as unknown as typeof loadHighs.default)();

/** More than any GPU-hour costs: what can be had is had. */
const MISSING_USD = 1_000;

/** The least that all hours and all restarts cost together, as a linear program. */
function least(hours: Hours, wanted: number, holdings: readonly Holding[]): Optimum {
  const objective: string[] = [];
  const rules: string[] = [];
  const bounds: string[] = [];
  for (let hour = 0; hour < hours.count; hour++) {
    const held = new Map<number, string[]>();
    for (const [index, { offer, from, price, begins }] of holdings.entries()) {
      if (hour < from) continue;
      const [h, b] = [`h${hour}_${index}`, `b${hour}_${index}`];
      objective.push(`${price(hour) * hours.each} ${h}`);
      held.set(offer, [...(held.get(offer) ?? []), h]);
      const stays = hour === from ? "" : ` - ${hours.left[hour]?.[offer] ?? 1} h${hour - 1}_${index}`;
      if (begins(hour)) {
        objective.push(`${price(hour) * RESTART_HOURS} ${b}`);
        bounds.push(` 0 <= ${b} <= ${hours.room[hour]?.[offer] ?? 0}`);
      }
      rules.push(` ${h}${stays}${begins(hour) ? ` - ${b}` : ""} <= 0`);
    }
    for (const [offer, names] of held)
      rules.push(` ${names.join(" + ")} <= ${hours.most[hour]?.[offer] ?? 0}`);
    objective.push(`${MISSING_USD * hours.each} m${hour}`);
    rules.push(` ${[...held.values()].flat().join(" + ")} + m${hour} = ${wanted}`);
  }
  const model = `Minimize\n obj: ${objective.join("\n + ")}\nSubject To\n${rules.join("\n")}\nBounds\n${bounds.join("\n")}\nEnd`;
  const { Columns, Status } = highs.solve(model, { output_flag: false });
  if (Status !== "Optimal") throw new Error(`the optimum is ${Status}`);
  const value = (name: string): number => Columns[name]?.Primal ?? 0;
  let [cost, had, begun] = [0, 0, 0];
  for (let hour = 0; hour < hours.count; hour++)
    for (const [index, { price }] of holdings.entries()) {
      const held = value(`h${hour}_${index}`) * hours.each;
      cost += held * price(hour);
      had += held;
      begun += value(`b${hour}_${index}`);
    }
  const restarts = Math.max(0, begun - wanted);
  return { usd: cost / (had - restarts * RESTART_HOURS), hours: had / (wanted * hours.count * hours.each) };
}
