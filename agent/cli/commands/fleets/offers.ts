import { combinationKey } from "../../../../service/contract/contract.ts";
import { CAUSES, FleetkeeperError } from "../../../../service/contract/errors.ts";
import { formatUsd, parseUsd, USD, type Usd, usdText } from "../../../../service/contract/money.ts";
import type { Offer } from "../../../../service/contract/service.ts";
import { withAliases } from "../../../fleet/file/model-aliases.ts";
import { severalOf } from "../../../fleet/file/of-service.ts";
import { andMore, type Clean, clean, cleanFor, jsonText, table } from "../../../fleet/text/text.ts";
import { wishSchema } from "../../../fleet/wish/wish.ts";
import { type OffersKnown, offersKnownSchema } from "../../../json/agent.ts";
import type { OfferFacts } from "../../../json/offers.ts";
import { fits, worthOf } from "../../../planning/choices/options.ts";
import { PATHS } from "../../../remote/paths.ts";
import { offersKnown } from "../../../status/offers-known.ts";
import { withAccounts } from "../shared/by-agent.ts";
import type { CliContext } from "../shared/cli-context.ts";
import { type AskFlags, configurationOf, nothingForAll, readSettings } from "../shared/flags.ts";
import { contextHere, ifLedgerAt } from "../shared/ledger.ts";
import { withService } from "../shared/opening.ts";

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
  const { agent } = cli;
  if (!agent) return printOffers(await sitesHere(flags, cli), flags, cli);
  return withAccounts(agent, flags.service, cli, (accounts) => {
    const sites = accounts.map(({ service, read }) => ({
      service,
      ask: () => read(PATHS.offers, offersKnownSchema),
    }));
    return printOffers(sites, flags, cli);
  });
}

async function printOffers(sites: readonly Site[], flags: OffersFlags, cli: CliContext): Promise<number> {
  const asked = await Promise.all(
    sites.map(({ service, gpuModels = {}, ask }) =>
      ask()
        .then(({ offers, unread }) => {
          const of = service === undefined ? "" : `${service}: `;
          if (unread !== null) cli.tell(cleanFor(cli)(`${of}${unread}.`, 1000));
          const wish = withAliases(wishOf(flags), gpuModels, undefined);
          const priced = offers
            .filter((facts) => fits(wish, offerOf(facts)))
            .map((facts): Priced => {
              const price = facts.pricePerGpuHour === null ? undefined : parseUsd(facts.pricePerGpuHour);
              const worth = worthOf(wish.select, offerOf(facts));
              const byWork =
                price && worth !== undefined ? formatUsd(price.div(worth)) : facts.pricePerGpuHour;
              const of = service === undefined ? {} : { service };
              return { price, worth, facts: { ...of, ...facts, pricePerWorkHour: byWork } };
            });
          return { code: 0, offers, priced };
        })
        .catch((error: unknown) => {
          if (sites.length === 1 || cli.signal.aborted || !(error instanceof FleetkeeperError)) throw error;
          cli.tell(`${service}: ${cleanFor(cli)(error.message, 2000)}`);
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

/** One service whose offers are asked for. */
interface Site {
  /** Where there are several. */
  readonly service: string | undefined;
  readonly gpuModels?: Readonly<Record<string, readonly string[]>> | undefined;
  ask(): Promise<OffersKnown>;
}

async function sitesHere(flags: OffersFlags, cli: CliContext): Promise<readonly Site[]> {
  const file = await readSettings(flags, cli);
  const several = severalOf(file);
  if (several) nothingForAll(flags, cli);
  return (several ?? [file]).map((each) => ({
    service: each?.service?.name,
    gpuModels: each?.service?.gpuModels,
    ask: async () => {
      const configuration = configurationOf(flags, each, cli);
      return withService(configuration, cli, async (service) => {
        const cooling = await ifLedgerAt(configuration.ledger, async (ledger) => {
          const account = (await ledger.accounts()).find(({ baseUrl }) => baseUrl === service.baseUrl);
          const { cooldowns = [] } = account ? await ledger.read(account.key) : {};
          return { cooldowns, context: contextHere(cli, ledger) };
        });
        const { cooldowns = [], context } = cooling ?? {};
        return offersKnown(service, cooldowns, context, cli.signal);
      });
    },
  }));
}

/** As a selector looks at it. */
function offerOf({ gpuModel, pricePerHour, available, stock, ...facts }: OfferFacts): Offer {
  return {
    ...facts,
    ...(gpuModel !== null && { gpuModel }),
    ...(pricePerHour !== null && { pricePerHour }),
    ...(available !== null && { available }),
    ...(stock !== null && { stock }),
  };
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

interface Priced {
  /** An hour of one GPU; undefined if the profile maps no price, or this offer shows none. */
  readonly price: Usd | undefined;
  /** What its GPU is worth. */
  readonly worth: string | undefined;
  readonly facts: OfferFacts;
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

function nothingFits(offers: readonly OfferFacts[]): string {
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
