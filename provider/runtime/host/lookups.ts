import type { PartialConfiguration } from "../../../account/index.ts";
import { configure, openService } from "../../../account/index.ts";
import type { Account, Balance } from "../../../service/contract/contract.ts";
import { FleetkeeperError } from "../../../service/contract/errors.ts";
import type { Deployment, Offer, Service } from "../../../service/contract/service.ts";
import { isUnread, readable, UNREADABLE } from "../../../service/contract/unread.ts";
import { priced } from "../../pair.ts";

/** Where a question goes: what the caller gave, and the environment's variables. */
type Where = readonly [given: PartialConfiguration, variables: Readonly<Record<string, string | undefined>>];

/** A deployment as a program sees it: without our marker, and without what the profile calls secret. */
export type Shown = Omit<Deployment, "marker" | "secretConnection">;

export async function account(...where: Where): Promise<Account> {
  return asked(where, (service, signal) => service.account(signal));
}

export async function balance(...where: Where): Promise<Balance> {
  return asked(where, (service, signal) => service.balance(signal));
}

export async function offers(...where: Where): Promise<readonly Offer[]> {
  return readable(await asked(where, (service, signal) => service.offers(signal))).map(priced);
}

export async function deployment(id: string, ...where: Where): Promise<Shown> {
  const found = await asked(where, (service, signal) => service.deployment(id, signal));
  if (found) return shown(found);
  const text = `the service knows no deployment ${id} in this account.`;
  throw new FleetkeeperError("REFUSED", text, { status: 404 });
}

export async function deployments(...where: Where): Promise<readonly Shown[]> {
  const listed = await asked(where, (service, signal) => service.deployments(signal));
  return (listed ?? []).flatMap((each) => {
    if (!isUnread(each)) return [shown(each)];
    return each.id === undefined ? [] : [{ id: each.id, status: UNREADABLE }];
  });
}

function shown({ marker: _marker, secretConnection: _secret, ...rest }: Deployment): Shown {
  return priced(rest);
}

/** Opens the service for one question and closes it: an open socket would keep the program from ending. */
export async function asked<T>(
  where: Where,
  question: (service: Service, signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const { service, close } = openService(configure(...where), where[1]);
  try {
    return await question(service, new AbortController().signal);
  } finally {
    await close();
  }
}
