import { createHash } from "node:crypto";
import { canonicalJson } from "../../service/text/json.ts";

/**
 * What the halves of a resource are made of, for any host: arguments in, outputs out. The classes of the
 * dynamic provider put Outputs through it, the plugin plain values.
 */

/** The halves of a `Deployment`, and those of a `Fleet`. */
export type HalfName = "Slot" | "Machine" | "Fleet" | "Wish";

/**
 * A half's type in the states of either host. Each registers its halves with the other's type as an alias: a stack
 * that moves between the classes and the plugin keeps its machines.
 */
export function dynamicType(half: HalfName): string {
  return `pulumi-nodejs:dynamic/fleetkeeper:${half}`;
}
export function pluginType(half: HalfName): string {
  return `fleetkeeper:half:${half}`;
}

/** The property in which a dynamic resource carries its provider's text. */
export const DYNAMIC_PROVIDER = "__provider";

const BY_URN = "run pulumi up --replace with the URN of the resource's half (...:Slot or ...:Fleet) instead";

/** Pulumi's options that are refused in every language, with what to do instead. */
export const REFUSED_BY_ALL = {
  replaceOnChanges: BY_URN,
  replacementTrigger: BY_URN,
  replaceWith: "give the argument triggers an output of the other resource",
  // With it Pulumi calls no delete: what it forgets would run on, and bill.
  deletedWith:
    "a machine ends only if it is stopped. To have it run on after its resource is deleted, set retainOnDelete",
} as const;

/** Why the option and the command `import` are refused. The SDKs of other languages say the same: scripts/setup/sdk-amendments.mjs. */
export const NO_IMPORT =
  "a machine that runs already is taken with the argument adopt of a Deployment, or by fleetkeeper adopt ID";

/** Whether a half is the first of its pair in the state, and so the last to go. */
export function isOuter(half: HalfName): boolean {
  return half === "Slot" || half === "Fleet";
}

/**
 * Whether a hook of a component is this half's: the component's own would run after both. The inner half is deleted
 * first, while the machines live, and its state names them. The delete of the outer one ends them. Either may fail.
 */
export function hasHook(half: HalfName, hook: string): boolean {
  return hook === "onError" || isOuter(half) === (hook === "afterDelete");
}

/** Arguments of a `Deployment` that its machine alone has. Both halves have the others. */
const OF_THE_MACHINE = [
  "gpus",
  "pricePerHour",
  "budget",
  "labels",
  "until",
  "adopt",
  "awaitRunning",
  "ready",
] as const;

type Values = Readonly<Record<string, unknown>>;

/** The arguments of each half. `triggers`, a hash, belongs to the slot: another one makes another machine. */
export function halvesOfDeployment({ triggers, ...args }: Values): {
  readonly slot: Values;
  readonly machine: Values;
} {
  const isOfMachine = (name: string): boolean => OF_THE_MACHINE.some((each) => each === name);
  const common = Object.entries(args).filter(([name]) => !isOfMachine(name));
  return { slot: { ...Object.fromEntries(common), triggers }, machine: args };
}

/** Properties that create adds to each half. */
export const SLOT_OUTPUTS = ["ledger"] as const;
export const MACHINE_OUTPUTS = [
  "deploymentId",
  "status",
  "claim",
  "account",
  "failureCode",
  "failureReason",
  "suggestedAction",
  "stopReason",
  "createdAt",
  "connection",
  "secretConnection",
  "taken",
  "actualPricePerHour",
  "readyAt",
] as const;
export const FLEET_OUTPUTS = ["ledger"] as const;
export const WISH_OUTPUTS = ["runningGpus", "deployments", "pricePerHour", "reasons"] as const;

/** Properties that the halves pass to each other: no arguments of a program. */
export const OWN_OF_DEPLOYMENT = ["label", "slot", "ledger"] as const;
export const OWN_OF_FLEET = ["label", "source", "ledger"] as const;

export type Details = Readonly<Record<string, string>>;

/** The details that are no secrets and those that are, as one. */
export function connectionOf(parts: readonly (Details | undefined)[]): Details | undefined {
  const details: Details = Object.assign({}, ...parts);
  return Object.keys(details).length > 0 ? details : undefined;
}

/** A price as programs read it: with 4 decimals, as the service writes money, and more where it has more. */
function priceText(price: string | number): string {
  const [dollars, rest = ""] = String(price).split(".");
  return `${dollars}.${rest.replace(/0+$/, "").padEnd(4, "0")}`;
}

/** A record with its price in that form. */
export function priced<T extends { readonly pricePerHour?: string }>(record: T): T {
  const { pricePerHour: price } = record;
  return price === undefined ? record : { ...record, pricePerHour: priceText(price) };
}

/** The output of a `Deployment`: what the service shows, else what the program says. */
export function shownPrice(...prices: readonly unknown[]): string | undefined {
  const price = prices.find((each) => each !== undefined);
  return price === undefined ? undefined : priceText(price as string | number);
}

/** Tells resources apart by their URN, in few bytes: it stands in the state twice. The SDK drops a property `urn`. */
export function digestOf(urn: string): string {
  return createHash("sha256").update(urn).digest("hex").slice(0, 16);
}

/** Hash of a value that JSON can carry, also a secret one. Equal values have equal hashes; none can be read back. */
export function hashOfJson(value: unknown): string {
  return createHash("sha256")
    .update(canonicalJson(JSON.parse(JSON.stringify(value))))
    .digest("hex");
}
