import type { WireProfile } from "../../service/profile/profile.ts";
import { loadProfile } from "../../service/profile/profile-file.ts";
import { shippedNames } from "../../service/profile/shipped.ts";
import type { CatalogueOffer } from "../../simulator/index.ts";
import type { Json } from "../../simulator/json.ts";
import { namedBy } from "../../simulator/speak/named.ts";
import { OFFERS } from "./plain.ts";
import type { FleetSpec, Scenario } from "./scenario.ts";

/*
 * Worlds whose service speaks by a profile that ships (profiles/). Such a service may have one provider for all, no
 * balance and no account, and names of its own.
 */

/**
 * Those in which any location can be launched, machines of other people need no marker, and each size has a price of its
 * own, as the worlds here need it.
 */
export const CLOUDS: readonly string[] = shippedNames().filter((name) => {
  const { deployments, offers } = loadProfile(name).profile;
  const { id = "/id", marker, location } = deployments?.fields ?? {};
  if (offers?.counts) return false;
  return marker !== undefined && marker !== id && location !== undefined && !("value" in Object(location));
});

/** True if its lists show only what lives. */
export function endsUnlisted(cloud: string): boolean {
  return loadProfile(cloud).profile.deployments?.ended !== undefined;
}

/** One of them. */
export const UNLISTED: string = CLOUDS.find(endsUnlisted) ?? "";

/** One that shows no account: its credential alone tells it. */
export const NAMELESS: string =
  CLOUDS.find((name) => "none" in (loadProfile(name).profile.account ?? {})) ?? "";

/** One that takes tokens in the place of its credential. */
export const BY_TOKEN: string = CLOUDS.find((name) => loadProfile(name).profile.auth?.token) ?? "";

/** Those whose offers can be read. At others candidates are written by hand. */
export const LISTING: ReadonlySet<string> = new Set(
  CLOUDS.filter((name) => loadProfile(name).profile.offers !== undefined),
);

/** The world at this service: combinations by its names, no limit that needs a balance which it does not show, and no choice among offers that it does not list. */
export function atCloud(scenario: Scenario, cloud: string): Scenario {
  const { profile } = loadProfile(cloud);
  // Its own profile says how it bills.
  const { billing: _other, ...rest } = scenario;
  const named = renamed(JSON.parse(JSON.stringify(rest)), profile) as unknown as Scenario;
  const isBlind = profile.balance !== undefined && "none" in profile.balance;
  const open = ({ floor, select, ...fleet }: FleetSpec): FleetSpec => ({
    ...fleet,
    ...(isBlind || floor === undefined ? {} : { floor }),
    select: select && LISTING.has(cloud),
  });
  // What a service halts has a word there only if its profile names one.
  const halts = profile.deployments?.states.replace !== undefined;
  const events = named.events
    .filter(({ kind }) => halts || kind !== "haltOne")
    .map((event) => (event.kind === "declare" ? { ...event, fleet: open(event.fleet) } : event));
  // Machines that end together look hidden where ends are unlisted.
  const mayWait = profile.deployments?.ended !== undefined || named.mayWait === true;
  return { ...named, cloud, mayWait, wire: "marker", fleets: named.fleets.map(open), events };
}

/** Each combination in it, by the names that this service can show. */
function renamed(value: Json, profile: WireProfile): Json {
  if (Array.isArray(value)) return value.map((each) => renamed(each, profile));
  if (value === null || typeof value !== "object") return value;
  const all = Object.fromEntries(Object.entries(value).map(([key, each]) => [key, renamed(each, profile)]));
  if (!("offer" in all && "provider" in all && "location" in all)) return all;
  const { gpuModel } = OFFERS[0];
  const gpus = Number(String(all.offer).split("-").at(-1));
  const [offer] = namedBy(profile, [{ gpuModel, ...all, gpus } as CatalogueOffer]);
  return { ...all, offer: offer?.offer ?? null, provider: offer?.provider ?? null };
}
