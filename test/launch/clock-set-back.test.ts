import { expect, it } from "vitest";
import { isOverdue } from "../../agent/planning/machines/readiness.ts";
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
  expect(isOverdue(on.row("m1"), { ready, setup: undefined }, on.context)).toBe(true);
});

it("moves a moment that another computer put into the future meanwhile", () => {
  const on = new LaunchBench();
  on.machine("m1");
  on.list();
  const later = { boot: "another", mono: 1, wall: on.now.wall + 3_600_000 };
  on.decide((draft) => draft.putDeployment({ ...on.row("m1"), statusSince: later }));
  on.list();
  expect(on.row("m1").statusSince).toEqual(on.now);
});
