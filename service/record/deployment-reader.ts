import type { Deployment, Json } from "../contract/service.ts";
import { depthOf } from "../profile/nested.ts";
import { type Place, SEPARATOR } from "../profile/place.ts";
import type { WireProfile } from "../profile/profile.ts";
import { isSameDeployment, type ReadDeployment } from "../same/says-the-same.ts";
import { readName, readText } from "../text/json.ts";
import type { Redaction } from "../text/redaction.ts";
import { detailsReader } from "./details-reader.ts";
import { GPUS, priceReader, readCount } from "./price-reader.ts";
import {
  createFields,
  type Field,
  type FieldProblem,
  type FieldReader,
  Flawed,
  ID,
  NAME,
  type RecordReader,
} from "./record-field.ts";

/** Fields that the specification shows (section 2), where a profile 2 does not say otherwise. */
const SHOWN = {
  id: "/id",
  status: "/status",
  failureCode: "/failure_code",
  stopReason: "/stop_reason",
} as const;

/**
 * Which machine a record is, whether it is there, and whose. If one cannot be read, the record proves
 * nothing. Any other unreadable field is left out, as if the service did not show it.
 */
const VITAL: readonly string[] = ["id", "status", "marker"];

export function isVital({ field }: FieldProblem): boolean {
  return VITAL.includes(field);
}

export function deploymentReader(
  profile: WireProfile["deployments"],
  redact: Pick<Redaction, "hide">,
  currency?: string,
): RecordReader<Deployment> {
  const places: NonNullable<WireProfile["deployments"]>["fields"] = profile?.fields ?? {};
  const {
    id: idAt = SHOWN.id,
    status: statusAt = SHOWN.status,
    failureCode: codeAt = SHOWN.failureCode,
    stopReason: reasonAt = SHOWN.stopReason,
  } = places;
  const fields = createFields(depthOf(profile?.list, places) !== undefined);
  const words = (name: string, place: Place | undefined): FieldReader<string> =>
    fields.add({ name, place, read: (value) => wordsOf(value, redact), expected: NAME });
  const status = fields.add(statusField(statusAt, profile?.states ?? {}));
  const details = detailsReader(fields, places.connection ?? {});
  const gpus = fields.add({ name: "gpus", place: places.gpus, read: readCount, expected: GPUS });
  const id = fields.add({ name: "id", place: idAt, read: readName, expected: ID, isRequired: true });
  const failureCode = words("failure_code", codeAt);
  const stopReason = words("stop_reason", reasonAt);
  const failureReason = words("failureReason", places.failureReason);
  const suggestedAction = words("suggestedAction", places.suggestedAction);
  const offer = fields.addName("offer", places.offer);
  const provider = fields.addName("provider", places.provider);
  const location = fields.addName("location", places.location);
  const marker = fields.addName("marker", places.marker);
  const createdAt = fields.addName("createdAt", places.createdAt);
  const pricePerHour = priceReader(fields, places, currency);
  const slotsOf = fields.slots();

  return (record, before) => {
    const problems: FieldProblem[] = [];
    const slots = slotsOf(record);
    const shownStatus = status(slots, before?.status, problems);
    const { open, secret } = details(slots, before, problems);
    const count = gpus(slots, before?.gpus, problems);
    const read: ReadDeployment = {
      id: id(slots, before?.id, problems),
      status: shownStatus,
      failureCode: failureCode(slots, before?.failureCode, problems),
      stopReason: stopReason(slots, before?.stopReason, problems),
      failureReason: failureReason(slots, before?.failureReason, problems),
      suggestedAction: suggestedAction(slots, before?.suggestedAction, problems),
      offer: offer(slots, before?.offer, problems),
      provider: provider(slots, before?.provider, problems),
      location: location(slots, before?.location, problems),
      marker: marker(slots, before?.marker, problems),
      createdAt: createdAt(slots, before?.createdAt, problems),
      pricePerHour: pricePerHour(slots, before?.pricePerHour, count, problems),
      gpus: count,
      connection: open,
      secretConnection: secret,
    };
    if (problems.length > 0) return new Flawed(built(read), problems);
    return before !== undefined && isSameDeployment(before, read) ? before : (built(read) as Deployment);
  };
}

/** Without undefined values: a missing key means "not there" everywhere in this room. */
function built(shown: ReadDeployment): Partial<Deployment> {
  const made: { -readonly [K in keyof Deployment]?: Deployment[K] } = {};
  if (shown.id !== undefined) made.id = shown.id;
  if (shown.status !== undefined) made.status = shown.status;
  if (shown.failureCode !== undefined) made.failureCode = shown.failureCode;
  if (shown.stopReason !== undefined) made.stopReason = shown.stopReason;
  if (shown.failureReason !== undefined) made.failureReason = shown.failureReason;
  if (shown.suggestedAction !== undefined) made.suggestedAction = shown.suggestedAction;
  if (shown.offer !== undefined) made.offer = shown.offer;
  if (shown.provider !== undefined) made.provider = shown.provider;
  if (shown.location !== undefined) made.location = shown.location;
  if (shown.marker !== undefined) made.marker = shown.marker;
  if (shown.createdAt !== undefined) made.createdAt = shown.createdAt;
  if (shown.pricePerHour !== undefined) made.pricePerHour = shown.pricePerHour;
  if (shown.gpus !== undefined) made.gpus = shown.gpus;
  if (shown.connection !== undefined) made.connection = shown.connection;
  if (shown.secretConnection !== undefined) made.secretConnection = shown.secretConnection;
  return made;
}

/**
 * A state for a word of the service's. No alias is the meaning of another one (profile/profile-checks.ts). Of words beside
 * it as many count as the profile names together: another one that it does not know says nothing against the state.
 */
function statusField(
  place: Place,
  { aliases = {}, terminal = [], replace = [] }: NonNullable<WireProfile["deployments"]>["states"],
): Field<string> {
  const words = new Map(Object.entries(aliases));
  const named = new Set([...words.keys(), ...terminal, ...replace]);
  const hasBeside = typeof place === "object" && "beside" in place;
  const wordIn = (text: string): string => {
    const [state = "", ...beside] = text.split(SEPARATOR);
    const whole = beside.map((_, at) => [state, ...beside.slice(0, at + 1)].join(" "));
    return whole.findLast((each) => named.has(each)) ?? state;
  };
  return {
    name: "status",
    place,
    read: (value) => {
      const name = typeof value === "string" && hasBeside ? wordIn(value) : value;
      const word = readName(name);
      return word === undefined ? undefined : (words.get(word) ?? word);
    },
    expected: NAME,
    isRequired: true,
    isChanged: hasBeside,
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
