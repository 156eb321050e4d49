import type { PartialConfiguration } from "../../account/index.ts";
import * as lookups from "../runtime/host/lookups.ts";
import type { Properties } from "../runtime/inputs/resource-kind.ts";

type Ask = (args: Properties, given: PartialConfiguration) => Promise<Properties>;

/** Functions of the schema. They ask the service, each call anew, and change nothing. */
const FUNCTIONS: Readonly<Record<string, Ask>> = {
  getAccount: async (_args, given) => {
    const { id, email, display_name, created_at } = await lookups.account(given, process.env);
    return { id, email, displayName: display_name, createdAt: created_at };
  },
  getBalance: async (_args, given) => ({ ...(await lookups.balance(given, process.env)) }),
  getOffers: async (_args, given) => ({ offers: await lookups.offers(given, process.env) }),
  getDeployment: async ({ id }, given) => {
    if (typeof id !== "string" || id === "")
      throw new Error("getDeployment: id: expected the id of a deployment");
    return { ...(await lookups.deployment(id, given, process.env)) };
  },
  getDeployments: async (_args, given) => ({ deployments: await lookups.deployments(given, process.env) }),
};

const PREFIX = "fleetkeeper:index:";

/** The answer of the function of this token, from the service of this provider. */
export async function answerOf(
  token: string,
  args: Properties,
  given: PartialConfiguration,
): Promise<Properties> {
  const ask = token.startsWith(PREFIX) ? FUNCTIONS[token.slice(PREFIX.length)] : undefined;
  if (ask !== undefined) return ask(args, given);
  const known = Object.keys(FUNCTIONS).map((name) => PREFIX + name);
  throw new Error(`fleetkeeper knows no function ${token}. Known are ${known.join(", ")}.`);
}
