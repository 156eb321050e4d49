import {
  type FieldShape,
  isAvailability,
  isGpuCount,
  isModelName,
  isPrice,
  isSentence,
  isSomeText,
  isTime,
} from "./guess.ts";

/** Known values of offers, providers and locations, from another list or from the fleets. */
export interface KnownPlaces {
  readonly offers: ReadonlySet<string>;
  readonly providers: ReadonlySet<string>;
  readonly locations: ReadonlySet<string>;
}

const OFFER_NAMES = ["offer", "sku", "spec", "plan", "product", "instance", "flavor", "what"] as const;
const PROVIDER_NAMES = ["provider", "vendor", "cloud", "supplier", "hoster", "from"] as const;
const LOCATION_NAMES = [
  "location",
  "region",
  "zone",
  "site",
  "datacenter",
  "country",
  "place",
  "where",
] as const;
const NO_PRICE = ["total", "balance", "tax", "month", "minute", "spent", "currency", "rating"] as const;

export const PRICE_NAMES: readonly string[] = [
  "price",
  "hourly",
  "rate",
  "cost",
  "usd",
  "hour",
  "amount",
  "cents",
];
const PRICE: FieldShape = {
  field: "pricePerHour",
  names: PRICE_NAMES,
  not: NO_PRICE,
  fits: isPrice,
};
const GPUS: FieldShape = {
  field: "gpus",
  names: ["gpus", "gpu", "accelerators", "accelerator", "n"],
  not: ["memory", "mem", "vram", "gb", "model", "price", "usd", "util", "utilization", "id"],
  fits: isGpuCount,
};

/** The fields of `deployments.fields`. Not the marker: only a launch can show it. */
export function deploymentShapes(known: KnownPlaces): readonly FieldShape[] {
  return [
    { field: "offer", names: OFFER_NAMES, fits: isSomeText, known: known.offers },
    { field: "provider", names: PROVIDER_NAMES, fits: isSomeText, known: known.providers },
    { field: "location", names: LOCATION_NAMES, fits: isSomeText, known: known.locations },
    {
      field: "createdAt",
      names: ["created", "launched", "requested", "ordered", "started", "since"],
      not: ["updated", "modified", "stopped", "ended", "expires", "deleted"],
      fits: isTime,
    },
    PRICE,
    GPUS,
    {
      field: "failureReason",
      names: ["reason", "why", "explanation", "message", "failure", "trouble", "error", "detail"],
      not: ["code", "stop"],
      fits: isSentence,
    },
    {
      field: "suggestedAction",
      names: ["suggested", "suggestion", "action", "advice", "hint", "remedy", "recommendation"],
      fits: isSentence,
    },
  ];
}

/** The parts of `offers.fields`. */
export function offerShapes(known: KnownPlaces): readonly FieldShape[] {
  return [
    { field: "id", names: ["id", ...OFFER_NAMES, "slug", "name"], fits: isSomeText, known: known.offers },
    { field: "provider", names: PROVIDER_NAMES, fits: isSomeText, known: known.providers },
    { field: "location", names: LOCATION_NAMES, fits: isSomeText, known: known.locations },
    GPUS,
    { field: "gpuModel", names: ["model", "gpu", "card", "accelerator"], not: ["count"], fits: isModelName },
    PRICE,
    {
      field: "available",
      names: ["available", "availability", "stock", "free", "capacity", "remaining", "quantity"],
      fits: isAvailability,
    },
  ];
}

const CONNECTION_WORDS = [
  "host",
  "hostname",
  "ip",
  "address",
  "port",
  "user",
  "username",
  "ssh",
  "access",
  "endpoint",
];
/** Never proposed: the connection is printed and handed to scripts, so it must hold no secret. */
const SECRET_WORDS = ["password", "passwd", "secret", "token", "key", "private", "credential", "credentials"];

/** Whether this place may say how to reach a machine. */
export function isConnection(names: readonly string[], around: readonly string[]): boolean {
  const all = [...names, ...around];
  return (
    names.some((word) => CONNECTION_WORDS.includes(word)) && !all.some((word) => SECRET_WORDS.includes(word))
  );
}

/** Whether a marker could go here: a text that a launch may set and a deployment may show back. */
export function mayCarryMarker(names: readonly string[]): boolean {
  const words = [
    "label",
    "labels",
    "name",
    "title",
    "tag",
    "tags",
    "note",
    "comment",
    "reference",
    "metadata",
  ];
  return names.some((word) => words.includes(word));
}
