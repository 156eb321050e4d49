import type { AccountApi } from "../remote/agent-client.ts";
import { accountOf } from "./agent-account.ts";
import { deletion } from "./deletion.ts";
import { type GroupState, groupState } from "./group-state.ts";
import { type Groups, machineNamed, providerIdOf } from "./groups-file.ts";
import { refusal } from "./refusal.ts";
import { sizeAfter, type Told } from "./sizes.ts";
import { type Asked, type CallName, encode, INSTANCE } from "./wire.ts";

/** For people, in the events of the fleet. */
const WHY = "Cluster Autoscaler";

export type Calls = Readonly<Record<CallName, (asked: Asked) => object | Promise<object>>>;

/**
 * What each call of the autoscaler does. It gives orders to the agent, and no more: docs/how/autoscaler.md has the rules.
 *
 * @param tell says to people why a fleet is no node group.
 */
export function createCalls(account: AccountApi, file: Groups, tell: (text: string) => void): Calls {
  const agent = accountOf(account);
  const told = new Map<string, Told>();
  const complained = new Map<string, string>();

  const groupOf = (id: string) => {
    const group = file.groups.find(({ fleet }) => fleet === id);
    if (group) return group;
    const there = file.groups.map(({ fleet }) => fleet).join(", ");
    throw refusal("NOT_FOUND", `there is no node group ${JSON.stringify(id)} here. There are: ${there}.`);
  };
  const stateOf = (id: string, seen: Parameters<typeof groupState>[1]): GroupState => {
    const state = groupState(groupOf(id), seen);
    if (typeof state === "string") throw refusal("FAILED_PRECONDITION", `${state}.`);
    return state;
  };

  const resize = async (id: string, delta: number): Promise<object> => {
    const { gpusPerNode } = groupOf(id);
    // As it was when the call came: the same call again must not count from what this one has changed.
    const before = told.get(id);
    await agent.ask(id, (seen) => {
      const nodes = sizeAfter(stateOf(id, seen), before, delta);
      if (nodes === undefined) return undefined;
      const how = delta > 0 ? { exactly: true } : { keeps: true };
      return { gpus: nodes * gpusPerNode, why: WHY, ...how };
    });
    if (before && told.get(id) === before) told.set(id, { ...before, changed: delta > 0 ? "more" : "fewer" });
    return {};
  };

  return {
    Refresh: async () => {
      await agent.look(true);
      return {};
    },
    Cleanup: () => ({}),

    NodeGroups: async () => {
      const seen = await agent.look();
      const states = file.groups.map((group) => groupState(group, seen));
      for (const [index, state] of states.entries()) complain(file.groups[index]?.fleet ?? "", state);
      return { nodeGroups: states.filter((state) => typeof state !== "string").map(shown) };
    },
    NodeGroupForNode: async ({ node }) => {
      const id = machineNamed(file, node?.providerID ?? "");
      const seen = id === undefined ? undefined : await agent.look();
      const states = seen ? file.groups.map((group) => groupState(group, seen)) : [];
      const its = states.find(
        (state): state is GroupState =>
          typeof state !== "string" && state.nodes.some((machine) => machine.id === id),
      );
      return { nodeGroup: its ? shown(its) : { id: "" } };
    },
    NodeGroupTargetSize: async ({ id }) => {
      const { size } = stateOf(id, await agent.look());
      told.set(id, { nodes: size });
      return { targetSize: size };
    },
    NodeGroupNodes: async ({ id }) => ({
      instances: stateOf(id, await agent.look()).nodes.map((machine) => ({
        id: providerIdOf(file, machine.id),
        status: { instanceState: standingOf(machine) },
      })),
    }),

    NodeGroupIncreaseSize: async ({ id, delta }) => {
      if (delta > 0) return resize(id, delta);
      throw refusal("INVALID_ARGUMENT", `delta: expected 1 or more nodes, got ${delta}`);
    },
    NodeGroupDecreaseTargetSize: async ({ id, delta }) => {
      if (delta < 0) return resize(id, delta);
      throw refusal("INVALID_ARGUMENT", `delta: expected -1 or less, got ${delta}`);
    },
    NodeGroupDeleteNodes: async ({ id, nodes }) => {
      const state = stateOf(id, await agent.look(true));
      const ids = await deletion(file, state, nodes, agent.machine, Date.now());
      for (const [index, machine] of ids.entries()) {
        await agent.giveBack(machine).catch((error: Error) => {
          const done = ids.slice(0, index).join(", ");
          throw done === "" ? error : refusal("UNAVAILABLE", `${error.message} Stopped before: ${done}.`);
        });
        const before = told.get(id);
        if (before) told.set(id, { ...before, nodes: before.nodes - 1 });
      }
      return {};
    },

    NodeGroupTemplateNodeInfo: ({ id }) => {
      const { node } = groupOf(id);
      if (!node)
        throw refusal("UNIMPLEMENTED", `node group ${id}: its file has no node, so nobody knows one`);
      const { labels, taints, allocatable } = node;
      const quantities = Object.fromEntries(
        Object.entries(allocatable).map(([name, string]) => [name, { string }]),
      );
      const conditions = [{ type: "Ready", status: "True" }];
      return {
        nodeBytes: encode("Node", {
          metadata: { name: `${id}-template`, labels },
          spec: { taints },
          status: { capacity: quantities, allocatable: quantities, conditions },
        }),
      };
    },
    GPULabel: () => ({ label: file.gpuLabel }),
    GetAvailableGPUTypes: () => {
      const types = file.groups.flatMap(({ node }) => node?.labels[file.gpuLabel] ?? []);
      return { gpuTypes: Object.fromEntries(types.map((type) => [type, {}])) };
    },
    NodeGroupGetOptions: () => {
      throw refusal("UNIMPLEMENTED", "a node group has no options of its own");
    },
    PricingNodePrice: () => {
      throw refusal("UNIMPLEMENTED", "prices change with each offer: the fleet takes the cheapest");
    },
    PricingPodPrice: () => {
      throw refusal("UNIMPLEMENTED", "nobody knows what a pod costs");
    },
  };

  function complain(fleet: string, state: GroupState | string): void {
    const why = typeof state === "string" ? state : (state.held ?? "");
    if (why !== "" && complained.get(fleet) !== why)
      tell(
        `${why}. ${typeof state === "string" ? "It is no node group" : "It grows no more"} until that is so no more.`,
      );
    complained.set(fleet, why);
  }
}

function shown({ group, min, max, size, nodes }: GroupState): object {
  const debug = `fleet ${group.fleet}: ${size} nodes wanted, ${nodes.length} machines`;
  return { id: group.fleet, minSize: min, maxSize: max, debug };
}

function standingOf({ stop, status }: GroupState["nodes"][number]): number {
  if (stop !== null || status === "stopping") return INSTANCE.deleting;
  return status === "running" ? INSTANCE.running : INSTANCE.creating;
}
