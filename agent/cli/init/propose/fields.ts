import type { Json } from "../../../../service/contract/service.ts";
import { readInteger, readText } from "../../../../service/text/json.ts";
import { parsePointer, valueAt } from "../../../../service/text/pointer.ts";
import { gapLine, OFFER_NEEDS } from "../../../doctor/checks/list-remedy.ts";
import { fieldGuesses } from "../../../doctor/shape/field-guesses.ts";
import { type KnownPlaces, NOTHING_KNOWN } from "../../../doctor/shape/fields.ts";
import { type Guess, isPrice } from "../../../doctor/shape/guess.ts";
import { type Leaf, leavesOf, NOTHING, SHOWN, wordsIn } from "../../../doctor/shape/leaves.ts";
import { otherTimeOf } from "../../../doctor/shape/price-unit.ts";
import { connectionLines, guessLine, seenText, wordsText } from "../../../doctor/shape/proposal.ts";
import type { OpenPoint, WireEntry } from "../wire.ts";
import { placesSent, type SentPlaces } from "./places-sent.ts";
import { inFiles, leavesIn, type Records, type View } from "./view.ts";

export type Entries = Record<string, WireEntry>;

export interface FieldProposal {
  readonly entries: Entries;
  readonly open: readonly OpenPoint[];
  /** Where each field seems to stand. */
  readonly pointers: Readonly<Record<string, string>>;
}

export function proposeOfferFields(view: View): FieldProposal {
  const { all } = view.offers;
  if (all.length === 0) {
    const how = "save GET /api/v1/offers (curl -i). Without offers a fleet names its candidates itself";
    return { entries: {}, pointers: {}, open: [{ part: "offers", how }] };
  }
  const sent = placesSent(view);
  const guesses = guessesOf("offers", view.offers, leavesIn(view.offers, NOTHING), sent ?? NOTHING_KNOWN).map(
    (guess) =>
      sent !== undefined && guess.why === "value" ? { ...guess, proof: proofOf(guess, sent, view) } : guess,
  );
  const entries = entriesOf(guesses, view.offers, view);
  for (const name of sent?.isOrderGuessed ? ["provider", "location"] : []) {
    const [line, ...lines] = entries[name]?.lines ?? [];
    const turned = `${line}; provider and location may be the other way round`;
    if (line !== undefined) entries[name] = { lines: [turned, ...lines] };
  }
  const gaps = OFFER_NEEDS.filter((name) => entries[name] === undefined);
  for (const name of gaps) entries[name] = { lines: [gapLine(name)], isOpen: true };
  const open: OpenPoint[] = gaps.map((name) => ({
    part: `offers.fields.${name}`,
    how: `no field of an offer${inFiles(view.offers.fileOf.values())} looks like it: name its pointer, or one value for all`,
  }));
  const inWords = guesses.find(({ soldOut }) => soldOut?.length === 0);
  if (inWords !== undefined) open.push({ part: "offers.fields.available", how: whichWords(inWords, view) });
  if (entries.pricePerHour === undefined && entries.pricePerGpuHour === undefined) {
    const how = otherPrice(leavesIn(view.offers, NOTHING), view);
    if (how !== undefined) open.push({ part: "offers.fields.pricePerHour", how });
  }
  return { entries, open, pointers: pointersOf(guesses) };
}

/** What a word means is never guessed: without the right one launches go to what is sold out, or none goes out. */
function whichWords({ pointer, samples }: Guess, { offers, redact }: View): string {
  const words = offers.isSchema ? (offers.notes.get(pointer)?.words.slice(0, 20) ?? []) : samples;
  const seen = words.length === 0 ? "" : ` (${wordsText(words, redact)})`;
  return `only you know the words at ${pointer}${seen}. Name each that means sold out under soldOut, also one that no file shows. Without this line launches go to offers that are sold out, and are refused`;
}

function proofOf({ pointer, samples }: Guess, { file }: SentPlaces, { redact }: View): string {
  return `${file} sends one of these: ${seenText(pointer, samples, redact)}`;
}

/** `offers`: where the offers have their id, provider and location. Their values are known then. */
export function proposeDeploymentFields(view: View, offers: FieldProposal): FieldProposal {
  const { deployments } = view;
  if (deployments.all.length === 0) {
    const how = "save GET /api/v1/deployments with a machine in it; one that failed shows more";
    return { entries: {}, pointers: {}, open: [{ part: "deployments.fields", how }] };
  }
  const leaves = leavesIn(deployments, SHOWN);
  const guesses = guessesOf("deployments", deployments, leaves, knownPlaces(view, offers));
  const entries = entriesOf(guesses, deployments, view);
  const others = leaves.filter(({ pointer }) => !guesses.some((guess) => guess.pointer === pointer));
  const connection = connectionLines(
    deployments.isSchema ? others.map((leaf) => ({ ...leaf, values: [] })) : others,
    inFiles(deployments.fileOf.values()),
  );
  if (connection.length > 0) entries.connection = { lines: connection };
  const epoch = entries.createdAt === undefined ? numberOfTime(leaves) : undefined;
  if (epoch !== undefined) entries.createdAt = { lines: [epoch], isOpen: true };
  const open: OpenPoint[] = [];
  if (entries.failureReason === undefined)
    open.push({
      part: "deployments.fields.failureReason",
      how: "a failed launch shows it: save one when you have it, and run doctor",
    });
  return { entries, open, pointers: pointersOf(guesses) };
}

