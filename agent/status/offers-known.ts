import type { Context } from "../../launch/facts/context.ts";
import { coolingFor } from "../../launch/facts/cooling.ts";
import type { CooldownRow } from "../../ledger/rows.ts";
import { combinationKey } from "../../service/contract/contract.ts";
import { formatUsd, parseUsd, USD } from "../../service/contract/money.ts";
import type { Offer, Service } from "../../service/contract/service.ts";
import { readable, unreadText } from "../../service/contract/unread.ts";
import type { OffersKnown } from "../json/agent.ts";
import type { OfferFacts } from "../json/offers.ts";

/** All that a service offers now, and what cools of it. */
export async function offersKnown(
  service: Service,
  cooldowns: readonly CooldownRow[],
  /** Undefined: nothing cools, as far as anybody knows. */
  context: Context | undefined,
  signal: AbortSignal,
): Promise<OffersKnown> {
  const listed = await service.offers(signal);
  const { currency = USD } = service.abilities;
  const seconds = new Map(
    context
      ? cooldowns.map((row) => [combinationKey(row), Math.ceil(coolingFor(row, context) / 1000)] as const)
      : [],
  );
  const factsOf = (row: Offer): OfferFacts => {
    const { offer, provider, location, gpus } = row;
    const { gpuModel = null, pricePerHour = null, available = null, stock = null } = row;
    const perGpuHour = pricePerHour === null || gpus === 0 ? undefined : parseUsd(pricePerHour)?.div(gpus);
    const price = perGpuHour === undefined ? null : formatUsd(perGpuHour);
    const prices = { pricePerHour, pricePerGpuHour: price, pricePerWorkHour: price };
    const coolingSeconds = seconds.get(combinationKey(row)) ?? 0;
    return {
      offer,
      provider,
      location,
      gpus,
      gpuModel,
      ...prices,
      currency,
      available,
      stock,
      coolingSeconds,
    };
  };
  return { offers: readable(listed).map(factsOf), unread: unreadText(listed, "offers") ?? null };
}
