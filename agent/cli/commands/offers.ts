import { coolingFor } from "../../../launch/facts/cooling.ts";
import { combinationKey } from "../../../service/contract/contract.ts";
import { CAUSES, FleetkeeperError } from "../../../service/contract/errors.ts";
import { formatUsd, parseUsd, USD, type Usd, usdText } from "../../../service/contract/money.ts";
import type { Offer } from "../../../service/contract/service.ts";
import { readable, unreadText } from "../../../service/contract/unread.ts";
import type { FleetFile } from "../../fleet/fleet-file.ts";
import { withAliases } from "../../fleet/model-aliases.ts";
import { severalOf } from "../../fleet/of-service.ts";
import { andMore, type Clean, clean, cleanFor, jsonText, table } from "../../fleet/text.ts";
import { wishSchema } from "../../fleet/wish.ts";
import type { OfferFacts } from "../../json/offers.ts";
import { fits, worthOf } from "../../planning/options.ts";
import type { CliContext } from "./cli-context.ts";
import type { AskFlags } from "./flags.ts";
import { configurationOf, nothingForAll, readSettings } from "./flags.ts";
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

/**
 * `fleetkeeper offers`: the service's offers, cheapest GPU first. The flags work as a fleet's `select`. Of a fleet file with several
 * services, those of all together: one that does not answer holds up no other.
 */
export async function offersCommand(flags: OffersFlags, cli: CliContext): Promise<number> {
  const file = await readSettings(flags, cli);
  const several = severalOf(file);
  if (several) nothingForAll(flags, cli);
  const asked = await Promise.all(
    (several ?? [file]).map((each) =>
      offersAt(flags, each, cli).catch((error: unknown) => {
        if (!several || cli.signal.aborted || !(error instanceof FleetkeeperError)) throw error;
        cli.tell(`${each?.service?.name}: ${cleanFor(cli)(error.message, 2000)}`);
        return { code: CAUSES[error.code].exitCode };
      }),
    ),
  );
  const found = asked.filter((each) => "offers" in each);
  const rows = found
    .flatMap(({ priced }) => priced)
    .sort(byPrice)
    .map(({ facts }) => facts)
    .filter((row) => !flags.available || (row.available !== false && row.coolingSeconds === 0));
  if (flags.json) cli.print(jsonText(rows));
  else if (rows.length > 0) cli.print(tableOf(rows, flags.worth !== undefined, cleanFor(cli)));
  else if (found.length > 0) cli.print(nothingFits(found.flatMap(({ offers }) => offers)));
  return Math.max(...asked.map(({ code }) => code));
}

async function offersAt(flags: OffersFlags, file: FleetFile | undefined, cli: CliContext) {
  const configuration = configurationOf(flags, file, cli);
  const { name, gpuModels = {} } = file?.service ?? {};
  return withService(configuration, cli, async (service) => {
    const listed = await service.offers(cli.signal);
    const { currency = USD } = service.abilities;
    const offers = readable(listed);
    const unread = unreadText(listed, "offers");
    if (unread !== undefined)
      cli.tell(cleanFor(cli)(`${name === undefined ? "" : `${name}: `}${unread}.`, 1000));
    const cooling = await coolingSeconds(configuration.ledger, service.baseUrl, cli);
    const wish = withAliases(wishOf(flags), gpuModels, undefined);
    const priced = offers
      .filter((offer) => fits(wish, offer))
      .map((offer): Priced => {
        const [price, worth] = [perGpuHourOf(offer), worthOf(wish.select, offer)];
        const facts = factsOf(offer, price, worth, cooling, currency);
        return { price, worth, facts: { ...(name !== undefined && { service: name }), ...facts } };
      });
    return { code: 0, offers, priced };
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

interface Priced {
  /** An hour of one GPU; undefined if the profile maps no price, or this offer shows none. */
  readonly price: Usd | undefined;
  /** What its GPU is worth. */
  readonly worth: string | undefined;
  readonly facts: OfferFacts;
}

function perGpuHourOf({ pricePerHour, gpus }: Offer): Usd | undefined {
  return pricePerHour === undefined || gpus === 0 ? undefined : parseUsd(pricePerHour)?.div(gpus);
}

/**
 * By work. Two currencies are no order, so offers of each stand together. Unknown prices come last. Equal prices are sorted by name:
 * two calls then print the same order.
 */
function byPrice(
  { price, worth = "1", facts: one }: Priced,
  { price: otherPrice, worth: otherWorth = "1", facts: other }: Priced,
): number {
  const nameOf = (facts: OfferFacts): string => `${combinationKey(facts)} ${facts.service ?? ""}`;
  const byName = nameOf(one).localeCompare(nameOf(other));
  if (price === undefined || otherPrice === undefined)
    return Number(price === undefined) - Number(otherPrice === undefined) || byName;
  const byCurrency = one.currency.localeCompare(other.currency);
  return byCurrency || price.times(otherWorth).cmp(otherPrice.times(worth)) || byName;
}

function factsOf(
  row: Offer,
  perGpuHour: Usd | undefined,
  worth: string | undefined,
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
function tableOf(rows: readonly OfferFacts[], byWork: boolean, clean: Clean): string {
  const [currency = USD, ...others] = new Set(rows.map((row) => row.currency));
  const isOne = others.length === 0;
  const hasServices = rows.some(({ service }) => service !== undefined);
  const units = ["H", "GPU/H", ...(byWork ? ["WORK/H"] : [])].map(
    (each) => `${isOne ? currency : "PRICE"}/${each}`,
  );
  return table(
    [
      ...(hasServices ? ["SERVICE"] : []),
      ...["OFFER", "PROVIDER", "LOCATION", "GPUS", "MODEL", ...units, "AVAILABLE"],
    ],
    rows.map((row) => {
      const { service = "", offer, provider, location, gpus, gpuModel } = row;
      const all = [row.pricePerHour, row.pricePerGpuHour, ...(byWork ? [row.pricePerWorkHour] : [])];
      const prices = all.map((price) => (isOne ? usdText(price) : `${usdText(price)} ${row.currency}`));
      const place = [offer, provider, location, String(gpus), gpuModel ?? "?"];
      return [...(hasServices ? [service] : []), ...place, ...prices, availability(row)];
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
