import type { Agent } from "undici";
import { elapsed, type Instant, MINUTE_MS } from "../../ledger/instant.ts";
import type { Idle } from "../fleet/wish/idle-wish.ts";
import { addressOf } from "../fleet/wish/machine-address.ts";
import type { Answer } from "../fleet/wish/machine-question.ts";
import { gpusOf } from "../planning/count/machine-gpus.ts";
import { storeIdle, type Watched, watchedForIdle } from "../planning/machines/idle.ts";
import type { Ask } from "./ask.ts";
import { readGpuUse } from "./gpu-use.ts";
import type { Kind } from "./machine-watch.ts";

/** Whether a machine is idle: good is yes, bad is busy. Never throws. */
export type AskIdle = (watched: Watched, gpus: number, signal: AbortSignal) => Promise<Answer>;

/** Asks in each of the ways that its fleet says. One that finds it busy counts before one that says nothing. */
export function askingIdle(ask: Ask, agent: Agent): AskIdle {
  return async ({ fleet, source, row, idle, address }, gpus, signal) => {
    const gauges = Object.values(EXPORTERS).flatMap(({ of, ...exporter }) => {
      const asked = of(idle);
      return asked ? [{ ...exporter, ...asked }] : [];
    });
    const host = address === undefined ? { host: "" } : addressOf(row, address);
    const answers = [
      ...(idle.command ? [ask({ fleet, source, row }, { address, command: idle.command }, signal)] : []),
      ...gauges.map(async (gauge): Promise<Answer> => {
        if ("problem" in host) return { kind: "unknown", why: host.problem };
        return readGpuUse(agent, host.host, gauge, gpus, signal);
      }),
    ];
    const all = await Promise.all(answers);
    return (
      all.find(({ kind }) => kind === "bad") ?? all.find(({ kind }) => kind === "unknown") ?? { kind: "good" }
    );
  };
}

/** What they call the use of a GPU in percent, one line a GPU. gpud speaks TLS, with a certificate that it makes itself. */
const EXPORTERS = {
  gpud: {
    of: ({ gpud }: Idle) => gpud,
    scheme: "https",
    metric: "accelerator_nvidia_utilization_gpu_util_percent",
  },
  dcgm: { of: ({ dcgm }: Idle) => dcgm, scheme: "http", metric: "DCGM_FI_DEV_GPU_UTIL" },
} as const;

/** Whether machines are idle. Each is asked once a minute. */
export function idleness(ask: AskIdle): Kind {
  const asked = new Map<string, Instant>();
  return {
    due: (draft, context) => {
      const all = watchedForIdle(draft, context);
      const ids = new Set(all.map(({ row }) => row.id));
      for (const id of asked.keys()) if (!ids.has(id)) asked.delete(id);
      return all
        .filter(({ row: { id } }) => {
          const last = asked.get(id);
          return !last || elapsed(last, context.now) >= MINUTE_MS;
        })
        .map((watched) => ({
          id: watched.row.id,
          ask: (signal) => ask(watched, gpusOf(draft, watched.row), signal),
        }));
    },
    store: (draft, answered, context) => {
      for (const { id, answer, at } of answered) {
        asked.set(id, at);
        storeIdle(draft, id, answer, at, context);
      }
    },
  };
}
