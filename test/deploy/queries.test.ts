import { beforeAll, describe, expect, it } from "vitest";
import { CAUSES } from "../../service/contract/errors.ts";
import { OPEN_METRICS, parseOpenMetrics } from "../http/open-metrics.ts";
import { badDay, MINUTE, NORTH, type Scene, scene } from "../http/scene.ts";
import { alerts, dashboard, readQuery } from "./queries.ts";

/** What Prometheus itself adds to each target. */
const OF_PROMETHEUS = new Set(["up"]);
const LABELS_OF_PROMETHEUS = ["job", "instance", "pod", "service"];
const SUFFIXES: Readonly<Record<string, readonly string[]>> = {
  gauge: [""],
  counter: ["_total"],
  histogram: ["_bucket", "_sum", "_count"],
};

const queries = [
  ...alerts().map(({ alert, expr }) => ({ where: alert, expr })),
  ...dashboard().panels.flatMap(({ title, targets }) => targets.map(({ expr }) => ({ where: title, expr }))),
];
const shown = new Map<string, ReadonlySet<string>>();

beforeAll(async () => {
  for (const make of [badDay, settingUp]) await show(await make());
});

/** A day on which machines are set up. */
async function settingUp(): Promise<Scene> {
  const on = await scene();
  await on.declare({ training: { gpus: 8, candidates: [NORTH], setup: { command: ["./join.sh"] } } });
  on.start();
  await on.clock.advance(5 * MINUTE);
  return on;
}

async function show(on: Scene): Promise<void> {
  try {
    const text = await (await on.get("/metrics", OPEN_METRICS)).text();
    for (const [, name = "", type = ""] of text.matchAll(/^# TYPE (\S+) (\S+)$/gm))
      for (const suffix of SUFFIXES[type] ?? [])
        shown.set(name + suffix, shown.get(name + suffix) ?? new Set());
    for (const { name, labels } of parseOpenMetrics(text))
      shown.set(name, new Set([...(shown.get(name) ?? []), ...Object.keys(labels)]));
  } finally {
    await on.close();
  }
}

describe.each(queries)("$where: $expr", ({ expr }) => {
  it("asks for what the agent shows, by labels that it has", () => {
    const { metrics, matchers, grouped } = readQuery(withoutVariables(expr));
    expect(metrics.length).toBeGreaterThan(0);
    const own = metrics.filter((name) => !OF_PROMETHEUS.has(name));
    for (const name of own) expect([...shown.keys()]).toContain(name);
    const labels = new Set([...LABELS_OF_PROMETHEUS, ...own.flatMap((name) => [...(shown.get(name) ?? [])])]);
    for (const label of [...matchers.map((each) => each.label), ...grouped])
      expect([...labels]).toContain(label);
  });

  it("compares outcomes only with those that there are", () => {
    const { metrics, matchers } = readQuery(withoutVariables(expr));
    const outcomes = metrics.some((name) => name.includes("ticks"))
      ? ["ok", "distrusted", "failed"]
      : ["ok", "accepted", "unknown", ...Object.keys(CAUSES).map((code) => code.toLowerCase())];
    for (const { label, value } of matchers) if (label === "outcome") expect(outcomes).toContain(value);
  });
});

describe("the dashboard", () => {
  const { panels, templating } = dashboard();

  it("has panels of different ids, each with its unit of data and the data source that is chosen", () => {
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
    for (const { datasource } of panels) expect(datasource.uid).toMatch(/^\$\{datasource\}$/);
  });

  it("uses the variables that it has, and has those that it uses", () => {
    const used = new Set(
      JSON.stringify(panels)
        .match(/\$\{?\w+/g)
        ?.map((each) => each.replace(/\W/g, "")),
    );
    expect([...used].sort()).toEqual(templating.list.map(({ name }) => name).sort());
  });
});

/** Grafana puts values in their place; in a string any will do. */
function withoutVariables(expr: string): string {
  return expr.replaceAll(/\$\w+/g, ".*");
}
