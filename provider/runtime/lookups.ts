import type { PartialConfiguration } from "../../launch/index.ts";
import { configure, openService } from "../../launch/index.ts";
import type { Account, Balance } from "../../service/contract.ts";
import { FleetkeeperError } from "../../service/errors.ts";
import type { Deployment, Offer, Service } from "../../service/service.ts";
import { isUnread, readable, UNREADABLE } from "../../service/unread.ts";

type Variables = Readonly<Record<string, string | undefined>>;

/** A deployment as a program sees it: without our marker, and without what the profile calls secret. */
export type Shown = Omit<Deployment, "marker" | "secretConnection">;

export async function account(given: PartialConfiguration, variables: Variables): Promise<Account> {
  return asked(given, variables, (service, signal) => service.account(signal));
}

export async function balance(given: PartialConfiguration, variables: Variables): Promise<Balance> {
  return asked(given, variables, (service, signal) => service.balance(signal));
}

export async function offers(given: PartialConfiguration, variables: Variables): Promise<readonly Offer[]> {
  return readable(await asked(given, variables, (service, signal) => service.offers(signal)));
}

export async function deployment(
  id: string,
  given: PartialConfiguration,
  variables: Variables,
): Promise<Shown> {
  const found = await asked(given, variables, (service, signal) => service.deployment(id, signal));
  if (found) return shown(found);
  throw new FleetkeeperError("REFUSED", `the service knows no deployment ${id} in this account.`, {
    status: 404,
  });
}

export async function deployments(
  given: PartialConfiguration,
  variables: Variables,
): Promise<readonly Shown[]> {
  const listed = await asked(given, variables, (service, signal) => service.deployments(signal));
  return listed.flatMap((each) => {
    if (!isUnread(each)) return [shown(each)];
    return each.id === undefined ? [] : [{ id: each.id, status: UNREADABLE }];
  });
}

function shown({ marker: _marker, secretConnection: _secret, ...rest }: Deployment): Shown {
  return rest;
}

/** Opens the service for one question and closes it: an open socket would keep the program from ending. */
export async function asked<T>(
  given: PartialConfiguration,
  variables: Variables,
  question: (service: Service, signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const { service, close } = openService(configure(given, variables));
  try {
    return await question(service, new AbortController().signal);
  } finally {
    await close();
  }
}
