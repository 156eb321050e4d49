import { afterEach, expect, it } from "vitest";
import { labelsOf } from "../../agent/tell/http/measures/losses.ts";
import { contextOf } from "../../launch/keeper.ts";
import type { DeploymentRow } from "../../ledger/rows.ts";
import { deploymentAsFound } from "../support/as-found.ts";
import type { Sample } from "./open-metrics.ts";
import { OPEN_METRICS, parseOpenMetrics } from "./open-metrics.ts";
import type { Scene } from "./scene.ts";
import { badDay, MINUTE, NORTH, SOUTH, scene } from "./scene.ts";

let on: Scene;
afterEach(() => on.close());

async function scrape(): Promise<readonly Sample[]> {
  const response = await on.get("/metrics", OPEN_METRICS);
  expect(response.headers.get("content-type")).toBe(
    "application/openmetrics-text; version=1.0.0; charset=utf-8",
  );
  return parseOpenMetrics(await response.text());
}

function value(
  samples: readonly Sample[],
  name: string,
  labels: Readonly<Record<string, string>> = {},
): number | undefined {
  return samples.find(
    (each) =>
      each.name === `fleetkeeper_${name}` &&
      Object.entries(labels).every(([key, is]) => each.labels[key] === is),
  )?.value;
}

it("says what is asked for, what lives and what it costs, in OpenMetrics", async () => {
  on = await scene({ balance: "320.0000" });
  await on.declare({ training: { gpus: 16, candidates: [NORTH] } });
  on.start();
  await on.clock.advance(10 * MINUTE);
  const samples = await scrape();
  const fleet = { fleet: "training" };
  expect(value(samples, "fleet_desired_gpus", fleet)).toBe(16);
  expect(value(samples, "fleet_live_gpus", fleet)).toBe(16);
  expect(value(samples, "fleet_running_gpus", fleet)).toBe(16);
  expect(value(samples, "fleet_starting_gpus", fleet)).toBe(0);
  expect(value(samples, "fleet_unknown_launches", fleet)).toBe(0);
  expect(value(samples, "fleet_usd_per_hour", fleet)).toBe(32);
  expect(value(samples, "usd_per_hour")).toBe(32);
  const balance = value(samples, "balance_usd") ?? 0;
  expect(balance).toBe(288);
  expect(value(samples, "runway_seconds")).toBe((balance / 32) * 3600);
  expect(value(samples, "list_age_seconds")).toBeLessThanOrEqual(15);
  expect(value(samples, "ticks_total", { outcome: "ok" })).toBeGreaterThan(30);
  expect(
    value(samples, "request_duration_seconds_count", { operation: "list", outcome: "ok" }),
  ).toBeGreaterThan(30);
  expect(value(samples, "request_duration_seconds_count", { operation: "launch", outcome: "accepted" })).toBe(
    2,
  );
  expect(value(samples, "build_info", { version: "1.2.3" })).toBe(1);
});

