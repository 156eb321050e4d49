import type { Json } from "../../service/contract/service.ts";
import { readText } from "../../service/text/json.ts";
import { formatPointer, valueAt } from "../../service/text/pointer.ts";
import { NUMBER, nearMissIn, placeholdersIn } from "../../service/text/template.ts";
import { mapLeaves } from "./body.ts";
import type { FieldProposal } from "./fields.ts";
import type { ProposalInput } from "./proposal-input.ts";
import type { Asked } from "./saved/evidence.ts";
import { isFree, isPlainTitle, mayBeSecret, offeredTexts } from "./saved/launch-secrets.ts";
import { sentLaunch } from "./sent-launch.ts";
import { PLACES, type PlaceName, placesByName } from "./shape/field-guesses.ts";
import { type Leaf, leavesOf, NOTHING, SHOWN, wordsOf } from "./shape/leaves.ts";
import { isObject, type JsonObject } from "./shape/lists.ts";
import { isSensitive } from "./shape/proposal.ts";

/** The body of a launch as a template, from a request that was sent. */
export interface LaunchTemplate {
  readonly body: JsonObject;
  /** By JSON Pointer in the body: what each value was, or what it was read from. */
  readonly comments: ReadonlyMap<string, string>;
  readonly file: string;
  /** Where deployments show the marker back. */
  readonly marker: { readonly pointer: string; readonly why: string } | undefined;
  /** Texts of the body that may be free: no saved deployment shows one back, or all alike. */
  readonly free: readonly { readonly pointer: string; readonly echo: string | undefined }[];
  /** Values that are not copied: a fleet gives them as parameters. */
  readonly parameters: readonly string[];
  /** Those of them that a saved deployment shows back, by name and place. None where the marker's place is known. */
  readonly shownBack: ReadonlyMap<string, string>;
  /** Places with a value that is two things of the offer, and a name that says neither. */
  readonly either: readonly string[];
}

type Combination = { readonly [K in PlaceName]?: string };

