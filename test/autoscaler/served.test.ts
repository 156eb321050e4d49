import { describe, expect, test } from "vitest";
import { drainFleet, pauseFleet } from "../../agent/fleet/phase/fleet-orders.ts";
import { askForCount } from "../../agent/fleet/size/ask-for-count.ts";
import { revokeToken } from "../../agent/orders/tokens.ts";
import { contextOf } from "../../launch/keeper.ts";
import { holdMachine } from "../../launch/people/machine-hold.ts";
import { MINUTE, NORTH } from "../http/scene.ts";
import { type Cluster, cluster, GPUS } from "./cluster.ts";

/*
 * The calls of the autoscaler on a real socket, an agent behind its API, and the simulator's books as the truth.
 */

const GROUP = { id: "training" };
const more = (delta: number) => ({ ...GROUP, delta });
const node = (providerID: string, name = "n") => ({ providerID, name });

async function grown(nodes: number): Promise<Cluster> {
  const on = await cluster();
  await on.size();
  await on.call("NodeGroupIncreaseSize", more(nodes));
  await on.advance(20 * MINUTE);
  expect([on.alive(), await on.size()]).toEqual([nodes, nodes]);
  return on;
}

const act = ({ on }: Cluster, work: Parameters<typeof on.ledger.decide>[1]) =>
  on.ledger.decide(on.keeper.account, work);

describe("node groups", () => {
  test("are the fleets of the file whose count has a range; why others are none is said once", async () => {
    const on = await cluster();
    const groups = [
      { id: "training", minSize: 0, maxSize: 4, debug: "fleet training: 0 nodes wanted, 0 machines" },
    ];
    expect(await on.call("NodeGroups")).toEqual({ nodeGroups: groups });
    await on.call("NodeGroups");
    expect(on.told).toEqual([
      expect.stringMatching(
        /^fleet fixed: its count has no range\. Write gpus: .* It is no node group until/,
      ),
      "the agent has no fleet nowhere. It is no node group until that is so no more.",
    ]);
    expect(await on.refused("NodeGroupTargetSize", { id: "fixed" })).toMatch(
      /^FAILED_PRECONDITION: fleet fixed: its count has no range/,
    );
    expect(await on.refused("NodeGroupNodes", { id: "elsewhere" })).toBe(
      'NOT_FOUND: there is no node group "elsewhere" here. There are: training, fixed, nowhere.',
    );
  });

  test("say what a node is like where the file does, and nothing else that nobody knows", async () => {
    const on = await cluster();
    const { nodeBytes } = await on.call("NodeGroupTemplateNodeInfo", GROUP);
    expect(Buffer.from(nodeBytes as Uint8Array).toString("latin1")).toContain("nvidia.com/gpu");
    for (const [name, asked] of [
      ["NodeGroupTemplateNodeInfo", { id: "fixed" }],
      ["NodeGroupGetOptions", GROUP],
      ["PricingNodePrice", {}],
      ["PricingPodPrice", {}],
    ] as const)
      expect(await on.refused(name, asked)).toMatch(/^UNIMPLEMENTED: /);
    expect(await on.call("GPULabel")).toEqual({ label: "accelerator" });
    expect(Object.keys((await on.call("GetAvailableGPUTypes")).gpuTypes as object)).toEqual(["h100"]);
    expect(await on.call("Cleanup")).toEqual({});
    expect(await on.call("Refresh")).toEqual({});
  });

  test("know their nodes by the provider id, and no stranger's", async () => {
    const on = await grown(1);
    const [instance] = await on.nodes();
    expect(instance).toMatchObject({
      id: expect.stringMatching(/^fleetkeeper:\/\/.+/),
      status: { instanceState: 1 },
    });
    const groupOf = async (providerID: string) =>
      (await on.call("NodeGroupForNode", { node: node(providerID) })).nodeGroup;
    expect(await groupOf(instance?.id ?? "")).toMatchObject({ id: "training", maxSize: 4 });
    for (const other of ["", "fleetkeeper://", "fleetkeeper://no-such", `k3s://${instance?.id}`])
      expect(await groupOf(other)).toMatchObject({ id: "" });
  });
});

