import type { Json } from "../../service/contract/service.ts";
import { readName } from "../../service/text/json.ts";
import { parsePointer } from "../../service/text/pointer.ts";
import { objectLines } from "./body.ts";
import type { Entries, FieldProposal } from "./fields.ts";
import { launchTemplate, parameterName } from "./launch-body.ts";
import { idRank, NO_ID, OF_ANOTHER, ownPlaces } from "./own-places.ts";
import { answersOf, callsIn, documentedBody, type ProposalInput } from "./proposal-input.ts";
import { objectAt } from "./saved/api-document.ts";
import { isCredentialName } from "./shape/credential.ts";
import { PLACES } from "./shape/field-guesses.ts";
import { MARKER } from "./shape/fields.ts";
import { type Leaf, leavesOf, NOTHING } from "./shape/leaves.ts";
import { deploymentIn, isObject, type JsonObject } from "./shape/lists.ts";
import { seenText } from "./shape/proposal.ts";
import { yamlText } from "./shape/texts.ts";
import type { OpenPoint, WireEntry } from "./wire.ts";

interface Proposed {
  readonly entries: Entries;
  readonly marker: WireEntry | undefined;
  readonly open: readonly OpenPoint[];
}

const HOW_BODY =
  "no answer shows what a launch sends: save the curl command that launches one, as text (curl -v does not show what it sends; a dashboard's request, too: Copy as cURL), or give the OpenAPI document";

/** What a launch sends, and where its answer has the new id. */
export function proposeLaunch(
  view: ProposalInput,
  offers: FieldProposal,
  places: ReadonlyMap<string, string>,
): Proposed {
  const body = sentBody(view, offers) ?? describedBody(view, places);
  const id = answeredId(view);
  const open: OpenPoint[] = [...(body?.open ?? [{ part: "launch.body", how: HOW_BODY }]), ...id.open];
  const accepted = callsIn(view) && mayRefuse(view);
  if (accepted !== undefined)
    open.push({
      part: "launch.accepted",
      how: `an answer of 2xx has a boolean at ${accepted}, so it may say that nothing was launched: if it does, take the # away from launch.accepted`,
    });
  const line = `accepted: { pointer: ${accepted}, is: [true] }  # by its name; only if false there is no acceptance`;
  return {
    entries: {
      ...(body === undefined ? {} : { body: body.entry }),
      ...id.entries,
      ...(accepted && { accepted: { lines: [line], isOpen: true } }),
    },
    marker: body?.marker,
    open,
  };
}

/** Where the answer of a launch says in a boolean whether it was one. */
function mayRefuse(view: ProposalInput): string | undefined {
  const leaves = answersOf("launch", view).flatMap(({ json }) => leavesOf([json], NOTHING));
  return leaves.find(
    ({ pointer, values: [value] }) =>
      typeof value === "boolean" && /^\/(success|status|ok|accepted)$/i.test(pointer),
  )?.pointer;
}

interface BodyProposal {
  readonly entry: WireEntry;
  readonly marker: WireEntry | undefined;
  readonly open: readonly OpenPoint[];
}

