/**
 * The options of a test, or a suite, that says once more what others say: of another language, page or example. `npm test` leaves
 * it out, and `.ci/run` runs it, by `npm test -- --repeats`. Where all of a file repeats, its first line says `// @module-tag repeats`.
 */
export const REPEATS = { tags: ["repeats"] };
