import { fleet } from "../runtime/fleet.ts";
import type { Properties, ResourceKind } from "../runtime/inputs/resource-kind.ts";
import { UNKNOWN } from "../runtime/inputs/unknown.ts";
import { keptBy } from "../runtime/kept-by.ts";
import { machine } from "../runtime/machine.ts";
import { slot } from "../runtime/slot.ts";
import { wish } from "../runtime/wish.ts";
import { FLEET_OUTPUTS, MACHINE_OUTPUTS, pluginType, SLOT_OUTPUTS, WISH_OUTPUTS } from "../stack/pair.ts";

/** A half of a `Deployment` or `Fleet`, as an engine sees it. Programs never name one. */
export interface Half {
  readonly kind: ResourceKind;
  /** Properties that its create adds. */
  readonly outputs: readonly string[];
  /** Those of them that an update keeps. */
  readonly kept: readonly string[];
}

export const HALVES: Readonly<Record<string, Half>> = {
  [pluginType("Slot")]: { kind: keptBy("slot", slot), outputs: SLOT_OUTPUTS, kept: SLOT_OUTPUTS },
  [pluginType("Machine")]: {
    kind: keptBy("machine", machine),
    outputs: MACHINE_OUTPUTS,
    kept: ["deploymentId", "account"],
  },
  [pluginType("Fleet")]: { kind: keptBy("fleet", fleet), outputs: FLEET_OUTPUTS, kept: FLEET_OUTPUTS },
  [pluginType("Wish")]: { kind: keptBy("wish", wish), outputs: WISH_OUTPUTS, kept: [] },
};

/** What a preview knows of a half: its inputs, and of its outputs those that stay. */
export function previewOf({ outputs, kept }: Half, inputs: Properties, olds: Properties = {}): Properties {
  const after = outputs.map((key) => [key, kept.includes(key) ? (olds[key] ?? UNKNOWN) : UNKNOWN]);
  return { ...inputs, ...Object.fromEntries(after) };
}
