import { valueAt } from "../../../../service/pointer.ts";
import type { Redaction } from "../../../../service/redaction.ts";
import type { Json } from "../../../../service/service.ts";
import type { Sighting } from "../../../doctor/recording-transport.ts";
import { bestList } from "../../../doctor/records.ts";
import { deploymentIn, isObject, type JsonObject } from "../../../doctor/shape/lists.ts";
import type { Evidence, Shown } from "../saved/evidence.ts";
import type { Kind } from "../saved/kind.ts";

/** The evidence as all proposals look at it. */
export interface View extends Evidence {
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
}

export function viewOf(evidence: Evidence, redact: Redaction): View {
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
  const found = evidence.shown.flatMap((each) => recordsIn(part, each).map((record) => ({ record, each })));
  const seen = found.filter(({ each }) => !each.isSchema);
  const counted = seen.length > 0 ? seen : found;
  return {
    all: counted.map(({ record }) => record),
    fileOf: new Map(counted.map(({ record, each }) => [record, each.file])),
    isSchema: seen.length === 0,
  };
}

function recordsIn(part: "deployments" | "offers", { kind, json }: Shown): readonly JsonObject[] {
  if (kind === part) {
    const list = bestList(part, json);
    return (part === "offers" ? list?.objects : list?.deployments) ?? [];
  }
  if (part === "offers" || (kind !== "deployment" && kind !== "launch")) return [];
  const place = deploymentIn(json);
  const record = place === undefined ? undefined : valueAt(json, place);
  return isObject(record) ? [record] : [];
}

/** As the doctor sees an answer. */
export function sightingOf({ status, headers, json }: Shown): Sighting {
  return { status: status ?? 200, headers, json, at: 0 };
}

/** ` in a.json, b.json`: at most two files. */
export function inFiles(files: Iterable<string | undefined>): string {
  const names = [...new Set(files)].filter((file) => file !== undefined);
  if (names.length === 0) return "";
  return ` in ${names.slice(0, 2).join(", ")}${names.length > 2 ? ", ..." : ""}`;
}
