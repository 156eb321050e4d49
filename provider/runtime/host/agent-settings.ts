import { ENVIRONMENT, fromEnvironment } from "../../../account/configuration.ts";
import type { PartialConfiguration } from "../../../account/index.ts";
import { AGENT_ENVIRONMENT, type AgentAddress, agentAddress } from "../../../agent/remote/agent-address.ts";
import { FleetkeeperError } from "../../../service/contract/errors.ts";

type Variables = Readonly<Record<string, string | undefined>>;

/** The agent that keeps a stack's resources, and the account of it that does. */
export interface KeepingAgent extends AgentAddress {
  readonly token: string;
  /** Of an agent with several services: `/services/NAME`. Of another: nothing. */
  readonly folder: string;
}

/** What the agent has, and a stack that it keeps has not. */
const OF_THE_AGENT = ["baseUrl", "apiKey", "profile", "settings", "ledger", "account"] as const;

/**
 * The agent that the settings name: the stack's, else the environment's where the stack says nothing of a service. Undefined: none.
 * Throws CONFIG or CREDENTIAL.
 */
export function agentOf(given: PartialConfiguration, variables: Variables): KeepingAgent | undefined {
  const ofStack = OF_THE_AGENT.find((key) => given[key] !== undefined);
  if (given.agent !== undefined && ofStack !== undefined)
    throw mistake(
      `fleetkeeper:agent and fleetkeeper:${ofStack} are both set, and an agent has the service, its key and the ledger itself. ` +
        `Take one of them out: pulumi config rm fleetkeeper:${ofStack}`,
    );
  if (given.agent !== undefined) return kept(given.agent, "fleetkeeper:agent", given, variables);
  if (given.token !== undefined && (ofStack !== undefined || !isSet(AGENT_ENVIRONMENT.agent, variables)))
    throw mistake(
      "fleetkeeper:token is set, and fleetkeeper:agent is not: a token is for an agent. Set its address, such as " +
        "pulumi config set fleetkeeper:agent https://keeper.example.com; the key of a service is fleetkeeper:apiKey",
    );
  const named = fromEnvironment(AGENT_ENVIRONMENT.agent, variables);
  // What a stack says goes before what a shell says.
  if (named === undefined || ofStack !== undefined) return undefined;
  if (isSet(ENVIRONMENT.baseUrl, variables))
    throw mistake(
      `${AGENT_ENVIRONMENT.agent} and ${ENVIRONMENT.baseUrl} are both set in the environment, and an agent has the service itself. ` +
        "Unset one of them, or say it in the stack's configuration: fleetkeeper:agent or fleetkeeper:baseUrl",
    );
  return kept(named, AGENT_ENVIRONMENT.agent, given, variables);
}

function kept(
  address: string,
  said: string,
  { token: own }: PartialConfiguration,
  variables: Variables,
): KeepingAgent {
  const [, page = address, folder = ""] = /^(.*?)(\/services\/[^/?#]+)\/?$/.exec(address) ?? [];
  const { agent: _agent, token: variable } = AGENT_ENVIRONMENT;
  const { url, token } = agentAddress(
    page,
    said,
    own === undefined ? variables : { ...variables, [variable]: own },
  );
  if (token !== undefined)
    return { url, token, folder, ...(own !== undefined && { tokenBy: "fleetkeeper:token" }) };
  throw new FleetkeeperError(
    "CREDENTIAL",
    `fleetkeeper:token is not set: the agent at ${url} keeps a stack's resources for who has a token that may declare. Beside its ledger: ` +
      "fleetkeeper token create --name NAME --may declare. Then pulumi config set --secret fleetkeeper:token, or " +
      `${variable} in the environment.`,
  );
}

function isSet(name: string, variables: Variables): boolean {
  return Boolean(variables[name] || variables[`${name}_FILE`]);
}

function mistake(text: string): FleetkeeperError {
  return new FleetkeeperError("CONFIG", `${text}.`);
}
