import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../../ledger/instant.ts";
import { USD, type Usd, usdText } from "../../../service/contract/money.ts";

const SECOND_MS = 1000;

/** `12 s`, `3 min`, `5 h 20 min`, `2 days 4 h`: two units where the second one matters. */
export function duration(ms: number): string {
  const whole = Math.max(0, ms);
  if (whole < 99.5 * SECOND_MS) return `${Math.round(whole / SECOND_MS)} s`;
  if (whole < 90 * MINUTE_MS) return `${Math.round(whole / MINUTE_MS)} min`;
  if (whole < 36 * HOUR_MS) return twoUnits(whole, HOUR_MS, "h", MINUTE_MS, "min");
  const days = Math.floor(whole / DAY_MS);
  if (days >= 14) return `${Math.round(whole / DAY_MS)} days`;
  return twoUnits(whole, DAY_MS, days === 1 ? "day" : "days", HOUR_MS, "h");
}

function twoUnits(ms: number, unit: number, name: string, smaller: number, smallerName: string): string {
  const most = Math.floor(ms / unit);
  const rest = Math.floor((ms - most * unit) / smaller);
  return rest === 0 ? `${most} ${name}` : `${most} ${name} ${rest} ${smallerName}`;
}

export function ago(from: number, now: number): string {
  return now - from < 2 * SECOND_MS ? "just now" : `${duration(now - from)} ago`;
}

const FORMATS = new Map<string, Intl.NumberFormat>();

/** `$1,234.50`, `−€3.00`. Exact, as the format reads the decimal's text. `currency` undefined: USD. */
export function moneyText(amount: Usd | string, currency: string = USD): string {
  const text = usdText(amount);
  if (text === "?") return text;
  const format =
    FORMATS.get(currency) ??
    new Intl.NumberFormat("en-US", { style: "currency", currency, maximumFractionDigits: 4 });
  FORMATS.set(currency, format);
  return format.format(text as Intl.StringNumericLiteral).replace("-", "−");
}

/** Formats moments in one time zone: by default that of the agent's machine, as in its own output. */
export interface Moments {
  readonly zone: string;
  /** `14:05` */
  time(wall: number): string;
  /** `20 Nov 14:05` */
  dayAndTime(wall: number): string;
  /** `20 Nov` */
  day(wall: number): string;
  /** Milliseconds that local time is ahead of UTC at that moment. */
  offset(wall: number): number;
}

/** `zone` undefined: the machine's own. */
export function momentsIn(zone?: string): Moments {
  const time = { hour: "2-digit", minute: "2-digit", hourCycle: "h23" } as const;
  const day = { day: "numeric", month: "short" } as const;
  const with_ = (options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat =>
    new Intl.DateTimeFormat("en-GB", { ...options, ...(zone ? { timeZone: zone } : {}) });
  const [times, days] = [with_(time), with_(day)];
  const fields = with_({ ...time, year: "numeric", month: "numeric", day: "numeric", second: "numeric" });
  return {
    zone: times.resolvedOptions().timeZone,
    time: (wall) => times.format(wall),
    day: (wall) => days.format(wall),
    dayAndTime: (wall) => `${days.format(wall)} ${times.format(wall)}`,
    offset: (wall) => {
      const of = Object.fromEntries(
        fields.formatToParts(wall).map(({ type, value }) => [type, Number(value)]),
      );
      const { year = 0, month = 1, day: date, hour, minute, second } = of;
      const local = Date.UTC(year, month - 1, date, hour, minute, second);
      return local - Math.floor(wall / SECOND_MS) * SECOND_MS;
    },
  };
}
