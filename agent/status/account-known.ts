import type { Account, Balance } from "../../service/contract/contract.ts";
import type { Service } from "../../service/contract/service.ts";

/** Whose account a credential opens, and its balance where the service shows one. */
export async function accountKnown(
  service: Service,
  signal: AbortSignal,
): Promise<Account & Partial<Balance>> {
  const account = await service.account(signal);
  return service.abilities.balance === false
    ? account
    : { ...account, ...(await balanceKnown(service, signal)) };
}

export async function balanceKnown(service: Service, signal: AbortSignal): Promise<Balance> {
  const { balance, currency } = await service.balance(signal);
  return { balance, currency };
}
