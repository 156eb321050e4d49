import { expect, test } from "vitest";
import { FLEET, place, running, until } from "./cli.ts";

/** Two fleets of one machine each: one is the vision team's, the other is nobody's. */
function twoFleets(): string {
  const one = FLEET.replace("gpus: 16", "gpus: 8");
  const fleet = one.slice(one.indexOf("  - name: training"));
  return `${one.trimEnd()}\n    labels: { team: vision, project: x }\n${fleet.replace("training", "rest")}`;
}

test("spend sums up by a label, what has none is a row of its own, and the rows add up to all", async () => {
  const on = await place();
  on.write("fleet.yaml", twoFleets());
  await on.run(["agent", "--once"]);
  await until("both run", () => running(on) === 2);
  const { stdout, stderr } = await on.run(["spend", "--by", "team", "--days", "2"]);
  expect(stderr).toBe("");
  expect(stdout).toMatch(/^ {2}DAY +team vision +no team +all$/m);
  expect(stdout).toMatch(/^ {2}ever +19\.92 +19\.92 +39\.84$/m);
  const json = JSON.parse((await on.run(["spend", "--by", "team", "--json"])).stdout);
  const [{ by, all }] = json.accounts;
  expect(by).toMatchObject({ label: "team", rows: [{ value: "vision" }, { value: null }] });
  const sum = (key: string) =>
    by.rows.reduce((total: number, row: Record<string, string>) => total + Number(row[key]), 0);
  expect([sum("sum"), sum("ever")]).toEqual([Number(all.sum), Number(all.ever)]);
  const status = JSON.parse((await on.run(["status", "--json"])).stdout).accounts[0];
  const labels = { team: "vision", project: "x" };
  expect(status.fleets).toMatchObject([
    { name: "rest", labels: {}, deployments: [{ labels: {} }] },
    { name: "training", labels, deployments: [{ labels }] },
  ]);
});

test("spend --csv writes a month in FOCUS columns, whose costs add up to what spend says of it", async () => {
  const on = await place();
  on.write("fleet.yaml", twoFleets());
  await on.run(["agent", "--once"]);
  await until("both run", () => running(on) === 2);
  const month = new Date().toISOString().slice(0, 7);
  const asked = ["spend", "--month", month];
  const { stdout } = await on.run([...asked, "--by", "team", "--csv"]);
  const [heading = "", ...rows] = stdout.trim().split("\n");
  const names = heading.split(",");
  expect(names).toContain("EffectiveCost");
  expect(names.at(-1)).toBe("x_team");
  const cells = rows.map((row) => [...row.matchAll(/("([^"]|"")*"|[^,]*)(,|$)/g)].map((found) => found[1]));
  const cellsOf = (name: string) => cells.map((row) => row[names.indexOf(name)] ?? "");
  const { accounts } = JSON.parse((await on.run([...asked, "--json"])).stdout);
  const billed = cellsOf("BilledCost").reduce((sum, cost) => sum + Number(cost), 0);
  expect(billed).toBeCloseTo(Number(accounts[0].all.sum), 4);
  expect(cellsOf("Tags")).toContain('"{""project"":""x"",""team"":""vision""}"');
  expect(new Set(cellsOf("x_team"))).toEqual(new Set(["vision", ""]));
  expect(cellsOf("BillingPeriodStart")[0]).toBe(`${month}-01T00:00:00Z`);
});

test("spend of a month before anything was launched is nothing, and a month that is none is refused", async () => {
  const on = await place();
  on.write("fleet.yaml", twoFleets());
  await on.run(["agent", "--once"]);
  await until("both run", () => running(on) === 2);
  const { stdout } = await on.run(["spend", "--month", "2020-02", "--json"]);
  const [{ days, all }] = JSON.parse(stdout).accounts;
  expect([days.length, all.sum, all.ever]).toEqual([29, "0.0000", "39.8400"]);
  for (const month of ["2020-13", "2020", "now"]) {
    const refused = await on.run(["spend", "--month", month]);
    expect([refused.code, refused.stderr]).toEqual([
      2,
      expect.stringContaining("expected a month such as 2026-11"),
    ]);
  }
});
