import { z } from "zod";

const WORD = /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/;
const EXPECTED =
  "letters, digits, dots, underscores and hyphens, 63 at most, the first one a letter or a digit";
const MOST = 16;

/** As the words of a fleet's name. So a label stands in a table, a CSV file and a metric as it is. */
export const labelSchema = z
  .union([z.string(), z.int()], { error: "expected a text: write it in quotes" })
  .transform((value) => String(value))
  .refine((value) => WORD.test(value), `expected ${EXPECTED}`);

/** On whose behalf a fleet or a `Deployment` spends. Their order says nothing: as stored they stand in that of their names. */
export const labelsSchema = z
  .record(z.string(), labelSchema, {
    error: ({ code }) =>
      code === "invalid_type" ? "expected names and values, such as { team: vision }" : undefined,
  })
  .superRefine((labels, context) => {
    const names = Object.keys(labels);
    const issue = (path: string[], message: string): void =>
      context.addIssue({ code: "custom", path, message });
    for (const name of names) if (!WORD.test(name)) issue([name], `expected a name of ${EXPECTED}`);
    if (names.length > MOST) issue([], `expected at most ${MOST} labels, and there are ${names.length}`);
  })
  .transform((labels) =>
    Object.fromEntries(Object.entries(labels).sort(([one], [other]) => (one < other ? -1 : 1))),
  );
