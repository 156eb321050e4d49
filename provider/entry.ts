import { tooOld } from "../ledger/node-version.ts";
import type { StackConfig } from "./runtime/host/dynamic-host.ts";

/**
 * `fleetkeeper/provider/impl`: the serialized providers in a stack's state import it when Pulumi calls them
 * (see serialized.ts). States of old versions call it too: its parameters may only grow. The implementation
 * is imported after the check of the Node version: an older Node fails while it loads it.
 */
export async function call(
  kind: string,
  method: string,
  config: StackConfig | undefined,
  args: readonly unknown[],
): Promise<unknown> {
  const problem = tooOld();
  // The host of dynamic providers prints an error's stack.
  if (problem !== undefined)
    throw Object.assign(new Error(`${problem} Pulumi runs the one that is first on the PATH.`), {
      stack: "",
    });
  const kinds = await import("./kinds.ts");
  return kinds.call(kind, method, config, args);
}
