/*
 * The limits of what is read from a service (docs/reference/wire-profile.md). The error of a value beyond one names it.
 * Without them an answer could fill memory and ledger, or bring a number too large to compute with.
 */

/** GPUs of one machine, and of a fleet. */
export const MOST_GPUS = 10_000;

/** Characters of an id, a state, an offer, a provider, a location, a marker, a GPU model. */
export const LONGEST_NAME = 1_000;

/** Characters of one connection detail: enough for a whole file of credentials. */
export const LONGEST_DETAIL = 65_536;

/** Characters of a cursor, which has to fit into a URL. */
export const LONGEST_CURSOR = 8_000;

/** Of one page. They are counted before they are read: a few bytes are a record. */
export const MOST_PAGE_RECORDS = 100_000;

/**
 * Of one list, with all its pages. An account's list only grows, by whatever has ended: with a hundred
 * interruptions a day it has half a million records after thirteen years.
 */
export const MOST_PAGES = 10_000;
export const MOST_RECORDS = 500_000;
export const MOST_LIST_BYTES = 256 * 1024 * 1024;
export const LONGEST_LIST_MS = 10 * 60_000;
