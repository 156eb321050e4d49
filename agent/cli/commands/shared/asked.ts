import type { AgentAddress } from "../../../remote/agent-address.ts";
import type { AgentClient } from "../../../remote/agent-client.ts";
import { PATHS } from "../../../remote/paths.ts";
import { LEDGER_READS, type LedgerRead } from "../../../status/ledger-reads.ts";
import type { CliContext } from "./cli-context.ts";
import { closing } from "./closing.ts";
import type { LedgerFlags } from "./flags.ts";
import { contextHere, withLedger } from "./ledger.ts";

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

export async function withClient<T>(
  agent: AgentAddress,
  { environment }: CliContext,
  work: (client: AgentClient) => Promise<T>,
): Promise<T> {
  // Beside a ledger nobody waits for it to be loaded.
  const { createAgentClient } = await import("../../../remote/agent-client.ts");
  return closing(createAgentClient(agent, environment), work);
}
