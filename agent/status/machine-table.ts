import { amountText, parseUsd, USD, usdText, ZERO_USD } from "../../service/contract/money.ts";
import { type Clean, table } from "../fleet/text/text.ts";
import type { DeploymentFacts } from "../json/deployments.ts";
import { whoseText } from "./owner-names.ts";

/** A table of machines of one account that says whose each is. */
export function machineTable(rows: readonly DeploymentFacts[], clean: Clean): string {
  return table(
    [
      "DEPLOYMENT",
      "STATUS",
      "OFFER",
      "PROVIDER",
      "LOCATION",
      "GPUS",
      `${rows[0]?.currency ?? USD}/H`,
      "WHOSE",
    ],
    rows.map((row) => {
      const { id, offer, provider, location, gpus, pricePerHour } = row;
      const what = [offer, provider, location, gpus].map((value) => String(value ?? "?"));
      return [id, machineStatus(row), ...what, usdText(pricePerHour), whoseText(row)];
    }),
    clean,
  );
}

/** Its status, and how it ended or is to end. */
export function machineStatus({
  status,
  end,
  stop,
}: Pick<DeploymentFacts, "status" | "end" | "stop">): string {
  if (end !== null) return end === status ? status : `${status} (${end})`;
  return stop && status !== "stopping" ? `${status} (to be stopped)` : status;
}

/** `44.10 USD an hour`, and how many machines of one account have no known price. */
export function costText(rows: readonly Pick<DeploymentFacts, "pricePerHour" | "currency">[]): string {
  const prices = rows.map(({ pricePerHour }) => (pricePerHour === null ? undefined : parseUsd(pricePerHour)));
  const known = prices.filter((price) => price !== undefined);
  const unknown = prices.length - known.length;
  if (known.length === 0) return "the price is not known";
  const sum = known.reduce((total, price) => total.plus(price), ZERO_USD);
  return `${amountText(sum, rows[0]?.currency)} an hour${unknown > 0 ? `, and ${unknown} of unknown price` : ""}`;
}
