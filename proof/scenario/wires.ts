import type { WireProfile } from "../../service/profile/profile.ts";
import type { LoadedProfile } from "../../service/profile/profile-file.ts";
import { loadProfile, readProfile } from "../../service/profile/profile-file.ts";
import type { Dialect } from "../../simulator/dialect.ts";
import { dialectProfile } from "../../simulator/dialect-files.ts";
import type { Json } from "../../simulator/json.ts";
import type { MachineView } from "../../simulator/machine.ts";
import type { Manners } from "../../simulator/speak/manners.ts";
import { DEFAULT_MANNERS, LINK_MANNERS, NESTED_MANNERS } from "../../simulator/speak/manners.ts";
import { speak } from "../../simulator/speak/speak.ts";

/** What tells two launches apart in the service's answers. */
export const WIRE_NAMES = ["marker", "combination", "nothing"] as const;
export type WireName = (typeof WIRE_NAMES)[number];

/** What a service does that a profile cannot say. */
export type Quirk =
  /** Answers each launch with its first machine's id, as a wrong pointer would read it. */
  | "oldId"
  /** Answers with ids that no list ever shows. */
  | "ghostId"
  /** Shows no marker, though the profile maps one. */
  | "noEcho"
  /** Shows marker or combination only once the machine runs. */
  | "lateEcho"
  /** Calls the state before running by an unknown name. */
  | "warming"
  /** Shows one GPU's price beside the machine's, and the profile reads it as the offer's price. */
  | "gpuPrice"
  /** Shows it so in offers and in deployments. */
  | "gpuPrices"
  /** Its offers show a price of 0. */
  | "freeOffers"
  /** Its first machine shows thousands of GPUs once it runs. */
  | "manyGpus"
  /** Its first offer is in another currency than the others, a lower number than what it costs, and says so. */
  | "otherMoney"
  /** Its list of machines has pages of two, and says how many there are; the profile says that it is whole. */
  | "unsaidPages"
  /** It has a second offer of each combination, of twice as many GPUs. */
  | "twinOffers"
  /** Its machines are of another kind than those that the profile does not leave out. */
  | "otherKind"
  /** Its tokens end long before the moment that the profile says. */
  | "shortTokens";

export type Billing = NonNullable<WireProfile["billing"]>;

export type Refusing = "byWord" | "byStatus";

/** How a service says that there is no such machine, where that is no 404; `untold`: its profile does not say how. */
export const ABSENCES = ["byStatus", "byNull", "untold"] as const;
export type Absence = (typeof ABSENCES)[number];

export interface SimulatedWire {
  readonly profile: LoadedProfile;
  readonly dialect: Dialect;
}

export interface WireOptions {
  readonly name: WireName;
  readonly cloud?: string | undefined;
  /** The profile lacks the stopped state, and the service gives no stop reason: 4.6's hard case. */
  readonly unnamedEnd: boolean;
  readonly quirk?: Quirk | undefined;
  /** A profile 2 of a service whose errors may have made a machine. It refuses by a word in a good answer, or by a status. */
  readonly aggregator?: Refusing | undefined;
  /** A profile 2 that says which machines do not serve. `wrongly`: it names the service's word for those that do. */
  readonly halting?: Halting | undefined;
  /** A profile 2 of such a service, whose accepted ids may vanish. */
  readonly absence?: Absence | undefined;
  readonly billing?: Billing | undefined;
}

export type Halting = "rightly" | "wrongly";

/**
 * The simulator's dialects, with one more parameter in the launch body: `owner` names the request's fleet or
 * slot. The service never shows it, so it tells nothing apart. Its journal keeps it, so the oracles know from
 * the truth for whom each machine was launched.
 */
export function wireOf(options: WireOptions): SimulatedWire {
  const { unnamedEnd, quirk } = options;
  const key = JSON.stringify(options);
  const known = made.get(key) ?? makeWire(options);
  made.set(key, known);
  return {
    profile: known.profile,
    dialect: strange(dialectOf(known.parsed, known.manners, unnamedEnd), quirk),
  };
}

