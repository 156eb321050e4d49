import { usdText } from "../../service/contract/money.ts";
import { duration } from "../fleet/text/format.ts";
import type { PlaceFacts } from "../json/places.ts";

/** What a range of losses means, below the table that has it under this title. */
export function lossesSay(title: string): string {
  return (
    `Losses are machines that ended by themselves. ${title}: how many are lost for each machine that is there for a day. It is in the range ` +
    "with a probability of 80%, if losses come one by one and nothing was known before (a Gamma distribution, by the prior of Jeffreys). " +
    "A question mark: machines were there for less than a day, all together."
  );
}

/** Of less than a machine-day the range says nothing to people: it reaches to hundreds. */
export function lostText({ lossesPerMachineDay: rate, machineDays }: PlaceFacts): string {
  return rate === null || machineDays < 1 ? "?" : `${rate.low.toFixed(2)} to ${rate.high.toFixed(2)}`;
}

export function toRunText({ secondsToRun }: PlaceFacts): string {
  return secondsToRun === null ? "?" : duration(secondsToRun * 1000);
}

/** Now, and the means over 7 and 30 days. */
export function pricesOf({ pricePerHour: { now, days7, days30 } }: PlaceFacts): readonly string[] {
  return [now, days7, days30].map(usdText);
}
