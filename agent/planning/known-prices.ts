import { knownPrice } from "../../launch/price.ts";
import type { PriceDoubt } from "../../ledger/rows.ts";
import type { Combination } from "../../service/contract.ts";
import { parseUsd } from "../../service/money.ts";
import type { Offer } from "../../service/service.ts";
import type { Wish } from "../fleet/wish.ts";

/*
 * Where a machine was seen to cost more than was expected, a plan goes by what it costs: it would choose what
 * looks cheapest by a wrong price, and be refused for ever.
 */

export function knownOffers(
  doubts: readonly PriceDoubt[],
  offers: readonly Offer[] | undefined,
): readonly Offer[] | undefined {
  return doubts.length === 0 ? offers : offers?.map((offer) => priced(doubts, offer));
}

export function knownWish(doubts: readonly PriceDoubt[], wish: Wish): Wish {
  const [first, ...others] = wish.candidates ?? [];
  if (!first || doubts.length === 0) return wish;
  return { ...wish, candidates: [priced(doubts, first), ...others.map((each) => priced(doubts, each))] };
}

function priced<T extends Combination & { readonly pricePerHour?: string | undefined }>(
  doubts: readonly PriceDoubt[],
  each: T,
): T {
  const price = each.pricePerHour === undefined ? undefined : parseUsd(each.pricePerHour);
  const known = knownPrice(doubts, each, price);
  return known === undefined || known === price ? each : { ...each, pricePerHour: known.toFixed() };
}
