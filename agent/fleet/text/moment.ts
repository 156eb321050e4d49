import { z } from "zod";

const MOMENT = 'expected a moment with its time zone, such as "2026-07-01T18:00:00Z"';
/** For a JavaScript `Date`, which comes out of an `Output` as an object. */
const OF_A_DATE = `${MOMENT} (of a Date: its toISOString())`;

/** A moment. A duration or a local time would mean another moment tomorrow. */
export const momentSchema = z
  .string({ error: ({ input }) => (typeof input === "object" && input !== null ? OF_A_DATE : MOMENT) })
  .pipe(
    z.union([z.iso.datetime({ offset: true }), z.iso.datetime({ offset: true, precision: -1 })], {
      error: MOMENT,
    }),
  );
