import { unreadText } from "../../../service/contract/unread.ts";
import { callOf, callText } from "../../../service/profile/calls.ts";
import { placeText, pointerIn, soldOutWords } from "../../../service/profile/place.ts";
import { counted } from "../../../service/text/counted.ts";
import { at, bestList } from "../../propose/shape/best-list.ts";
import { leavesOf, NOTHING } from "../../propose/shape/leaves.ts";
import { inventory, inWords, wordsText } from "../../propose/shape/proposal.ts";
import { unnamedWords } from "../../propose/shape/stock-words.ts";
import type { DoctorInput } from "../doctor-input.ts";
import { fieldLines, placesIn } from "../field-lines.ts";
import { goodJson } from "../recording-transport.ts";
import { answerText, queryHint, recordsOf } from "../records.ts";
import { addition, proposed, replacement } from "../remedy.ts";
import { type Check, finding } from "../report.ts";
import type { SeenRest } from "../survey.ts";
import { correction } from "./list-remedy.ts";
import { pagesCheck } from "./pages.ts";
import { priceCheck } from "./prices.ts";

const check = finding("offers", "offers.list");

/** Whether the list of offers can be read, and how much of each offer the profile can read. */
export function offerChecks(input: DoctorInput): readonly Check[] {
  const rest = input.seen?.rest;
  if (rest === undefined) return [];
  const { read, unread } = rest.offers;
  if (read === undefined) return [unreadOffers(input, rest)];
  if (read.error !== undefined) {
    const needed = input.fleets.some(({ wish }) => wish.select !== undefined);
    return [check[needed ? "problem" : "warning"](read.error.message, correction("offers", input))];
  }
  const list = read.value;
  if (list.length === 0)
    return [
      check.warning(
        `The list of offers can be read, but is empty: ${callOf(input.loaded.profile, "offers").path}.`,
      ),
    ];
  const models = new Set(list.flatMap(({ gpuModel }) => gpuModel ?? []));
  const what = models.size > 0 ? ` of ${counted(models.size, "GPU model")}` : "";
  const free = list.filter(({ available }) => available !== false).length;
  const isTold = list.some(({ available }) => available !== undefined);
  const available = isTold ? `, ${free} of them available now` : "";
  // An offer that cannot be read is not launched. Only choice is lost by it.
  const gap = unreadText([...list, ...unread], "offers");
  return [
    check.ok(`The list was read to its end: ${counted(list.length, "offer")}${what}${available}.`),
    ...(gap === undefined
      ? []
      : [finding("offers", "offers.records").warning(`${gap}.`, correction("offers", input))]),
    ...pagesCheck("offers", input, list.length),
    ...priceCheck("offers", input),
    ...wordChecks(input),
    ...optionalChecks(input, rest),
  ];
}

/** A word that is written in another way than under soldOut counts as one for what can be had. */
function wordChecks(input: DoctorInput): readonly Check[] {
  const { available } = placesIn("offers", input);
  const named = soldOutWords(available);
  const pointer = pointerIn(available);
  const leaf = leavesOf(recordsOf("offers", input), NOTHING).find((each) => each.pointer === pointer);
  if (named === undefined || pointer === undefined || leaf === undefined) return [];
  const words = unnamedWords(leaf, named);
  if (words.length === 0) return [];
  const says =
    `The service writes ${wordsText(words, input.redact)} at ${pointer}, and offers.fields.available names only ` +
    `${wordsText(named, input.redact)} as sold out. Words are compared letter for letter, so such an offer counts as one that can be had.`;
  const line = `available: ${inWords(pointer, [...named, ...words])}`;
  const remedy = replacement(input.loaded, ["offers", "fields", "available"], line);
  return [
    finding("offers", "offers.soldOut").warning(
      says,
      proposed({ ...remedy, text: `If it means sold out, ${remedy.text.replace(/^W/, "w")}` }),
    ),
  ];
}

const OPTIONAL = {
  pricePerHour:
    "the cheapest mix cannot be found, and no ceiling or budget can be kept; the order of the offers decides",
  gpuModel: "a fleet cannot select by GPU model",
  available: "an offer that is sold out is tried all the same, and refused",
} as const;

function optionalChecks(input: DoctorInput, { offers }: SeenRest): readonly Check[] {
  const { loaded } = input;
  const fields = placesIn("offers", input);
  const list = offers.read?.value ?? [];
  const checks: Check[] = [];
  const missing: string[] = [];
  for (const name of Object.keys(OPTIONAL) as readonly (keyof typeof OPTIONAL)[]) {
    const place = fields[name] ?? (name === "pricePerHour" ? fields.pricePerGpuHour : undefined);
    if (place === undefined) missing.push(name);
    else if (list.every((offer) => offer[name] === undefined)) {
      const says = `The profile maps ${name}, but none of ${counted(list.length, "offer")} has anything at ${placeText(place)}: ${OPTIONAL[name]}.`;
      const lines = fieldLines("offers", input, [name]);
      const remedy = replacement(loaded, ["offers", "fields", name], ...lines);
      checks.push(
        finding("offers", `offers.fields.${name}`).warning(
          says,
          lines.length === 0 ? { ...remedy, lines: undefined } : proposed(remedy),
        ),
      );
    }
  }
  if (missing.length === 0) return checks;
  const lines = fieldLines("offers", input, missing);
  const unmapped = finding("offers", "offers.unmapped").warning(
    `Not mapped: ${missing.join(", ")}. Offers can be chosen without, but:`,
    lines.length === 0 ? undefined : proposed(addition(loaded, ["offers", "fields"], lines)),
    { details: missing.map((name) => `${name}: ${OPTIONAL[name as keyof typeof OPTIONAL]}`) },
  );
  return [unmapped, ...checks];
}

function unreadOffers({ redact, loaded }: DoctorInput, { offers: { answer } }: SeenRest): Check {
  const list = bestList("offers", goodJson(answer));
  const get = `A plain ${callText(loaded.profile, "offers")}`;
  if (list === undefined) {
    const hint = queryHint("offers", answer);
    return check.skipped(`${get} ${answerText(answer, redact)}, and shows no array of objects.${hint}`);
  }
  const details = inventory(leavesOf(list.objects, NOTHING), redact);
  const says = `${get} shows ${counted(list.length, "object")} at ${at(list)}. One of them has:`;
  return check.skipped(says, undefined, { details });
}
