import { cleanLines } from "../../agent/fleet/text.ts";
import { newsOnly } from "../../agent/observe/log/repetition.ts";
import type { Environment } from "./environment.ts";

/** Tells people what happens to one resource. Repetitions are left out: see `newsOnly`. */
export type Progress = (text: string) => void;

/**
 * Puts the resource's name before every line: `pulumi up` shows a provider's lines without it. Texts of the
 * service are in these lines, so control characters are taken out for the terminal.
 */
export function progressOf({ say, now }: Pick<Environment, "say" | "now">, name: string): Progress {
  const isNews = newsOnly(now);
  return (text) => {
    if (isNews(text)) say(cleanLines(`${name}: ${text}`));
  };
}
