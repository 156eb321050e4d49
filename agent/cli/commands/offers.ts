import { coolingFor } from "../../../launch/facts/cooling.ts";
import { combinationKey } from "../../../service/contract/contract.ts";
import { FleetkeeperError } from "../../../service/contract/errors.ts";
import { formatUsd, parseUsd, USD, type Usd, usdText } from "../../../service/contract/money.ts";
import type { Offer } from "../../../service/contract/service.ts";
import { readable, unreadText } from "../../../service/contract/unread.ts";
import { andMore, type Clean, clean, cleanFor, jsonText, table } from "../../fleet/text.ts";
import { wishSchema } from "../../fleet/wish.ts";
import type { OfferFacts } from "../../json/offers.ts";
import { fits, worthOf } from "../../planning/options.ts";
import type { CliContext } from "./cli-context.ts";
import type { AskFlags } from "./flags.ts";
import { configurationFrom } from "./flags.ts";
import { contextHere, ifLedgerAt } from "./ledger.ts";
import { withService } from "./opening.ts";

export interface OffersFlags extends AskFlags {
  readonly gpuModel?: readonly string[];
  /** `MODEL=WORK`. */
  readonly worth?: readonly string[];
  readonly provider?: readonly string[];
  readonly location?: readonly string[];
  /** USD a GPU and hour. */
  readonly maxPrice?: string;
  readonly available?: boolean;
}

/** `fleetkeeper offers`: the service's offers, cheapest GPU first. The flags work as a fleet's `select`. */
export async function offersCommand(flags: OffersFlags, cli: CliContext): Promise<number> {
  const configuration = await configurationFrom(flags, cli);
  return withService(configuration, cli, async (service) => {
    const listed = await service.offers(cli.signal);
    const { currency = USD } = service.abilities;
    const offers = readable(listed);
    const unread = unreadText(listed, "offers");
    if (unread !== undefined) cli.tell(cleanFor(cli)(`${unread}.`, 1000));
    const cooling = await coolingSeconds(configuration.ledger, service.baseUrl, cli);
    const wish = wishOf(flags);
    const rows = offers
      .filter((offer) => fits(wish, offer))
      .map((offer): Priced => [offer, perGpuHourOf(offer), worthOf(wish.select, offer)])
      .sort(byPrice)
      .map((priced) => factsOf(priced, cooling, currency))
      .filter((row) => !flags.available || (row.available !== false && row.coolingSeconds === 0));
    if (flags.json) cli.print(jsonText(rows));
    else
      cli.print(
        rows.length > 0
          ? tableOf(rows, wish.select?.worth !== undefined, currency, cleanFor(cli))
          : nothingFits(offers),
      );
    return 0;
  });
}

function wishOf({ gpuModel, worth, provider, location, maxPrice }: OffersFlags) {
  const worths = worth?.map((each) => /^(.*)=(.*)$/s.exec(each)?.slice(1) ?? [each, ""]);
  const select = {
    gpuModel,
    worth: worths && Object.fromEntries(worths),
    providers: provider,
    locations: location,
  };
  const parsed = wishSchema.safeParse({ gpus: 0, select: { ...select, maxPricePerGpuHour: maxPrice } });
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const flag = issue?.path[1] === "worth" ? `--worth ${worth?.join(" ")}` : "--gpu-model";
  throw new FleetkeeperError("CONFIG", `${flag}: ${issue?.message}`);
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

/** With its USD a GPU and hour; undefined if the profile maps no price, or this offer shows none. And what its GPU is worth. */
type Priced = readonly [Offer, Usd | undefined, string | undefined];

function perGpuHourOf({ pricePerHour, gpus }: Offer): Usd | undefined {
  return pricePerHour === undefined || gpus === 0 ? undefined : parseUsd(pricePerHour)?.div(gpus);
}

/** By work. Unknown prices come last. Equal prices are sorted by name: two calls then print the same order. */
function byPrice([one, price, worth = "1"]: Priced, [other, otherPrice, otherWorth = "1"]: Priced): number {
  const byName = combinationKey(one).localeCompare(combinationKey(other));
  if (price === undefined || otherPrice === undefined)
    return Number(price === undefined) - Number(otherPrice === undefined) || byName;
  return price.times(otherWorth).cmp(otherPrice.times(worth)) || byName;
}

function factsOf(
  [row, perGpuHour, worth]: Priced,
  cooling: ReadonlyMap<string, number>,
  currency: string,
): OfferFacts {
  const { offer, provider, location, gpus } = row;
  const { gpuModel = null, pricePerHour = null, available = null, stock = null } = row;
  const text = (price: Usd | undefined): string | null => (price === undefined ? null : formatUsd(price));
  const prices = {
    pricePerHour,
    pricePerGpuHour: text(perGpuHour),
    pricePerWorkHour: text(perGpuHour?.div(worth ?? "1")),
  };
  const coolingSeconds = cooling.get(combinationKey(row)) ?? 0;
  return { offer, provider, location, gpus, gpuModel, ...prices, currency, available, stock, coolingSeconds };
}

/** `byWork`: whether prices were compared by work. */
function tableOf(rows: readonly OfferFacts[], byWork: boolean, currency: string, clean: Clean): string {
  const units = [`${currency}/H`, `${currency}/GPU/H`, ...(byWork ? [`${currency}/WORK/H`] : [])];
  return table(
    ["OFFER", "PROVIDER", "LOCATION", "GPUS", "MODEL", ...units, "AVAILABLE"],
    rows.map((row) => {
      const { offer, provider, location, gpus, gpuModel, pricePerHour, pricePerGpuHour, pricePerWorkHour } =
        row;
      const prices = [pricePerHour, pricePerGpuHour, ...(byWork ? [pricePerWorkHour] : [])].map(usdText);
      return [offer, provider, location, String(gpus), gpuModel ?? "?", ...prices, availability(row)];
    }),
    clean,
  );
}

function availability({ available, stock, coolingSeconds }: OfferFacts): string {
  if (available === false) return "no";
  if (coolingSeconds > 0) return `cools ${coolingSeconds} s`;
  if (stock !== null) return `yes, ${stock}`;
  return available === null ? "?" : "yes";
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
