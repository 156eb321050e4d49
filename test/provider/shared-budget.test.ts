import { expect, it } from "vitest";
import { declareBudgets } from "../../agent/fleet/declare/budgets.ts";
import { labelsOf } from "../../launch/facts/labels.ts";
import { readDraft } from "../../ledger/read-draft.ts";
import { type Stage, stage } from "../support/stage.ts";
import { createMachine, deskOn, failure, slotOf } from "./support.ts";

const labels = { team: "vision" };

/** A limit that pays for one machine of the team. */
async function limited(): Promise<Stage> {
  const on = await stage();
  await on.keeper.ledger.decide(on.keeper.account, (draft) =>
    declareBudgets(draft, "file:/f.yaml", [{ label: labels, perDay: "20" }], () => false),
  );
  return on;
}

it("a Deployment is held by the limit that an agent's file says for its label, and its error says so", async () => {
  const on = await limited();
  const first = await on.clock.run(createMachine(deskOn(on), await slotOf(deskOn(on)), { labels }));
  expect(first.machine?.outs.status).toBe("running");
  const second = failure(createMachine(deskOn(on), await slotOf(deskOn(on)), { labels }));
  expect((await on.clock.run(second)).message).toContain(
    "32.00 USD on this day (until midnight UTC) for team=vision would be above its limit of 20.00 a day (budgets)",
  );
  await on.clock.run(createMachine(deskOn(on), await slotOf(deskOn(on)), { labels: { team: "speech" } }));
  expect(on.launches()).toBe(2);
});

it("two of them at once are one launch: the price is read from the offers though they have no limit of their own", async () => {
  const on = await limited();
  const states = [await slotOf(deskOn(on)), await slotOf(deskOn(on))];
  const both = Promise.allSettled(states.map((state) => createMachine(deskOn(on), state, { labels })));
  const ended = await on.clock.run(both);
  expect(ended.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
  expect(on.launches()).toBe(1);
});

it("other labels of a Deployment launch nothing, and what runs stays under the old ones", async () => {
  const on = await limited();
  const desk = deskOn(on);
  const { machine, slot } = await on.clock.run(createMachine(desk, await slotOf(desk), { labels }));
  const { machine: same } = await on.clock.run(
    createMachine(desk, { slot } as never, { labels: { team: "x" } }),
  );
  expect(same?.id).toBe(machine?.id);
  const draft = await readDraft(on.keeper);
  const row = draft.deployments.ever(String(machine?.id));
  expect(row && labelsOf(draft, row)).toEqual(labels);
  expect([...draft.slots.values()][0]?.labels).toEqual({ team: "x" });
});