describe("an increase", () => {
  test("is an order for a count, under the token's name, and the agent rents it", async () => {
    const on = await grown(2);
    const [event] = (await on.on.ledger.events(on.on.keeper.account, 200)).filter(
      ({ kind }) => kind === "asked",
    );
    expect(event).toMatchObject({
      actor: "token:k",
      text: expect.stringContaining(`asks for ${2 * GPUS} GPUs of training (Cluster Autoscaler)`),
    });
    expect((await on.nodes()).map(({ status }) => status.instanceState)).toEqual([1, 1]);
  });

  test("that is sent again, at once or beside it, asks for nothing more", async () => {
    const on = await cluster();
    await on.size();
    await Promise.all([1, 2, 3].map(() => on.call("NodeGroupIncreaseSize", more(1))));
    await on.call("NodeGroupIncreaseSize", more(1));
    await on.advance(20 * MINUTE);
    expect([on.alive(), await on.size()]).toEqual([1, 1]);
  });

  test("whose order was carried out though its answer was lost is one order", async () => {
    const on = await cluster({ isLost: true });
    await on.size();
    await on.call("NodeGroupIncreaseSize", more(2));
    await on.advance(20 * MINUTE);
    expect([on.alive(), await on.size()]).toEqual([2, 2]);
  });

  test("before anything was said of the size is refused: nobody knows what it counts from", async () => {
    const on = await cluster();
    expect(await on.refused("NodeGroupIncreaseSize", more(1))).toMatch(
      /^FAILED_PRECONDITION: .*Ask for its target size first/,
    );
    await on.advance(20 * MINUTE);
    expect(on.alive()).toBe(0);
  });

  test.each([
    [0, /^INVALID_ARGUMENT: delta: expected 1 or more nodes, got 0/],
    [-1, /^INVALID_ARGUMENT: delta: expected 1 or more nodes, got -1/],
    [5, /^OUT_OF_RANGE: node group training: 0 nodes and 5 more are 5, and its fleet has from 0 to 4/],
    [2_147_483_647, /^OUT_OF_RANGE: /],
  ])("of %d nodes is refused", async (delta, said) => {
    const on = await cluster();
    await on.size();
    expect(await on.refused("NodeGroupIncreaseSize", more(delta))).toMatch(said);
    expect(await on.size()).toBe(0);
  });

  test("to less than a person asks for meanwhile takes nothing away", async () => {
    const on = await cluster();
    await on.size();
    await act(
      on,
      (draft) => void askForCount(draft, "training", { gpus: 3 * GPUS }, contextOf(on.on.keeper)),
    );
    await on.call("NodeGroupIncreaseSize", more(1));
    expect(await on.size()).toBe(3);
  });

  test("that a person's order comes before is decided anew, and takes nothing away", async () => {
    const on = await cluster({
      between: async ({ ledger, keeper }) => {
        await ledger.decide(
          keeper.account,
          (draft) => void askForCount(draft, "training", { gpus: 3 * GPUS }, contextOf(keeper)),
        );
      },
    });
    await on.size();
    await on.call("NodeGroupIncreaseSize", more(1));
    expect(await on.size()).toBe(3);
  });

  test("of a fleet that is paused or drained is refused", async () => {
    for (const stand of [pauseFleet, drainFleet]) {
      const on = await cluster();
      await on.size();
      await act(on, (draft) => void stand(draft, "training", contextOf(on.on.keeper)));
      expect(await on.refused("NodeGroupIncreaseSize", more(1))).toMatch(
        /^FAILED_PRECONDITION: .*fleet training is (paused|drained)/,
      );
    }
  });

  test("of a fleet with a machine of another size is refused", async () => {
    const on = await grown(1);
    await act(on, (draft) => {
      const [row] = [...draft.deployments.values()];
      if (row) draft.putDeployment({ ...row, saidGpus: GPUS - 1 });
    });
    expect(await on.refused("NodeGroupIncreaseSize", more(1))).toMatch(/have its candidates be of one size/);
    expect(await on.nodes()).toEqual([]);
  });

  test("after machines were given back wants exactly so many", async () => {
    const on = await grown(3);
    const [first, second] = await on.nodes();
    await on.call("NodeGroupDeleteNodes", {
      ...GROUP,
      nodes: [node(first?.id ?? ""), node(second?.id ?? "")],
    });
    await on.advance(20 * MINUTE);
    expect([on.alive(), await on.size()]).toEqual([1, 1]);
    await on.call("NodeGroupIncreaseSize", more(1));
    await on.advance(20 * MINUTE);
    expect([on.alive(), await on.size()]).toEqual([2, 2]);
  });
});

describe("a decrease", () => {
  test("takes back what is no machine yet, and ends none", async () => {
    const on = await grown(1);
    expect(await on.refused("NodeGroupDecreaseTargetSize", more(1))).toMatch(
      /^INVALID_ARGUMENT: delta: expected -1 or less/,
    );
    on.on.simulator.control.setCapacity(NORTH, 1);
    await on.call("NodeGroupIncreaseSize", more(3));
    await on.advance(5 * MINUTE);
    expect([on.alive(), await on.size()]).toEqual([1, 4]);
    await on.call("NodeGroupDecreaseTargetSize", more(-2));
    await on.call("NodeGroupDecreaseTargetSize", more(-2));
    expect(await on.size()).toBe(2);
    await on.call("NodeGroupDecreaseTargetSize", more(-2));
    await on.advance(90 * MINUTE);
    expect([on.alive(), await on.size()]).toEqual([1, 1]);
  });

  test("right after an increase is refused until the size was read", async () => {
    const on = await cluster();
    await on.size();
    await on.call("NodeGroupIncreaseSize", more(2));
    expect(await on.refused("NodeGroupDecreaseTargetSize", more(-1))).toMatch(
      /^FAILED_PRECONDITION: node group training: more nodes were asked for since its size was said/,
    );
  });
});

