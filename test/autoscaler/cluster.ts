import {
  credentials,
  makeGenericClientConstructor,
  type ServiceError,
  type StatusObject,
} from "@grpc/grpc-js";
import { onTestFinished } from "vitest";
import { createCalls } from "../../agent/autoscaler/calls.ts";
import type { Groups } from "../../agent/autoscaler/groups-file.ts";
import { serveCalls } from "../../agent/autoscaler/server.ts";
import { type CallName, DEFINITION } from "../../agent/autoscaler/wire.ts";
import type { NewToken } from "../../agent/orders/tokens.ts";
import { createAgentClient } from "../../agent/remote/agent-client.ts";
import { MINUTE, NORTH, type Scene, scene } from "../http/scene.ts";
import { H100 } from "../support/stage.ts";
import { giveToken } from "../support/token.ts";

export const GPUS = H100.gpus;
const MAX = 4;

export const FILE: Groups = {
  providerId: "fleetkeeper://{id}",
  gpuLabel: "accelerator",
  groups: [
    {
      fleet: "training",
      gpusPerNode: GPUS,
      node: {
        labels: { accelerator: "h100" },
        taints: [{ key: "nvidia.com/gpu", value: "", effect: "NoSchedule" }],
        allocatable: { cpu: "200", memory: "1800Gi", pods: "110", "nvidia.com/gpu": "8" },
      },
    },
    { fleet: "fixed", gpusPerNode: GPUS },
    { fleet: "nowhere", gpusPerNode: GPUS },
  ],
};

export interface Cluster {
  readonly on: Scene;
  /** Why fleets are no groups, as people are told. */
  readonly told: readonly string[];
  /** Gives the answer, or throws what gRPC says. */
  call(name: CallName, asked?: object): Promise<Readonly<Record<string, unknown>>>;
  /** `CODE: text` of a call that is refused. */
  refused(name: CallName, asked?: object): Promise<string>;
  /** The machines that live, by the simulator's books. */
  alive(): number;
  /** The ids of the group's instances. */
  nodes(): Promise<readonly { readonly id: string; readonly status: { readonly instanceState: number } }[]>;
  size(): Promise<unknown>;
  advance(ms: number): Promise<void>;
}

const CODES = [
  "",
  "",
  "",
  "INVALID_ARGUMENT",
  "",
  "NOT_FOUND",
  "",
  "PERMISSION_DENIED",
  "",
  "FAILED_PRECONDITION",
  "",
  "OUT_OF_RANGE",
  "UNIMPLEMENTED",
  "INTERNAL",
  "UNAVAILABLE",
  "",
  "UNAUTHENTICATED",
];

/** An agent on a simulated service, and the server of node groups that asks it, each with a real socket. */
export async function cluster({
  may = "operate" as NewToken["may"],
  /** The same order came before, and its answer was lost. */
  isLost = false,
  /** Nodes that the fleet keeps. */
  min = 0,
  /** GPUs of a fleet that is no node group. */
  others = 0,
  /** What somebody else does right before the first order. */
  between = async (_on: Scene): Promise<void> => undefined,
} = {}): Promise<Cluster> {
  const on = await scene({ token: "correct-horse-battery-staple", balance: "50000.0000" });
  onTestFinished(() => on.close());
  await on.declare({
    training: {
      gpus: min * GPUS,
      range: { min: min * GPUS, max: MAX * GPUS, at: min * GPUS },
      candidates: [NORTH],
    },
    fixed: { gpus: others, candidates: [NORTH] },
  });
  on.start();
  await on.clock.advance(MINUTE);
  const secret = await giveToken(on, { name: "k", may });
  await on.clock.advance(MINUTE);
  const client = createAgentClient({ url: on.server.url.replace(/\/$/, ""), token: secret }, {});
  onTestFinished(() => client.close());
  const { signal } = new AbortController();
  const told: string[] = [];
  let somebody: typeof between | undefined = between;
  const calls = createCalls(
    {
      read: (path, answers) => client.read(path, answers, signal),
      order: async (order, answers) => {
        await somebody?.(on);
        somebody = undefined;
        if (isLost) await client.order(order, answers, signal);
        return client.order(order, answers, signal);
      },
    },
    FILE,
    (text) => told.push(text),
  );
  const server = await serveCalls(calls, { host: "127.0.0.1", port: 0 }, undefined, () => undefined);
  onTestFinished(() => server.close());
  const Client = makeGenericClientConstructor(DEFINITION, "CloudProvider");
  const autoscaler = new Client(`127.0.0.1:${server.port}`, credentials.createInsecure());
  onTestFinished(() => autoscaler.close());
  const call: Cluster["call"] = (name, asked = {}) =>
    new Promise((resolve, reject) => {
      autoscaler[name]?.(asked, (error: ServiceError | null, said: Record<string, unknown>) =>
        error ? reject(error) : resolve(said),
      );
    });
  return {
    on,
    told,
    call,
    refused: (name, asked) =>
      call(name, asked).then(
        () => "it was carried out",
        ({ code, details }: StatusObject) => `${CODES[code]}: ${details}`,
      ),
    alive: () => on.simulator.truth().machines.filter(({ endedAt }) => endedAt === null).length,
    nodes: async () =>
      (await call("NodeGroupNodes", { id: "training" })).instances as Awaited<ReturnType<Cluster["nodes"]>>,
    size: async () => (await call("NodeGroupTargetSize", { id: "training" })).targetSize,
    // As the autoscaler does at each of its rounds: what was seen in virtual time of before does not do.
    advance: async (ms) => {
      await on.clock.advance(ms);
      await call("Refresh").catch(() => undefined);
    },
  };
}
