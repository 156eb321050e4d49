import { fleet } from "./runtime/fleet.ts";
import { callDynamically, type StackConfig } from "./runtime/host/dynamic-host.ts";
import type { ResourceKind } from "./runtime/inputs/resource-kind.ts";
import { keptBy } from "./runtime/kept-by.ts";
import { machine } from "./runtime/machine.ts";
import { slot } from "./runtime/slot.ts";
import { wish } from "./runtime/wish.ts";

/** All kinds of resources, by the names that the serialized providers use (see serialized.ts). */
const KINDS: Readonly<Record<string, ResourceKind>> = {
  slot: keptBy("slot", slot),
  machine: keptBy("machine", machine),
  fleet: keptBy("fleet", fleet),
  wish: keptBy("wish", wish),
};

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

export type {
  Checked,
  CheckFailure,
  Difference,
  Properties,
  ResourceKind,
} from "./runtime/inputs/resource-kind.ts";
export { NotAsItShouldBe } from "./runtime/inputs/resource-kind.ts";
export type { Environment, Session } from "./runtime/session/environment.ts";
export { SharedLists } from "./runtime/session/shared-lists.ts";
export { fleet, machine, slot, wish };
