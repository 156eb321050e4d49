import { cleanLines } from "../../agent/fleet/text.ts";
import { newsOnly } from "../../agent/observe/log/repetition.ts";
import type { Environment } from "./environment.ts";

/** Tells people what happens to one resource. What only repeats is not said again: see `newsOnly`. */
export type Progress = (text: string) => void;

/**
 * Prefixes every line with the resource's name: `pulumi up` shows a provider's lines without it. What the service says stands
 * in them, and is made harmless for a terminal.
 */
export function progressOf({ say, now }: Pick<Environment, "say" | "now">, name: string): Progress {
  const isNews = newsOnly(now);
  return (text) => {
    if (isNews(text)) say(cleanLines(`${name}: ${text}`));
  };
}
