import type { z } from "zod";
import type { Configuration } from "../../../../account/configuration.ts";
import type { OpenKeeper } from "../../../../account/open.ts";
import { NOT_BELIEVED } from "../../../status/outage.ts";
import { withAccount } from "./by-agent.ts";
import { type CliContext, mistake } from "./cli-context.ts";
import { type CommonFlags, configurationFrom } from "./flags.ts";
import { withKeeper } from "./opening.ts";

/** What is known of an account. `distrusted`: why the newest list is not believed; null: it is. */
export interface Known<A> {
  readonly said: A;
  readonly distrusted: string | null;
}

export function trustIn(believed: boolean): Pick<Known<never>, "distrusted"> {
  return { distrusted: believed ? null : NOT_BELIEVED };
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
      distrusted: account.distrusted,
    }));
  const configuration = await configurationFrom(flags, cli);
  return withKeeper(configuration, cli, (keeper) => here(keeper, configuration));
}

/** No secret leaves the agent's machine by its API. */
export function refuseSecrets(showSecrets: boolean | undefined, { agent }: CliContext): void {
  if (agent && showSecrets)
    throw mistake("--show-secrets: no secret leaves the agent's machine by its API. Run this there.");
}
