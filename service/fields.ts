import Big from "big.js";
import { isSecret, pointerOf } from "./connection.ts";
import type { Combination } from "./contract.ts";
import { readBoolean, readDecimal, readInteger, readName, readText } from "./json.ts";
import { LONGEST_DETAIL, MOST_GPUS } from "./limits.ts";
import { parseUsd, plainPrice } from "./money.ts";
import type { Place } from "./place.ts";
import { isInCents, placeText, standingAt } from "./place.ts";
import type { WireProfile } from "./profile.ts";
import type { Redaction } from "./redaction.ts";
import type { Deployment, Json, Offer } from "./service.ts";

/** A field that is not as the profile says. */
export interface FieldProblem {
  readonly field: string;
  readonly pointer: string;
  readonly expected: string;
  readonly got: Json | undefined;
}

export interface Mapped<T> {
  readonly value: Partial<T>;
  /** Empty if every required field is there and every mapped field that is there can be read. */
  readonly problems: readonly FieldProblem[];
}

type Reader<T> = (value: Json | undefined) => T | undefined;
type DeploymentFields = NonNullable<WireProfile["deployments"]>["fields"];
type OfferFields = NonNullable<WireProfile["offers"]>["fields"];

/** Fields that the specification shows (section 2). The profile says where the record itself stands. */
const SHOWN = {
  id: "/id",
  status: "/status",
  failureCode: "/failure_code",
  stopReason: "/stop_reason",
} as const;

export function mapDeployment(
  record: Json,
  profile: WireProfile["deployments"],
  redact: Pick<Redaction, "hide">,
): Mapped<Deployment> {
  const readWords: Reader<string> = (value) => wordsOf(value, redact);
  const fields: DeploymentFields = profile?.fields ?? {};
  const { field, problems } = reader(record);
  const word = field("status", SHOWN.status, readName, NAME, "required");
  const details = Object.entries(fields.connection ?? {}).flatMap(([name, where]) => {
    const value = field(`connection.${name}`, pointerOf(where), readAnything, DETAIL);
    return value === undefined ? [] : [{ name, value, secret: isSecret(where) }];
  });
  const secrets = details.filter(({ secret }) => secret);
  const named = (some: typeof details): Record<string, string> =>
    Object.fromEntries(some.map(({ name, value }) => [name, value]));
  const gpus = field("gpus", fields.gpus, readCount, GPUS);
  const value = defined<Deployment>({
    id: field("id", SHOWN.id, readName, ID, "required"),
    status: word === undefined ? undefined : unalias(word, profile?.states.aliases ?? {}),
    failureCode: field("failure_code", SHOWN.failureCode, readWords, "a text"),
    stopReason: field("stop_reason", SHOWN.stopReason, readWords, "a text"),
    failureReason: field("failureReason", fields.failureReason, readWords, "a text"),
    suggestedAction: field("suggestedAction", fields.suggestedAction, readWords, "a text"),
    offer: field("offer", fields.offer, readName, NAME),
    provider: field("provider", fields.provider, readName, NAME),
    location: field("location", fields.location, readName, NAME),
    marker: field("marker", fields.marker, readName, NAME),
    createdAt: field("createdAt", fields.createdAt, readName, NAME),
    pricePerHour: priceOf(fields, gpus, field),
    gpus,
    connection: details.length === 0 ? undefined : named(details.filter(({ secret }) => !secret)),
    secretConnection: secrets.length === 0 ? undefined : named(secrets),
  });
  return { value, problems };
}

export function mapOffer(record: Json, fields: OfferFields): Mapped<Offer> {
  const { field, problems } = reader(record);
  const available = field("available", fields.available, readBoolean, "true, false or a number");
  const gpus = field("gpus", fields.gpus, readCount, GPUS, "required");
  const value = defined<Offer>({
    offer: field("id", fields.id, readName, ID, "required"),
    provider: field("provider", fields.provider, readName, NAME, "required"),
    location: field("location", fields.location, readName, NAME, "required"),
    gpus,
    gpuModel: field("gpuModel", fields.gpuModel, readName, NAME),
    pricePerHour: priceOf(fields, gpus, field),
    available,
    stock: available === undefined ? undefined : readStock(record, fields.available),
  });
  return { value, problems };
}

export function isComplete<T extends Combination | Deployment>(
  mapped: Mapped<T>,
): mapped is Mapped<T> & { readonly value: T } {
  return mapped.problems.length === 0;
}

