import { expect, it } from "vitest";
import { isOverdue } from "../../agent/planning/readiness.ts";
import { LaunchBench } from "./bench.ts";

it("lets a machine that is not ready any more be overdue after a reboot that set the clock back", () => {
  const on = new LaunchBench();
  on.machine("m1");
  on.decide((draft, { now }) =>
    draft.putDeployment({ ...on.row("m1"), ready: { ok: false, ever: true, since: now, why: "refused" } }),
  );
  on.reboot(-365 * 24 * 3_600_000);
  on.list();
  on.advance(11 * 60_000);
  const ready = { address: "host", tcp: 22, within: "10m", replace: false };
  expect(isOverdue(on.row("m1"), ready, on.context)).toBe(true);
});
