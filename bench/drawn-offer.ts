import Big from "big.js";
import type { Option } from "../agent/planning/mix/mix.ts";
import type { Prng } from "../simulator/prng.ts";

/** An offer of 1.50 to 3.00 USD a GPU-hour, with up to 12 machines. */
export function offerOf(random: Prng, index: number, gpus: number): Option {
  return {
    offer: `o${index}`,
    provider: random.pick(["p", "q", "r"]),
    location: random.pick(["l", "m", "n"]),
    gpus,
    pricePerHour: new Big(random.integer(gpus * 150, gpus * 300)).div(100),
    stock: random.integer(0, 12),
  };
}
