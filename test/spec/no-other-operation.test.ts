import { expect, test } from "vitest";
import { declareFleets } from "../../agent/fleet/declare/declare-fleets.ts";
import { wishSchema } from "../../agent/fleet/wish/wish.ts";
import { tick } from "../../agent/reconcile/tick.ts";
import { takeBalance } from "../../launch/keeper.ts";
import { slot } from "../../provider/kinds.ts";
import type { Simulator } from "../../simulator/index.ts";
import { createMachine, deskOn, never, slotOf } from "../provider/support.ts";
import { keeperOn, stage } from "../support/stage.ts";

/** The specification's operations, and the profile's stop. None of them adds credits, signs in or subscribes. */
const OPERATIONS = [
  "GET /api/v1/account",
  "GET /api/v1/account/balance",
  "GET /api/v1/deployments",
  "GET /api/v1/deployments/{id}",
  "GET /api/v1/offers",
  "POST /api/v1/deployments",
  "POST /api/v1/deployments/{id}/stop",
];

test("an agent and a provider on a bad day send the specification's operations and the profile's stop only", async () => {
  const made = await stage({ balance: "60.0000" });
  const sent = new Set<string>();
  const simulator: Simulator = {
    ...made.simulator,
    transport: (request, signal) => {
      const path = new URL(request.url).pathname.replace(/[0-9a-f-]{36}/, "{id}");
      sent.add(`${request.method} ${path}`);
      return made.simulator.transport(request, signal);
    },
  };
  const keeper = await keeperOn(simulator, made.clock, "plain", "exclusive");
  const on = { ...made, keeper };
  const { control } = made.simulator;
  const desk = deskOn(on);
  const state = await slotOf(desk);
  control.faults.next("launch", { kind: "dropAfter" });
  const { machine } = await on.clock.run(createMachine(desk, state));
  await on.clock.run(slot.delete(desk, state.slot.id, state.slot.outs));
  control.forget(machine?.id ?? "");

  const declared = async (gpus: number): Promise<void> => {
    const wish = wishSchema.parse({ gpus, select: { gpuModel: "H100" }, budget: { floor: "1" } });
    await declareFleets(keeper, "file:x", () => [{ name: "web", source: "file:x", wish }]);
  };
  await declared(24);
  control.failNext({}, {});
  for (let round = 0; round < 40; round++) {
    if (round === 20) control.loseMachinesIn({}, { now: true });
    if (round === 30) await declared(8);
    await on.clock.run(tick(keeper, never()));
    await on.clock.advance(15_000);
  }
  await on.clock.run(takeBalance(keeper, never()));
  expect([...sent].sort()).toEqual(OPERATIONS);
});
