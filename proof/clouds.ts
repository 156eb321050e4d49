import type { WireProfile } from "../service/profile/profile.ts";
import { loadProfile } from "../service/profile/profile-file.ts";
import { shippedNames } from "../service/profile/shipped.ts";
import type { Json } from "../simulator/json.ts";
import type { FleetSpec, Scenario } from "./scenario.ts";

/*
 * Worlds whose service speaks by a profile that ships (profiles/). Such a service may have one provider for all, no
 * balance and no account, and names of its own.
 */

/** Those in which a marker and any location can be launched, as the worlds here need it. */
export const CLOUDS: readonly string[] = shippedNames().filter((name) => {
  const { marker, location } = loadProfile(name).profile.deployments?.fields ?? {};
  return marker !== undefined && location !== undefined && !("value" in Object(location));
});

/** One of them whose lists show only what lives. */
export const UNLISTED: string = CLOUDS.find((name) => loadProfile(name).profile.deployments?.ended) ?? "";

/** The world at this service: combinations by its names, and no limit that needs a balance which it does not show. */
export function atCloud(scenario: Scenario, cloud: string): Scenario {
  const { profile } = loadProfile(cloud);
  const named = renamed(JSON.parse(JSON.stringify(scenario)), profile) as unknown as Scenario;
  const isBlind = profile.balance !== undefined && "none" in profile.balance;
  const open = ({ floor, ...fleet }: FleetSpec): FleetSpec =>
    isBlind || floor === undefined ? fleet : { ...fleet, floor };
  // What a service halts has a word there only if its profile names one.
  const halts = profile.deployments?.states.replace !== undefined;
  const events = named.events
    .filter(({ kind }) => halts || kind !== "haltOne")
    .map((event) => (event.kind === "declare" ? { ...event, fleet: open(event.fleet) } : event));
  return { ...named, cloud, wire: "marker", fleets: named.fleets.map(open), events };
}

/** Each combination in it, by the names that this service can show. */
function renamed(value: Json, profile: WireProfile): Json {
  if (Array.isArray(value)) return value.map((each) => renamed(each, profile));
  if (value === null || typeof value !== "object") return value;
  const all = Object.fromEntries(Object.entries(value).map(([key, each]) => [key, renamed(each, profile)]));
  if (!("offer" in all && "provider" in all && "location" in all)) return all;
  return { ...all, offer: offerAt(profile, all), provider: providerAt(profile, all) };
}

function providerAt({ deployments }: WireProfile, { provider }: Record<string, Json>): Json {
  const place = deployments?.fields.provider;
  return typeof place === "object" && "value" in place ? place.value : (provider ?? null);
}

/** A composed name has the machine's GPUs where they stand, and a word elsewhere. */
function offerAt({ deployments }: WireProfile, { offer }: Record<string, Json>): Json {
  const { offer: place, gpus } = deployments?.fields ?? {};
  if (typeof place !== "object" || !("text" in place)) return offer ?? null;
  const count = String(offer).split("-").at(-1) ?? "1";
  return place.text.replaceAll(/\{([^{}]*)\}/g, (_, pointer: string) => (pointer === gpus ? count : "h100"));
}
