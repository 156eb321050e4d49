import type { Json } from "../../../service/contract/service.ts";
import type { Note } from "../shape/leaves.ts";
import type { ApiDocument } from "./api-document.ts";
import type { Kind, SavedRequest } from "./exchange.ts";

/** An answer, from a file or from the schema of a document. */
export interface Shown {
  readonly kind: Kind;
  readonly file: string;
  readonly json: Json;
  readonly status: number | undefined;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Of the request that it answers. Undefined if the file does not have that. */
  readonly query: URLSearchParams | undefined;
  /** Its values are stand-ins for types: only its names were seen. */
  readonly isSchema: boolean;
  /** What a document says of places in it, by JSON Pointer. */
  readonly notes?: ReadonlyMap<string, Note>;
  /** Where a document of another service has the records, or the one: see {@link Recognized}. */
  readonly at?: string | undefined;
}

/** A request that somebody sent or would send. */
export interface Asked {
  readonly kind: Kind | undefined;
  readonly file: string;
  readonly request: SavedRequest;
  /** From `/api/v1` on, without query. Undefined if it goes elsewhere. */
  readonly path: string | undefined;
  /** Undefined if the file has no answer to it. */
  readonly status: number | undefined;
  /** The user said its kind: `--from stop=FILE`. */
  readonly isSaid: boolean;
}

/** Everything that was read from the files of `--from`. */
export interface Evidence {
  readonly shown: readonly Shown[];
  readonly asked: readonly Asked[];
  readonly documents: readonly ApiDocument[];
}
