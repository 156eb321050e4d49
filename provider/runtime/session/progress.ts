import { cleanLines } from "../../../agent/fleet/text/text.ts";
import { newsOnly } from "../../../agent/tell/log/repetition.ts";
import type { Environment } from "./environment.ts";

/** Tells people what happens to one resource. Repetitions are left out: see `newsOnly`. */
export type Progress = (text: string) => void;

/**
 * Says the lines of one resource; the host shows its name with them. Texts of the service are in these lines,
 * so control characters are taken out for the terminal.
 */
export function progressOf(
  { say, now }: Pick<Environment, "say" | "now">,
  name: string,
  level?: "warning",
): Progress {
  const isNews = newsOnly(now);
  return (text) => {
    if (isNews(text)) say(cleanLines(text), cleanLines(name), level);
  };
}
