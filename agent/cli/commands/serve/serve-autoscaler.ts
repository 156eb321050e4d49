import { once } from "node:events";
import { parseAddress } from "../../../tell/http/reach/address.ts";
import { withAccount } from "../shared/by-agent.ts";
import { type CliContext, mistake } from "../shared/cli-context.ts";

export interface AutoscalerFlags {
  readonly groups: string;
  readonly listen: string;
  readonly service?: string;
  readonly cert?: string;
  readonly key?: string;
  readonly clientCa?: string;
  readonly insecure?: true;
}

/** `fleetkeeper serve-autoscaler`: node groups for Kubernetes' Cluster Autoscaler, until it is stopped. */
export async function serveAutoscalerCommand(flags: AutoscalerFlags, cli: CliContext): Promise<number> {
  const { agent } = cli;
  if (!agent)
    throw mistake(
      "serve-autoscaler gives orders to an agent: give --agent https://keeper.example.com (or FLEETKEEPER_AGENT), and FLEETKEEPER_TOKEN, a token that may operate.",
    );
  const tls = tlsOf(flags);
  const address = parseAddress(flags.listen, "--listen");
  const { readGroups } = await import("../../../autoscaler/groups-file.ts");
  const file = await readGroups(flags.groups);
  const [{ createCalls }, { serveCalls }] = await Promise.all([
    import("../../../autoscaler/calls.ts"),
    import("../../../autoscaler/server.ts"),
  ]);
  return withAccount(agent, flags.service, cli, async (account) => {
    const calls = createCalls(account, file, cli.tell);
    // What is no group, and a token that is none, is said at once.
    await calls.NodeGroups({ id: "", delta: 0, node: null, nodes: [] });
    const server = await serveCalls(calls, address, tls, cli.tell);
    cli.print(`node groups at ${address.host}:${server.port}, ${tls ? "by mutual TLS" : "without TLS"}`);
    if (!cli.signal.aborted) await once(cli.signal, "abort");
    server.close();
    return 0;
  });
}

function tlsOf({ cert, key, clientCa, insecure }: AutoscalerFlags) {
  if (cert !== undefined && key !== undefined && clientCa !== undefined && !insecure)
    return { cert, key, clientCa };
  if (insecure && cert === undefined && key === undefined && clientCa === undefined) return undefined;
  throw mistake(
    "expected --cert, --key and --client-ca, which are three files for mutual TLS, or --insecure, which is for the loopback alone: whoever calls can rent.",
  );
}
