import type { Json } from "../../service/contract/service.ts";
import { readInteger, readText } from "../../service/text/json.ts";
import { parsePointer, valueAt } from "../../service/text/pointer.ts";
import { sentInLaunch } from "./called.ts";
import { type OwnPlaces, ownPlaces } from "./own-places.ts";
import { placeInMachines, placesSent, type SentPlaces } from "./places-sent.ts";
import { callsIn, inFiles, leavesIn, type ProposalInput, type Records } from "./proposal-input.ts";
import { fieldGuesses, type PlaceName } from "./shape/field-guesses.ts";
import { type KnownPlaces, NOTHING_KNOWN } from "./shape/fields.ts";
import { type Guess, isPrice } from "./shape/guess.ts";
import { type Leaf, leavesOf, NOTHING, wordsIn } from "./shape/leaves.ts";
import { otherTimeOf } from "./shape/price-unit.ts";
import { connectionLines, guessLine, seenText, wordsText } from "./shape/proposal.ts";
import { gapLine, OFFER_NEEDS, yamlText } from "./shape/texts.ts";
import type { OpenPoint, WireEntry } from "./wire.ts";

export type Entries = Record<string, WireEntry>;

export interface FieldProposal {
  readonly entries: Entries;
  readonly open: readonly OpenPoint[];
  /** Where each field seems to stand. */
  readonly pointers: Readonly<Record<string, string>>;
  /** Where in each of the listed an offer stands, such as `/*\/regions/*`: undefined if each is one itself. */
  readonly below?: string | undefined;
}

export function proposeOfferFields(view: ProposalInput): FieldProposal {
  if (view.offers.all.length === 0) {
    const how =
      callsIn(view) === undefined
        ? "save GET /api/v1/offers (curl -i). Without offers a fleet names its candidates itself"
        : "the document does not say what an offer looks like. Without offers a fleet names its candidates itself";
    return { entries: {}, pointers: {}, open: [{ part: "offers", how }] };
  }
  const sent = placesSent(view);
  const inLaunch = sentInLaunch(view);
  // Of an offer's id and its name the one that the launch sends by its whole name.
  const called = { id: new Set([...inLaunch].filter((name) => name.startsWith("="))) };
  const known = { ...(sent ?? NOTHING_KNOWN), sent: inLaunch, called };
  const all = leavesIn(view.offers, NOTHING);
  const { below, move, isIn, isOf } = nesting(guessesOf("offers", view.offers, all, known), view.offers.at);
  // What stands in the offer itself says more of it than what stands above it.
  const leaves = all.filter(isOf).toSorted((one, other) => Number(isIn(other)) - Number(isIn(one)));
  const guesses = guessesOf("offers", view.offers, leaves, known).map((guess) =>
    sent !== undefined && guess.why === "value" ? { ...guess, proof: proofOf(guess, sent, view) } : guess,
  );
  const entries = entriesOf(guesses, view.offers, view, move);
  for (const name of sent?.isOrderGuessed ? ["provider", "location"] : []) {
    const [line, ...lines] = entries[name]?.lines ?? [];
    const turned = `${line}; provider and location may be the other way round`;
    if (line !== undefined) entries[name] = { lines: [turned, ...lines] };
  }
  const gaps = OFFER_NEEDS.filter((name) => entries[name] === undefined);
  for (const name of gaps) entries[name] = { lines: [gapLine(name)], isOpen: true };
  const open: OpenPoint[] = gaps.map((name) => ({
    part: `offers.fields.${name}`,
    how: `no field of an offer${inFiles(view.offers.fileOf.values())} looks like it: name its pointer, or one value for all${name === "gpus" ? ONLY_A_NAME : ""}`,
  }));
  const turned = guesses.filter(({ field }) => field === "provider" || field === "location");
  if (sent?.isOrderGuessed && turned.length > 1) {
    const both = turned.map(({ field, pointer }) => `${move(pointer)} for the ${field}`).join(" and ");
    open.push({
      part: "offers.fields.provider",
      how: `no name in ${sent.file} or in an offer says which of two is the provider: ${both} is a guess, by their order`,
    });
  }
  const inWords = guesses.find(({ soldOut }) => soldOut?.length === 0);
  if (inWords !== undefined) open.push({ part: "offers.fields.available", how: whichWords(inWords, view) });
  if (!hasPrice(entries))
    open.push({ part: "offers.fields.pricePerHour", how: otherPrice(leaves, view) ?? NO_PRICE });
  return { entries, open, pointers: pointersOf(guesses), below };
}

const ONLY_A_NAME =
  ". Where only a name says it, leave offers out, and write gpus beside the candidates of the fleet file";
