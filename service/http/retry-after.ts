/**
 * Reads a `Retry-After`: seconds (specification, section 7), or an HTTP date, which counts from the answer's
 * own `Date`: a wrong clock here changes nothing. Unreadable: undefined. In the past: 0. No upper limit.
 */
export function parseRetryAfter(
  text: string | undefined,
  date: string | undefined,
  now: number,
): number | undefined {
  if (text === undefined) return undefined;
  const trimmed = text.trim();
  if (/^[+-]?\d+(\.\d+)?$/.test(trimmed)) {
    const seconds = Number(trimmed);
    return Number.isFinite(seconds) ? Math.max(0, seconds) : undefined;
  }
  const until = parseHttpDate(trimmed);
  if (until === undefined) return undefined;
  const from = (date === undefined ? undefined : parseHttpDate(date.trim())) ?? now;
  return Math.max(0, (until - from) / 1000);
}

/** HTTP dates only: `Date.parse` alone would read a stray number or word as a year. */
function parseHttpDate(text: string): number | undefined {
  if (!/^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? .*\d\d:\d\d:\d\d/.test(text)) return undefined;
  const time = Date.parse(text.endsWith("GMT") ? text : `${text} GMT`);
  return Number.isNaN(time) ? undefined : time;
}
