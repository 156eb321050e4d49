import { coolingFor } from "../../../launch/cooling.ts";
import { combinationKey } from "../../../service/contract.ts";
import { formatUsd, parseUsd, type Usd, usdText } from "../../../service/money.ts";
import type { Offer } from "../../../service/service.ts";
import { readable, unreadText } from "../../../service/unread.ts";
import { andMore, type Clean, clean, cleanFor, jsonText, table } from "../../fleet/text.ts";
import { parseWish } from "../../fleet/wish.ts";
import { fits } from "../../planning/options.ts";
import type { CliContext } from "./cli-context.ts";
import type { AskFlags } from "./flags.ts";
import { configurationFrom } from "./flags.ts";
import { contextHere, ifLedgerAt } from "./ledger.ts";
import { withService } from "./opening.ts";

export interface OffersFlags extends AskFlags {
  readonly gpuModel?: string;
  readonly provider?: readonly string[];
  readonly location?: readonly string[];
  /** USD a GPU and hour. */
  readonly maxPrice?: string;
  readonly available?: boolean;
}

/** An offer, with what matters for choosing one. */
interface Row extends Offer {
  /** USD. Undefined if the profile maps no price, or this offer shows none. */
  readonly perGpuHour: Usd | undefined;
  /** Seconds of cooldown left; 0 if this ledger knows of none. */
  readonly cooling: number;
}

/** `fleetkeeper offers`: the service's offers, cheapest GPU first. The flags work as a fleet's `select`. */
export async function offersCommand(flags: OffersFlags, cli: CliContext): Promise<number> {
  const configuration = await configurationFrom(flags, cli);
  return withService(configuration, cli, async (service) => {
    const listed = await service.offers(cli.signal);
    const offers = readable(listed);
    const unread = unreadText(listed, "offers");
    if (unread !== undefined) cli.tell(cleanFor(cli)(`${unread}.`, 1000));
    const cooling = await coolingSeconds(configuration.ledger, service.baseUrl, cli);
    const rows = offers
      .filter((offer) => fits(wishOf(flags), offer))
      .map((offer): Row => {
        const cools = cooling.get(combinationKey(offer)) ?? 0;
        return { ...offer, perGpuHour: perGpuHourOf(offer), cooling: cools };
      })
      .filter((row) => !flags.available || (row.available !== false && row.cooling === 0))
      .sort(byPrice);
    if (flags.json) cli.print(jsonText(rows.map(asJson)));
    else cli.print(rows.length > 0 ? tableOf(rows, cleanFor(cli)) : nothingFits(offers));
    return 0;
  });
}

function wishOf({ gpuModel, provider, location, maxPrice }: OffersFlags) {
  const select = { gpuModel, providers: provider, locations: location, maxPricePerGpuHour: maxPrice };
  return parseWish({ gpus: 0, select });
}

/** The cooldowns that the ledger knows of this account's combinations. Empty if there is no ledger. */
async function coolingSeconds(
  path: string,
  baseUrl: string,
  cli: CliContext,
): Promise<ReadonlyMap<string, number>> {
  const seconds = await ifLedgerAt(path, async (ledger) => {
    const account = (await ledger.accounts()).find((each) => each.baseUrl === baseUrl);
    const { cooldowns = [] } = account ? await ledger.read(account.key) : {};
    const context = contextHere(cli, ledger);
    return cooldowns.map((row) => [combinationKey(row), Math.ceil(coolingFor(row, context) / 1000)] as const);
  });
  return new Map(seconds);
}

function perGpuHourOf({ pricePerHour, gpus }: Offer): Usd | undefined {
  return pricePerHour === undefined || gpus === 0 ? undefined : parseUsd(pricePerHour)?.div(gpus);
}

/** Unknown prices come last. Equal prices are sorted by name: two calls then print the same order. */
function byPrice(one: Row, other: Row): number {
  const byName = combinationKey(one).localeCompare(combinationKey(other));
  if (one.perGpuHour === undefined || other.perGpuHour === undefined) {
    return Number(one.perGpuHour === undefined) - Number(other.perGpuHour === undefined) || byName;
  }
  return one.perGpuHour.cmp(other.perGpuHour) || byName;
}

function tableOf(rows: readonly Row[], clean: Clean): string {
  return table(
    ["OFFER", "PROVIDER", "LOCATION", "GPUS", "MODEL", "USD/H", "USD/GPU/H", "AVAILABLE"],
    rows.map((row) => {
      const { offer, provider, location, gpus, gpuModel = "?", pricePerHour, perGpuHour } = row;
      const prices = [usdText(pricePerHour), usdText(perGpuHour)];
      return [offer, provider, location, String(gpus), gpuModel, ...prices, availability(row)];
    }),
    clean,
  );
}

function availability({ available, stock, cooling }: Row): string {
  if (available === false) return "no";
  if (cooling > 0) return `cools ${cooling} s`;
  if (stock !== undefined) return `yes, ${stock}`;
  return available === undefined ? "?" : "yes";
}

function nothingFits(offers: readonly Offer[]): string {
  if (offers.length === 0) return "The service lists no offers.";
  const some = (what: string, key: "gpuModel" | "provider" | "location"): string => {
    const values = [...new Set(offers.map((offer) => clean(offer[key] ?? "?", 80)))].sort();
    return `  ${what.padEnd(10)}${andMore(values, 20)}`;
  };
  return [
    `None of the service's ${offers.length} offers fits. There are:`,
    some("models", "gpuModel"),
    some("providers", "provider"),
    some("locations", "location"),
  ].join("\n");
}

function asJson({
  offer,
  provider,
  location,
  gpus,
  perGpuHour,
  cooling,
  ...row
}: Row): Record<string, unknown> {
  const { gpuModel = null, pricePerHour = null, available = null, stock = null } = row;
  const pricePerGpuHour = perGpuHour === undefined ? null : formatUsd(perGpuHour);
  const prices = { pricePerHour, pricePerGpuHour };
  return { offer, provider, location, gpus, gpuModel, ...prices, available, stock, coolingSeconds: cooling };
}
