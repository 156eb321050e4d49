import { z } from "zod";
import { parseDocument } from "../../../service/document/document.ts";
import { checkBaseUrl } from "../../../service/http/base-url.ts";
import { shippedPath, shippedText } from "../../../service/profile/shipped.ts";

const text = z.string().min(1);

/** What stands beside a profile that ships, in its `cloud.yaml`: what people are asked and told before they rent there. */
const cloudSchema = z.strictObject({
  baseUrl: text.transform(checkBaseUrl),
  apiKey: text.describe("the variable that people keep its key in"),
  ended: text.describe("whether a list shows machines that have ended"),
  billing: text.describe("from when, and by what unit"),
  halted: text.describe("what is billed and does not serve"),
  asks: z
    .array(
      z.strictObject({
        placeholder: text.describe(
          "as it stands in the profile, such as parameters.image or settings.project",
        ),
        question: text,
        initial: text.optional().describe("what an empty answer means"),
        as: z
          .json()
          .optional()
          .describe("how the answer is written, with {answer} in it; without it as a text"),
      }),
    )
    .describe("what only the user knows, in this order"),
});

export type Cloud = z.output<typeof cloudSchema>;

/** Throws CONFIG for a name that does not ship. */
export function cloudOf(name: string): Cloud {
  return parseDocument(shippedText(name, "cloud.yaml"), shippedPath(name, "cloud.yaml"), cloudSchema).value;
}