const NO_PRICE =
  "nothing looks like the price of an hour. A budget needs it: name its pointer, or write pricePerHour beside the candidates of the fleet file";

function hasPrice({ pricePerHour, pricePerGpuHour }: Entries): boolean {
  return (pricePerHour ?? pricePerGpuHour) !== undefined;
}

/** What decides which level of a nested answer is an offer, the surest first. */
const OF_OFFER = ["location", "available", "id", "gpus"];

/** In one of a list of objects. */
const IN_LIST = /\/\d+\//;

/** Beside an address, and none. */
const NO_ADDRESS = /^(status|randomization|range|id|idx|count|dir|start|end|time)$/;

interface Nesting {
  readonly below?: string;
  /** The place of a field in the offer, from its place in the listed. */
  readonly move: (pointer: string) => string;
  /** What stands in another list below the listed is of something else, such as a disk. */
  readonly isOf: (leaf: Leaf) => boolean;
  /** In the offer itself, if it stands in another one. */
  readonly isIn: (leaf: Leaf) => boolean;
}

/** Where places and stocks stand in an array below a type of machine, each of its members is an offer (profile 2). */
function nesting(guesses: readonly Guess[], at: string | undefined): Nesting {
  const pointers = OF_OFFER.flatMap((field) => guesses.find((each) => each.field === field)?.pointer ?? []);
  const inner = pointers.flatMap((pointer) => /^(.*?\/0)(\/|$)/.exec(pointer)?.[1] ?? [])[0];
  const isIn = ({ pointer }: Pick<Leaf, "pointer">): boolean =>
    inner !== undefined && `${pointer}/`.startsWith(`${inner}/`);
  const isOf = (leaf: Leaf): boolean => at === undefined || isIn(leaf) || !IN_LIST.test(leaf.pointer);
  if (at === undefined || inner === undefined) return { move: (pointer) => pointer, isOf, isIn: () => false };
  const levels = parsePointer(inner).length;
  return {
    below: `${at.endsWith("/*") ? "" : "/*"}${inner.replace(/0$/, "*")}`,
    move: (pointer) => (isIn({ pointer }) ? pointer.slice(inner.length) : `${levels}${pointer}`),
    isOf,
    isIn,
  };
}

/** Where its id and its state stand, where that is not what the specification shows. */
function ownEntries({ id, status, others }: OwnPlaces, { deployments }: ProposalInput): Entries {
  const from = `by its name${inFiles(deployments.fileOf.values())}`;
  const instead = others.length === 0 ? "" : `; or ${others.join(", ")}`;
  return {
    ...(id !== "/id" && { id: { lines: [`id: ${yamlText(id)}  # ${from}`] } }),
    ...((status !== "/status" || instead !== "") && {
      status: { lines: [`status: ${yamlText(status)}  # ${from}${instead}`] },
    }),
  };
}

/** What a word means is never guessed: without the right one launches go to what is sold out, or none goes out. */
function whichWords({ pointer, samples }: Guess, { offers, redact }: ProposalInput): string {
  const words = offers.isSchema ? (offers.notes.get(pointer)?.words.slice(0, 20) ?? []) : samples;
  const seen = words.length === 0 ? "" : ` (${wordsText(words, redact)})`;
  return `only you know the words at ${pointer}${seen}. Name each that means sold out under soldOut, also one that no file shows. Without this line launches go to offers that are sold out, and are refused`;
}

function proofOf({ pointer, samples }: Guess, { file }: SentPlaces, { redact }: ProposalInput): string {
  return `${file} sends one of these: ${seenText(pointer, samples, redact)}`;
}

