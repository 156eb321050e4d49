import { parseUsd, USD } from "../../../service/contract/money.ts";
import type { Offer } from "../../../service/contract/service.ts";
import { abilitiesOf } from "../../../service/profile/abilities.ts";
import { isConstant } from "../../../service/profile/place.ts";
import type { WireProfile } from "../../../service/profile/profile.ts";
import { count, some } from "../init/interview.ts";
import type { Cloud } from "./cloud.ts";

/** What only the user knows, under the name by which `--answer NAME=VALUE` says it. */
export interface Question {
  readonly name: string;
  readonly question: string;
  /** What an empty answer means. */
  readonly initial?: string | undefined;
  readonly check?: (text: string) => string | undefined;
}

export function keyQuestion({ apiKey }: Cloud): Question {
  const question = "The variable of the environment that holds your key (its name, never the key):";
  const check = (text: string) =>
    /^[A-Za-z_]\w*$/.test(text) ? undefined : "A name of letters, digits and underscores.";
  return { name: "apiKey", question, initial: apiKey, check };
}

/** All others, in their order. Where no offer shows a price, a machine of a place and its price are the user's to say. */
export function questionsOf({ asks }: Cloud, profile: WireProfile): readonly Question[] {
  const { provider, location } = profile.deployments?.fields ?? {};
  const { currency = USD } = profile;
  const machine: readonly Question[] = [
    { name: "offer", question: "The type of machine, as the service calls it:", check: some },
    ...(isConstant(provider) ? [] : [{ name: "provider", question: "Its provider:", check: some }]),
    ...(isConstant(location)
      ? []
      : [{ name: "location", question: "The place, as the service calls it:", check: some }]),
    { name: "machine", question: "GPUs in one such machine:", check: count(1) },
    { name: "price", question: `What one such machine costs an hour, in ${currency}:`, check: usd },
  ];
  return [
    ...asks.flatMap(({ placeholder, question, initial }) =>
      question === undefined
        ? []
        : [{ name: nameOf(placeholder), question: `${question}:`, initial, check: some }],
    ),
    ...(abilitiesOf(profile).offerPrice
      ? [{ name: "gpuModel", question: "GPU model, as the service calls it:", check: some }]
      : machine),
    { name: "gpus", question: "How many GPUs shall be kept?", check: count(1) },
    { name: "perHour", question: `At most how many ${currency} an hour for all of them?`, check: usd },
  ];
}

/** `image` of `parameters.image`. */
export function nameOf(placeholder: string): string {
  return placeholder.slice(placeholder.indexOf(".") + 1);
}

/** The models of what can be had now, the cheapest GPU first. */
export function modelsOf(
  offers: readonly Offer[],
  currency: string = USD,
): readonly { readonly value: string; readonly name: string }[] {
  const had = offers.filter(({ available, gpuModel }) => available !== false && gpuModel !== undefined);
  const models = Map.groupBy(had, ({ gpuModel }) => gpuModel as string);
  return [...models]
    .map(([value, those]) => {
      const prices = those.flatMap(({ pricePerHour = "", gpus }) => parseUsd(pricePerHour)?.div(gpus) ?? []);
      const [first, ...others] = prices;
      const least = others.reduce((low, each) => (low && each.lt(low) ? each : low), first);
      const sizes = [...new Set(those.map(({ gpus }) => gpus))].sort((a, b) => a - b);
      const price = least === undefined ? "" : `from ${least.toFixed(2)} ${currency} a GPU and hour, `;
      return { value, least, name: `${value}: ${price}${sizes.join(", ")} in a machine` };
    })
    .sort((a, b) => (a.least && b.least ? a.least.cmp(b.least) : 0));
}

function usd(text: string): string | undefined {
  return /^\d{1,9}(\.\d{1,4})?$/.test(text) && Number(text) > 0 ? undefined : "A number, such as 30.00.";
}
