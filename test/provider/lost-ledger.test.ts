import { describe, expect, it } from "vitest";
import { adopt, contextOf, enterSlot, takeList } from "../../launch/index.ts";
import { slotOwner } from "../../ledger/index.ts";
import { machine, slot } from "../../provider/kinds.ts";
import { H100_SOUTH, type Stage, stage } from "../support/stage.ts";
import {
  createMachine,
  deskOn,
  destroy,
  elsewhere,
  failure,
  killedAfter,
  machineInputsOf,
  never,
  type State,
  slotOf,
} from "./support.ts";

/** A machine that the state says is certainly ours, and a new ledger that knows nothing of it. */
async function lost(alter?: (profile: string) => string) {
  const on = await stage();
  const desk = deskOn(on);
  const state = await on.clock.run(createMachine(desk, await slotOf(desk)));
  const { id, outs } = state.machine!;
  return { on, other: await elsewhere(on, "exclusive", alter), state, id, outs };
}

const withoutGet = (profile: string): string => profile.replace(/ {2}get:\n {4}item: ""\n/, "");

const knows = async ({ keeper }: Stage, slot: string): Promise<boolean> =>
  (await keeper.ledger.accountOfSlot(slot)) !== undefined;

/** The lists leave it out for this long. */
function hideFor(on: Stage, id: string, ms: number): void {
  on.simulator.control.hide(id);
  void on.clock.sleep(ms, new AbortController().signal).then(() => on.simulator.control.hide(id, false));
}

describe("a machine in the state that a new ledger does not know, and that lists lack", () => {
  it("is stopped by a destroy: a GET by its id still shows it", async () => {
    const { on, other, state, id } = await lost();
    on.simulator.control.hide(id);
    await on.clock.run(destroy(deskOn(other), state));
    expect(on.alive()).toEqual([]);
  });

  it("is stopped by a destroy where the profile has no GET, once a list shows it", async () => {
    const { on, other, state, id } = await lost(withoutGet);
    expect(other.keeper.service.abilities.get).toBe(false);
    hideFor(on, id, 20_000);
    const desk = deskOn(other);
    await on.clock.run(destroy(desk, state));
    expect(on.alive()).toEqual([]);
    expect(desk.lines[0]).toContain(`${id} is not shown by the service just now`);
  });

  it("keeps its slot out of the ledger while it is looked for: a destroy that is killed is no success", async () => {
    const { on, other, state, id } = await lost();
    on.simulator.control.forget(id);
    expect((await killedAfter(30_000, other, (desk) => destroy(desk, state))).message).toBe("killed");
    expect(await knows(other, state.slot.id)).toBe(false);
    on.simulator.control.forget(id, false);
    await on.clock.run(destroy(deskOn(other), state));
    expect(on.alive()).toEqual([]);
  });

  it("can be deleted once lists a minute apart lack it, and so does its id", async () => {
    const { on, other, state, id } = await lost();
    on.simulator.control.stopByHand(id);
    on.simulator.control.forget(id);
    const began = on.clock.now();
    await on.clock.run(destroy(deskOn(other), state));
    expect(on.clock.now() - began).toBeGreaterThanOrEqual(60_000);
  });

  it("is taken over by an up that finds it by its id, or is an error that says how to go on", async () => {
    const { on, other, state, id, outs } = await lost();
    const news = machineInputsOf(state, { pricePerHour: "16" });
    const update = () => machine.update(deskOn(other), id, outs, news);
    on.simulator.control.forget(id);
    expect((await on.clock.run(failure(update()))).message).toContain(
      `${id} is gone: the service does not show it any more. Run pulumi refresh`,
    );
    expect(await knows(other, state.slot.id)).toBe(false);
    expect(await on.clock.run(machine.read(deskOn(other), id, outs))).toBeUndefined();
    on.simulator.control.forget(id, false);
    on.simulator.control.hide(id);
    await on.clock.run(update());
    const { deployments } = await other.keeper.ledger.read(other.keeper.account);
    expect(deployments).toMatchObject([{ id, claim: "certain", owner: `slot:${state.slot.id}` }]);
  });
});

describe("a slot whose ledger was lost before the state had its machine", () => {
  /** Its machine runs, beside one that does not fit. */
  async function half(account: "exclusive" | "shared" = "exclusive") {
    const on = await stage({ account });
    const desk = deskOn(on);
    const state = await slotOf(desk);
    const { machine: made } = await on.clock.run(createMachine(desk, state));
    const stranger = on.simulator.control.launchByHand(H100_SOUTH);
    return { on, other: await elsewhere(on, account), state, id: made!.id, stranger };
  }

  /** `fleetkeeper adopt ID --deployment SLOT`, of a slot that the ledger does not know. */
  async function adoptInto({ keeper }: Stage, id: string, { slot: { id: place } }: State): Promise<void> {
    await takeList(keeper, never());
    await keeper.ledger.decide(keeper.account, (draft) => {
      enterSlot(draft, place, place, contextOf(keeper));
      adopt(draft, id, slotOwner(place), contextOf(keeper));
    });
  }

  it.each(["exclusive", "shared"] as const)(
    "names what fits and the two ways on, in up and in destroy (%s)",
    async (account) => {
      const { on, other, state, id, stranger } = await half(account);
      const { slot: place } = state;
      for (const command of [
        () => createMachine(deskOn(other), state),
        () => slot.delete(deskOn(other), place.id, place.outs),
      ]) {
        const { message } = await on.clock.run(failure(command()));
        expect(message).toContain(
          `${id} (running, 16.00 USD an hour) fits, and nobody here answers for it. If it is this deployment's: ` +
            `fleetkeeper adopt ${id} --deployment ${place.id}, and run this again. If not: fleetkeeper disown slot:${place.id}.`,
        );
        expect(message).not.toContain(stranger);
      }
      expect(on.launches()).toBe(1);
    },
  );

  it("goes on with the machine that is adopted by the slot's id, which has its name from then on", async () => {
    const { on, other, state, id } = await half();
    await adoptInto(other, id, state);
    const next = await on.clock.run(createMachine(deskOn(other), state));
    expect(next.machine?.id).toBe(id);
    const { slots } = await other.keeper.ledger.read(other.keeper.account);
    expect(slots).toMatchObject([{ id: state.slot.id, name: "project/dev/web" }]);
    await on.clock.run(destroy(deskOn(other), next));
    expect(on.alive()).toHaveLength(1);
    expect(on.launches()).toBe(1);
  });

  it("says that nothing fits, and that no list can be had", async () => {
    const { on, other, state, id } = await half();
    on.simulator.control.stopByHand(id);
    await on.clock.advance(300_000);
    const create = () => on.clock.run(failure(createMachine(deskOn(other), state)));
    expect((await create()).message).toContain(
      "this account's newest list shows no machine that fits and that nobody here answers for; look in the service's dashboard",
    );
    on.simulator.control.faults.next("deployments", { kind: "errorBefore", status: 500 }, { times: 20 });
    expect((await create()).message).toContain("cannot be listed just now");
  });
});