function guessesOf(
  part: "deployments" | "offers",
  { all, isSchema }: Records,
  leaves: readonly Leaf[],
  known: KnownPlaces,
): readonly Guess[] {
  const guesses = fieldGuesses(part, all, leaves, known);
  // A document's word stands for all that may be there.
  return isSchema ? guesses.map((guess) => (guess.soldOut ? { ...guess, soldOut: [] } : guess)) : guesses;
}

function entriesOf(guesses: readonly Guess[], records: Records, { redact }: View): Entries {
  const entries: Entries = {};
  for (const guess of guesses) {
    const shown = records.isSchema ? { ...guess, samples: [] } : guess;
    const line = guessLine(shown, redact, inFiles(filesWith(guess.pointer, records)));
    const isOpen = guess.soldOut?.length === 0 ? ({ isOpen: true } as const) : {};
    const words = guess.soldOut && documentedWords(guess, records, redact);
    const said = words ? `; described as one of ${words}` : toConfirm(guess, records, redact);
    entries[guess.field] = { lines: [`${line}${said}`], ...isOpen };
  }
  return entries;
}

function documentedWords({ pointer }: Guess, { notes }: Records, redact: View["redact"]): string {
  return wordsText(notes.get(pointer)?.words.slice(0, 20) ?? [], redact);
}

/** What no value shows: units. */
function toConfirm(guess: Guess, { all, notes }: Records, redact: View["redact"]): string {
  const { field } = guess;
  if (field !== "pricePerHour" && field !== "pricePerGpuHour") return "";
  const other = leavesOf(all, NOTHING)
    .filter(({ names }) => names.includes("currency"))
    .flatMap(({ values }) => values.map(String))
    .find((currency) => currency.toUpperCase() !== "USD");
  const of = field === "pricePerHour" ? "of the whole machine" : "of one GPU";
  const unit = guess.cents ? `US cents (by its ${guess.cents})` : "USD";
  const text = notes.get(guess.pointer)?.text ?? "";
  const said = text === "" ? "" : `: it is described as ${redact.text(JSON.stringify(text), 120)}`;
  return `; confirm that it is ${unit} an hour ${of}${said}${other === undefined ? "" : ": its currency is said to be another one"}`;
}

/** Of a price of a month, which no key converts. */
function otherPrice(leaves: readonly Leaf[], { redact }: View): string | undefined {
  const timeOf = ({ names, note }: Leaf): string | undefined =>
    otherTimeOf([...names, ...wordsIn(note?.text ?? "")]);
  const leaf = leaves.find(
    (each) => timeOf(each) !== undefined && each.values.length > 0 && each.values.every(isPrice),
  );
  if (leaf === undefined) return undefined;
  const { pointer, names, values } = leaf;
  const speaks = otherTimeOf(names) === undefined ? "Its description" : "Its name";
  return (
    `is ${pointer} (${seenText(pointer, values.slice(0, 3), redact)}) the price of an hour? ${speaks} says ` +
    `${JSON.stringify(timeOf(leaf))}, and no key of a profile converts that: write pricePerHour beside the candidates of the fleet file`
  );
}

function filesWith(pointer: string, { all, fileOf }: Records): readonly (string | undefined)[] {
  const having = all.filter((record) => {
    const value = valueAt(record, pointer);
    return value !== undefined && value !== null && value !== "";
  });
  return (having.length > 0 ? having : all).map((record) => fileOf.get(record));
}

function pointersOf(guesses: readonly Guess[]): Readonly<Record<string, string>> {
  return Object.fromEntries(guesses.map(({ field, pointer }) => [field, pointer]));
}

function knownPlaces({ offers }: View, { pointers }: FieldProposal): KnownPlaces {
  if (offers.isSchema) return NOTHING_KNOWN;
  const values = (field: string): ReadonlySet<string> => {
    const pointer = pointers[field];
    return new Set(
      pointer === undefined ? [] : offers.all.flatMap((one) => readText(valueAt(one, pointer)) ?? []),
    );
  };
  return { offers: values("id"), providers: values("provider"), locations: values("location") };
}

/** A moment as a number. Fleetkeeper shows what stands there as it is, so that a person decides. */
function numberOfTime(leaves: readonly Leaf[]): string | undefined {
  for (const { pointer, values, names } of leaves) {
    const number = readInteger(values[0] as Json | undefined);
    if (
      number === undefined ||
      !names.some((name) => /^(created|launched|started|ordered|opened|since|born)$/.test(name))
    )
      continue;
    const unit =
      number > 1e9 && number < 1e10 ? "seconds" : number > 1e12 && number < 1e13 ? "milliseconds" : undefined;
    if (unit === undefined) continue;
    const moment = new Date(unit === "seconds" ? number * 1000 : number).toISOString();
    const name = parsePointer(pointer).at(-1) ?? "";
    return `createdAt: <JSON Pointer to a moment as a text>  # ${name} is ${number}, ${unit} since 1970 if that is ${moment}: it would be shown as this number`;
  }
  return undefined;
}
