const FORM = /^(?:(\d+)h)?(?:(\d+)m)?(?:(\d+)s)?$/;

/** Milliseconds of a duration as Pulumi writes them (`30m`, `1h30m`, `90s`); undefined for anything else, zero included. */
export function parseDuration(text: string): number | undefined {
  const match = FORM.exec(text);
  if (!match) return undefined;
  const [, hours = 0, minutes = 0, seconds = 0] = match;
  return (Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)) * 1000 || undefined;
}
