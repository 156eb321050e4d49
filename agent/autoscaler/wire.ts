import type { ServiceDefinition } from "@grpc/grpc-js";
import protobuf from "protobufjs/light.js";

/*
 * The autoscaler's external gRPC provider, as far as its messages are read or written here: for each field its type and its
 * number on the wire. The names of messages are not on it, and the fields of a Node are those of Kubernetes' core/v1.
 */

type Fields = Readonly<Record<string, `${string} ${number}`>>;

const STRINGS = "map<string>";
const MESSAGES: Readonly<Record<string, Fields>> = {
  Empty: {},
  Group: { id: "string 1", minSize: "int32 2", maxSize: "int32 3", debug: "string 4" },
  KubeNode: {
    ...{ providerID: "string 1", name: "string 2" },
    ...{ labels: `${STRINGS} 3`, annotations: `${STRINGS} 4` },
  },
  Any: { typeUrl: "string 1", value: "bytes 2" },
  OfGroup: { id: "string 1" },
  Change: { delta: "int32 1", id: "string 2" },
  Groups: { nodeGroups: "Group[] 1" },
  OfNode: { node: "KubeNode 1" },
  GroupOfNode: { nodeGroup: "Group 1" },
  Label: { label: "string 1" },
  GpuTypes: { gpuTypes: "map<Any> 1" },
  Size: { targetSize: "int32 1" },
  Deletion: { nodes: "KubeNode[] 1", id: "string 2" },
  Instances: { instances: "Instance[] 1" },
  Instance: { id: "string 1", status: "InstanceStatus 2" },
  InstanceStatus: { instanceState: "int32 1" },
  Template: { nodeBytes: "bytes 2" },
  Node: { metadata: "Metadata 1", spec: "Spec 2", status: "Status 3" },
  Metadata: { name: "string 1", labels: `${STRINGS} 11` },
  Spec: { taints: "Taint[] 5" },
  Taint: { key: "string 1", value: "string 2", effect: "string 3" },
  Status: {
    ...{ capacity: "map<Quantity> 1", allocatable: "map<Quantity> 2" },
    conditions: "Condition[] 4",
  },
  Quantity: { string: "string 1" },
  Condition: { type: "string 1", status: "string 2" },
};

const root = protobuf.Root.fromJSON({
  nested: Object.fromEntries(
    Object.entries(MESSAGES).map(([name, fields]) => [
      name,
      { fields: Object.fromEntries(Object.entries(fields).map(([field, said]) => [field, fieldOf(said)])) },
    ]),
  ),
});

function fieldOf(said: string): protobuf.IField | protobuf.IMapField {
  const [, map, plain = "", many, id] = /^(?:map<(\w+)>|(\w+)(\[\])?) (\d+)$/.exec(said) ?? [];
  const at = { id: Number(id) };
  if (map !== undefined) return { ...at, keyType: "string", type: map };
  return many === undefined ? { ...at, type: plain } : { ...at, type: plain, rule: "repeated" };
}

/** Where an instance stands. */
export const INSTANCE = { running: 1, creating: 2, deleting: 3 } as const;

/** Each call: what it takes, and what it answers. Prices and options take what nobody here reads. */
export const CALLS = {
  NodeGroups: ["Empty", "Groups"],
  NodeGroupForNode: ["OfNode", "GroupOfNode"],
  PricingNodePrice: ["Empty", "Empty"],
  PricingPodPrice: ["Empty", "Empty"],
  GPULabel: ["Empty", "Label"],
  GetAvailableGPUTypes: ["Empty", "GpuTypes"],
  Cleanup: ["Empty", "Empty"],
  Refresh: ["Empty", "Empty"],
  NodeGroupTargetSize: ["OfGroup", "Size"],
  NodeGroupIncreaseSize: ["Change", "Empty"],
  NodeGroupDeleteNodes: ["Deletion", "Empty"],
  NodeGroupDecreaseTargetSize: ["Change", "Empty"],
  NodeGroupNodes: ["OfGroup", "Instances"],
  NodeGroupTemplateNodeInfo: ["OfGroup", "Template"],
  NodeGroupGetOptions: ["Empty", "Empty"],
} as const;
export type CallName = keyof typeof CALLS;

/** What stands in any request. */
export interface Asked {
  readonly id: string;
  readonly delta: number;
  readonly node: KubeNode | null;
  readonly nodes: readonly KubeNode[];
}

/** A node as the autoscaler knows it. */
export interface KubeNode {
  readonly providerID: string;
  readonly name: string;
}

export function encode(message: string, value: object): Buffer {
  return Buffer.from(root.lookupType(message).encode(value).finish());
}

function decode<T>(message: string, bytes: Uint8Array): T {
  const type = root.lookupType(message);
  return type.toObject(type.decode(bytes), { defaults: true }) as T;
}

const SERVICE = "clusterautoscaler.cloudprovider.v1.externalgrpc.CloudProvider";

export const DEFINITION: ServiceDefinition = Object.fromEntries(
  Object.entries(CALLS).map(([name, [takes, answers]]) => [
    name,
    {
      path: `/${SERVICE}/${name}`,
      ...{ requestStream: false, responseStream: false },
      requestSerialize: (value: object) => encode(takes, value),
      requestDeserialize: (bytes: Buffer) => decode(takes, bytes),
      responseSerialize: (value: object) => encode(answers, value),
      responseDeserialize: (bytes: Buffer) => decode(answers, bytes),
    },
  ]),
);
