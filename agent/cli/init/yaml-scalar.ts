import { stringify } from "yaml";

/** A text as YAML on one line, whatever it holds; it may stand within `{ }`. */
export function scalar(text: string): string {
  return stringify([text], { collectionStyle: "flow", lineWidth: 0, flowCollectionPadding: false })
    .trim()
    .slice(1, -1);
}
