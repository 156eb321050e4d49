import { LONGEST_NAME } from "../contract/limits.ts";
import type { Json } from "../contract/service.ts";
import { inNested } from "../profile/nested.ts";
import { type Place, placeText } from "../profile/place.ts";
import { demandExact, readName } from "../text/json.ts";
import { type RecordValues, recordValuesReader } from "./record-values.ts";

/** A field that is not as the profile says. */
export interface FieldProblem {
  readonly field: string;
  readonly pointer: string;
  readonly expected: string;
  readonly got: Json | undefined;
  /** What to write in the profile, if this value hints at it. */
  readonly remedy?: string | undefined;
}

/** A record of which a required field is not there, or another one cannot be read. */
export class Flawed<T> {
  /** What can be read. */
  readonly value: Partial<T>;
  readonly problems: readonly FieldProblem[];

  constructor(value: Partial<T>, problems: readonly FieldProblem[]) {
    this.value = value;
    this.problems = problems;
  }
}

/**
 * Reads a record. It is made once for a profile. `before`: what an earlier record was read as. If this one says
 * the same, it is returned itself, and nothing is built.
 */
export type RecordReader<T> = (record: Json, before?: T) => T | Flawed<T>;

/**
 * Reads one field of a record and adds what is wrong with it to `problems`. `before`: what it was read as in
 * an earlier record. A value that is the same is not checked again.
 */
export type FieldReader<V> = (
  slots: RecordValues,
  before: V | undefined,
  problems: FieldProblem[],
) => V | undefined;

/** What is read at a place. */
export interface Field<V> {
  readonly name: string;
  /** Undefined: the profile does not map it, and it is nowhere. */
  readonly place: Place | undefined;
  /** Undefined for a value of another kind. */
  readonly read: (value: Json | undefined) => V | undefined;
  readonly expected: string;
  /** What to write in the profile, if a value of another kind hints at it. */
  readonly remedy?: (got: Json | undefined) => string | undefined;
  readonly isRequired?: boolean;
  /** True if `read` gives something else than it is given: then the same value says nothing. */
  readonly isChanged?: boolean;
}

/** The fields of one kind of record. */
export interface Fields {
  add<V extends Json>(field: Field<V>): FieldReader<V>;
  addName(name: string, place: Place | undefined): FieldReader<string>;
  /** Makes the reader of what all of them are read from. */
  slots(): (record: Json) => RecordValues;
}

/** `nested`: the records are those of profile/nested.ts. */
export function createFields(nested = false): Fields {
  const places: Place[] = [];
  const add = <V extends Json>(field: Field<V>): FieldReader<V> => {
    const { name, place, read, expected, remedy, isRequired = false, isChanged = false } = field;
    if (place === undefined) return () => undefined;
    const slot = places.push(nested ? inNested(place) : place) - 1;
    const pointer = placeText(place);
    return (slots, before, problems) => {
      const got = slots[slot];
      if (got === before && got !== undefined && !isChanged) return before;
      // Services write "nothing" as null or an empty text. Only a required field must not be nothing.
      const isNothing = got === undefined || got === null || got === "";
      if (isNothing && !isRequired) return undefined;
      demandExact(got);
      const value = read(got);
      if (value === undefined) problems.push({ field: name, pointer, expected, got, remedy: remedy?.(got) });
      return value;
    };
  };
  return {
    add,
    addName: (name, place) => add({ name, place, read: readName, expected: NAME }),
    slots: () => recordValuesReader(places),
  };
}

export const NAME = "a text";
export const ID = "a text or a whole number";

/** Why a text is no name. */
export function whyNoName(text: string): string {
  if (text.length > LONGEST_NAME) return ` (${text.length} characters, and at most ${LONGEST_NAME} are read)`;
  return text.isWellFormed() ? "" : " (half of a character, which no address can hold)";
}
