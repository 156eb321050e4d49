import { knownPrice } from "../../../launch/money/price.ts";
import type { PriceDoubt } from "../../../ledger/rows.ts";
import type { Combination } from "../../../service/contract/contract.ts";
import { parsePrice } from "../../../service/contract/money.ts";
import type { Offer } from "../../../service/contract/service.ts";
import type { Wish } from "../../fleet/wish/wish.ts";

/*
 * A machine may turn out to cost more than was expected. From then on a plan uses the higher price: by the
 * wrong one it would choose the same combination again and again, and each launch of it would be refused.
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
  const price = parsePrice(each.pricePerHour);
  const known = knownPrice(doubts, each, price);
  return known === undefined || known === price ? each : { ...each, pricePerHour: known.toFixed() };
}
