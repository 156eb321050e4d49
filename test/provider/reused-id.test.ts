import { expect, it } from "vitest";
import { contextOf, disown, takeList } from "../../launch/index.ts";
import { machine } from "../../provider/kinds.ts";
import { H100_SINGLE, type Stage, stage } from "../support/stage.ts";
import {
  createMachine,
  deskOn,
  destroy,
  failure,
  machineInputsOf,
  never,
  type State,
  slotOf,
} from "./support.ts";

const { offer, provider, location } = H100_SINGLE;

/** A deployment that a state knows as certainly its own; then its id shows what somebody else launched. */
async function reused(on: Stage, endsBefore: boolean): Promise<State & { readonly id: string }> {
  const state = await on.clock.run(createMachine(deskOn(on), await slotOf(deskOn(on))));
  const { id, outs } = state.machine!;
  expect(outs.claim).toBe("certain");
  if (endsBefore) {
    on.simulator.control.interrupt(id, { now: true });
    await on.clock.run(takeList(on.keeper, never()));
  }
  await on.clock.advance(30_000);
  on.simulator.control.giveAnew(id, { offer, provider, location });
  await on.clock.run(takeList(on.keeper, never()));
  return { ...state, id };
}

it.each(["shared", "exclusive"] as const)(
  "an id that ended and is given anew is replaced, and not ended by a destroy, on an account that is %s",
  async (account) => {
    const on = await stage({ account });
    const state = await reused(on, true);
    const inputs = machineInputsOf(state);
    expect(
      await on.clock.run(machine.diff!(deskOn(on), state.id, state.machine!.outs, inputs)),
    ).toMatchObject({
      replaces: ["deploymentId"],
    });
    await on.clock.run(destroy(deskOn(on), state));
    expect(on.alive().map(({ id }) => id)).toEqual([state.id]);
  },
);

it("a living one that is given anew is not ended by a destroy where others launch", async () => {
  const on = await stage({ account: "shared" });
  const state = await reused(on, false);
  const refused = await on.clock.run(failure(destroy(deskOn(on), state)));
  expect(refused.message).toContain("shows another offer and size than what was launched here");
  const { ledger, account } = on.keeper;
  await ledger.decide(account, (draft) => disown(draft, state.id, contextOf(on.keeper)));
  await on.clock.run(destroy(deskOn(on), state));
  expect(on.alive().map(({ id }) => id)).toEqual([state.id]);
});
