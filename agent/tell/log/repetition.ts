import { MINUTE_MS } from "../../../ledger/instant.ts";

/**
 * Decides whether a text is worth a line: it differs from the last line in more than a countdown, and was not
 * logged within a minute. Two waits that alternate four times a second would bury everything else.
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

/** Of a set of texts, those that are news. A text that stays is none when another one comes or goes. */
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
    // A text that came back too soon is logged once its minute is over, if it is still there.
    told = new Set(gists.filter((gist) => told.has(gist) || said.get(gist) === at));
    return news;
  };
}

/** Removes durations: a countdown alone is no change. */
export function withoutCountdown(text: string): string {
  return text.replace(/\b(?:\d+(?:\.\d+)?\s?(?:s|min|m|h))+\b/g, "");
}
