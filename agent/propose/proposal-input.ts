import type { Json } from "../../service/contract/service.ts";
import { valueAt } from "../../service/text/pointer.ts";
import type { Redaction } from "../../service/text/redaction.ts";
import { objectAt } from "./saved/api-document.ts";
import type { Evidence, Shown } from "./saved/evidence.ts";
import type { Kind } from "./saved/exchange.ts";
import type { Recognition } from "./saved/recognize.ts";
import { bestList } from "./shape/best-list.ts";
import { type Leaf, leavesOf, NOTHING, type Note } from "./shape/leaves.ts";
import { deploymentIn, isObject, type JsonObject } from "./shape/lists.ts";

/** The evidence as all proposals look at it. */
export interface ProposalInput extends Evidence {
  readonly redact: Redaction;
  readonly deployments: Records;
  readonly offers: Records;
}

/** The records of one part, each with its file. */
export interface Records {
  readonly all: readonly JsonObject[];
  readonly fileOf: ReadonlyMap<Json, string>;
  /** No saved answer has any: these are stand-ins from a document. */
  readonly isSchema: boolean;
  /** What a document says of the places in one of them. */
  readonly notes: ReadonlyMap<string, DocumentedNote>;
  /** Where a document of another service has their list; undefined where the specification shows their fields. */
  readonly at: string | undefined;
}

/** What is proposed for a service that has other paths than the specification. */
export function callsIn({ documents }: Pick<Evidence, "documents">): Recognition | undefined {
  return documents.find(({ calls }) => calls !== undefined)?.calls;
}

type DocumentedNote = Note & { readonly file: string };

export function proposalInput(evidence: Evidence, redact: Redaction): ProposalInput {
  return {
    ...evidence,
    redact,
    deployments: recordsOf("deployments", evidence),
    offers: recordsOf("offers", evidence),
  };
}

/** What was seen counts more than what a document says. */
export function answersOf(kind: Kind, { shown }: Evidence): readonly Shown[] {
  const all = shown.filter((each) => each.kind === kind);
  const seen = all.filter(({ isSchema }) => !isSchema);
  return seen.length > 0 ? seen : all;
}

function recordsOf(part: "deployments" | "offers", evidence: Evidence): Records {
  const found = evidence.shown.flatMap((each) =>
    recordsIn(part, each).map(([place, record]) => ({ place, record, each })),
  );
  const seen = found.filter(({ each }) => !each.isSchema);
  const counted = seen.length > 0 ? seen : found;
  return {
    all: counted.map(({ record }) => record),
    fileOf: new Map(counted.map(({ record, each }) => [record, each.file])),
    isSchema: seen.length === 0,
    notes: notesOf(found),
    at: counted.find(({ each }) => each.kind === part)?.each.at,
  };
}

/** The list and the answer of a launch may describe one field: its words are those of both. */
function notesOf(found: readonly { readonly place: string; readonly each: Shown }[]): Records["notes"] {
  const all: Map<string, DocumentedNote> = new Map();
  for (const { place, each } of found)
    for (const [pointer, { text, words, isText }] of each.notes ?? []) {
      if (!pointer.startsWith(`${place}/`)) continue;
      const inside = pointer.slice(place.length);
      const before = all.get(inside);
      all.set(inside, {
        text: before?.text || text,
        words: [...new Set([...(before?.words ?? []), ...words])],
        isText: isText === true,
        file: each.file,
      });
    }
  return all;
}

/** Each with the place where it stands. */
function recordsIn(
  part: "deployments" | "offers",
  { kind, json, at }: Shown,
): readonly (readonly [string, JsonObject])[] {
  if (at !== undefined) {
    const isOne = kind === "deployment" || kind === "launch";
    const place = isOne || at.endsWith("/*") ? at : `${at}/0`;
    const record = kind === part || (isOne && part === "deployments") ? valueAt(json, place) : undefined;
    return isObject(record) ? [[place, record]] : [];
  }
  if (kind === part) {
    const list = bestList(part, json);
    const records = (part === "offers" ? list?.objects : list?.deployments) ?? [];
    return records.map((record, index) => [`${list?.pointer}/${index}`, record]);
  }
  if (part === "offers" || (kind !== "deployment" && kind !== "launch")) return [];
  const place = deploymentIn(json);
  const record = place === undefined ? undefined : valueAt(json, place);
  return place !== undefined && isObject(record) ? [[place, record]] : [];
}

/** The places in these records, with what a document says of them. */
export function leavesIn({ all, notes }: Records, except: ReadonlySet<string>): readonly Leaf[] {
  return leavesOf(all, except).map((leaf) => {
    const note = notes.get(leaf.pointer);
    return note === undefined ? leaf : { ...leaf, note };
  });
}

/** ` in a.json, b.json`: at most two files. */
export function inFiles(files: Iterable<string | undefined>): string {
  const names = [...new Set(files)].filter((file) => file !== undefined);
  if (names.length === 0) return "";
  return ` in ${names.slice(0, 2).join(", ")}${names.length > 2 ? ", ..." : ""}`;
}

/** The body of a launch as a document describes it, with its fields as leaves without values. */
export interface DocumentedBody {
  readonly file: string;
  readonly schema: JsonObject;
  readonly leaves: readonly Leaf[];
}

export function documentedBody({ documents }: Pick<Evidence, "documents">): DocumentedBody | undefined {
  for (const { file, operations } of documents) {
    const schema = operations.find(({ kind }) => kind === "launch")?.body;
    if (isObject(schema?.properties))
      return { file, schema, leaves: leavesOf([blankOf(schema, 0)], NOTHING) };
  }
  return undefined;
}

const MOST_DEPTH = 4;

function blankOf({ properties }: JsonObject, depth: number): JsonObject {
  return Object.fromEntries(
    Object.entries(objectAt(properties)).map(([name, inner]) => [
      name,
      isObject(objectAt(inner).properties) && depth < MOST_DEPTH ? blankOf(objectAt(inner), depth + 1) : "",
    ]),
  );
}
