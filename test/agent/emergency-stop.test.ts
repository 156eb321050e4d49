import { expect, it } from "vitest";
import { emergencyStop, orderEmergencyStop } from "../../agent/status/emergency-stop.ts";
import { contextOf } from "../../launch/keeper.ts";
import { enterSlot, SLOT_RULES } from "../../launch/people/slot.ts";
import { launch, takeList } from "../../launch/protocol.ts";
import { slotOwner } from "../../ledger/owner.ts";
import type { Stage } from "../support/stage.ts";
import { H100 } from "../support/stage.ts";
import { candidate, draftOf, MINUTE, onStage } from "./on-stage.ts";

const FLEET = { gpus: 16, candidates: [candidate(H100)] as [ReturnType<typeof candidate>] };
const never = new AbortController().signal;

async function orderTheEnd({ keeper }: Stage): Promise<void> {
  await keeper.ledger.decide(keeper.account, (draft) => orderEmergencyStop(draft, contextOf(keeper)));
}

async function launchIntoSlot({ clock, keeper }: Stage): Promise<void> {
  await clock.run(takeList(keeper, never));
  await keeper.ledger.decide(keeper.account, (draft) => enterSlot(draft, "s1", "web", contextOf(keeper)));
  const { offer, provider, location, gpus, pricePerHour } = H100;
  await clock.run(
    launch(keeper, {
      owner: slotOwner("s1"),
      offer,
      provider,
      location,
      gpus,
      pricePerHour,
      parameters: {},
      limits: {},
      rules: SLOT_RULES,
    }),
  );
}

it("an agent that goes on running stops all of it, and launches nothing again", async () => {
  const on = await onStage();
  await on.declare({ training: FLEET, notebooks: { ...FLEET, gpus: 8 } });
  on.start();
  await on.clock.advance(20 * MINUTE);
  expect(on.alive()).toHaveLength(3);
  const launches = on.launches();
  await orderTheEnd(on);
  await on.clock.advance(60 * MINUTE);
  expect(on.alive()).toEqual([]);
  expect(on.launches()).toBe(launches);
});

it("a launch that was on its way is stopped when it shows up", async () => {
  const on = await onStage();
  on.simulator.control.faults.next("launch", { kind: "commitLate", seconds: 90 });
  await on.declare({ training: { ...FLEET, gpus: 8 } });
  on.start();
  await on.clock.advance(60_000);
  expect({ launches: on.launches(), alive: on.alive() }).toEqual({ launches: 1, alive: [] });
  await orderTheEnd(on);
  await on.clock.advance(60 * MINUTE);
  expect(on.simulator.truth().machines).toMatchObject([{ endedAt: expect.any(Number) }]);
  expect(on.launches()).toBe(1);
});

it("what is in a slot is stopped, and nothing is launched into it again", async () => {
  const on = await onStage();
  await launchIntoSlot(on);
  expect(on.alive()).toHaveLength(1);
  await orderTheEnd(on);
  on.start();
  await on.clock.advance(10 * MINUTE);
  expect(on.alive()).toEqual([]);
  await launchIntoSlot(on);
  expect(on.launches()).toBe(1);
});

it("nothing is launched by a pulumi up that was about to", async () => {
  const on = await onStage();
  await on.keeper.ledger.decide(on.keeper.account, (draft) =>
    enterSlot(draft, "s1", "web", contextOf(on.keeper)),
  );
  await orderTheEnd(on);
  await launchIntoSlot(on);
  expect(on.launches()).toBe(0);
});

it("a launch into a slot that was on its way is stopped when it shows up", async () => {
  const on = await onStage();
  on.simulator.control.faults.next("launch", { kind: "commitLate", seconds: 90 });
  on.start();
  await launchIntoSlot(on);
  await orderTheEnd(on);
  await on.clock.advance(60 * MINUTE);
  expect(on.simulator.truth().machines).toMatchObject([{ endedAt: expect.any(Number) }]);
});

it("what may be a stranger's is not stopped, and stands among the doubtful", async () => {
  const on = await onStage({ dialect: "nested", account: "shared" });
  await on.declare({ training: { ...FLEET, gpus: 8 } });
  on.simulator.control.faults.next("launch", { kind: "dropAfter" });
  on.start();
  await on.clock.advance(20 * MINUTE);
  const stranger = on.simulator.control.launchByHand(H100);
  await on.clock.advance(5 * MINUTE);
  const [seeming] = on.alive().filter(({ id }) => id !== stranger);
  await orderTheEnd(on);
  await on.clock.advance(20 * MINUTE);
  expect(on.alive()).toHaveLength(2);
  expect(on.simulator.truth().requests.stop).toBe(0);
  const { doubtful, machines } = emergencyStop(await draftOf(on), contextOf(on.keeper));
  expect(machines).toEqual([]);
  expect(doubtful.map(({ id, claim }) => ({ id, claim }))).toEqual([
    { id: seeming?.id, claim: "inferred" },
    { id: stranger, claim: null },
  ]);
});

it("ordered twice, it changes nothing", async () => {
  const on = await onStage();
  await on.declare({ training: FLEET });
  on.start();
  await on.clock.advance(10 * MINUTE);
  await orderTheEnd(on);
  const draft = await draftOf(on);
  orderEmergencyStop(draft, contextOf(on.keeper));
  expect(draft.changes).toEqual([]);
  expect(emergencyStop(draft, contextOf(on.keeper)).machines).toHaveLength(2);
});
