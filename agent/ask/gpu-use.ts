import type { Agent } from "undici";
import type { Answer } from "../fleet/wish/machine-question.ts";
import { exchangeText } from "./exchange.ts";

/** Where an exporter shows the use of each GPU, and below how many percent one is idle. */
interface Gauge {
  readonly scheme: "http" | "https";
  readonly port: number;
  readonly metric: string;
  readonly below: number;
}

const TIMEOUT_MS = 5_000;

/** Whether all GPUs of a machine are idle (good) or one is busy (bad). Unknown: the exporter does not show each of them. */
export async function readGpuUse(
  agent: Agent,
  host: string,
  { scheme, port, metric, below }: Gauge,
  gpus: number,
  signal: AbortSignal,
): Promise<Answer> {
  const url = `${scheme}://${host.includes(":") ? `[${host}]` : host}:${port}/metrics`;
  try {
    const text = await exchangeText(agent, url, { method: "GET" }, TIMEOUT_MS, signal);
    return judged(valuesOf(text, metric), metric, below, gpus);
  } catch (error) {
    return { kind: "unknown", why: `${url}: ${(error as Error).message}` };
  }
}

function judged(uses: readonly number[], metric: string, below: number, gpus: number): Answer {
  const busy = uses.find((use) => use >= below && use <= 100);
  if (busy !== undefined) return { kind: "bad", why: `a GPU is used to ${busy} %` };
  const read = uses.filter((use) => use >= 0 && use < below);
  if (read.length === uses.length && read.length >= Math.max(1, gpus)) return { kind: "good" };
  return { kind: "unknown", why: `${metric} can be read of ${read.length} GPUs of ${gpus}` };
}

/**
 * A metric's value for each GPU, in Prometheus's text format: `NAME{LABELS} VALUE [TIME]`. NaN: it is no number. One that is
 * shown twice, as for two containers, counts once, with what was read first, unless the other is higher.
 */
function valuesOf(text: string, metric: string): readonly number[] {
  const line = new RegExp(`^${metric}(?:\\{(.*)\\})?[ \\t]+(\\S+)(?:[ \\t]+-?\\d+)?[ \\t]*$`);
  const byGpu = new Map<string, number>();
  for (const each of text.split(/\r?\n/)) {
    const [found, labels = "", value = ""] = line.exec(each) ?? [];
    if (found === undefined) continue;
    const gpu = /(?:^|,)uuid="([^"]*)"/i.exec(labels)?.[1] ?? labels;
    byGpu.set(gpu, Math.max(byGpu.get(gpu) ?? 0, Number(value)));
  }
  return [...byGpu.values()];
}
