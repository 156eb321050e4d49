import { clean } from "../fleet/text/text.ts";
import type { DeploymentFacts } from "../json/deployments.ts";
import type { GroupState } from "./group-state.ts";
import { type Groups, machineNamed } from "./groups-file.ts";
import { refusal } from "./refusal.ts";
import type { KubeNode } from "./wire.ts";

/**
 * The machines that are to be given back because these nodes are deleted. One that has ended, or is being stopped, is none of
 * them: its GPUs were given back then, or its fleet rents another one. Throws if one of them may not be: then none is stopped.
 *
 * @param machine finds one that may have ended long ago.
 * @param now wall time in ms.
 */
export async function deletion(
  file: Groups,
  { group, nodes, size, min }: GroupState,
  asked: readonly KubeNode[],
  machine: (id: string) => Promise<DeploymentFacts | undefined>,
  now: number,
): Promise<readonly string[]> {
  const toStop: string[] = [];
  for (const { name, providerID } of asked) {
    const what = `node ${clean(name)} (${clean(providerID, 200)})`;
    const id = machineNamed(file, providerID);
    const found =
      id === undefined ? undefined : (nodes.find((each) => each.id === id) ?? (await machine(id)));
    const { fleet } = { fleet: undefined, ...found?.owner } as { readonly fleet?: string | undefined };
    if (!found || fleet !== group.fleet)
      throw refusal(
        "INVALID_ARGUMENT",
        `${what} is no machine of fleet ${group.fleet}: nothing was stopped.`,
      );
    if (found.end !== null || found.stop !== null || toStop.includes(found.id)) continue;
    if (found.gpus !== group.gpusPerNode)
      throw refusal(
        "INVALID_ARGUMENT",
        `${what} is no node of this group, which have ${group.gpusPerNode} GPUs: nothing was stopped.`,
      );
    if (found.claim !== "certain")
      throw refusal(
        "FAILED_PRECONDITION",
        `${what} is not certainly ours: nothing was stopped. Say whose it is: fleetkeeper adopt or disown.`,
      );
    if (found.hold !== null && found.hold.until > now)
      throw refusal(
        "FAILED_PRECONDITION",
        `${what} is held by a person: nothing was stopped. fleetkeeper release ${found.id} ends that.`,
      );
    toStop.push(found.id);
  }
  if (size - toStop.length < min)
    throw refusal(
      "FAILED_PRECONDITION",
      `node group ${group.fleet}: ${size} nodes without ${toStop.length} are fewer than ${min}, which its fleet keeps: nothing was stopped.`,
    );
  return toStop;
}
