import type { Command } from "commander";
import { fromEnvironment } from "../../../account/configuration.ts";
import { AGENT_ENVIRONMENT, type AgentAddress, agentAddress } from "../../remote/agent-address.ts";
import { type CliContext, mistake } from "./shared/cli-context.ts";

const ON_THIS_MACHINE = "works on this machine alone, and asks no agent";
const WITH_LEDGER = "works on the ledger itself: run it where the agent runs";

/** Why a command asks no agent, by its path. What is not here does. */
const WHY_NOT: Readonly<Record<string, string>> = {
  demo: ON_THIS_MACHINE,
  init: ON_THIS_MACHINE,
  clouds: ON_THIS_MACHINE,
  schema: ON_THIS_MACHINE,
  completion: ON_THIS_MACHINE,
  "profile/check": ON_THIS_MACHINE,
  simulate: ON_THIS_MACHINE,
  doctor: "reads the service itself, with its key: run it where the agent runs",
  agent: "is the agent itself, and needs the ledger and the service's key",
  "token/create":
    "works on the ledger itself, since a token that could make others would have no end: run it where the agent runs",
  "token/list": WITH_LEDGER,
  "token/revoke": WITH_LEDGER,
  share: WITH_LEDGER,
  whatif:
    "plays a market that is read from the ledger itself: run it where the agent runs, or on a file with --market",
  "notify/test": "needs the secrets of those who are told, which only the agent's machine has: run it there",
  "ledger/check": WITH_LEDGER,
  "ledger/copy": WITH_LEDGER,
};

/** Flags that say where a ledger, a service or a market are: an agent knows its own. */
const BESIDE = ["config", "ledger", "baseUrl", "profile", "account", "history", "market"] as const;

/** The agent that this command asks. Undefined: it works beside the ledger. Throws CONFIG where both are said. */
export function agentOf(command: Command, { environment }: CliContext): AgentAddress | undefined {
  const { agent: flag, ...given }: Readonly<Record<string, unknown>> = command.optsWithGlobals();
  const path = pathOf(command);
  const [name, whyNot] = [path.join(" "), WHY_NOT[path.join("/")]];
  const beside = BESIDE.find((each) => given[each] !== undefined);
  if (typeof flag === "string") {
    if (whyNot !== undefined) throw mistake(`--agent: fleetkeeper ${name} ${whyNot}.`);
    if (beside !== undefined)
      throw mistake(
        `--agent and --${beside === "baseUrl" ? "base-url" : beside} are both given: an agent has its own. Leave one of them out.`,
      );
    return agentAddress(flag, "--agent", environment);
  }
  const variable = AGENT_ENVIRONMENT.agent;
  // A flag counts before the environment.
  const url = beside === undefined ? fromEnvironment(variable, environment) : undefined;
  if (url === undefined || whyNot === ON_THIS_MACHINE) return undefined;
  if (whyNot !== undefined)
    throw mistake(`${variable} is set, and fleetkeeper ${name} ${whyNot}. Or unset it.`);
  return agentAddress(url, variable, environment);
}

/** Such as deployments, list. */
function pathOf(command: Command): readonly string[] {
  const { parent } = command;
  return parent?.parent ? [...pathOf(parent), command.name()] : [command.name()];
}
