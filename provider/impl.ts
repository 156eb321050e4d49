import type { StackConfig } from "./runtime/dynamic-host.ts";
import { callDynamically } from "./runtime/dynamic-host.ts";
import { fleet } from "./runtime/fleet.ts";
import { machine } from "./runtime/machine.ts";
import type { ResourceKind } from "./runtime/resource-kind.ts";
import { slot } from "./runtime/slot.ts";
import { wish } from "./runtime/wish.ts";

/** All kinds of resources, by the names that the serialized providers use (see serialized.ts). */
const KINDS: Readonly<Record<string, ResourceKind>> = { slot, machine, fleet, wish };

export async function call(
  kind: string,
  method: string,
  config: StackConfig | undefined,
  args: readonly unknown[],
): Promise<unknown> {
  const found = KINDS[kind];
  if (!found) throw new Error(`fleetkeeper knows no resource ${kind}: the stack was made by a newer version`);
  return callDynamically(found, method, config, args);
}

export type { Environment, Session } from "./runtime/environment.ts";
export type { Checked, CheckFailure, Difference, Properties, ResourceKind } from "./runtime/resource-kind.ts";
export { NotAsItShouldBe } from "./runtime/resource-kind.ts";
export { Rounds } from "./runtime/rounds.ts";
export { fleet, machine, slot, wish };
