import { configure, openService, type PartialConfiguration } from "../../../account/index.ts";
import type { Account, Balance } from "../../../service/contract/contract.ts";
import { FleetkeeperError } from "../../../service/contract/errors.ts";
import type { Deployment, Offer, Service } from "../../../service/contract/service.ts";
import { isUnread, readable, UNREADABLE } from "../../../service/contract/unread.ts";
import { priced } from "../../stack/pair.ts";
import { openAgentLink } from "./agent-link.ts";
import { agentOf } from "./agent-settings.ts";

/** Where a question goes: what the caller gave, and the environment's variables. */
type Where = readonly [given: PartialConfiguration, variables: Readonly<Record<string, string | undefined>>];

/** A deployment as a program sees it: without our marker, and without what the profile calls secret. */
export type Shown = Omit<Deployment, "marker" | "secretConnection">;

/** How long an agent that was there may be away. */
const LOOKUP_MS = 30_000;

type Ask = (service: Service, signal: AbortSignal, args: readonly unknown[]) => Promise<unknown>;

const asks = {
  account: (service, signal) => service.account(signal),
  balance: (service, signal) => service.balance(signal),
  offers: async (service, signal) => readable(await service.offers(signal)).map(priced),
  deployment: async (service, signal, [id]) => {
    const found = await service.deployment(String(id), signal);
    if (found) return shown(found);
    const text = `the service knows no deployment ${id} in this account.`;
    throw new FleetkeeperError("REFUSED", text, { status: 404 });
  },
  deployments: async (service, signal) =>
    ((await service.deployments(signal)) ?? []).flatMap((each) => {
      if (!isUnread(each)) return [shown(each)];
      return each.id === undefined ? [] : [{ id: each.id, status: UNREADABLE }];
    }),
} as const satisfies Readonly<Record<string, Ask>>;

/** What a program looks up, by the name of its function here. */
export function lookup(
  name: string,
  args: readonly unknown[],
  ...on: [Service, AbortSignal]
): Promise<unknown> {
  const ask: Ask | undefined = Object.hasOwn(asks, name) ? asks[name as keyof typeof asks] : undefined;
  if (ask) return ask(...on, args);
  throw new FleetkeeperError(
    "CONFIG",
    `there is no lookup ${name}: whoever asks for it is of a newer version.`,
  );
}

export const account = (...where: Where): Promise<Account> => asked(where, "account");
export const balance = (...where: Where): Promise<Balance> => asked(where, "balance");
export const offers = (...where: Where): Promise<readonly Offer[]> => asked(where, "offers");
export const deployment = (id: string, ...where: Where): Promise<Shown> => asked(where, "deployment", id);
export const deployments = (...where: Where): Promise<readonly Shown[]> => asked(where, "deployments");

function shown({ marker: _marker, secretConnection: _secret, ...rest }: Deployment): Shown {
  return priced(rest);
}

/** Asks the agent that the settings name. Else it opens the service for one question and closes it: an open socket would keep the program from ending. */
export async function asked<T>(
  [given, variables]: Where,
  name: string,
  ...args: readonly string[]
): Promise<T> {
  const agent = agentOf(given, variables);
  const { signal } = new AbortController();
  if (agent) {
    const link = openAgentLink(agent, variables);
    const env = { say: () => undefined, signal, held: new Set<string>() };
    return (await link.call("lookup", name, args, env, LOOKUP_MS).finally(link.close)) as T;
  }
  const { service, close } = openService(configure(given, variables), variables);
  try {
    return (await lookup(name, args, service, signal)) as T;
  } finally {
    await close();
  }
}