/** `offers`: where the offers have their id, provider and location. Their values are known then. */
export function proposeDeploymentFields(
  view: ProposalInput,
  offers: FieldProposal,
  called: NonNullable<KnownPlaces["called"]>,
): FieldProposal {
  const { deployments } = view;
  if (deployments.all.length === 0) {
    const how = "save GET /api/v1/deployments with a machine in it; one that failed shows more";
    return { entries: {}, pointers: {}, open: [{ part: "deployments.fields", how }] };
  }
  const own = ownPlaces(deployments);
  const isOther = deployments.at !== undefined;
  const all = leavesIn(deployments, own.all).filter(({ pointer }) => !isOther || !IN_LIST.test(pointer));
  const leaves = all.filter(({ pointer }) => !isOther || !/\/\d+$/.test(pointer));
  const known = { ...knownPlaces(view, offers), called };
  const guesses = guessesOf("deployments", deployments, leaves, known);
  const entries = { ...ownEntries(own, view), ...entriesOf(guesses, deployments, view) };
  const others = all.filter(
    ({ pointer, names, values }) =>
      !guesses.some((guess) => guess.pointer === pointer) &&
      !(isOther && (typeof values[0] === "boolean" || names.some((word) => NO_ADDRESS.test(word)))),
  );
  const connection = connectionLines(
    deployments.isSchema ? others.map((leaf) => ({ ...leaf, values: [] })) : others,
    inFiles(deployments.fileOf.values()),
  );
  if (connection.length > 0) entries.connection = { lines: connection };
  const epoch = entries.createdAt === undefined ? numberOfTime(leaves) : undefined;
  if (epoch !== undefined) entries.createdAt = { lines: [epoch] };
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

function entriesOf(
  guesses: readonly Guess[],
  records: Records,
  { redact }: ProposalInput,
  move: Nesting["move"] = (pointer) => pointer,
): Entries {
  const entries: Entries = {};
  for (const guess of guesses) {
    const moved = { ...guess, pointer: move(guess.pointer), others: guess.others.map(move) };
    const shown = records.isSchema ? { ...moved, samples: [] } : moved;
    const line = guessLine(shown, redact, inFiles(filesWith(guess.pointer, records)));
    const isOpen = guess.soldOut?.length === 0 ? ({ isOpen: true } as const) : {};
    const words = guess.soldOut && documentedWords(guess, records, redact);
    const said = words ? `; described as one of ${words}` : toConfirm(guess, records, redact);
    const prices = records.at === undefined ? [] : pricesBeside(guess, records);
    const which =
      prices.length === 0 ? "" : `; which of ${[guess.pointer, ...prices].map(move).join(", ")} is billed?`;
    const isTie = which === "" ? {} : ({ isOpen: true } as const);
    entries[guess.field] = { lines: [`${line}${said}${which}`], ...isOpen, ...isTie };
  }
  return entries;
}

/** Prices of several kinds below one name: nobody can know by which of them a machine is billed. */
function pricesBeside({ field, pointer }: Guess, { all }: Records): readonly string[] {
  const parent = parsePointer(pointer).at(-2) ?? "";
  if (!field.startsWith("price") || !/pric|rate|cost/i.test(parent)) return [];
  const above = pointer.slice(0, pointer.lastIndexOf("/"));
  return leavesOf(all, NOTHING)
    .filter(
      (leaf) =>
        leaf.pointer !== pointer &&
        leaf.pointer.slice(0, leaf.pointer.lastIndexOf("/")) === above &&
        leaf.values.some((value) => typeof value === "number"),
    )
    .map((leaf) => leaf.pointer);
}

function documentedWords({ pointer }: Guess, { notes }: Records, redact: ProposalInput["redact"]): string {
  return wordsText(notes.get(pointer)?.words.slice(0, 20) ?? [], redact);
}

/** What no value shows: units. */
function toConfirm(guess: Guess, { all, notes }: Records, redact: ProposalInput["redact"]): string {
  const { field } = guess;
  if (field !== "pricePerHour" && field !== "pricePerGpuHour") return "";
  const other = leavesOf(all, NOTHING)
    .filter(({ names }) => names.includes("currency"))
    .flatMap(({ pointer, values }) => [...values.map(String), ...(notes.get(pointer)?.words ?? [])])
    .find((currency) => currency.toUpperCase() !== "USD");
  const of = field === "pricePerHour" ? "of the whole machine" : "of one GPU";
  const unit = guess.cents ? `US cents (by its ${guess.cents})` : "USD";
  const text = notes.get(guess.pointer)?.text ?? "";
  const said = text === "" ? "" : `: it is described as ${redact.text(JSON.stringify(text), 120)}`;
  return `; confirm that it is ${unit} an hour ${of}${said}${other === undefined ? "" : `: its currency may be another one, such as ${redact.text(other, 20)}`}`;
}

/** Of a price of a month, which no key converts. */
function otherPrice(leaves: readonly Leaf[], { redact }: ProposalInput): string | undefined {
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

function knownPlaces(view: ProposalInput, { pointers }: FieldProposal): KnownPlaces {
  const { offers } = view;
  const values = (field: string, place: PlaceName): ReadonlySet<string> => {
    const pointer = offers.isSchema ? undefined : pointers[field];
    if (pointer === undefined) return placeInMachines(place, view);
    return new Set(offers.all.flatMap((one) => readText(valueAt(one, pointer)) ?? []));
  };
  return {
    offers: values("id", "offer"),
    providers: values("provider", "provider"),
    locations: values("location", "location"),
  };
}

/** A moment as a number. */
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
    return `createdAt: ${yamlText(pointer)}  # it is ${number}, ${unit} since 1970 if that is ${moment}`;
  }
  return undefined;
}
