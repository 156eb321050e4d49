import { z } from "zod";
import { FleetkeeperError } from "../../../service/contract/errors.ts";
import { parseDocument } from "../../../service/document/document.ts";
import { checkBaseUrl } from "../../../service/http/base-url.ts";
import { isShipped, shippedNames, shippedPath, shippedText } from "../../../service/profile/shipped.ts";
import { aboutSchema } from "../profile-check/recording.ts";

const text = z.string().min(1);
const short = text.max(100);

/** What stands beside a profile that ships, in its `cloud.yaml`: what people are asked and told before they rent there. */
const cloudSchema = z.strictObject({
  baseUrl: text.transform(checkBaseUrl),
  apiKey: text.describe("the variable that people keep its key in"),
  ended: short.describe("whether a list shows machines that have ended"),
  billing: short.describe("from when, and by what unit"),
  halted: short.describe("what is billed and does not serve"),
  asks: z
    .array(
      z.strictObject({
        placeholder: text.regex(/^(parameters|settings)\.[\w-]+$/).describe("as it stands in the profile"),
        question: text
          .optional()
          .describe("without it nothing is asked: the answer to another question is written"),
        initial: text.optional().describe("what an empty answer means"),
        as: z
          .json()
          .optional()
          .describe(
            "how the answer is written, with {answer} in it, and {machine} for the GPUs of a machine; without it as a text",
          ),
      }),
    )
    .describe("what only the user knows, in this order"),
});

export type Cloud = z.output<typeof cloudSchema> & Pick<z.output<typeof aboutSchema>, "service" | "tried">;

/** Throws CONFIG for a name that does not ship. */
export function cloudOf(name: string): Cloud {
  if (!isShipped(name))
    throw new FleetkeeperError(
      "CONFIG",
      `${name}: no profile of this name ships. There are: ${shippedNames().join(", ")}. For another service: fleetkeeper init --from FILE...`,
    );
  const read = <S extends z.ZodType>(file: "cloud.yaml" | "about.yaml", schema: S): z.output<S> =>
    parseDocument(shippedText(name, file), shippedPath(name, file), schema).value;
  return { ...read("about.yaml", aboutSchema), ...read("cloud.yaml", cloudSchema) };
}
