import type { Context } from "../../launch/facts/context.ts";
import type { History } from "../../ledger/chart-history.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../ledger/instant.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import { marketHistory } from "../../ledger/market-history.ts";
import { readDraft } from "../../ledger/read-draft.ts";
import type { AccountRow } from "../../ledger/rows.ts";
import type { Billing } from "../../service/contract/billing.ts";
import { FleetkeeperError } from "../../service/contract/errors.ts";
import { USD } from "../../service/contract/money.ts";
import { checkBaseUrl } from "../../service/http/base-url.ts";
import { staysByCombination, staysByDay } from "../planning/choices/loss-rate.ts";
import { doubtsOfFile, doubtsOfHistory } from "./doubts.ts";
import { seenMarket } from "./history-tape.ts";
import { lossesBy, withEvents } from "./losses.ts";
import { firstDays, readTape, type Tape } from "./tape.ts";

/** What is played on. */
export interface Market {
  readonly name: string;
  /** Wall time in ms. */
  readonly start: number;
  readonly days: number;
  readonly offers: number;
  readonly currency: string;
  /** Undefined: nobody said how time is billed. */
  readonly billing: Billing | undefined;
  readonly notKnown: readonly string[];
  tapeOf(seed: number): Tape;
}

/** Of a market file. It has no date: it begins on the Monday of this week, so that windows and schedules open as they do. Throws CONFIG. */
export function marketOfFile(path: string, days: number, billing: Billing | undefined, now: number): Market {
  const tape = firstDays(readTape(path), days);
  const today = Math.floor(now / DAY_MS);
  // 1970 began on a Thursday.
  const start = (today - ((today + 3) % 7)) * DAY_MS;
  return {
    ...{
      name: tape.name ?? path,
      start,
      days: tape.days,
      offers: tape.offers.length,
      currency: USD,
      billing,
    },
    notKnown: doubtsOfFile(tape, billing),
    tapeOf: () => tape,
  };
}

export interface Wanted {
  readonly days: number;
  /** Only of accounts at this address. */
  readonly baseUrl: string | undefined;
  /** The most GPUs that may live at one time. */
  readonly mostGpus: number;
}

/** The market that an agent recorded in this ledger: of several accounts, of the one that has most offers. Throws CONFIG. */
export async function marketOfLedger(
  ledger: Ledger & History,
  location: string,
  { days, baseUrl, mostGpus }: Wanted,
  context: Context,
): Promise<Market> {
  const now = context.now.wall;
  const address = baseUrl === undefined ? undefined : checkBaseUrl(baseUrl);
  const accounts = (await ledger.accounts()).filter(
    (each) => address === undefined || each.baseUrl === address,
  );
  let best: { account: AccountRow; history: Awaited<ReturnType<typeof marketHistory>> } | undefined;
  for (const account of accounts) {
    const history = await marketHistory(ledger, account.key, now - days * DAY_MS, now + 1);
    if (history.offers.length > (best?.history.offers.length ?? 0)) best = { account, history };
  }
  const none = `${location}: no agent has recorded a market${baseUrl ? ` of ${baseUrl}` : ""} in the last ${days} days`;
  const way =
    "An agent does, from its first day on, where the profile has offers. A market file is played with --market.";
  if (!best) throw new FleetkeeperError("CONFIG", `${none}. ${way}`);
  const { account, history } = best;
  const from = Math.floor(history.looked[0]?.[0] ?? now);
  const to = history.looked.at(-1)?.[1] ?? now;
  if (to - from < HOUR_MS)
    throw new FleetkeeperError(
      "CONFIG",
      `${location}: the market was looked at for ${Math.round((to - from) / MINUTE_MS)} minutes in the last ${days} days: an hour is the least that is played. ${way}`,
    );
  const draft = await readDraft({ ledger, account: account.key });
  const name = `${location}, account ${account.email}`;
  const seen = seenMarket(history, staysByDay(draft, context.now), from, to, name);
  if (seen.tape.offers.length === 0)
    throw new FleetkeeperError(
      "CONFIG",
      `${location}: none of its ${seen.unpriced} offers ever showed a price, so nothing can be launched in a play. Map the price in the profile (offers.fields.pricePerHour). ${way}`,
    );
  const losses = lossesBy(staysByCombination(draft, days, context.now), seen.tape, mostGpus);
  return {
    ...{
      name,
      start: from,
      days: seen.tape.days,
      offers: seen.tape.offers.length,
      currency: account.currency ?? USD,
      billing: account.billing,
    },
    notKnown: doubtsOfHistory(seen, losses, account.billing),
    tapeOf: (seed) => withEvents(seen.tape, losses?.events(seed) ?? []),
  };
}
