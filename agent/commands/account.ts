import { clean, jsonText } from "../text.ts";
import type { CommonFlags, Edge } from "./edge.ts";
import { configurationOf, readFleetFile, withKeeper } from "./edge.ts";

/** `fleetkeeper account`: whose account the credential opens, and its credit balance. */
export async function accountCommand(
  flags: CommonFlags & { readonly json?: boolean },
  edge: Edge,
): Promise<number> {
  const configuration = configurationOf(flags, readFleetFile(flags), edge);
  return withKeeper(configuration, edge, async ({ accountInfo, service }) => {
    const balance = await service.balance(edge.signal);
    if (flags.json) edge.print(jsonText({ ...accountInfo, ...balance }));
    else {
      edge.print(`${clean(accountInfo.display_name)} <${clean(accountInfo.email)}>, ${accountInfo.id}`);
      edge.print(`balance ${balance.balance} ${balance.currency}`);
    }
    return 0;
  });
}
