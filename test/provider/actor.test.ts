import { afterEach, expect, it } from "vitest";
import { eventFacts } from "../../agent/status/newest-events.ts";
import { fleet, machine, slot, wish } from "../../provider/kinds.ts";
import { keptBy } from "../../provider/runtime/kept-by.ts";
import { H100, type Stage, stage } from "../support/stage.ts";
import { COMBINATION, deskOn } from "./support.ts";

/** As either host of Pulumi calls them, where the settings name no agent. */
const [Slot, Machine, Fleet, Wish] = [
  keptBy("slot", slot),
  keptBy("machine", machine),
  keptBy("fleet", fleet),
  keptBy("wish", wish),
];

let on: Stage;
afterEach(() => on.stop());

const by = async (actor: string): Promise<readonly string[]> => {
  const { ledger, account } = on.keeper;
  const events = await eventFacts(ledger, account, { limit: 100, by: actor });
  return events.map(({ kind }) => kind).reverse();
};

it("what a Deployment decides on the stack's own key is the stack's; what lists show is nobody's", async () => {
  on = await stage();
  const [desk, label] = [deskOn(on), "project/dev/jobs/web"];
  const half = await on.clock.run(Slot.create(desk, { label, ...COMBINATION }));
  const inputs = { label, ...COMBINATION, slot: half.id, ledger: half.outs.ledger };
  const made = await on.clock.run(Machine.create(desk, inputs));
  expect(on.alive()).toHaveLength(1);
  await on.clock.run(Machine.delete(desk, made.id, made.outs));
  await on.clock.run(Slot.delete(desk, half.id, half.outs));
  expect(on.alive()).toEqual([]);
  expect(await by("stack:project/dev")).toEqual(["launch", "stop"]);
  const others = (await on.keeper.ledger.events(on.keeper.account, 100)).filter(({ actor }) => !actor);
  expect(others.map(({ kind }) => kind).reverse()).toEqual(["claimed", "running", "stopped"]);
});

it("a Fleet that pulumi up brings about is the stack's in its launches and its end, too", async () => {
  on = await stage();
  const [desk, label] = [deskOn(on), "project/dev/training"];
  const half = await on.clock.run(Fleet.create(desk, { label, name: "training" }));
  const inputs = {
    ...half.outs,
    ...{ source: `stack:${half.id}`, gpus: H100.gpus, reconcile: "inline" },
    candidates: [{ ...COMBINATION, gpus: H100.gpus, pricePerHour: H100.pricePerHour }],
  };
  const made = await on.clock.run(Wish.create(desk, inputs));
  await on.clock.run(Wish.delete(desk, made.id, made.outs));
  await on.clock.run(Fleet.delete(desk, half.id, half.outs));
  expect(on.alive()).toEqual([]);
  expect(await by("stack:project/dev")).toEqual(["declared", "launch", "drained", "stop"]);
});
