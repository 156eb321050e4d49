import { describe, expect, it } from "vitest";
import { alerts } from "./queries.ts";
import { describeWith, read, run } from "./tool.ts";

const headings = read("docs/tasks/runbook.md")
  .split("\n")
  .flatMap((line) => /^## (Fleetkeeper\w+)$/.exec(line)?.[1] ?? []);

describe.each(alerts())("$alert", ({ alert, annotations, labels }) => {
  it("says what is wrong, how bad it is, and where it stands what to do", () => {
    expect(["info", "warning", "critical"]).toContain(labels.severity);
    expect(annotations.summary).toMatch(/^[A-Z].*\.$/);
    expect(annotations.description).toMatch(/^[A-Z{].*\.$/);
    expect(annotations.runbook_url).toBe(`docs/tasks/runbook.md#${alert.toLowerCase()}`);
    expect(headings).toContain(alert);
  });
});

it("the runbook has no alert that there is not", () => {
  expect(headings.sort()).toEqual(
    alerts()
      .map(({ alert }) => alert)
      .sort(),
  );
});

describeWith("promtool", "Prometheus", () => {
  it("takes the rules", () => {
    expect(run("promtool", ["check", "rules", "deploy/prometheus/alerts.yml"])).toMatchObject({ code: 0 });
  });

  it("raises each alert when it should, and not before, by the series in test/deploy/alerts.yml", () => {
    expect(run("promtool", ["test", "rules", "test/deploy/alerts.yml"])).toMatchObject({ code: 0 });
    const tested = new Set(read("test/deploy/alerts.yml").match(/Fleetkeeper\w+/g));
    expect([...tested].sort()).toEqual(
      alerts()
        .map(({ alert }) => alert)
        .sort(),
    );
  });
});
