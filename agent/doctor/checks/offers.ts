import { PATHS } from "../../../service/contract.ts";
import { type Place, placeText, pointerIn } from "../../../service/place.ts";
import { valueAt } from "../../../service/pointer.ts";
import { REQUIREMENTS } from "../../../service/requirement.ts";
import type { Json } from "../../../service/service.ts";
import type { DoctorInput } from "../doctor-input.ts";
import { knownPlaces } from "../known.ts";
import type { SeenRest } from "../look.ts";
import type { Sighting } from "../recording-transport.ts";
import { answerText, isRefused, queryHint } from "../records.ts";
import { addition, isWritten, replacement, yamlText } from "../remedy.ts";
import { type Check, count, type Remedy } from "../report.ts";
import { offerShapes } from "../shape/fields.ts";
import { guessFields } from "../shape/guess.ts";
import { leavesOf } from "../shape/leaves.ts";
import { type FoundList, listsIn } from "../shape/lists.ts";
import { pagingSigns } from "../shape/paging.ts";
import { pagingLines } from "../shape/paging-guess.ts";
import { gpusPlace, priceGuess } from "../shape/prices.ts";
import { guessLine, inventory } from "../shape/proposal.ts";
import { pagesCheck } from "./pages.ts";
import { priceCheck } from "./prices.ts";

const REQUIRED = ["id", "provider", "location", "gpus"] as const;

/** The specification shows no field of an offer: so all its fields are looked at, `id` and `status` too. */
const NOTHING_SHOWN: ReadonlySet<string> = new Set();

/** Whether the list of offers can be read, and how much of each offer the profile can read. */
export function offerChecks(input: DoctorInput): readonly Check[] {
  const rest = input.seen?.rest;
  if (rest === undefined) return [];
  const { offers, offersAnswer } = rest;
  const base = { id: "offers.list", section: "offers" } as const;
  if (offers === undefined) return [unreadOffers(input, offersAnswer)];
  if (offers.error !== undefined) {
    const needed = input.fleets.some(({ wish }) => wish.select !== undefined);
    const remedy = correction(input);
    return [
      {
        ...base,
        level: needed ? "problem" : "warning",
        says: offers.error.message,
        ...(remedy === undefined ? {} : { remedy }),
      },
    ];
  }
  const list = offers.value;
  if (list.length === 0) {
    return [
      { ...base, level: "warning", says: `The list of offers can be read, but is empty: ${PATHS.offers}.` },
    ];
  }
  const free = list.filter(({ available }) => available !== false).length;
  const models = [...new Set(list.flatMap(({ gpuModel }) => gpuModel ?? []))];
  const what = models.length > 0 ? ` of ${count(models.length, "GPU model")}` : "";
  const available = list.some((offer) => offer.available !== undefined)
    ? `, ${free} of them available now`
    : "";
  return [
    {
      ...base,
      level: "ok",
      says: `The list was read to its end: ${count(list.length, "offer")}${what}${available}.`,
    },
    ...unreadCheck(input, rest),
    ...[pagesCheck("offers", input, list.length) ?? []].flat(),
    ...priceCheck(input, "offers", recordsOf(input, input.seen?.rest?.offersAnswer)),
    ...optionalChecks(input),
  ];
}

/** An offer that cannot be read is not launched. Only choice is lost by it. */
function unreadCheck(input: DoctorInput, { unreadOffers }: SeenRest): readonly Check[] {
  if (unreadOffers === undefined) return [];
  const remedy = correction(input);
  return [
    {
      id: "offers.records",
      section: "offers",
      level: "warning",
      says: `${unreadOffers}.`,
      ...(remedy === undefined ? {} : { remedy }),
    },
  ];
}

const OPTIONAL = {
  pricePerHour:
    "the cheapest mix cannot be found, and no ceiling or budget can be kept; the order of the offers decides",
  gpuModel: "a fleet cannot select by GPU model",
  available: "an offer that is sold out is tried all the same, and refused",
} as const;

function optionalChecks(input: DoctorInput): readonly Check[] {
  const { loaded, seen } = input;
  const fields: Readonly<Record<string, Place | undefined>> = loaded.profile.offers?.fields ?? {};
  const list = seen?.rest?.offers?.value ?? [];
  const names = Object.keys(OPTIONAL) as readonly (keyof typeof OPTIONAL)[];
  const placeOf = (name: string): Place | undefined =>
    fields[name] ?? (name === "pricePerHour" ? fields.pricePerGpuHour : undefined);
  const missing = names.filter((name) => placeOf(name) === undefined);
  const empty = names.filter(
    (name) => !missing.includes(name) && list.every((offer) => offer[name] === undefined),
  );
  const checks: Check[] = [];
  if (missing.length > 0) {
    const lines = fieldLines(input, missing);
    checks.push({
      id: "offers.unmapped",
      section: "offers",
      level: "warning",
      says: `Not mapped: ${missing.join(", ")}. Offers can be chosen without, but:`,
      details: missing.map((name) => `${name}: ${OPTIONAL[name]}`),
      ...(lines.length === 0
        ? {}
        : { remedy: { ...addition(loaded, ["offers", "fields"], lines), proposed: true as const } }),
    });
  }
  for (const name of empty) {
    const lines = fieldLines(input, [name]);
    checks.push({
      id: `offers.fields.${name}`,
      section: "offers",
      level: "warning",
      says: `The profile maps ${name}, but none of ${count(list.length, "offer")} has anything at ${placeText(placeOf(name) ?? "")}: ${OPTIONAL[name]}.`,
      remedy: {
        text: `Write in the profile, instead of what stands at "offers.fields.${name}"`,
        at: loaded.locate(["offers", "fields", name]),
        ...(lines.length === 0 ? {} : { lines: lines.map((line) => `    ${line}`), proposed: true as const }),
      },
    });
  }
  return checks;
}