interface MadeWire {
  readonly profile: LoadedProfile;
  readonly parsed: WireProfile;
  readonly manners: Manners;
}

/** Profiles are parsed once a process, not once a seed. */
const made = new Map<string, MadeWire>();

function makeWire(options: WireOptions): MadeWire {
  const { name, cloud, unnamedEnd, quirk, aggregator, halting, absence, billing } = options;
  const misread = quirk === "gpuPrice" || quirk === "gpuPrices" ? quirk : undefined;
  const { profile: plain, manners } = cloud === undefined ? withOwner(name) : ownedCloud(cloud);
  // A profile that ships says it itself.
  const says = halting !== undefined && cloud === undefined;
  const halts = says ? withStates(plain, { aliases: { UP: "running" }, replace: ["SHUTOFF"] }) : plain;
  const isEuro = billing !== undefined || quirk === "otherMoney";
  const forgets = absence ? asForgetful(halts, absence) : halts;
  const two = (aggregator || isEuro) && forgets.profile === 1 ? asTwo(forgets) : forgets;
  const told = aggregator ? asAggregator(two, aggregator) : two;
  const profile = isEuro ? inEuros(told, billing) : told;
  const named: WireProfile = unnamedEnd ? withStates(profile, { terminal: [] }) : profile;
  const [parsed, said] = quirk === undefined ? [named, named] : misstated(named, quirk);
  const read =
    halting === "wrongly"
      ? withStates(plain, { replace: ["UP"] })
      : absence === "untold"
        ? sayingNothing(parsed)
        : said;
  return {
    profile: readProfile(JSON.stringify(misread ? misreading(read, misread) : read), `${name}.profile.json`),
    parsed,
    manners: misread ? { ...manners, pricePerGpuBeside: ONE_GPU } : manners,
  };
}

type States = NonNullable<WireProfile["deployments"]>["states"];

/** The same profile as a profile 2, with other states. */
function withStates(profile: WireProfile, states: States): WireProfile {
  const { stop, deployments, ...rest } = profile;
  const { list, fields = {}, states: before, ...others } = deployments ?? {};
  if (states.replace === undefined)
    return { ...profile, deployments: { ...deployments, fields, states: { ...before, ...states } } };
  const { gone = {}, method, path, body } = stop ?? {};
  const { query, ...listed } = list ?? {};
  return {
    ...rest,
    profile: 2,
    calls: { stop: { method, path, ...(body ? { body } : {}) }, ...(query ? { list: { query } } : {}) },
    stop: { gone },
    deployments: {
      ...others,
      ...(list ? { list: listed as NonNullable<typeof list> } : {}),
      fields,
      states: { ...before, ...states, aliases: { ...before?.aliases, ...states.aliases } },
    },
  };
}

/** How far apart its launches must be. */
export const LAUNCH_EVERY_S = 12;

/** How long its accepted ids may stay unseen. */
export const MAY_VANISH_MIN = 10;

/** What is not there is no 404. The status is also said of much else. */
function asForgetful({ launch, deployments, ...rest }: WireProfile, absence: Absence): WireProfile {
  const { list, get, ...parts } = deployments as NonNullable<WireProfile["deployments"]>;
  const { query, ...listed } = list as NonNullable<typeof list>;
  const { gone = {}, ...stop } = rest.stop ?? {};
  const missing = absence === "byNull" ? { empty: true as const } : { statuses: [400] };
  return {
    ...rest,
    profile: 2,
    calls: { stop, ...(query && { list: { query } }) },
    stop: { gone },
    ...(launch && { launch: { ...launch, mayVanish: `${MAY_VANISH_MIN}m` } }),
    deployments: { ...parts, list: listed, get: { item: get?.item ?? "", missing } },
  };
}

function sayingNothing({ deployments, ...rest }: WireProfile): WireProfile {
  if (!deployments?.get) return rest;
  return { ...rest, deployments: { ...deployments, get: { item: deployments.get.item } } };
}

