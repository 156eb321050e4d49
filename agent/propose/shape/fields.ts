import { isSshText } from "./connection-forms.ts";
import {
  type FieldShape,
  isAvailability,
  isGpuCount,
  isGpuModel,
  isModelName,
  isPrice,
  isSentence,
  isSomeText,
  isTime,
} from "./guess.ts";
import { type Leaf, wordsIn } from "./leaves.ts";
import { isOfPartByText, otherTimeOf } from "./price-unit.ts";

/** Known values of offers, providers and locations, from another list or from the fleets. */
export interface KnownPlaces {
  readonly offers: ReadonlySet<string>;
  readonly providers: ReadonlySet<string>;
  readonly locations: ReadonlySet<string>;
  /** How another part calls a field of these: see {@link FieldShape.called}. */
  readonly called?: Readonly<Record<string, ReadonlySet<string>>>;
  /** What a launch sends: see {@link FieldShape.sent}. */
  readonly sent?: ReadonlySet<string>;
}

export const NOTHING_KNOWN: KnownPlaces = { offers: new Set(), providers: new Set(), locations: new Set() };

const words = (list: string): readonly string[] => list.split(" ");

const OFFER_NAMES = words("offer sku spec plan product instance flavor what");
/** The name of an instance is not what it was made from, and its type is. */
const isOfInstance = ({ names }: Leaf): boolean =>
  names[0] === "instance" && names.length > 1 && /^(name|id|code|key|text|value)$/.test(names[1] ?? "");
const PROVIDER_NAMES = words("provider vendor cloud supplier hoster from");
const LOCATION_NAMES = words(
  "location locations region regions zone zones site sites datacenter datacenters center centers geolocation country place where",
);
/** A document says of the type of GPU that it is a text, and shows none. */
const isText = ({ note }: Leaf): boolean => note?.isText === true;

export const PRICE_NAMES = words("hr price hourly rate cost usd hour amount cents");
/** What has a price of its own: a GB of disk costs no machine. */
export const OF_PARTS = words(
  "gb gib tb tib mb mib disk disks storage volume volumes ssd nvme hdd memory mem ram vram cpu cpus vcpu vcpus core cores " +
    "network bandwidth egress ingress traffic transfer ip ips ipv4 snapshot snapshots backup backups license setup deposit discount savings",
);
const OTHER_TIMES = words("month monthly day daily week weekly year yearly annual minute second");
const PRICE: FieldShape = {
  field: "pricePerHour",
  names: PRICE_NAMES,
  not: words("total balance tax spent currency rating"),
  of: [...OTHER_TIMES, ...OF_PARTS],
  isOther: ({ names, note: { text } = { text: "" } }) =>
    isOfPartByText(text) || (text !== "" && otherTimeOf([...names, ...wordsIn(text)]) !== undefined),
  fits: isPrice,
};
export const AVAILABLE_NAMES = words("available availability stock free capacity remaining quantity");
const GPUS: FieldShape = {
  field: "gpus",
  names: words("gpus gpu accelerators accelerator cards pieces n"),
  not: words("memory mem vram gb model price usd cents cost rate hourly util utilization id"),
  of: words("price prices pricing memory mem vram"),
  isOther: isText,
  fits: isGpuCount,
};

/** The fields of `deployments.fields`. Not the marker: only a launch can show it. */
export function deploymentShapes(known: KnownPlaces): readonly FieldShape[] {
  return [
    {
      field: "offer",
      names: OFFER_NAMES,
      isOther: isOfInstance,
      fits: isSomeText,
      known: known.offers,
    },
    { field: "provider", names: PROVIDER_NAMES, short: ["by"], fits: isSomeText, known: known.providers },
    { field: "location", names: LOCATION_NAMES, short: ["at"], fits: isSomeText, known: known.locations },
    {
      field: "createdAt",
      names: words("created launched requested ordered started opened since born"),
      not: words("updated modified stopped ended expires deleted"),
      fits: isTime,
    },
    PRICE,
    GPUS,
    {
      field: "failureReason",
      names: words("reason why explanation message failure trouble error detail"),
      not: words("code stop"),
      // Why a machine cannot be moved is no failure.
      of: words("action actions"),
      fits: isSentence,
    },
    {
      field: "suggestedAction",
      names: words("suggested suggestion action advice hint remedy recommendation"),
      fits: isSentence,
    },
  ];
}

/** The parts of `offers.fields`. */
export function offerShapes(known: KnownPlaces): readonly FieldShape[] {
  return [
    {
      field: "id",
      names: ["id", ...OFFER_NAMES, "slug", "code", "name", "uuid"],
      of: OF_PARTS,
      isOther: ({ names }) => names.some((word) => LOCATION_NAMES.includes(word)),
      fits: isSomeText,
      known: known.offers,
    },
    // Of a machine it would be its address.
    {
      field: "provider",
      names: [...PROVIDER_NAMES, "host"],
      short: ["by"],
      fits: isSomeText,
      known: known.providers,
    },
    { field: "location", names: LOCATION_NAMES, short: ["at"], fits: isSomeText, known: known.locations },
    GPUS,
    {
      field: "gpuModel",
      names: words("model gpu card accelerator"),
      not: words("count"),
      fits: isModelName,
      looks: isGpuModel,
    },
    PRICE,
    {
      field: "available",
      names: AVAILABLE_NAMES,
      isOther: isText,
      fits: isAvailability,
    },
  ];
}

const CONNECTION = words("host hostname ip address port user username ssh access endpoint");
/** Never proposed: the connection is printed and handed to scripts, so it must hold no secret. */
const SECRET = words("password passwd secret token key private credential credentials");
/** Where a marker could go: a text that a launch may set and a deployment may show back. */
export const MARKER = words(
  "label labels name title tag tags note comment reference metadata nickname displayname alias description",
);

/** Whether this place may say how to reach a machine, by its name or by a text that says so itself. */
export function isConnection({ names, around, values }: Leaf): boolean {
  if ([...names, ...around].some((word) => SECRET.includes(word))) return false;
  return names.some((word) => CONNECTION.includes(word)) || (values.length > 0 && values.every(isSshText));
}
