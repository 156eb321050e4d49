import { gpusText } from "../fleet/text/text.ts";
import type { DeploymentFacts } from "../json/deployments.ts";
import type { AccountStatus } from "../json/status.ts";
import type { Group } from "./groups-file.ts";

/** What the agent has said of its account. */
export interface Seen {
  readonly fleets: AccountStatus["fleets"];
  /** Those that live. */
  readonly machines: readonly DeploymentFacts[];
}

/** A node group as it is now, in nodes. */
export interface GroupState {
  readonly group: Group;
  readonly min: number;
  readonly max: number;
  /** So many are wanted. */
  readonly size: number;
  /** Its machines. Those of another size are none of its nodes. */
  readonly nodes: readonly DeploymentFacts[];
  /** Why nothing more of it can be had by asking; undefined: it can. */
  readonly held: string | undefined;
}

/** A text: why the fleet is no node group now. */
export function groupState(group: Group, { fleets, machines }: Seen): GroupState | string {
  const { fleet: name, gpusPerNode } = group;
  const fleet = fleets.find((each) => each.name === name && !each.removed);
  if (!fleet) return `the agent has no fleet ${name}`;
  const { askable, schedule, metric, work, desiredGpus, standing } = fleet;
  const other = schedule ? "a schedule" : metric ? "a metric" : work ? "its work" : undefined;
  if (other) return `fleet ${name}: ${other} says how many GPUs it has, so the autoscaler cannot`;
  if (!askable)
    return `fleet ${name}: its count has no range. Write gpus: { min: 0, max: 64, at: 0 } in its declaration`;
  const own = machines.filter(({ owner }) => owner !== null && "fleet" in owner && owner.fleet === name);
  const odd = own.find(({ gpus, stop }) => gpus !== gpusPerNode && stop === null);
  const held =
    standing.kind !== "kept"
      ? `fleet ${name} is ${standing.kind} (${standing.why})`
      : odd &&
        `fleet ${name} has ${odd.id}, a machine of ${odd.gpus === null ? "GPUs that nobody knows" : gpusText(odd.gpus)}, and gpusPerNode is ${gpusPerNode}: have its candidates be of one size`;
  return {
    group,
    min: Math.ceil(askable.min / gpusPerNode),
    max: Math.floor(askable.max / gpusPerNode),
    size: Math.floor(desiredGpus / gpusPerNode),
    nodes: own.filter(({ gpus }) => gpus === gpusPerNode),
    held,
  };
}
