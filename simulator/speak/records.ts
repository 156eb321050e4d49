import Big from "big.js";
import { placeOf } from "../../service/profile/connection.ts";
import type { WireProfile } from "../../service/profile/profile.ts";
import type { Json } from "../json.ts";
import type { MachineView } from "../machine.ts";
import type { Listing } from "../market.ts";
import type { Manners } from "./manners.ts";
import { deep, isNested } from "./nested.ts";
import { type Draft, put } from "./pointer.ts";

/** One deployment. Fields of the specification stand at the root, the others where the profile says. */
export function deploymentRecord(profile: WireProfile, manners: Manners, view: MachineView): Draft {
  const { list, fields = {}, records } = profile.deployments ?? {};
  const isDeep = isNested(list, fields);
  let record: Draft = {};
  const set = (place: Place | undefined, value: Json | undefined): void => {
    if (value === undefined && manners.absent === "omit") return;
    for (const [pointer, part] of partsOf(place, value ?? null))
      record = put(record, isDeep ? deep(pointer) : pointer, part);
  };
  if (records) set(records.where, records.is[0]);
  set(fields.id ?? "/id", view.id);
  set(fields.status ?? "/status", wireState(profile, view.status));
  set(fields.failureCode ?? "/failure_code", view.failure?.code);
  set(fields.stopReason ?? "/stop_reason", view.stopReason);
  set(fields.offer, view.combination.offer);
  set(fields.provider, view.combination.provider);
  set(fields.location, view.combination.location);
  set(fields.marker, view.marker);
  set(fields.createdAt, new Date(view.createdAt).toISOString());
  for (const [place, text] of prices(fields, manners, view)) set(place, price(manners, place, text));
  set(fields.currency, profile.currency ?? "USD");
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
  const isDeep = isNested(profile.offers?.list, fields);
  const set = (place: Place | undefined, value: Json): void => {
    for (const [pointer, part] of partsOf(place, value))
      record = put(record, isDeep ? deep(pointer) : pointer, part);
  };
  set(fields.id, combination.offer);
  set(fields.provider, combination.provider);
  set(fields.location, combination.location);
  set(fields.currency, listing.currency ?? profile.currency ?? "USD");
  set(fields.gpus, gpus);
  set(fields.gpuModel, gpuModel);
  for (const [place, text] of prices(fields, manners, listing)) set(place, price(manners, place, text));
  for (const [name, place] of ownExtras(profile)) set(place, extraOf(combination, name));
  set(fields.available, left(fields.available, manners, free));
  return record;
}

/** The extras that stand where no other field of an offer does. */
export function ownExtras({ offers }: WireProfile): readonly (readonly [name: string, place: Place])[] {
  const { extra = {}, ...others } = offers?.fields ?? {};
  const text = JSON.stringify(others);
  return Object.entries(extra).filter(
    ([, place]) => typeof place === "string" && !text.includes(`"${place}"`) && !text.includes(`{${place}}`),
  );
}

/** What an offer has beside its combination. A launch has to send it back. */
export function extraOf({ offer, provider, location }: Listing["combination"], name: string): string {
  return `${name} of ${offer} at ${provider} in ${location}`;
}

/** As the profile reads it. Any word that it does not name means that a machine can be had. */
function left(place: Place | undefined, { price }: Manners, free: number): Json {
  const soldOut = typeof place === "object" && "soldOut" in place ? place.soldOut[0] : undefined;
  if (soldOut !== undefined) return free > 0 ? "in_stock" : soldOut;
  return price === "number" ? free : free > 0;
}

/** The specification has no name for these two: each is the first such state that the profile names. */
function wireState(profile: WireProfile, state: MachineView["status"]): string {
  const states = profile.deployments?.states;
  if (state === "stopped") return states?.terminal?.[0] ?? "stopped";
  if (state === "halted") return states?.replace?.[0] ?? "halted";
  const alias = Object.entries(states?.aliases ?? {}).find(([, meaning]) => meaning === state);
  return alias?.[0] ?? state;
}

type Place =
  | string
  | { readonly pointer: string; readonly unit?: "cents"; readonly soldOut?: readonly string[] }
  | { readonly text: string }
  | { readonly first: readonly string[]; readonly none?: string | undefined }
  | { readonly count: true }
  | { readonly value: string | number | boolean };

/** Where this value stands, in parts. One that the profile fixes for all stands nowhere: the service does not show it. */
function partsOf(place: Place | undefined, value: Json): readonly (readonly [string, Json])[] {
  if (place === undefined) return [];
  if (typeof place === "string") return [[place, value]];
  if ("pointer" in place) return [[place.pointer, value]];
  if ("first" in place) return [[place.first[0] as string, value === place.none ? null : value]];
  if (!("text" in place)) return [];
  const pointers = [...place.text.matchAll(/\{([^{}]*)\}/g)].map((match) => match[1] as string);
  const pattern = place.text
    .split(/\{[^{}]*\}/)
    .map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  const match = new RegExp(`^${pattern.join("(.+?)")}$`).exec(String(value));
  return pointers.flatMap((pointer, at) =>
    // What is counted stands nowhere.
    match?.[at + 1] === undefined || pointer === "count" ? [] : [[pointer, match[at + 1] as string]],
  );
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
