import { tooOld } from "../ledger/node-version.ts";
import type { StackConfig } from "./runtime/dynamic-host.ts";

/**
 * `fleetkeeper/provider/impl`: what the serialized providers in a stack's state import when Pulumi calls them (see
 * serialized.ts). States of old versions call it: what it takes never changes, it only grows. Everything behind it is loaded
 * only then, since an older Node cannot even load it.
 */
export async function call(
  kind: string,
  method: string,
  config: StackConfig | undefined,
  args: readonly unknown[],
): Promise<unknown> {
  const problem = tooOld();
  // The host of dynamic providers prints stacks.
  if (problem !== undefined)
    throw Object.assign(new Error(`${problem} Pulumi runs the one that is first on the PATH.`), {
      stack: "",
    });
  const kinds = await import("./impl.ts");
  return kinds.call(kind, method, config, args);
}
