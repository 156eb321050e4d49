import type { CatalogueOffer } from "../../simulator/index.ts";
import type { FleetSpec, Scenario } from "./scenario.ts";

const SINGLE: CatalogueOffer = {
  offer: "h100-1",
  provider: "north",
  location: "oslo",
  gpus: 1,
  gpuModel: "H100",
  pricePerHour: "2.5000",
  capacity: 8,
};
const SOUTH: CatalogueOffer = { ...SINGLE, provider: "south", location: "rome", pricePerHour: "2.7000" };
const WEST: CatalogueOffer = { ...SINGLE, provider: "west", location: "porto", pricePerHour: "3.1000" };
const PAIR: CatalogueOffer = { ...SINGLE, offer: "h100-2", gpus: 2, pricePerHour: "4.8000" };
export const OFFERS = [SINGLE, SOUTH, WEST, PAIR] as const;

export const FLEET: FleetSpec = {
  name: "fleet-a",
  owner: "A",
  gpus: 1,
  overshoot: 0,
  candidates: [SINGLE],
  select: false,
};

/** A world that what is written by hand differs from: one fleet, lists that tell nothing apart, no trouble. */
export const PLAIN: Omit<Scenario, "name" | "seed"> = {
  wire: "nothing",
  unnamedEnd: false,
  tenure: "exclusive",
  ledger: "memory",
  latencyMs: 0,
  offers: [SINGLE],
  settings: {},
  balance: "1000.0000",
  fleets: [FLEET],
  deployments: [],
  watched: true,
  before: [],
  events: [],
  noisyMs: 0,
};
