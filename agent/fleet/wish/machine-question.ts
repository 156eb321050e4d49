import { z } from "zod";

/*
 * A check is a question to a machine. It has three answers, and who asks decides what follows. Unknown never ends a machine:
 * the machine may be well, and the question not have reached it.
 */

export type Answer = { readonly kind: "good" } | { readonly kind: "bad" | "unknown"; readonly why: string };

const text = z.string().min(1);
export const port = z.int().min(1).max(65_535);
/** A program and its arguments, which no shell reads. */
export const command = z.array(text).nonempty();

/** The ways in which any machine can be asked. */
export const questionShape = {
  address: text.describe("the connection detail of the wire profile that holds a machine's address"),
  tcp: port.optional().describe("good once a connection to this port is taken"),
  http: z
    .strictObject({ port, path: text.startsWith("/", "expected a path such as /healthz").default("/") })
    .optional()
    .describe("good once a GET there is answered with 2xx"),
  command: command
    .optional()
    .describe(
      "good if this ends with 0, bad with 1, unknown with any other; FLEETKEEPER_ADDRESS names the machine",
    ),
};

const question = z.strictObject(questionShape);
export type Question = z.output<typeof question>;

/** A check that names no address has that of `ready`. Without either, only a command can ask. */
export function addressed(keys: readonly string[]) {
  return (wish: Readonly<Record<string, unknown>>, context: z.RefinementCtx): void => {
    const of = (key: string) => wish[key] as Partial<Question> | undefined;
    for (const key of keys) {
      const check = of(key);
      if (!check || check.command || (check.address ?? of("ready")?.address) !== undefined) continue;
      const message =
        "expected the name of the connection detail that holds a machine's address (that of ready counts, too)";
      context.addIssue({ code: "custom", path: [key, "address"], message });
    }
  };
}

/** Holds a check to exactly one of the ways to ask. */
export function oneWay(ways: readonly string[]) {
  return (check: Readonly<Record<string, unknown>>, context: z.RefinementCtx): void => {
    const said = ways.filter((way) => check[way] !== undefined);
    if (said.length === 1) return;
    const has = said.length === 0 ? "none" : said.join(" and ");
    context.addIssue({
      code: "custom",
      message: `expected exactly one of ${ways.join(", ")}, and there is ${has}`,
    });
  };
}