export function launchTemplate(view: ProposalInput, offers: FieldProposal): LaunchTemplate | undefined {
  const found = sentLaunch(view);
  if (found === undefined) return undefined;
  const { body, asked } = found;
  const { redact } = view;
  const offered = offeredTexts(view);
  const leaves = leavesOf([body], NOTHING);
  const combination = launchedIn(leaves, view, offers);
  const taken: readonly unknown[] = Object.values(combination);
  // Where no offers are saved, or none has these values: by the names of the body's fields.
  const byName = placesByName(
    leaves.filter(({ values }) => !values.some((value) => taken.includes(String(value)))),
    PLACES.filter((name) => combination[name] === undefined),
  );
  const markers = markersIn(
    leaves.filter(({ values: [value] }) => !taken.includes(value)),
    view,
  );
  const [best, second] = markers.filter(({ echo }) => echo !== undefined);
  // Two that are alike: only the user knows which text is free.
  const isTie = second !== undefined && second.times === best?.times;
  const marker = isTie ? undefined : best;
  const comments = new Map<string, string>();
  const parameters: string[] = [];
  const shownBack = new Map<string, string>();
  const shown = marker === undefined && markers.length === 0 ? shownIn(view) : [];
  const either: string[] = [];
  /** What is sent twice, and is two things of one offer: only its name says which of them is meant. */
  const nameOf = (pointer: string, places: readonly PlaceName[]): PlaceName | undefined => {
    const having = leaves.filter(({ values }) =>
      values.some((value) => String(value) === combination[places[0] as PlaceName]),
    );
    return placesByName(having, places).get(pointer);
  };
  const template = mapLeaves(body, (value, tokens) => {
    const pointer = formatPointer(tokens);
    const text = readText(value);
    const seen = (): string => `${asked.file}: ${redact.text(JSON.stringify(value), 60)}`;
    const alike = PLACES.filter((each) => text !== undefined && combination[each] === text);
    const same = alike.length > 1 ? nameOf(pointer, alike) : alike[0];
    if (same !== undefined) {
      comments.set(pointer, `${seen()}, as in the offers`);
      return holeFor(same, value, asked);
    }
    if (alike.length > 1) {
      either.push(pointer);
      comments.set(pointer, `${seen()}, which is each of these in the offer`);
      return `<${alike.map((each) => `{${each}}`).join(" or ")}>`;
    }
    const named = byName.get(pointer);
    if (named !== undefined) {
      comments.set(pointer, `${seen()}, by its name; no saved offer has this value`);
      return holeFor(named, value, asked);
    }
    if (pointer === marker?.pointer) {
      comments.set(pointer, `${seen()}, shown back at ${marker.echo}`);
      return "{marker}";
    }
    // A title that names the offer is a template: `fleet h100-x8`. One that is shown back may be the marker's text.
    const isShown = markers.some((each) => each.pointer === pointer && each.echo !== undefined);
    const isTitle = isPlainTitle(value, tokens) && (isShown || holds(text ?? "", combination.offer ?? ""));
    const isHidden =
      (mayBeSecret(value, tokens, offered) && !isTitle) ||
      (typeof value === "string" && redact.hide(value) !== value);
    const isTemplate = typeof value === "string" && (placeholdersIn(value).length > 0 || nearMissIn(value));
    if (isObject(value) || (text !== undefined && (isHidden || isTemplate))) {
      const name = parameterName(tokens, parameters);
      parameters.push(name);
      const echo = shown.find(({ values }) => typeof value === "string" && values.includes(value));
      if (echo !== undefined && !takesEffect(wordsOf(tokens))) shownBack.set(name, echo.pointer);
      comments.set(
        pointer,
        `the value in ${asked.file} is not copied: give it under parameters, in the fleet`,
      );
      return `{parameters.${name}}`;
    }
    const within = typeof value === "string" ? withPlaces(value, combination) : value;
    comments.set(pointer, within === value ? `as in ${asked.file}` : seen());
    return within;
  });
  return {
    body: template as JsonObject,
    comments,
    file: asked.file,
    marker: marker?.echo === undefined ? undefined : { pointer: marker.echo, why: marker.why },
    free: marker === undefined ? markers : [],
    parameters,
    shownBack,
    either,
  };
}

/** A number in the place of a number. One beyond 2^53 was read as the text of its digits. */
function holeFor(name: string, value: Json, { request: { body = "" } }: Asked): Json {
  const isLong =
    typeof value === "string" &&
    NUMBER.test(value) &&
    new RegExp(`[:,[]\\s*${RegExp.escape(value)}\\s*[,}\\]]`).test(body);
  return typeof value === "number" || isLong ? { number: `{${name}}` } : `{${name}}`;
}

/** The name of the field, with those around it where two are called alike, and a number where they are, too. */
export function parameterName(tokens: readonly string[], taken: readonly string[]): string {
  const words = tokens
    .filter((token) => !/^\d+$/.test(token))
    .map((token) => token.replaceAll(/[^\w-]/g, "_"));
  const own = words.at(-1) ?? "value";
  const long = words.join("_");
  for (let number = 2; ; number++) {
    const name = [own, long].find((each) => !taken.includes(each)) ?? `${long}_${number}`;
    if (!taken.includes(name)) return name;
  }
}

/** The offer whose id, provider and location the body has most of. */
function launchedIn(
  leaves: readonly Leaf[],
  { offers }: ProposalInput,
  { pointers }: FieldProposal,
): Combination {
  const texts = leaves.flatMap(({ values }) => values.map(String));
  const count = (text: string | undefined): number =>
    text === undefined ? 0 : texts.includes(text) ? 2 : texts.some((each) => holds(each, text)) ? 1 : 0;
  let best: { readonly score: number; readonly combination: Combination } | undefined;
  for (const record of offers.isSchema ? [] : offers.all) {
    const at = (field: string): string | undefined => {
      const pointer = pointers[field];
      return pointer === undefined ? undefined : readText(valueAt(record, pointer));
    };
    const all = { offer: at("id"), provider: at("provider"), location: at("location") };
    const matched = PLACES.flatMap((name) =>
      all[name] !== undefined && count(all[name]) > 0 ? [[name, all[name]]] : [],
    );
    const score = PLACES.reduce((sum, name) => sum + count(all[name]), 0);
    if (count(all.offer) > 0 && score > (best?.score ?? 0))
      best = { score, combination: Object.fromEntries(matched) as Combination };
  }
  return best?.combination ?? {};
}