function unreadOffers({ redact }: DoctorInput, answer: Sighting | undefined): Check {
  const base = { id: "offers.list", section: "offers", level: "skipped" } as const;
  const list = bestList(answer);
  if (list === undefined) {
    const query = isRefused(answer) ? queryHint("offers.list") : "";
    return {
      ...base,
      says: `A plain GET ${PATHS.offers} ${answerText(answer, redact)}, and shows no array of objects.${query}`,
    };
  }
  return {
    ...base,
    says: `A plain GET ${PATHS.offers} shows ${count(list.length, "object")} at ${list.pointer || "the top of the answer"}. One of them has:`,
    details: inventory(leavesOf(list.objects, NOTHING_SHOWN), redact),
  };
}

/** The lines for the part "offers", as far as the answer shows them. */
export function offersRemedy(input: DoctorInput): Remedy {
  const { loaded, seen } = input;
  const { part, lines } = REQUIREMENTS.offers;
  const answer = seen?.rest?.offersAnswer;
  const list = bestList(answer);
  if (list === undefined || answer === undefined) return addition(loaded, part, lines);
  const found = fieldLines(input, []);
  const gaps = REQUIRED.filter((name) => !found.some((line) => line.startsWith(`${name}:`))).map(gapLine);
  return {
    ...addition(loaded, part, [
      "list:",
      `  items: ${yamlText(list.pointer)}  # the array with ${count(list.length, "object")}`,
      ...pagingLines(pagingSigns(answer), list.length, seen?.rest?.offersNext).map((line) => `  ${line}`),
      "fields:",
      ...[...found, ...gaps].map((line) => `  ${line}`),
    ]),
    proposed: true,
  };
}

/** A service with one provider or one location may not name it in each offer: the profile gives its value. */
function gapLine(name: (typeof REQUIRED)[number]): string {
  return name === "id" || name === "gpus"
    ? `${name}: <JSON Pointer in one offer to its ${name}>`
    : `${name}: { value: "<the ${name}, if the service has only one; else a JSON Pointer in its place>" }  # no field looks like it`;
}

function correction(input: DoctorInput): Remedy | undefined {
  const { loaded, seen } = input;
  const answer = seen?.rest?.offersAnswer;
  const best = bestList(answer);
  const items = loaded.profile.offers?.list.items;
  if (best === undefined || answer?.json === undefined || items === undefined) return undefined;
  if (!Array.isArray(valueAt(answer.json, items))) {
    return {
      ...replacement(
        loaded,
        ["offers", "list", "items"],
        `items: ${yamlText(best.pointer)}  # ${count(best.length, "object")}`,
      ),
      proposed: true,
    };
  }
  const lines = fieldLines(input, []);
  if (lines.length === 0 || !isWritten(loaded, ["offers", "fields"])) return undefined;
  return {
    text: 'What the fields look like; correct the one that is named above, under "offers.fields:"',
    at: loaded.locate(["offers", "fields"]),
    lines: lines.map((line) => `    ${line}`),
    proposed: true,
  };
}

/** One line for each of these fields that the offers seem to hold. All fields, if `names` is empty. */
function fieldLines(input: DoctorInput, names: readonly string[]): readonly string[] {
  const { loaded, redact, seen } = input;
  const fields: Readonly<Record<string, Place | undefined>> = loaded.profile.offers?.fields ?? {};
  const wanted = (name: string): boolean => names.length === 0 || names.includes(name);
  const elsewhere = new Set(
    Object.entries(fields).flatMap(([name, place]) => (wanted(name) ? [] : (pointerIn(place) ?? []))),
  );
  const leaves = leavesOf(recordsOf(input, seen?.rest?.offersAnswer), NOTHING_SHOWN).filter(
    ({ pointer }) => !elsewhere.has(pointer),
  );
  // The places in the offers are what is looked for, so only the fleets' values are known.
  const known = knownPlaces({ ...input, seen: undefined });
  const all = guessFields(leaves, offerShapes(known));
  const records = recordsOf(input, seen?.rest?.offersAnswer);
  return all
    .filter(({ field }) => wanted(field))
    .map((guess) => priceGuess(guess, records, leaves, gpusPlace(loaded.profile.offers?.fields.gpus, all)))
    .filter(({ field, pointer }) => names.length === 0 || pointerIn(fields[field]) !== pointer)
    .map((guess) => guessLine(guess, redact));
}

function recordsOf({ loaded }: DoctorInput, answer: Sighting | undefined): readonly Json[] {
  const items = loaded.profile.offers?.list.items;
  const lists = answer?.json === undefined ? [] : listsIn(answer.json);
  const mapped = lists.find(({ pointer }) => pointer === items);
  return (mapped !== undefined && mapped.objects.length > 0 ? mapped : bestList(answer))?.objects ?? [];
}

/** The array with the most objects. */
function bestList(answer: Sighting | undefined): FoundList | undefined {
  if (answer?.json === undefined || answer.status >= 300) return undefined;
  const [best] = listsIn(answer.json)
    .filter(({ objects }) => objects.length > 0)
    .sort((one, other) => other.objects.length - one.objects.length);
  return best;
}
