import { MINUTE_MS } from "../../ledger/instant.ts";
import type { Billing } from "../../service/contract/billing.ts";
import { ASSUMED_ROOM, REFUSED_MS, type Seen } from "./history-tape.ts";
import type { Losses } from "./losses.ts";
import type { Tape } from "./tape.ts";

/* What a market does not say, for people: what is assumed in its place stands beside it. */

const OTHERS =
  "How others act on more demand: here no price rises and no room goes because of what these fleets rent.";

const KEPT_PRICES =
  "Whether a price changes for a machine that runs: here each keeps the one of its launch. costIfPricesFloat in --json says the other.";

function billed(billing: Billing | undefined): readonly string[] {
  const here = "here the first hour of a machine that somebody stops is paid, and then time as it passes";
  return billing ? [] : [`How time is billed: no profile says it (billing), and ${here}.`];
}

/** Of a market file. */
export function doubtsOfFile({ floats }: Tape, billing: Billing | undefined): readonly string[] {
  return [
    "Whether the market was so: depth, prices and losses are what the file says.",
    floats
      ? "What a service takes: by the file, who holds a machine pays the price of the moment."
      : KEPT_PRICES,
    ...billed(billing),
    OTHERS,
  ];
}

/** Of the history of a ledger. */
export function doubtsOfHistory(
  { tape, uncounted, unpriced, gaps }: Seen,
  losses: Losses | undefined,
  billing: Billing | undefined,
): readonly string[] {
  const all = tape.offers.length;
  const guessed =
    uncounted === 0
      ? ""
      : ` ${uncounted} showed none: here ${ASSUMED_ROOM} machines live there at one time, and none begins for ${REFUSED_MS / MINUTE_MS} minutes after a launch that was refused.`;
  return [
    `How deep the market was. ${all - uncounted} of ${all} offers showed how many could be had: so many begin here, and as many as this ledger itself had there.${guessed}`,
    ...(gaps.count === 0
      ? []
      : [
          `What nobody looked at: ${gaps.hours.toFixed(1)} hours, in ${gaps.count} gaps. What was offered last is taken to have stayed.`,
        ]),
    ...(unpriced === 0 ? [] : [`What ${unpriced} offers cost: they never showed a price, and are left out.`]),
    KEPT_PRICES,
    ...billed(billing),
    losses
      ? `How often machines are lost. This ledger lost ${losses.losses} in ${losses.machineDays.toFixed(1)} machine-days; each place has a rate that is drawn anew in each play, by that. ` +
        `${losses.neverRented} of ${all} offers were never rented: there it is drawn by all places together. In truth losses come together; here they come one by one.`
      : "How often machines are lost: this ledger never had one. Here none is lost, so hours are too many, and interruptions none.",
    OTHERS,
  ];
}
