import type { z } from "zod";
import type { Configuration } from "../../../account/configuration.ts";
import type { OpenKeeper } from "../../../account/open.ts";
import { agentAccountsSchema } from "../../json/agent.ts";
import type { AgentAddress } from "../../remote/agent-address.ts";
import type { AgentClient, RemoteOrder } from "../../remote/agent-client.ts";
import { PATHS } from "../../remote/paths.ts";
import { LEDGER_READS, type LedgerRead } from "../../status/ledger-reads.ts";
import type { CliContext } from "./cli-context.ts";
import { mistake } from "./cli-context.ts";
import { closing } from "./closing.ts";
import type { CommonFlags, LedgerFlags } from "./flags.ts";
import { configurationFrom } from "./flags.ts";
import { contextHere, withLedger } from "./ledger.ts";
import { withKeeper } from "./opening.ts";

type Reads = typeof LEDGER_READS;
type Query<N extends keyof Reads> = Reads[N] extends LedgerRead<unknown, infer Q> ? Q : never;
type Answer<N extends keyof Reads> = Reads[N] extends LedgerRead<infer A, infer _> ? A : never;

/**
 * Works with a question about all accounts, which may be asked again and again: beside the ledger, or of the agent. This
 * is the one place where it matters which.
 */
export async function asking<N extends keyof Reads>(
  name: N,
  query: Query<N>,
  flags: LedgerFlags,
  cli: CliContext,
  work: (ask: () => Promise<Answer<N>>) => Promise<number>,
): Promise<number> {
  const read = LEDGER_READS[name] as unknown as LedgerRead<Answer<N>, Query<N>>;
  const { agent } = cli;
  if (!agent)
    return withLedger(flags, cli, (ledger) =>
      work(() => read.answer({ ledger, history: ledger, context: contextHere(cli, ledger) }, query)),
    );
  const path = PATHS.ledger(name, query as Readonly<Record<string, unknown>>);
  return withClient(agent, cli, (client) => work(() => client.read(path, read.answers, cli.signal)));
}

async function withClient<T>(
  agent: AgentAddress,
  { environment }: CliContext,
  work: (client: AgentClient) => Promise<T>,
): Promise<T> {
  // Beside a ledger nobody waits for it to be loaded.
  const { createAgentClient } = await import("../../remote/agent-client.ts");
  return closing(createAgentClient(agent, environment), work);
}

/** One account of an agent. */
export interface RemoteAccount {
  /** Of one of several services; undefined: the agent has one. */
  readonly service: string | undefined;
  read<T>(path: string, answers: z.ZodType<T>): Promise<T>;
  order<T>(order: RemoteOrder, answers: z.ZodType<T>): Promise<T>;
}

/** Works with the accounts of the agent: with all of them, or with the one of --service. */
export async function withAccounts<T>(
  agent: AgentAddress,
  service: string | undefined,
  cli: CliContext,
  work: (accounts: readonly RemoteAccount[]) => Promise<T>,
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
      its.map(({ service: name }) => {
        const folder = name === null ? "" : PATHS.service(name);
        return {
          service: name ?? undefined,
          read: (path, answers) => client.read(path, answers, signal, folder),
          order: (order, answers) => client.order(order, answers, signal, folder),
        };
      }),
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

/** What is known of an account. `believed`: whether the list is that it comes from. */
export interface Known<A> {
  readonly said: A;
  readonly believed: boolean;
}

/**
 * What is known of one account: by the service, with the keeper that `here` is given, or by the agent, whose newest list is a poll
 * old at most.
 */
export async function known<A>(
  path: string,
  answers: z.ZodType<A>,
  flags: CommonFlags,
  cli: CliContext,
  here: (keeper: OpenKeeper, configuration: Configuration) => Promise<Known<A>>,
): Promise<Known<A>> {
  if (cli.agent)
    return withAccount(cli.agent, flags.service, cli, async (account) => ({
      said: await account.read(path, answers),
      believed: true,
    }));
  const configuration = await configurationFrom(flags, cli);
  return withKeeper(configuration, cli, (keeper) => here(keeper, configuration));
}

/** No secret leaves the agent's machine by its API. */
export function refuseSecrets(showSecrets: boolean | undefined, { agent }: CliContext): void {
  if (agent && showSecrets)
    throw mistake("--show-secrets: no secret leaves the agent's machine by its API. Run this there.");
}
