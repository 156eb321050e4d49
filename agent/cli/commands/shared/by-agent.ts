import { agentAccountsSchema } from "../../../json/agent.ts";
import type { AgentAddress } from "../../../remote/agent-address.ts";
import type { AccountApi } from "../../../remote/agent-client.ts";
import { PATHS } from "../../../remote/paths.ts";
import { withClient } from "./asked.ts";
import { type CliContext, mistake } from "./cli-context.ts";

/** One account of an agent. */
export interface RemoteAccount extends AccountApi {
  /** Of one of several services; undefined: the agent has one. */
  readonly service: string | undefined;
  /** Why its newest list is not believed; null: it is. */
  readonly distrusted: string | null;
  /** False: the agent does not keep it now. */
  readonly isOpen: boolean;
}

/** Works with the accounts of the agent: with all of them, or with the one of --service. `all`: what is asked about all of its ledger. */
export async function withAccounts<T>(
  agent: AgentAddress,
  service: string | undefined,
  cli: CliContext,
  work: (accounts: readonly RemoteAccount[], all: AccountApi) => Promise<T>,
): Promise<T> {
  const { signal } = cli;
  return withClient(agent, cli, async (client) => {
    const { accounts } = await client.read(PATHS.accounts, agentAccountsSchema, signal);
    const its = accounts.filter((each) => service === undefined || each.service === service);
    if (its.length === 0) {
      const names = accounts.flatMap((each) => each.service ?? []);
      throw mistake(
        names.length === 0
          ? `--service ${service}: the agent at ${client.url} has one service, without a name. Leave it out.`
          : `--service ${service}: the agent at ${client.url} has no such service. There are: ${names.join(", ")}.`,
      );
    }
    return work(
      its.map(({ service: name, distrusted, account }) => {
        const folder = name === null ? "" : PATHS.service(name);
        return {
          service: name ?? undefined,
          distrusted,
          isOpen: account !== null,
          read: (path, answers) => client.read(path, answers, signal, folder),
          order: (order, answers) => client.order(order, answers, signal, folder),
        };
      }),
      {
        read: (path, answers) => client.read(path, answers, signal),
        order: (order, answers) => client.order(order, answers, signal),
      },
    );
  });
}

/** Works with one account of the agent. Throws CONFIG if it has several, and none was said. */
export async function withAccount<T>(
  agent: AgentAddress,
  service: string | undefined,
  cli: CliContext,
  work: (account: RemoteAccount) => Promise<T>,
): Promise<T> {
  return withAccounts(agent, service, cli, (accounts) => {
    const [first, ...others] = accounts;
    if (first && others.length === 0) return work(first);
    const names = accounts.map((each) => each.service);
    throw mistake(
      `the agent has several services: say which one with --service NAME. There are: ${names.join(", ")}.`,
    );
  });
}
