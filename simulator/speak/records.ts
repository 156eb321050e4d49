import type { WireProfile } from "../../service/profile.ts";
import type { Json } from "../json.ts";
import type { MachineView } from "../machine.ts";
import type { Listing } from "../market.ts";
import type { Manners } from "./manners.ts";
import { type Draft, put } from "./pointer.ts";

/** One deployment. What the specification shows stands at the root; the rest where the profile says. */
export function deploymentRecord(profile: WireProfile, manners: Manners, view: MachineView): Draft {
  const fields = profile.deployments?.fields ?? {};
  let record: Draft = { id: view.id, status: wireState(profile, view.status) };
  const set = (pointer: string | undefined, value: Json | undefined): void => {
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
  set(fields.pricePerHour, price(manners, view.pricePerHour));
  set(fields.gpus, view.gpus);
  set(fields.failureReason, view.failure?.reason);
  set(fields.suggestedAction, view.failure?.suggestedAction);
  for (const [name, where] of Object.entries(fields.connection ?? {})) {
    set(
      typeof where === "string" ? where : where.pointer,
      view.connection && connectionPart(view.connection, name),
    );
  }
  return record;
}

export function offerRecord(profile: WireProfile, manners: Manners, listing: Listing): Draft {
  const fields = profile.offers?.fields;
  const { combination, gpus, gpuModel, pricePerHour, capacity, taken } = listing;
  if (fields === undefined) return { ...combination, gpus };
  const free = Math.max(0, capacity - taken);
  let record: Draft = {};
  const set = (pointer: string | undefined, value: Json): void => {
    if (pointer !== undefined) record = put(record, pointer, value);
  };
  set(fields.id, combination.offer);
  set(fields.provider, combination.provider);
  set(fields.location, combination.location);
  set(fields.gpus, gpus);
  set(fields.gpuModel, gpuModel);
  set(fields.pricePerHour, price(manners, pricePerHour));
  set(fields.available, manners.price === "number" ? free : free > 0);
  return record;
}

/** The stopped state has no name in the specification: the profile's first further terminal state is it. */
function wireState(profile: WireProfile, state: MachineView["status"]): string {
  const states = profile.deployments?.states;
  if (state === "stopped") return states?.terminal?.[0] ?? "stopped";
  const alias = Object.entries(states?.aliases ?? {}).find(([, meaning]) => meaning === state);
  return alias?.[0] ?? state;
}

function price({ price }: Manners, text: string): Json {
  return price === "number" ? Number(text) : text;
}

function connectionPart(connection: NonNullable<MachineView["connection"]>, name: string): Json {
  const parts: Readonly<Record<string, Json>> = { ...connection };
  return parts[name] ?? `${connection.user}@${connection.host}:${connection.port}`;
}
