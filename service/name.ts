import { z } from "zod";

/** Longer than any name that a service gives; what is longer was pasted by mistake. */
const LONGEST = 1_000;

const NOT_EMPTY = "expected a text that is not empty";

/**
 * What the service calls something, such as an offer, as a person writes it down: it is sent as it stands. A control character
 * or half of a character comes from a broken paste, and no service has ever named anything so.
 */
export const nameSchema = z
  .string({ error: NOT_EMPTY })
  .min(1, NOT_EMPTY)
  .max(LONGEST, `expected a text of at most ${LONGEST.toLocaleString("en")} characters`)
  .refine((text) => !/\p{Cc}/u.test(text), "expected a text without control characters")
  .refine((text) => text.isWellFormed(), "expected a text of whole characters: half of one is in it");
