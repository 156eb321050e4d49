import { once } from "node:events";
import { fromEnvironment, heldSecrets } from "../../../../account/configuration.ts";
import type { Right } from "../../../../ledger/rows.ts";
import { FleetkeeperError } from "../../../../service/contract/errors.ts";
import { tokenKnownSchema } from "../../../json/agent.ts";
import { AGENT_ENVIRONMENT } from "../../../remote/agent-address.ts";
import { PATHS } from "../../../remote/paths.ts";
import { addApi } from "../../../tell/http/api/index.ts";
import { Confirmations } from "../../../tell/http/mcp/confirmations.ts";
import type { McpOptions } from "../../../tell/http/mcp/mcp-options.ts";
import { ownApi } from "../../../tell/http/mcp/own-api.ts";
import { KnownSecrets } from "../../../tell/http/reach/known-secrets.ts";
import { newPart } from "../../../tell/http/reach/listening.ts";
import { Rate } from "../../../tell/http/reach/rate.ts";
import { learningSecrets, Secrets } from "../../../tell/log/secrets.ts";
import { type RemoteAccount, withAccounts } from "../shared/by-agent.ts";
import { type CliContext, mistake } from "../shared/cli-context.ts";
import type { CommonFlags } from "../shared/flags.ts";
import { configurationFrom } from "../shared/flags.ts";
import { keepOpen } from "../shared/opening.ts";

/** `fleetkeeper mcp`: tools for a program that has a language model, over standard input and output. */
export async function mcpCommand(flags: CommonFlags, cli: CliContext): Promise<number> {
  const { agent, environment, version = "unknown" } = cli;
  const rest = { confirmations: new Confirmations(), owner: "", version, now: () => performance.now() };
  const token = fromEnvironment(AGENT_ENVIRONMENT.token, environment);
  if (agent)
    return withAccounts(agent, flags.service, cli, async (accounts, root) => {
      const secrets = new Secrets([token]);
      const [account] = accounts;
      const ofAll = account === undefined || accounts.length > 1;
      const its = { ...rest, api: ofAll ? root : account, ofAll, hide: (text: string) => secrets.hide(text) };
      return serve({ ...its, may: () => rightOf(accounts) }, cli);
    });
  const configuration = await configurationFrom(flags, cli);
  return keepOpen(configuration, cli, async (opened) => {
    const secrets = new Secrets([...heldSecrets(configuration), token]);
    const keeper = { ...opened, service: learningSecrets(opened.service, secrets) };
    const actor = token === undefined ? undefined : await new KnownSecrets(keeper).actor(token);
    if (token !== undefined && (actor === undefined || "refused" in actor))
      throw new FleetkeeperError(
        "CREDENTIAL",
        `${AGENT_ENVIRONMENT.token}: no open token of this ledger is this one. Leave it out to read only, or make one: fleetkeeper token create --name NAME --may operate`,
      );
    const app = newPart("");
    addApi(app, { keeper, history: keeper.ledger, orders: keeper, version }, new Rate());
    const env = { reader: "owner" as const, ...(actor && !("refused" in actor) && { actor }) };
    const api = ownApi(app, env as Parameters<typeof ownApi>[1], { url: "http://localhost" }, cli.signal);
    return serve({ ...rest, api, may: async () => env.actor?.may, hide: (text) => secrets.hide(text) }, cli);
  });
}

/** As the first account that is open knows the token: each order asks the account that it is about. */
async function rightOf(accounts: readonly RemoteAccount[]): Promise<Right | undefined> {
  const open = accounts.find(({ isOpen }) => isOpen) ?? accounts[0];
  return (await open?.read(PATHS.token, tokenKnownSchema))?.may;
}

/** Until whoever asks ends its side. */
async function serve(options: McpOptions, { stdio, signal }: CliContext): Promise<number> {
  if (!stdio) throw mistake("mcp: there is no standard input to read from.");
  const [{ serveStdio, StdioServerTransport }, { mcpServer }] = await Promise.all([
    import("@modelcontextprotocol/server/stdio"),
    import("../../../tell/http/mcp/mcp-server.ts"),
  ]);
  // A file ends, and is not closed.
  const ended = ["end", "close"].map((event) => once(stdio.input, event, { signal }));
  const server = serveStdio(() => mcpServer(options), {
    transport: new StdioServerTransport(stdio.input, stdio.output),
    maxSubscriptions: 0,
  });
  await Promise.race(ended).catch(() => undefined);
  await server.close();
  return 0;
}