/** Without an offer it launches nothing, and the profile may not map a marker that no launch sends. */
function bodyProposal(
  body: JsonObject,
  comments: ReadonlyMap<string, string>,
  marker: { readonly pointer: string; readonly why: string } | undefined,
  open: readonly OpenPoint[],
  isNamed = holds(body, "offer"),
): BodyProposal {
  const lines = ["body:", ...objectLines(body, comments)];
  if (!isNamed || lines.some((line) => /(:|-) "?</.test(line)))
    return { entry: { lines, isOpen: true }, marker: undefined, open };
  const line = marker && `marker: ${yamlText(marker.pointer)}  # ${marker.why}`;
  return { entry: { lines }, marker: line === undefined ? undefined : { lines: [line] }, open };
}

function sentBody(view: ProposalInput, offers: FieldProposal): BodyProposal | undefined {
  const found = launchTemplate(view, offers);
  if (found === undefined) return undefined;
  const { body, comments, file, marker, free, parameters, shownBack, either } = found;
  const open: OpenPoint[] = [];
  if (!holds(body, "offer"))
    open.push({
      part: "launch.body",
      how: `nothing in the request in ${file} is the id of a saved offer, or is called like one: write "{offer}" where it belongs`,
    });
  if (either.length > 0)
    open.push({
      part: "launch.body",
      how: `what ${file} sends at ${either.join(", ")} is more than one of the offer's id, provider and location there: only you know which of them belongs there`,
    });
  const echoed = free.flatMap(({ pointer, echo }) =>
    echo === undefined ? [] : [`${pointer} (shown at ${echo})`],
  );
  if (echoed.length > 0)
    open.push({
      part: "deployments.fields.marker",
      how: `several texts of the launch are shown back: ${echoed.join(", ")}. If one of them is free, write "{marker}" in its place and map where it is shown`,
    });
  else if (free.length > 0)
    open.push({
      part: "deployments.fields.marker",
      how: `if a deployment shows ${free.map(({ pointer }) => pointer).join(" or ")} of the launch back, write "{marker}" there and map it: save the list after a launch that sent a text of yours, and run this again`,
    });
  if (shownBack.size > 0) {
    const places = [...shownBack].map(([name, pointer]) => `{parameters.${name}} (at ${pointer})`);
    open.push({
      part: "deployments.fields.marker",
      how: `a deployment shows back what ${file} sends as ${places.join(" and ")}. If one of them is a free text, write "{marker}" in its place and map where it is shown: then no launch can be taken for another one`,
    });
  }
  if (parameters.length > 0)
    open.push({
      part: "launch.body",
      how: `what ${file} sends as ${parameters.join(", ")} may be a secret and was not copied: give it under parameters in the fleet`,
    });
  return bodyProposal(body, comments, marker, open);
}

/** From a document: by the names of the fields. What is required and unknown becomes a parameter. */
function describedBody(view: ProposalInput, places: ReadonlyMap<string, string>): BodyProposal | undefined {
  const described = documentedBody(view);
  if (described === undefined) return undefined;
  const { file, schema } = described;
  const { deployments } = view;
  const echoed = deployments.all.length === 0 ? [] : leavesOf(deployments.all, ownPlaces(deployments).all);
  const found: Filled = { comments: new Map(), optional: [], parameters: [], marker: undefined };
  const body = filled(schema, "", { file, echoed, places }, found);
  const { marker, optional, comments } = found;
  const isNamed = holds(body, "offer") || callsIn(view)?.launch?.operation.path.includes("{") === true;
  const hint = optional.length === 0 ? "" : `; it also knows ${optional.slice(0, 12).join(", ")}`;
  const how = isNamed
    ? `it follows ${file} by the names of its fields: look at each line${hint}`
    : `no field of a launch in ${file} is called like an offer: write "{offer}" for what names the machine that is rented${hint}`;
  const why = `${file} names it in the launch and in a deployment; the first launch proves it`;
  const open = [{ part: "launch.body", how }];
  return bodyProposal(
    body,
    comments,
    marker === undefined ? undefined : { pointer: marker, why },
    open,
    isNamed,
  );
}

interface Filled {
  readonly comments: Map<string, string>;
  readonly optional: string[];
  readonly parameters: string[];
  marker: string | undefined;
}

interface Known {
  readonly file: string;
  /** The places of a deployment. */
  readonly echoed: readonly Leaf[];
  /** Which field is the offer, the provider and the location. */
  readonly places: ReadonlyMap<string, string>;
}

const MOST_DEPTH = 4;

function filled(
  { properties, required }: JsonObject,
  pointer: string,
  known: Known,
  found: Filled,
): JsonObject {
  const { file, echoed, places } = known;
  const made: Record<string, Json> = {};
  for (const [name, inner] of Object.entries(objectAt(properties))) {
    const here = `${pointer}/${name}`;
    const property = objectAt(inner);
    if (property.readOnly === true) continue;
    const isRequired = Array.isArray(required) && (required as readonly Json[]).includes(name);
    const alike = echoed.filter((leaf) => leaf.pointer.endsWith(`/${name}`));
    const echo = alike.find((leaf) => leaf.pointer === here) ?? (alike.length === 1 ? alike[0] : undefined);
    const place = places.get(here);
    if (isObject(property.properties) && here.split("/").length <= MOST_DEPTH) {
      // What an optional object requires is required only where the object is sent.
      const inside = { ...found, comments: new Map<string, string>(), parameters: [...found.parameters] };
      const below = filled(property, here, known, inside);
      const isBare = inside.parameters.length === found.parameters.length;
      const isSent =
        isRequired || PLACES.some((each) => holds(below, each)) || (isBare && holds(below, "marker"));
      if (!isSent) found.optional.push(here);
      else if (Object.keys(below).length > 0) {
        made[name] = below;
        for (const [at, comment] of inside.comments) found.comments.set(at, comment);
        found.parameters.push(...inside.parameters.slice(found.parameters.length));
        found.marker = inside.marker;
      }
    } else if (place !== undefined) {
      const is = (...types: readonly string[]): boolean =>
        [property.type].flat().some((type) => types.includes(String(type)));
      const one = is("integer", "number") ? { number: `{${place}}` } : `{${place}}`;
      made[name] = is("array") ? [one] : one;
      found.comments.set(is("array") ? `${here}/0` : here, `${file}: by its name`);
    } else if (
      found.marker === undefined &&
      echo !== undefined &&
      name
        .toLowerCase()
        .split(/[^a-z]+/)
        .some((word) => MARKER.includes(word))
    ) {
      made[name] = "{marker}";
      found.marker = echo.pointer;
      found.comments.set(here, `${file}: by its name; a deployment has ${echo.pointer}, too`);
    } else if (isRequired && /^(count|quantity|instance_?count|num_?instances)$/i.test(name)) {
      made[name] = 1;
      found.comments.set(here, `${file}: one machine for each launch`);
    } else if (isRequired && isCredentialName(name)) {
      made[name] = `<${name}>`;
      found.comments.set(here, `${file}: the credential, which a profile sends in a header only`);
    } else if (isRequired) {
      const [only, ...more] = [property.const, ...((property.enum ?? []) as readonly Json[])].filter(
        (each) => each !== undefined,
      );
      const value = only !== undefined && more.length === 0 ? only : property.default;
      const parameter = parameterName(parsePointer(here), found.parameters);
      if (value === undefined) found.parameters.push(parameter);
      made[name] = value ?? `{parameters.${parameter}}`;
      if (value === undefined || typeof value !== "object")
        found.comments.set(
          here,
          value === undefined
            ? `${file}: required; give it under parameters in the fleet`
            : `${file}: ${only === value ? "its only value" : "its default"}`,
        );
    } else found.optional.push(here);
  }
  return made;
}

function holds(value: Json, place: string): boolean {
  return JSON.stringify(value).includes(`{${place}}`);
}

/** Where the answer of a launch has the new deployment. */
function answeredId(view: ProposalInput): { readonly entries: Entries; readonly open: readonly OpenPoint[] } {
  for (const { json, file, isSchema, at } of answersOf("launch", view)) {
    const record = at ?? deploymentIn(json);
    if (record !== undefined && !OF_ANOTHER.test(record.split("/").at(-1) ?? "")) {
      const why = isSchema ? `${file} describes it so` : `${file}: there stand id and status`;
      return {
        entries: {
          id: { lines: [`id: ${yamlText(`${record}${ownPlaces(view.deployments).id}`)}  # ${why}`] },
          deployment: { lines: [`deployment: ${yamlText(record)}  # ${why}`] },
        },
        open: [],
      };
    }
    const known = new Set(
      view.deployments.isSchema ? [] : view.deployments.all.map(({ id }) => readName(id)),
    );
    const leaves = leavesOf([json], NOTHING)
      .filter(
        ({ values: [value] }) => readName(value as Json) !== undefined || (isSchema && value === undefined),
      )
      .sort((one, other) => idRank(one) - idRank(other));
    const listed = leaves.filter(({ values }) => known.has(readName(values[0] as Json)));
    const named = leaves.filter((leaf) => idRank(leaf) < NO_ID);
    const likely = listed.length > 0 ? listed : named.length > 0 ? named : leaves.length === 1 ? leaves : [];
    const [best] = likely;
    const others = (listed.length > 0 ? listed : leaves).filter((leaf) => leaf !== best);
    if (best === undefined) continue;
    const seen = isSchema
      ? `by its name in ${file}`
      : `${file}: ${seenText(best.pointer, best.values.slice(0, 1), view.redact)}`;
    const why = listed.length > 0 ? ", an id of the list" : named.length > 0 ? "" : ", the only value in it";
    const pointers = others.slice(0, 3).map(({ pointer }) => pointer);
    const instead = pointers.length === 0 ? "" : `; or ${pointers.join(", ")}`;
    return {
      entries: { id: { lines: [`id: ${yamlText(best.pointer)}  # ${seen}${why}${instead}`] } },
      open: [],
    };
  }
  const how = "save the answer to one launch (curl -i): it shows where the new id stands";
  return { entries: {}, open: [{ part: "launch.id", how }] };
}
