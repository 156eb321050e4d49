import { type Combination, combinationKey, place } from "../../../service/contract.ts";
import { nearest } from "../../../service/nearest.ts";
import type { Offer } from "../../../service/service.ts";
import type { FleetDeclaration } from "../../fleet/fleets.ts";
import type { Candidate } from "../../fleet/wish.ts";
import { type Check, count } from "../report.ts";
import { placeOf, said } from "./fleet-words.ts";

/** For each candidate: whether the catalogue lists it, and whether it is as the fleet says. */
export function candidateChecks(
  fleet: FleetDeclaration,
  offers: readonly Offer[] | undefined,
): readonly Check[] {
  const { candidates = [] } = fleet.wish;
  if (offers === undefined || candidates.length === 0) return [];
  const listed = new Map(offers.map((offer) => [combinationKey(offer), offer]));
  const absent = candidates.filter((candidate) => !listed.has(combinationKey(candidate)));
  const checks: Check[] = [];
  if (absent.length > 0) {
    const all = absent.length === candidates.length;
    checks.push({
      ...said(
        fleet,
        all ? "problem" : "warning",
        `${all ? "none" : `${absent.length}`} of its ${count(candidates.length, "candidate")} ${all ? "is" : absent.length === 1 ? "is not" : "are not"} among the service's ${count(offers.length, "offer")}${all ? "" : ", and would be refused"}.`,
        { text: "Correct the candidates, or take them out", at: placeOf(fleet) },
      ),
      id: `fleet.${fleet.name}.candidates`,
      details: absent
        .slice(0, 10)
        .map((candidate) => `${place(candidate)}: ${whatIsWrong(candidate, offers)}`),
    });
  }
  for (const candidate of candidates) {
    const offer = listed.get(combinationKey(candidate));
    if (offer !== undefined && offer.gpus !== candidate.gpus) checks.push(otherSize(fleet, candidate, offer));
  }
  const soldOut = candidates.filter(
    (candidate) => listed.get(combinationKey(candidate))?.available === false,
  );
  if (soldOut.length > 0) {
    const all = soldOut.length === candidates.length;
    checks.push({
      ...said(
        fleet,
        "warning",
        `the service calls ${all ? "all of its candidates" : soldOut.slice(0, 5).map(place).join(", ")} not available now${all ? ": it waits until one is" : ""}.`,
      ),
      id: `fleet.${fleet.name}.available`,
    });
  }
  return checks;
}

/** A fleet that counts 8 GPUs for a machine with 4 rents half of what is wanted. */
function otherSize(fleet: FleetDeclaration, candidate: Candidate, offer: Offer): Check {
  return {
    ...said(
      fleet,
      "warning",
      `it counts ${count(candidate.gpus, "GPU")} in ${place(candidate)}, but the service says ${offer.gpus}.`,
      {
        text: "Correct this candidate",
        at: placeOf(fleet),
        lines: [`gpus: ${offer.gpus}`],
      },
    ),
    id: `fleet.${fleet.name}.gpus`,
  };
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