/** As a word of its own, and long enough not to stand there by chance. */
function holds(text: string, part: string): boolean {
  const start = part.length < 3 ? -1 : text.indexOf(part);
  const around = `${text[start - 1] ?? " "}${text[start + part.length] ?? " "}`;
  return start >= 0 && !/[A-Za-z0-9]/.test(around);
}

/** `aurora:fi-hel` becomes `{provider}:{location}`. */
function withPlaces(text: string, combination: Combination): string {
  const parts = PLACES.flatMap((name) =>
    combination[name] === undefined ? [] : [{ name, part: combination[name] }],
  );
  // The longest first: one may stand within another.
  return parts
    .sort((one, other) => other.part.length - one.part.length)
    .reduce((rest, { name, part }) => (holds(rest, part) ? rest.replace(part, `{${name}}`) : rest), text);
}

interface MarkerPlace {
  readonly pointer: string;
  /** Where a deployment has the same text. */
  readonly echo: string | undefined;
  readonly why: string;
  /** How many deployments have it. */
  readonly times: number;
}

/**
 * A few plain words that deployments show back by the same name, such as `by hand`. A command, a key or an image has
 * several words, too, and a machine without it would bill for nothing.
 */
function isShownTitle({ names, around, values: [value] }: Leaf, shown: readonly Leaf[]): boolean {
  return (
    typeof value === "string" &&
    /^\p{L}+( \p{L}+){1,5}$/u.test(value) &&
    !takesEffect({ names, around }) &&
    !isSensitive([...names, ...around]) &&
    shown.some((leaf) => leaf.names.join() === names.join() && leaf.values.includes(value))
  );
}

function takesEffect({ names, around }: Pick<Leaf, "names" | "around">): boolean {
  return [...names, ...around].some((word) => TAKES_EFFECT.test(word));
}

/** Words in the name of what a machine is made from, or does. */
const TAKES_EFFECT =
  /^(on)?(start|startup|boot|init|run|exec|setup)(script|command|cmd)?$|^((user|start|startup)?(script|command|cmd|data)|entry|entrypoint|args?|env|environment|image|template|os|system|docker|container|volume|disk|model|gpu|plan|type)s?$/;

function shownIn({ deployments }: ProposalInput): readonly Leaf[] {
  return deployments.isSchema ? [] : leavesOf(deployments.all, SHOWN);
}

/** Free texts of the body, with the place where a deployment shows them back. */
function markersIn(leaves: readonly Leaf[], view: ProposalInput): readonly MarkerPlace[] {
  const { deployments } = view;
  const shown = shownIn(view);
  const found = leaves
    .filter((leaf) => isFree(leaf.names) || isShownTitle(leaf, shown))
    .flatMap(({ pointer, values }) =>
      values
        .filter((value) => typeof value === "string")
        .map((value) => {
          const places = shown.filter((leaf) => leaf.values.includes(value));
          const times = places[0]?.values.filter((each) => each === value).length ?? 0;
          const others = places.slice(1).map((leaf) => leaf.pointer);
          const record = deployments.all.find(
            (one) => places[0] && valueAt(one, places[0].pointer) === value,
          );
          const shows = record === undefined ? "a deployment" : deployments.fileOf.get(record);
          const why = `the text of the launch is shown here in ${shows}${others.length > 0 ? `; or ${others.join(", ")}` : ""}`;
          return { pointer, echo: places[0]?.pointer, why, times };
        }),
    );
  // What several machines have is a word for all of them, such as the name of a project.
  return found.sort(
    (one, other) => (one.times || Number.MAX_SAFE_INTEGER) - (other.times || Number.MAX_SAFE_INTEGER),
  );
}
