import { expect, test } from "vitest";
import { CALLS, type CallName, DEFINITION, encode } from "../../agent/autoscaler/wire.ts";

/*
 * What the Go client that is generated from the published protocol has sent, and what of our answers it has understood: recorded
 * with that of Cluster Autoscaler 1.35.0, as no registry has it.
 */

const NODE = {
  providerID: "k3s://a-1",
  name: "n-1",
  labels: { a: "b" },
  annotations: { c: "d" },
};
const NODE_SENT = "0a200a096b33733a2f2f612d3112036e2d311a060a016112016222060a0163120164";
const ID = "08747261696e696e67";
const GROUP = { id: "training", minSize: 1, maxSize: 4, debug: "a fleet" };
const GROUP_READ = `0a170a${ID}1001180422076120666c656574`;

test("each call stands at the path that the client asks for", () => {
  expect(Object.values(DEFINITION).map(({ path }) => path)).toEqual(
    Object.keys(CALLS).map(
      (name) => `/clusterautoscaler.cloudprovider.v1.externalgrpc.CloudProvider/${name}`,
    ),
  );
});

test.each<[CallName, string, object]>([
  ["NodeGroups", "", {}],
  ["NodeGroupForNode", NODE_SENT, { node: NODE }],
  ["PricingNodePrice", `${NODE_SENT}22060880b1ef86072a060880b1ef8607`, {}],
  ["PricingPodPrice", "220201022a060880b1ef860732060880b1ef8607", {}],
  ["NodeGroupTargetSize", `0a${ID}`, { id: "training" }],
  ["NodeGroupIncreaseSize", `080312${ID}`, { delta: 3, id: "training" }],
  ["NodeGroupDecreaseTargetSize", `08feffffffffffffffff0112${ID}`, { delta: -2, id: "training" }],
  ["NodeGroupDeleteNodes", `${NODE_SENT}${NODE_SENT}12${ID}`, { nodes: [NODE, NODE], id: "training" }],
  ["NodeGroupNodes", `0a${ID}`, { id: "training" }],
  ["NodeGroupTemplateNodeInfo", `0a${ID}`, { id: "training" }],
  ["NodeGroupGetOptions", `0a${ID}120d09000000000000e03f4202083c`, {}],
])("%s is read as the client has sent it", (name, sent, asked) => {
  expect(DEFINITION[name]?.requestDeserialize(Buffer.from(sent, "hex"))).toEqual(asked);
});

test.each<[CallName, object, string]>([
  ["NodeGroups", { nodeGroups: [GROUP] }, GROUP_READ],
  ["NodeGroupForNode", { nodeGroup: GROUP }, GROUP_READ],
  ["GPULabel", { label: "accelerator" }, "0a0b616363656c657261746f72"],
  ["GetAvailableGPUTypes", { gpuTypes: { h100: {} } }, "0a080a04683130301200"],
  ["NodeGroupTargetSize", { targetSize: 3 }, "0803"],
  [
    "NodeGroupNodes",
    { instances: [{ id: "k3s://a-1", status: { instanceState: 1 } }] },
    "0a0f0a096b33733a2f2f612d3112020801",
  ],
  ["NodeGroupTemplateNodeInfo", { nodeBytes: Buffer.from("0a00", "hex") }, "12020a00"],
])("%s is answered as the client has understood it", (name, answer, read) => {
  expect(DEFINITION[name]?.responseSerialize(answer).toString("hex")).toBe(read);
});

test("a template is a Node as Kubernetes' own code has read it", () => {
  const node = {
    metadata: { name: "training-template", labels: { accelerator: "h100" } },
    spec: { taints: [{ key: "nvidia.com/gpu", value: "yes", effect: "NoSchedule" }] },
    status: {
      capacity: { cpu: { string: "200" }, memory: { string: "1800Gi" } },
      allocatable: { cpu: { string: "199500m" } },
      conditions: [{ type: "Ready", status: "True" }],
    },
  };
  expect(encode("Node", node).toString("hex")).toBe(
    "0a280a11747261696e696e672d74656d706c6174655a130a0b616363656c657261746f7212046831303012232a" +
      "210a0e6e76696469612e636f6d2f67707512037965731a0a4e6f5363686564756c651a430a0c0a036370751205" +
      "0a033230300a120a066d656d6f727912080a0631383030476912100a0363707512090a073139393530306d220d" +
      "0a055265616479120454727565",
  );
});
