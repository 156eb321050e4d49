import { z } from "zod";
import type { Combination } from "../service/contract/contract.ts";

/** With at most 4 decimals, money is computed exactly. */
const price = z.string().regex(/^\d{1,9}(\.\d{1,4})?$/, "expected USD with at most 4 decimals, such as 2.49");

export const catalogueOfferSchema = z.strictObject({
  offer: z.string().min(1),
  provider: z.string().min(1),
  location: z.string().min(1),
  gpus: z.int().positive(),
  gpuModel: z.string().min(1),
  /** USD an hour for the whole machine. */
  pricePerHour: price,
  /** How many machines of this combination can live at one time, in all accounts together. */
  capacity: z.int().nonnegative(),
});

export type CatalogueOffer = Readonly<z.output<typeof catalogueOfferSchema>>;

/** The invented catalogue: four providers, six locations, four GPU models with 1, 2, 4 and 8 GPUs. */
export const DEFAULT_OFFERS: readonly CatalogueOffer[] = [
  ...sizes({ provider: "aurora", location: "fi-hel" }, "h100-80gb", 2.49, [12, 8, 6, 4]),
  ...sizes({ provider: "aurora", location: "se-sto" }, "h100-80gb", 2.59, [8, 6, 4, 2]),
  ...sizes({ provider: "basalt", location: "is-rey" }, "h100-80gb", 2.29, [4, 2, 2, 1]),
  ...sizes({ provider: "basalt", location: "is-rey" }, "a100-80gb", 1.39, [16, 12, 8, 4]),
  ...sizes({ provider: "cirrus", location: "us-east" }, "a100-80gb", 1.49, [20, 16, 10, 6]),
  ...sizes({ provider: "cirrus", location: "us-west" }, "l40s-48gb", 0.89, [24, 16, 8, 4]),
  ...sizes({ provider: "dune", location: "us-west" }, "l40s-48gb", 0.84, [10, 6, 4, 2]),
  ...sizes({ provider: "dune", location: "de-fra" }, "rtx4090-24gb", 0.44, [40, 20, 10, 5]),
];

function sizes(
  place: Omit<Combination, "offer">,
  gpuModel: string,
  pricePerGpu: number,
  capacities: readonly number[],
): CatalogueOffer[] {
  return [1, 2, 4, 8].map((gpus, index) => ({
    offer: `${gpuModel}-x${gpus}`,
    ...place,
    gpus,
    gpuModel,
    pricePerHour: ((Math.round(pricePerGpu * 100) * gpus) / 100).toFixed(2),
    capacity: capacities[index] ?? 1,
  }));
}
