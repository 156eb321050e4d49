import { amountText, usdText } from "../../../service/contract/money.ts";
import type { Offer } from "../../../service/contract/service.ts";
import { counted } from "../../../service/text/counted.ts";
import type { FleetDeclaration } from "../../fleet/declare/fleets.ts";
import { isModel, modelsOf, type Wish } from "../../fleet/wish/wish.ts";
import { likelyMeant } from "../../planning/choices/offered-models.ts";
import { allowed } from "../../planning/choices/options.ts";
import type { Option } from "../../planning/mix/mix.ts";
import type { DoctorInput } from "../doctor-input.ts";
import type { Check } from "../report.ts";
import { list } from "./fleet-candidates.ts";
import { about, inFleet, usdOf } from "./fleet-words.ts";

type Select = NonNullable<Wish["select"]>;

/** Which limit of the fleet's `select` leaves no offer. It is found by trying without each limit. */
export function whyNoneFits(input: DoctorInput, fleet: FleetDeclaration, offers: readonly Offer[]): Check {
  const select = fleet.wish.select ?? {};
  const all = offers.map(({ stock: _, ...offer }) => ({ ...offer, available: true }));
  const fitting = (some: Select): readonly Option[] => allowed({ ...fleet.wish, select: some }, all);
  const check = about(fleet, "mix");
  const widen = inFleet(fleet, "Widen the fleet's select");
  const now = fitting(select);
  if (offers.length === 0) return check.warning("the service lists no offers at the moment.");
  if (now.length > 0) {
    return check.warning(
      `${counted(now.length, "offer")} would fit, but none of them is available now: it waits until one is.`,
    );
  }
  // If two limits could be the cause, the one that people give up more easily is named.
  const keys = (Object.keys(select) as (keyof Select)[]).sort((one, other) => rank(one) - rank(other));
  const culprit =
    keys.find((key) => fitting({ [key]: select[key] } as Select).length === 0) ??
    keys.find((key) => fitting({ ...select, [key]: undefined } as Select).length > 0);
  if (culprit === undefined) {
    const says = `none of the service's ${counted(offers.length, "offer")} fits ${JSON.stringify(select)}.`;
    return check.problem(says, widen);
  }
  const others = fitting({ ...select, [culprit]: undefined } as Select);
  return check.problem(sentenceFor(input, culprit, select, offers, others), widen);
}

function sentenceFor(
  { loaded, money }: DoctorInput,
  culprit: keyof Select,
  select: Select,
  offers: readonly Offer[],
  others: readonly Option[],
): string {
  const within = others.length > 0 ? " within its other limits" : "";
  const rest: readonly (Option | Offer)[] = others.length > 0 ? others : offers;
  switch (culprit) {
    case "gpuModel": {
      const asked = modelsOf(select.gpuModel);
      const gpuModel = asked.join(" or ");
      if (loaded.profile.offers?.fields.gpuModel === undefined) {
        return `it selects gpuModel ${gpuModel}, but the profile maps no offers.fields.gpuModel, so no offer is known to be one.`;
      }
      const models = [...new Set(offers.flatMap((offer) => offer.gpuModel ?? []))];
      const [near] = asked.flatMap((each) => likelyMeant(each, models) ?? []);
      const there =
        near === undefined ? `there are ${list(models)}` : `did you mean ${near}? There are ${list(models)}`;
      return `no offer${models.some((model) => asked.some((each) => isModel(model, each))) ? within : ""} has gpuModel ${gpuModel}; ${there}.`;
    }
    case "maxPricePerGpuHour": {
      const prices = rest.flatMap(({ pricePerHour, gpus }) => usdOf(pricePerHour)?.div(gpus) ?? []);
      const [lowest] = prices.sort((one, other) => one.cmp(other));
      if (lowest === undefined) {
        return "it sets maxPricePerGpuHour, but no offer has a price that the profile can read (offers.fields.pricePerHour), so none is known to be below it.";
      }
      return `its ceiling of ${amountText(select.maxPricePerGpuHour, money.currency)} a GPU-hour is below every price: the lowest of what would fit else is ${usdText(lowest)}.`;
    }
    case "providers":
      return `no offer${within} is from ${list(select.providers ?? [])}; there are ${list(rest.map(({ provider }) => provider))}.`;
    case "locations":
      return `no offer${within} is in ${list(select.locations ?? [])}; there are ${list(rest.map(({ location }) => location))}.`;
    default:
      return `none of the service's ${counted(offers.length, "offer")} fits its ${String(culprit)}.`;
  }
}

function rank(key: keyof Select): number {
  return ["maxPricePerGpuHour", "locations", "providers"].indexOf(key) + (key === "gpuModel" ? 100 : 0);
}