/** The same service by a profile 2. */
function asTwo({ stop, ...profile }: WireProfile): WireProfile {
  const { gone = {}, ...call } = stop ?? {};
  return { ...profile, profile: 2, calls: { stop: call }, stop: { gone } };
}

/** Its money is another one, and each price says so. */
function inEuros(
  { deployments, offers, ...profile }: WireProfile,
  billing: Billing | undefined,
): WireProfile {
  const currency = "/currency";
  return {
    ...profile,
    ...(billing && { billing }),
    currency: "EUR",
    balance: { amount: "/balance", currency },
    ...(deployments && { deployments: { ...deployments, fields: { ...deployments.fields, currency } } }),
    ...(offers && { offers: { ...offers, fields: { ...offers.fields, currency } } }),
  };
}

/** An error may carry the id of a machine, and sold out is an error without a wait. */
function asAggregator({ launch, errors, ...rest }: WireProfile, refusing: Refusing): WireProfile {
  return {
    ...rest,
    ...(launch && {
      launch: {
        ...launch,
        createdAt: "/contract",
        ...(refusing === "byWord" ? { accepted: { pointer: "/done", is: [true] } } : {}),
      },
    }),
    errors: {
      ...errors,
      definite: { ...errors?.definite, codes: [...(errors?.definite.codes ?? []), "no_stock"] },
      soldOut: { codes: ["no_stock"], wait: "60s" },
    },
    limits: { launchEvery: `${LAUNCH_EVERY_S}s` },
  };
}

/** What the service speaks by, and what the profile says of it. */
function misstated(profile: WireProfile, quirk: Quirk): readonly [WireProfile, WireProfile] {
  const { auth, deployments } = profile;
  if (quirk === "shortTokens" && auth?.token)
    return [profile, { ...profile, auth: { ...auth, token: { ...auth.token, expires: { value: 36_000 } } } }];
  if (quirk === "unsaidPages" && deployments?.list) {
    const pages = { kind: "page", pageParameter: "page", first: 1, size: 2, total: "/total_count" } as const;
    const list = { ...deployments.list, pagination: pages };
    return [{ ...profile, deployments: { ...deployments, list } }, profile];
  }
  if (quirk === "otherKind" && deployments) {
    const ofKind = (kind: string): WireProfile => ({
      ...asTwo(profile),
      deployments: { ...deployments, records: { where: "/kind", is: [kind] } },
    });
    return [ofKind("vm"), ofKind("gpu")];
  }
  return [profile, profile];
}

const ONE_GPU = "/price_of_one_gpu";

/** The profile of somebody who goes by names alone. */
function misreading({ offers, deployments, ...rest }: WireProfile, quirk: Quirk): WireProfile {
  const price = { pricePerHour: ONE_GPU };
  return {
    ...rest,
    ...(offers && { offers: { ...offers, fields: { ...offers.fields, ...price } } }),
    ...(deployments && {
      deployments:
        quirk === "gpuPrices" ? { ...deployments, fields: { ...deployments.fields, ...price } } : deployments,
    }),
  };
}

const SPOKEN = {
  marker: ["plain", DEFAULT_MANNERS],
  combination: ["nested", NESTED_MANNERS],
  nothing: ["link", LINK_MANNERS],
} as const;

function withOwner(name: WireName): { readonly profile: WireProfile; readonly manners: Manners } {
  const [dialect, manners] = SPOKEN[name];
  const profile = dialectProfile(dialect);
  const { image: _image, ...bare } = profile.launch?.body ?? {};
  const body = { ...(name === "nothing" ? bare : profile.launch?.body), owner: "{parameters.owner}" };
  return { profile: { ...profile, launch: { ...profile.launch, body } }, manners };
}

