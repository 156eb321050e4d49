import { cleanLines } from "../../agent/text.ts";

/** Tells people what happens to one resource. The same line is not said twice in a row. */
export type Progress = (text: string) => void;

/**
 * Prefixes every line with the resource's name: `pulumi up` shows a provider's lines without it. What the service says stands
 * in them, and is made harmless for a terminal.
 */
export function progressOf(say: (line: string) => void, name: string): Progress {
  let last = "";
  return (text) => {
    if (text === last) return;
    last = text;
    say(cleanLines(`${name}: ${text}`));
  };
}
