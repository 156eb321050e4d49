import { combinationKey } from "../../service/contract/contract.ts";
import type { WireProfile } from "../../service/profile/profile.ts";
import type { CatalogueOffer } from "../catalogue.ts";

/**
 * Offers as a service of this profile can show them: what it has only one of is that one, and a composed name has its
 * parts where the profile reads them. Those that it cannot tell apart then are one.
 */
export function namedBy(profile: WireProfile, offers: readonly CatalogueOffer[]): readonly CatalogueOffer[] {
  const named = offers.map((offer) => ({
    ...offer,
    offer: nameOf(profile, offer),
    provider: onlyOne(profile, "provider") ?? offer.provider,
    location: onlyOne(profile, "location") ?? offer.location,
  }));
  return [
    ...new Map(named.toReversed().map((offer) => [combinationKey(offer), offer])).values(),
  ].toReversed();
}

function onlyOne({ deployments }: WireProfile, part: "provider" | "location"): string | undefined {
  const place = deployments?.fields[part];
  return typeof place === "object" && "value" in place ? place.value : undefined;
}

/** The machine's GPUs and model stand in a composed name where the profile reads these, and its own name elsewhere. */
function nameOf({ deployments, offers }: WireProfile, { offer, gpus, gpuModel }: CatalogueOffer): string {
  const place = offers?.fields.id ?? deployments?.fields.offer;
  if (typeof place !== "object" || !("text" in place)) return offer;
  const counts: readonly unknown[] = ["count", offers?.fields.gpus, deployments?.fields.gpus];
  return place.text.replaceAll(/\{([^{}]*)\}/g, (_whole, piece: string) => {
    if (counts.includes(piece)) return String(gpus);
    return piece === offers?.fields.gpuModel ? gpuModel : offer.replace(/-x?\d+$/, "");
  });
}
