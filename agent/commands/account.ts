import { clean, jsonText } from "../text.ts";
import type { CommonFlags, Edge } from "./edge.ts";
import { configurationOf, readFleetFile, withService } from "./edge.ts";

export interface AskFlags extends CommonFlags {
  readonly json?: boolean;
}

/** `fleetkeeper account`: whose account the credential opens, and its credit balance. */
export async function accountCommand(flags: AskFlags, edge: Edge): Promise<number> {
  return withService(configurationOf(flags, readFleetFile(flags), edge), edge, async (service) => {
    const account = await service.account(edge.signal);
    const balance = await service.balance(edge.signal);
    if (flags.json) edge.print(jsonText({ ...account, ...balance }));
    else {
      edge.print(`${clean(account.display_name)} <${clean(account.email)}>, ${account.id}`);
      edge.print(`balance ${balance.balance} ${balance.currency}`);
    }
    return 0;
  });
}

/** `fleetkeeper balance`: the credit balance alone, as the service says it now. */
export async function balanceCommand(flags: AskFlags, edge: Edge): Promise<number> {
  return withService(configurationOf(flags, readFleetFile(flags), edge), edge, async (service) => {
    const { balance, currency } = await service.balance(edge.signal);
    edge.print(flags.json ? jsonText({ balance, currency }) : `${balance} ${currency}`);
    return 0;
  });
}
