import { expect, it } from "vitest";
import { declarePolicies } from "../../agent/fleet/declare/policies.ts";
import type { Properties } from "../../provider/kinds.ts";
import { fleet, machine, wish } from "../../provider/kinds.ts";
import { UNKNOWN } from "../../provider/runtime/inputs/unknown.ts";
import { H100, stage } from "../support/stage.ts";
import { COMBINATION, type Desk, deskOn } from "./support.ts";

const candidates = [{ ...COMBINATION, gpus: H100.gpus, pricePerHour: H100.pricePerHour }];
const until = "2030-01-02T00:00:00Z";

function previewed(desk: Desk, name: string, args: Properties): Promise<unknown> {
  const inputs = { label: `project/dev/${name}`, name, source: UNKNOWN, ledger: UNKNOWN, candidates };
  return wish.check(desk, { ...inputs, reconcile: "inline", ...args }, {});
}

it("a preview says what each costs, what all of the stack adds up to, and the most of both", async () => {
  const on = await stage();
  const desk = deskOn(on);
  const kept = await fleet.create(desk, { label: "project/dev/kept", name: "kept" });
  const inputs = { ...kept.outs, candidates, gpus: 8, budget: { total: "100" }, reconcile: "inline" };
  await on.clock.run(wish.create(desk, { ...inputs, source: `stack:${kept.id}` }));
  const other = await fleet.create(desk, { label: "project/prod/other", name: "other" });
  await on.clock.run(
    wish.create(desk, {
      ...other.outs,
      candidates,
      gpus: 0,
      reconcile: "inline",
      source: `stack:${other.id}`,
    }),
  );

  const preview = deskOn(on);
  await on.clock.run(
    previewed(preview, "training", { gpus: 16, budget: { perGpuHour: "2.50", total: "300" } }),
  );
  expect(preview.lines).toContain(
    "training: costs 32.00 USD an hour for 16 GPUs, 768.00 a day, 23040.00 in 30 days",
  );
  expect(preview.lines).toContainEqual(
    expect.stringMatching(
      /^training: at most 40\.00 USD an hour \(16 GPUs at budget\.perGpuHour\), 300\.00 USD in all \(budget\.total\)\. On top: 20\.00 for each hour of a machine that shows after its launch was given up, 40\.00 for each hour in which nothing can be stopped$/,
    ),
  );
  expect(preview.lines.at(-2)).toMatch(
    /^stack project\/dev: 2 resources cost 48\.00 USD an hour for 24 GPUs, 1152\.00 a day, 34560\.00 in 30 days; at most 400\.00 USD in all \(by their limits\)/,
  );

  const slot = { label: "project/dev/web", slot: "s-1", ledger: UNKNOWN, ...COMBINATION };
  await on.clock.run(machine.check(preview, { ...slot, budget: { perHour: "16" }, until }, {}));
  const said = preview.lines.filter((line) => line.startsWith("web: ")).join("\n");
  expect(said).toContain("web: costs 16.00 USD an hour for 8 GPUs, ");
  expect(said).toMatch(
    /web: at most 16\.00 USD an hour \(budget\.perHour\), [\d.]+ USD from now until 2030-01-02T00:00:00Z\. On top: /,
  );
  expect(preview.lines.at(-1)).toMatch(
    /^stack project\/dev: 3 resources cost 64\.00 USD an hour for 32 GPUs, .* USD in all \(until each ends\)/,
  );
});

it("an unknown price is not counted as 0, neither of one nor of the stack", async () => {
  const on = await stage();
  const desk = deskOn(on);
  const unpriced = [{ ...COMBINATION, offer: "nobody-lists-it", gpus: 8 }];
  await on.clock.run(previewed(desk, "one", { gpus: 8, budget: { total: "100" } }));
  await on.clock.run(previewed(desk, "two", { gpus: 8, candidates: unpriced, awaitReady: false }));
  expect(desk.lines).toContain("two: costs not known: 1 of its machines has no known price");
  expect(desk.lines.at(-1)).toMatch(
    /^stack project\/dev: 2 resources cost not known: 1 of its machines has no known price; no bound on the cost: /,
  );
});

it("a policy of the agent's file refuses in the preview and in an up, and nothing is rented", async () => {
  const on = await stage();
  const desk = deskOn(on);
  const { keeper } = on;
  await keeper.ledger.decide(keeper.account, (draft) =>
    declarePolicies(draft, "file:fleet.yaml", [{ rule: "end" }], () => false),
  );
  const refusal =
    "fleet one: until: expected an end, and nothing ends it: set until, or budget.total (policy end). The policy stands in file:fleet.yaml.";
  expect(await on.clock.run(previewed(desk, "one", { gpus: 8 }))).toMatchObject({
    failures: [{ reason: refusal }],
  });
  expect(await on.clock.run(previewed(desk, "one", { gpus: 8, until }))).toMatchObject({ failures: [] });
  const { id, outs } = await fleet.create(desk, { label: "project/dev/one", name: "one" });
  const inputs = { ...outs, candidates, gpus: 8, reconcile: "inline", source: `stack:${id}` };
  await expect(on.clock.run(wish.create(desk, inputs))).rejects.toThrow(refusal);
  expect(on.simulator.truth().launches).toEqual([]);
});
