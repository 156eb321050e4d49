/*
 * How much of what a service says is taken in (docs/wire-profile.md). What is beyond a limit is no value of its kind, and its error
 * names the limit. Without them one answer could fill memory and ledger, or make a number that nothing can be computed with.
 */

/** GPUs of one machine, and of a fleet. */
export const MOST_GPUS = 10_000;

/** Characters of an id, a state, an offer, a provider, a location, a marker, a GPU model. */
export const LONGEST_NAME = 1_000;

/** Characters of one connection detail: a whole file of credentials fits. */
export const LONGEST_DETAIL = 65_536;

/** Characters of a cursor: a URL has to carry it. */
export const LONGEST_CURSOR = 8_000;

/** One list, with all its pages. */
export const MOST_PAGES = 10_000;
export const MOST_RECORDS = 100_000;
export const MOST_LIST_BYTES = 64 * 1024 * 1024;
export const LONGEST_LIST_MS = 10 * 60_000;