/** A profile that ships, with one number for each setting, whose launch sends nothing of a user's but the owner. */
function ownedCloud(cloud: string): { readonly profile: WireProfile; readonly manners: Manners } {
  const text = JSON.stringify(loadProfile(cloud).profile).replaceAll(/\{settings\.[\w-]+\}/g, "1");
  const { profile } = readProfile(text, `${cloud}.profile.json`);
  const body = { ...Object(ownPart(profile.launch?.body ?? {})), owner: "{parameters.owner}" };
  const launch = { ...profile.launch, body };
  return { profile: { ...profile, launch }, manners: DEFAULT_MANNERS };
}

/** Without what only a user can say. */
function ownPart(body: Json): Json | undefined {
  if (typeof body === "string") return body.includes("{parameters.") ? undefined : body;
  if (body === null || typeof body !== "object") return body;
  if (Array.isArray(body)) return body.flatMap((each) => ownPart(each) ?? []);
  const parts = Object.entries(body).flatMap(([name, each]) => {
    const own = ownPart(each);
    return own === undefined ? [] : [[name, own] as const];
  });
  return Object.fromEntries(parts);
}

function dialectOf(profile: WireProfile, manners: Manners, unnamedEnd: boolean): Dialect {
  const spoken = speak(profile, manners);
  if (!unnamedEnd) return spoken;
  const bare = new WeakMap<MachineView, MachineView>();
  const withoutReason = (view: MachineView): MachineView => {
    if (view.status !== "stopped") return view;
    const known = bare.get(view) ?? { ...view, stopReason: undefined };
    bare.set(view, known);
    return known;
  };
  return seenAs(spoken, withoutReason);
}

/** A dialect whose lists and GETs show each machine as this view of it. */
function seenAs(dialect: Dialect, view: (machine: MachineView) => MachineView): Dialect {
  return {
    ...dialect,
    write(result, request) {
      if (result.kind === "deployments")
        return dialect.write({ ...result, machines: result.machines.map(view) }, request);
      if (result.kind === "deployment")
        return dialect.write({ ...result, machine: view(result.machine) }, request);
      return dialect.write(result, request);
    },
  };
}

/** A dialect with a quirk. */
function strange(dialect: Dialect, quirk: Quirk | undefined): Dialect {
  if (quirk === undefined) return dialect;
  let first: string | undefined;
  let ghosts = 0;
  const seen = (view: MachineView): MachineView => {
    if (quirk === "noEcho") return { ...view, marker: undefined };
    if (quirk === "manyGpus" && view.id === first && view.status === "running")
      return { ...view, gpus: 9_000 };
    if (quirk === "lateEcho" && view.status !== "running")
      return { ...view, marker: undefined, combination: {} as MachineView["combination"] };
    // The profile passes on unknown states, so the service shows one.
    return quirk === "warming" && view.status === "connecting"
      ? { ...view, status: "warming" as MachineView["status"] }
      : view;
  };
  const spoken = seenAs(dialect, seen);
  return {
    ...spoken,
    write(result, request) {
      if (result.kind === "offers" && quirk === "freeOffers") {
        const listings = result.listings.map((each) => ({ ...each, pricePerHour: "0.00004" }));
        return spoken.write({ ...result, listings }, request);
      }
      if (result.kind === "offers" && quirk === "otherMoney") {
        const [cheap, ...others] = result.listings;
        const pricePerHour = (Number(cheap?.pricePerHour) * 0.8).toFixed(4);
        const listings = cheap ? [{ ...cheap, pricePerHour, currency: "USD" }, ...others] : others;
        return spoken.write({ ...result, listings }, request);
      }
      if (result.kind === "offers" && quirk === "twinOffers") {
        const twins = result.listings.map((each) => ({ ...each, gpus: 2 * each.gpus }));
        return spoken.write({ ...result, listings: [...result.listings, ...twins] }, request);
      }
      if (result.kind !== "launched") return spoken.write(result, request);
      first ??= result.machine.id;
      ghosts += 1;
      const id = quirk === "oldId" ? first : quirk === "ghostId" ? `ghost-${ghosts}` : result.machine.id;
      return dialect.write({ ...result, machine: { ...seen(result.machine), id } }, request);
    },
  };
}
