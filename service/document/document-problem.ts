/** Keys and indexes from the root of a document to a place in it. */
export type Path = readonly (string | number)[];

/** Something wrong at a place. `at: "key"` points to the key, not to its value. */
export interface DocumentProblem {
  readonly path: Path;
  readonly message: string;
  readonly at?: "key";
}