it.each([undefined, "text/plain", "*/*", "text/plain, application/openmetrics-text;q=0.5", "image/png"])(
  "says it in the older text form, with the same names, to whoever accepts %s",
  async (accept) => {
    on = await badDay();
    const response = await on.get("/metrics", accept === undefined ? {} : { accept });
    expect(response.headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8");
    const text = await response.text();
    expect(text).toMatch(/^# TYPE fleetkeeper_losses_total counter$/m);
    expect(text).not.toContain("# EOF");
    const samples = (form: string) => form.split("\n").filter((line) => !/^#|age_seconds|^$/.test(line));
    const open = await on.get("/metrics", OPEN_METRICS);
    expect(samples(text)).toEqual(samples(await open.text()));
  },
);

it("leaves out what nobody knows, rather than say 0", async () => {
  on = await scene();
  const samples = await scrape();
  for (const unknown of ["balance_usd", "balance_age_seconds", "runway_seconds", "list_age_seconds"])
    expect(value(samples, unknown), unknown).toBeUndefined();
});

it("counts a launch whose outcome is not known", async () => {
  on = await scene({ alter: (profile) => profile });
  await on.declare({ training: { gpus: 8, candidates: [NORTH] } });
  on.simulator.control.faults.next("launch", { kind: "errorBefore", status: 500 });
  on.start();
  await on.clock.advance(1.5 * MINUTE);
  const samples = await scrape();
  expect(value(samples, "fleet_unknown_launches", { fleet: "training" })).toBe(1);
  expect(value(samples, "fleet_starting_gpus", { fleet: "training" })).toBe(8);
  expect(value(samples, "request_duration_seconds_count", { operation: "launch", outcome: "unknown" })).toBe(
    1,
  );
});

it("counts losses by kind and code, cooldowns, strangers, and how long a fleet took to recover", async () => {
  on = await badDay();
  const samples = await scrape();
  expect(value(samples, "losses_total", { kind: "interrupted", code: "provider_interrupted" })).toBe(2);
  expect(value(samples, "losses_total", { kind: "failed", code: "UNKNOWN" })).toBe(1);
  expect(value(samples, "cooldowns")).toBe(2);
  expect(value(samples, "cooldown_longest_seconds")).toBeGreaterThan(200);
  expect(value(samples, "unaccounted_machines")).toBe(1);
  expect(value(samples, "unaccounted_usd_per_hour")).toBe(2.5);
  expect(value(samples, "fleet_short_seconds", { fleet: "training" })).toBeGreaterThan(0);
  // The first loss was made good, the second not yet.
  expect(value(samples, "fleet_recovery_seconds_count", { fleet: "training" })).toBe(1);
  const took = value(samples, "fleet_recovery_seconds_sum", { fleet: "training" }) ?? 0;
  expect(took).toBeGreaterThan(0);
  expect(took).toBeLessThan(240);
});

it("keeps names and labels within bounds, whatever the service says", async () => {
  on = await badDay();
  const hostile = 'x"}\n# EOF\nevil_total{a="';
  await on.ledger.decide(on.keeper.account, (draft) => {
    const [row] = [...draft.deployments.values()].filter(({ end }) => end === "interrupted");
    for (let index = 0; index < 200; index++) {
      const more: Partial<DeploymentRow> = { id: `${hostile}${index}`, sequence: 1000 + index };
      deploymentAsFound(draft, { ...(row as DeploymentRow), ...more, stopReason: `code-${index}` });
      deploymentAsFound(draft, {
        ...(row as DeploymentRow),
        ...more,
        id: `b${index}`,
        stopReason: `${hostile}${index}`,
      });
    }
  });
  const samples = await scrape();
  const codes = new Set(
    samples.filter(({ name }) => name.includes("losses")).map(({ labels }) => labels.code),
  );
  expect(codes.size).toBeLessThanOrEqual(24);
  expect(codes).toContain("other");
  const labels = new Set(samples.flatMap((sample) => Object.keys(sample.labels)));
  const ours = ["budget", "code", "fleet", "kind", "le", "operation", "outcome", "period", "version"];
  expect([...labels].sort()).toEqual(ours);
  for (const { name } of samples) expect(name).toMatch(/^fleetkeeper_[a-z_]+$/);
  const fleets = new Set(samples.flatMap(({ labels: { fleet } }) => fleet ?? []));
  expect([...fleets].sort()).toEqual(["notebooks", "training"]);
});

it("gives a code the same label at each scrape, though more codes come", () => {
  const loss = (code: string) => ({ row: {} as DeploymentRow, kind: "failed" as const, code });
  const before = labelsOf([loss("A"), loss("B")]);
  const after = labelsOf([
    loss("A"),
    loss("B"),
    ...Array.from({ length: 99 }, (_, index) => loss(`N${index}`)),
  ]);
  for (const code of ["A", "B", "UNKNOWN", ""]) expect(after(code)).toBe(before(code));
  expect(after("N98")).toBe("other");
});

it("forgets a fleet that is over", async () => {
  on = await scene();
  await on.declare({ first: { gpus: 0, candidates: [NORTH] }, second: { gpus: 0, candidates: [SOUTH] } });
  on.start();
  await on.clock.advance(MINUTE);
  await on.declare({ second: { gpus: 0, candidates: [SOUTH] } });
  await on.clock.advance(MINUTE);
  const fleets = new Set((await scrape()).flatMap(({ labels: { fleet } }) => fleet ?? []));
  expect([...fleets]).toEqual(["second"]);
});

it("says how many running machines are how far with their fleet's setup", async () => {
  on = await scene();
  const setup = { command: ["./join.sh"] };
  await on.declare({ training: { gpus: 24, candidates: [NORTH], setup } });
  on.start();
  await on.clock.advance(10 * MINUTE);
  await on.keeper.ledger.decide(on.keeper.account, (draft) => {
    const [row] = [...draft.deployments.values()];
    const done = { state: "done", since: contextOf(on.keeper).now, tries: 1, failures: 0, said: "" } as const;
    if (row) draft.putDeployment({ ...row, setup: done });
  });
  const samples = await scrape();
  expect(value(samples, "setup", { fleet: "training", state: "done" })).toBe(1);
  expect(value(samples, "setup", { fleet: "training", state: "waiting" })).toBe(2);
  expect(value(samples, "fleet_ready_gpus", { fleet: "training" })).toBe(8);
  const page = await (await on.get("/")).text();
  expect(page.match(/<span class="badge warn">setup waiting<\/span>/g)).toHaveLength(2);
});
