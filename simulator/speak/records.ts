import Big from "big.js";
import { placeOf } from "../../service/connection.ts";
import type { WireProfile } from "../../service/profile.ts";
import type { Json } from "../json.ts";
import type { MachineView } from "../machine.ts";
import type { Listing } from "../market.ts";
import type { Manners } from "./manners.ts";
import { type Draft, put } from "./pointer.ts";

/** One deployment. Fields of the specification stand at the root, the others where the profile says. */
export function deploymentRecord(profile: WireProfile, manners: Manners, view: MachineView): Draft {
  const fields = profile.deployments?.fields ?? {};
  let record: Draft = { id: view.id, status: wireState(profile, view.status) };
  const set = (place: Place | undefined, value: Json | undefined): void => {
    const pointer = shownAt(place);
    if (pointer === undefined || (value === undefined && manners.absent === "omit")) return;
    record = put(record, pointer, value ?? null);
  };
  set("/failure_code", view.failure?.code);
  set("/stop_reason", view.stopReason);
  set(fields.offer, view.combination.offer);
  set(fields.provider, view.combination.provider);
  set(fields.location, view.combination.location);
  set(fields.marker, view.marker);
  set(fields.createdAt, new Date(view.createdAt).toISOString());
  for (const [place, text] of prices(fields, manners, view)) set(place, price(manners, place, text));
  set(fields.gpus, view.gpus);
  set(fields.failureReason, view.failure?.reason);
  set(fields.suggestedAction, view.failure?.suggestedAction);
  for (const [name, where] of Object.entries(fields.connection ?? {})) {
    set(placeOf(where), view.connection && connectionPart(view.connection, name));
  }
  return record;
}

export function offerRecord(profile: WireProfile, manners: Manners, listing: Listing): Draft {
  const fields = profile.offers?.fields;
  const { combination, gpus, gpuModel, capacity, taken } = listing;
  if (fields === undefined) return { ...combination, gpus };
  const free = Math.max(0, capacity - taken);
  let record: Draft = {};
  const set = (place: Place | undefined, value: Json): void => {
    const pointer = shownAt(place);
    if (pointer !== undefined) record = put(record, pointer, value);
  };
  set(fields.id, combination.offer);
  set(fields.provider, combination.provider);
  set(fields.location, combination.location);
  set(fields.gpus, gpus);
  set(fields.gpuModel, gpuModel);
  for (const [place, text] of prices(fields, manners, listing)) set(place, price(manners, place, text));
  set(fields.available, left(fields.available, manners, free));
  return record;
}

/** As the profile reads it. Any word that it does not name means that a machine can be had. */
function left(place: Place | undefined, { price }: Manners, free: number): Json {
  const soldOut = typeof place === "object" && "soldOut" in place ? place.soldOut[0] : undefined;
  if (soldOut !== undefined) return free > 0 ? "in_stock" : soldOut;
  return price === "number" ? free : free > 0;
}

/** The specification has no name for the stopped state: it is the profile's first further terminal state. */
function wireState(profile: WireProfile, state: MachineView["status"]): string {
  const states = profile.deployments?.states;
  if (state === "stopped") return states?.terminal?.[0] ?? "stopped";
  const alias = Object.entries(states?.aliases ?? {}).find(([, meaning]) => meaning === state);
  return alias?.[0] ?? state;
}

type Place =
  | string
  | { readonly pointer: string; readonly unit: "cents" }
  | { readonly pointer: string; readonly soldOut: readonly string[] }
  | { readonly value: string | number | boolean };

/** A value that the profile fixes for all deployments has no place: the service does not show it. */
function shownAt(place: Place | undefined): string | undefined {
  return typeof place === "object" ? ("pointer" in place ? place.pointer : undefined) : place;
}

/** The price of the whole machine and the price of one GPU, each with its place. */
function prices(
  fields: { readonly pricePerHour?: Place | undefined; readonly pricePerGpuHour?: Place | undefined },
  { pricePerGpuBeside }: Manners,
  { pricePerHour, gpus }: { readonly pricePerHour: string; readonly gpus: number },
): readonly (readonly [Place | undefined, string])[] {
  const perGpu = new Big(pricePerHour).div(gpus).toFixed();
  return [
    [fields.pricePerHour, pricePerHour],
    [fields.pricePerGpuHour, perGpu],
    [pricePerGpuBeside, perGpu],
  ];
}

function price({ price }: Manners, place: Place | undefined, text: string): Json {
  const inUnit = typeof place === "object" && "unit" in place ? new Big(text).times(100).toFixed() : text;
  return price === "number" ? Number(inUnit) : inUnit;
}

function connectionPart(connection: NonNullable<MachineView["connection"]>, name: string): Json {
  const parts: Readonly<Record<string, Json>> = { ...connection };
  return parts[name] ?? `${connection.user}@${connection.host}:${connection.port}`;
}
