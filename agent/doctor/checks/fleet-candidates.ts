import { type Combination, combinationKey, combinationText } from "../../../service/contract/contract.ts";
import type { Offer } from "../../../service/contract/service.ts";
import { counted } from "../../../service/text/counted.ts";
import { nearest } from "../../../service/text/nearest.ts";
import type { FleetDeclaration } from "../../fleet/declare/fleets.ts";
import type { Candidate } from "../../fleet/wish/wish.ts";
import type { Check } from "../report.ts";
import { about, inFleet } from "./fleet-words.ts";

/** For each candidate: whether the catalogue lists it, and whether it is as the fleet says. */
export function candidateChecks(
  fleet: FleetDeclaration,
  offers: readonly Offer[] | undefined,
): readonly Check[] {
  const { candidates = [] } = fleet.wish;
  if (offers === undefined || candidates.length === 0) return [];
  const listed = new Map(offers.map((offer) => [combinationKey(offer), offer]));
  const offerOf = (candidate: Candidate): Offer | undefined => listed.get(combinationKey(candidate));
  const checks: Check[] = [];
  const absent = candidates.filter((candidate) => offerOf(candidate) === undefined);
  if (absent.length > 0) {
    const all = absent.length === candidates.length;
    const which = all ? "none" : String(absent.length);
    const are = all ? "is" : absent.length === 1 ? "is not" : "are not";
    const details = absent
      .slice(0, 10)
      .map((candidate) => `${combinationText(candidate)}: ${whatIsWrong(candidate, offers)}`);
    checks.push(
      about(fleet, "candidates")[all ? "problem" : "warning"](
        `${which} of its ${counted(candidates.length, "candidate")} ${are} among the service's ${counted(offers.length, "offer")}${all ? "" : ", and would be refused"}.`,
        inFleet(fleet, "Correct the candidates, or take them out"),
        { details },
      ),
    );
  }
  for (const candidate of candidates) {
    const offer = offerOf(candidate);
    // A fleet that counts 8 GPUs for a machine with 4 rents half of what is wanted.
    if (offer === undefined || offer.gpus === candidate.gpus) continue;
    const says = `it counts ${counted(candidate.gpus, "GPU")} in ${combinationText(candidate)}, but the service says ${offer.gpus}.`;
    const remedy = inFleet(fleet, "Correct this candidate", [`gpus: ${offer.gpus}`]);
    checks.push(about(fleet, "gpus").warning(says, remedy));
  }
  const soldOut = candidates.filter((candidate) => offerOf(candidate)?.available === false);
  if (soldOut.length > 0) {
    const all = soldOut.length === candidates.length;
    const which = all ? "all of its candidates" : soldOut.slice(0, 5).map(combinationText).join(", ");
    const says = `the service calls ${which} not available now${all ? ": it waits until one is" : ""}.`;
    checks.push(about(fleet, "available").warning(says));
  }
  return checks;
}

function whatIsWrong(candidate: Combination, offers: readonly Offer[]): string {
  const sameOffer = offers.filter(({ offer }) => offer === candidate.offer);
  if (sameOffer.length > 0) return `this offer is to be had at ${places(sameOffer)}`;
  const close = nearest(candidate.offer, [...new Set(offers.map(({ offer }) => offer))]);
  if (close !== undefined)
    return `did you mean ${close}, at ${places(offers.filter(({ offer }) => offer === close))}?`;
  const samePlace = offers.filter(
    ({ provider, location }) => provider === candidate.provider && location === candidate.location,
  );
  if (samePlace.length === 0) return "neither this offer nor this place is listed";
  return `offered there are ${list(samePlace.map(({ offer }) => offer))}`;
}

function places(offers: readonly Offer[]): string {
  return list(offers.map(({ provider, location }) => `${provider}/${location}`));
}

/** The first six of them, each once. */
export function list(words: readonly string[]): string {
  const unique = [...new Set(words)];
  const shown = unique.slice(0, 6).map((word) => word.slice(0, 60));
  return shown.join(", ") + (unique.length > shown.length ? ` and ${unique.length - shown.length} more` : "");
}
