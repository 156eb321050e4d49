import { MINUTE_MS } from "../../../ledger/instant.ts";

/**
 * Tells what is worth a line from what only repeats. A text is news when its gist is another than that of the
 * last line, and was not said within the last minute: two waits that take turns four times a second would
 * bury everything else.
 */
export function newsOnly(now: () => number): (text: string) => boolean {
  let last = "";
  let said = new Map<string, number>();
  return (text) => {
    const gist = withoutCountdown(text);
    if (gist === last) return false;
    const at = now();
    said = new Map([...said].filter(([, before]) => at - before < MINUTE_MS));
    if (said.has(gist)) return false;
    said.set(gist, at);
    last = gist;
    return true;
  };
}

/** The same of several texts at once: one that goes on is no news because another came or went. */
export function newOnes(now: () => number): (texts: readonly string[]) => readonly string[] {
  let told = new Set<string>();
  let said = new Map<string, number>();
  return (texts) => {
    const at = now();
    said = new Map([...said].filter(([, before]) => at - before < MINUTE_MS));
    const news = texts.filter((text) => {
      const gist = withoutCountdown(text);
      return !told.has(gist) && !said.has(gist);
    });
    for (const text of news) said.set(withoutCountdown(text), at);
    const gists = texts.map(withoutCountdown);
    // What came back too soon is said once its minute is over, if it stands then.
    told = new Set(gists.filter((gist) => told.has(gist) || said.get(gist) === at));
    return news;
  };
}

/** A countdown alone is no change. */
export function withoutCountdown(text: string): string {
  return text.replace(/\b(?:\d+(?:\.\d+)?\s?(?:s|min|m|h))+\b/g, "");
}