/**
 * Which machine a record is, whether it is there, and whose. If one cannot be read, the record proves
 * nothing. Any other unreadable field is left out, as if the service did not show it.
 */
const VITAL: readonly string[] = ["id", "status", "marker"];

export function isVital({ field }: FieldProblem): boolean {
  return VITAL.includes(field);
}

const NAME = "a text";
const ID = "a text or a whole number";
const DETAIL = `a value of at most ${LONGEST_DETAIL} characters`;
const GPUS = `a whole number of at most ${MOST_GPUS}`;

type ReadField = <T>(
  name: string,
  place: Place | undefined,
  read: Reader<T>,
  expected: string,
  need?: "required",
) => T | undefined;

/** Reads single fields of one record and remembers what could not be read. */
function reader(record: Json): { readonly field: ReadField; readonly problems: FieldProblem[] } {
  const problems: FieldProblem[] = [];
  return {
    problems,
    field(name, place, read, expected, need) {
      if (place === undefined) return undefined;
      const got = standingAt(record, place);
      const value = read(got);
      // Services write "nothing" as null or an empty text. Only a required field must not be nothing.
      const isNothing = got === undefined || got === null || got === "";
      if (value === undefined && (need === "required" || !isNothing))
        problems.push({ field: name, pointer: placeText(place), expected, got });
      return value;
    },
  };
}

/** Texts for people are kept for ever and read at each decision, so they are cut to a page. */
const MOST_WORDS = 4000;

/** These texts are shown everywhere, so a credential that the service repeats is hidden in them. */
function wordsOf(value: Json | undefined, { hide }: Pick<Redaction, "hide">): string | undefined {
  const said = readText(value);
  const text = said && hide(said);
  const most = text !== undefined && text.length > MOST_WORDS ? `${text.slice(0, MOST_WORDS - 1)}…` : text;
  // The ledger would give half of a character back as another one. The service or the cut may leave one.
  return most?.toWellFormed();
}

/**
 * USD an hour of the whole machine. If only the price of one GPU is shown: that times the count of GPUs. If
 * the count is unknown, so is the price.
 */
function priceOf(
  { pricePerHour, pricePerGpuHour }: Pick<OfferFields, "pricePerHour" | "pricePerGpuHour">,
  gpus: number | undefined,
  field: ReadField,
): string | undefined {
  const read = (name: string, place: Place | undefined): string | undefined =>
    field(
      name,
      place,
      isInCents(place) ? readCents : readPrice,
      `a price such as ${isInCents(place) ? "150" : "1.50"}`,
    );
  const whole = read("pricePerHour", pricePerHour);
  const one = read("pricePerGpuHour", pricePerGpuHour);
  if (one === undefined || pricePerHour !== undefined) return whole;
  return gpus === undefined || gpus === 0 ? undefined : plainPrice(new Big(one).times(gpus).toFixed());
}

/** A negative price or count is a wrong pointer. It would make the dearest offer look like the best. */
function readPrice(value: Json | undefined): string | undefined {
  const decimal = readDecimal(value);
  const text = decimal && plainPrice(decimal);
  return text === undefined || parseUsd(text)?.gte(0) !== true ? undefined : text;
}

function readCents(value: Json | undefined): string | undefined {
  const decimal = readDecimal(value);
  return decimal === undefined ? undefined : readPrice(new Big(decimal).times("0.01").toFixed());
}

function readCount(value: Json | undefined): number | undefined {
  const count = readInteger(value);
  return count === undefined || count < 0 || count > MOST_GPUS ? undefined : count;
}

/** A number says how many there are; a boolean only says whether there is one. */
function readStock(record: Json, place: Place | undefined): number | undefined {
  const decimal = place === undefined ? undefined : readDecimal(standingAt(record, place));
  return decimal === undefined ? undefined : Math.max(0, Math.floor(Number(decimal)));
}

/** Connection details are only shown to people, so any value becomes a text. */
function readAnything(value: Json | undefined): string | undefined {
  if (value === undefined || value === null || value === "") return undefined;
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return text.length > LONGEST_DETAIL ? undefined : text.toWellFormed();
}

function unalias(word: string, aliases: Readonly<Record<string, string>>): string {
  return Object.hasOwn(aliases, word) ? (aliases[word] ?? word) : word;
}

/** Leaves out undefined values: a missing key means "not there" everywhere in this room. */
function defined<T>(fields: { readonly [K in keyof T]: T[K] | undefined }): Partial<T> {
  const there: Partial<T> = {};
  for (const key in fields) if (fields[key] !== undefined) there[key] = fields[key];
  return there;
}
