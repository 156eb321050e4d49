import { z } from "zod";

/** Longer than any name of a service: a longer one was pasted by mistake. */
const LONGEST = 1_000;

const NOT_EMPTY = "expected a text that is not empty";

/**
 * The service's name for something, such as an offer, as a person writes it. It is sent unchanged. Control
 * characters and half characters come from a broken paste.
 */
export const nameSchema = z
  .string({ error: NOT_EMPTY })
  .min(1, NOT_EMPTY)
  // Made when it is needed: the first `toLocaleString` of a process takes as long as Node takes to start.
  .max(LONGEST, { error: () => `expected a text of at most ${LONGEST.toLocaleString("en")} characters` })
  .refine((text) => !/\p{Cc}/u.test(text), "expected a text without control characters")
  .refine((text) => text.isWellFormed(), "expected a text of whole characters: half of one is in it");