describe("a deletion", () => {
  test("stops these machines, and none is rented in their place; again it does nothing", async () => {
    const on = await grown(3);
    const [first] = await on.nodes();
    const gone = { ...GROUP, nodes: [node(first?.id ?? "")] };
    await on.call("NodeGroupDeleteNodes", gone);
    expect(await on.size()).toBe(2);
    await on.call("NodeGroupDeleteNodes", gone);
    expect((await on.nodes()).find(({ id }) => id === first?.id)?.status.instanceState ?? 3).toBe(3);
    await on.advance(20 * MINUTE);
    await on.call("NodeGroupDeleteNodes", gone);
    await on.advance(20 * MINUTE);
    expect([on.alive(), await on.size()]).toEqual([2, 2]);
    expect((await on.nodes()).map(({ id }) => id)).not.toContain(first?.id);
  });

  test("of one that ended by itself lowers nothing: its fleet rents another one", async () => {
    const on = await grown(2);
    const [first] = await on.nodes();
    on.on.simulator.control.interrupt(first?.id.replace("fleetkeeper://", "") ?? "");
    await on.advance(20 * MINUTE);
    await on.call("NodeGroupDeleteNodes", { ...GROUP, nodes: [node(first?.id ?? "")] });
    await on.advance(20 * MINUTE);
    expect([on.alive(), await on.size()]).toEqual([2, 2]);
  });

  test("below what the fleet keeps is refused", async () => {
    const on = await cluster({ min: 1 });
    await on.advance(20 * MINUTE);
    const [first] = await on.nodes();
    const nodes = [node(first?.id ?? "")];
    expect(await on.refused("NodeGroupDeleteNodes", { ...GROUP, nodes })).toMatch(
      /^FAILED_PRECONDITION: node group training: 1 nodes without 1 are fewer than 1, which its fleet keeps/,
    );
    expect(await on.refused("NodeGroupDecreaseTargetSize", more(-1))).toMatch(
      /^FAILED_PRECONDITION|^OUT_OF_RANGE/,
    );
    await on.advance(20 * MINUTE);
    expect(on.alive()).toBe(1);
  });

  test("of another fleet's machine is refused", async () => {
    const on = await cluster({ others: GPUS });
    await on.advance(20 * MINUTE);
    const { ledger, keeper } = on.on;
    const [other] = (await ledger.read(keeper.account)).deployments;
    expect(other).toMatchObject({ owner: "fleet:fixed", stop: null });
    const nodes = [node(`fleetkeeper://${other?.id}`)];
    expect(await on.refused("NodeGroupDeleteNodes", { ...GROUP, nodes })).toMatch(
      /^INVALID_ARGUMENT: .*is no machine of fleet training: nothing was stopped/,
    );
    await on.advance(20 * MINUTE);
    expect((await ledger.read(keeper.account)).deployments[0]?.stop).toBeNull();
  });

  test("with one node that may not be stopped stops none", async () => {
    const on = await grown(2);
    const [first, second] = (await on.nodes()).map(({ id }) => id);
    const both = (other: string) =>
      on.refused("NodeGroupDeleteNodes", { ...GROUP, nodes: [node(first ?? ""), node(other)] });
    expect(await both("fleetkeeper://no-such")).toMatch(
      /^INVALID_ARGUMENT: node n \(fleetkeeper:\/\/no-such\) is no machine of fleet training: nothing was stopped/,
    );
    expect(await both("k3s://elsewhere")).toMatch(/^INVALID_ARGUMENT: /);
    await act(on, (draft) => {
      const context = contextOf(on.on.keeper);
      holdMachine(
        draft,
        second?.replace("fleetkeeper://", "") ?? "",
        context.now.wall + 10 * 365 * 24 * 60 * MINUTE,
        undefined,
        context,
      );
    });
    expect(await both(second ?? "")).toMatch(/^FAILED_PRECONDITION: .*held by a person: nothing was stopped/);
    await on.advance(20 * MINUTE);
    expect([on.alive(), await on.size()]).toEqual([2, 2]);
  });
});

describe("a caller", () => {
  test("whose token was revoked, or may only read, orders nothing", async () => {
    const on = await cluster({ may: "read" });
    await on.size();
    expect(await on.refused("NodeGroupIncreaseSize", more(1))).toMatch(/^PERMISSION_DENIED: .*needs operate/);
    await act(on, (draft) => void revokeToken(draft, "k", contextOf(on.on.keeper)));
    await on.advance(2_000);
    expect(await on.refused("NodeGroupIncreaseSize", more(1))).toMatch(
      /^UNAUTHENTICATED: .*does not take the token/,
    );
    expect(await on.refused("Refresh")).toMatch(/^UNAUTHENTICATED: /);
  });

  test("of an agent that is away is told so, and that nothing is known", async () => {
    const on = await cluster();
    await on.size();
    await on.on.close();
    await on.refused("Refresh");
    expect(await on.refused("NodeGroupIncreaseSize", more(1))).toMatch(
      /^UNAVAILABLE: The agent at .* cannot be reached/,
    );
    expect(await on.refused("NodeGroups")).toMatch(/^UNAVAILABLE: /);
  });
});
