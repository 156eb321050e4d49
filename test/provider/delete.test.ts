import { describe, expect, it } from "vitest";
import { adopt, contextOf, disown, enterSlot } from "../../launch/index.ts";
import { machine, slot } from "../../provider/kinds.ts";
import { type Stage, stage } from "../support/stage.ts";
import {
  COMBINATION,
  createMachine,
  deskOn,
  destroy,
  elsewhere,
  failure,
  killedAfter,
  machineInputsOf,
  type State,
  slotOf,
} from "./support.ts";

async function running(on: Stage): Promise<State> {
  const desk = deskOn(on);
  const parameters = { image: "ubuntu" };
  return on.clock.run(createMachine(desk, await slotOf(desk), { parameters }));
}

describe("the delete of a deployment", () => {
  it("is done when the service shows the end", async () => {
    const on = await stage();
    const state = await running(on);
    await on.clock.run(destroy(deskOn(on), state));
    expect(on.simulator.truth().machines[0]?.states.at(-1)?.state).toBe("stopped");
  });

  it("by a copy of the stack's state says whose machine it stops", async () => {
    const on = await stage();
    const { slot: mine } = await running(on);
    const desk = deskOn(on);
    const copy = { ...mine.outs, label: "project/copy/web" };
    await on.clock.run(slot.delete(desk, mine.id, copy));
    expect(desk.lines.join("\n")).toContain(
      `web: stopping ${on.simulator.truth().machines[0]?.id} of project/dev/web`,
    );
  });

  it("succeeds where the machine has ended already", async () => {
    const on = await stage();
    const state = await running(on);
    on.simulator.control.stopByHand(state.machine?.id ?? "");
    await on.clock.advance(60_000);
    await on.clock.run(destroy(deskOn(on), state));
    expect(on.alive()).toEqual([]);
  });

  it("of the machine alone stops nothing: its slot's create may already have returned it", async () => {
    const on = await stage();
    const state = await running(on);
    await on.clock.run(machine.delete(deskOn(on), state.machine?.id ?? "", state.machine?.outs ?? {}));
    expect(on.alive()).toHaveLength(1);
  });

  it("stops a machine that the state forgot, because its create was killed", async () => {
    const on = await stage();
    const state = await slotOf(deskOn(on));
    await killedAfter(5_000, on, (desk) => createMachine(desk, state));
    expect(on.alive()).toHaveLength(1);
    await on.clock.run(destroy(deskOn(on), state));
    expect(on.alive()).toEqual([]);
  });

  it("looks for a launch whose answer was lost, and stops what it made", async () => {
    const on = await stage();
    const state = await slotOf(deskOn(on));
    on.simulator.control.faults.next("launch", { kind: "commitLate", seconds: 60 });
    await killedAfter(5_000, on, (desk) => createMachine(desk, state));
    expect(on.alive()).toEqual([]);
    await on.clock.run(destroy(deskOn(on), state));
    expect(on.simulator.truth().machines.map(({ endedAt }) => endedAt !== null)).toEqual([true]);
  });

  it("stops what the host of a killed engine launched while the delete was on its way", async () => {
    const on = await stage();
    const state = await slotOf(deskOn(on));
    const desk = deskOn(on);
    let made: Promise<State> | undefined;
    const session = async () => {
      made ??= createMachine(deskOn(on), state);
      await made;
      return desk.session();
    };
    await on.clock.run(destroy({ ...desk, session }, state));
    expect(on.launches()).toBe(1);
    expect(on.alive()).toEqual([]);
  });

  it("closes the slot: a create that is still under way somewhere launches nothing any more", async () => {
    const on = await stage();
    const state = await slotOf(deskOn(on));
    await on.clock.run(destroy(deskOn(on), state));
    const error = await on.clock.run(failure(createMachine(deskOn(on), state)));
    expect(error.message).toContain(`the deletion of slot ${state.slot.id} has begun`);
    expect(on.launches()).toBe(0);
  });

  it("is not over before a list came: it may show a machine that came late", async () => {
    const on = await stage();
    const { faults } = on.simulator.control;
    faults.next("launch", { kind: "commitLate", seconds: 400 });
    faults.next("launch", { kind: "refuse" }, { times: 5 });
    const state = await slotOf(deskOn(on));
    await on.clock.run(failure(createMachine(deskOn(on), state)));
    await on.clock.advance(400_000);
    expect(on.alive()).toHaveLength(1);
    faults.next("deployments", { kind: "errorBefore", status: 500 }, { times: 4 });
    await on.clock.run(destroy(deskOn(on), state));
    expect(on.alive()).toEqual([]);
  });

  it("stops its machine also while no list can be had, and is over when one says so", async () => {
    const on = await stage();
    const state = await running(on);
    on.simulator.control.faults.chance("deployments", [
      { fault: { kind: "errorBefore", status: 500 }, probability: 1 },
    ]);
    let isOver = false;
    const deletion = on.clock.run(destroy(deskOn(on), state)).then(() => {
      isOver = true;
    });
    await on.clock.advance(5 * 60_000);
    expect(on.alive()).toEqual([]);
    expect(isOver).toBe(false);
    on.simulator.control.faults.clear();
    await deletion;
  });

  it("is not over while the list is not believed", async () => {
    const on = await stage();
    const { faults } = on.simulator.control;
    for (const label of ["project/dev/one", "project/dev/two"])
      await on.clock.run(createMachine(deskOn(on), await slotOf(deskOn(on), { label })));
    const others = on.alive().map(({ id }) => id);
    faults.next("launch", { kind: "commitLate", seconds: 400 });
    faults.next("launch", { kind: "refuse" }, { times: 5 });
    const state = await slotOf(deskOn(on));
    await on.clock.run(failure(createMachine(deskOn(on), state)));
    await on.clock.advance(400_000);
    for (const id of others) on.simulator.control.hide(id);
    const destroyed = destroy(deskOn(on), state);
    await on.clock.advance(1_000);
    for (const id of others) on.simulator.control.hide(id, false);
    await on.clock.run(destroyed);
    expect(on.alive().map(({ id }) => id)).toEqual(others);
  });

  it("says how far it is when its time is up, and the next one ends it", async () => {
    const on = await stage({ settings: { stoppingSeconds: [3600, 3600] } });
    const state = await running(on);
    const late = {
      ...state,
      slot: { ...state.slot, outs: { ...state.slot.outs, timeouts: { delete: "10m" } } },
    };
    const error = await on.clock.run(failure(destroy(deskOn(on), late)));
    expect(error.message).toMatch(/is stopping after 600 s \(timeouts\)/);
    await on.clock.advance(3_600_000);
    await on.clock.run(destroy(deskOn(on), late));
    expect(on.alive()).toEqual([]);
  });
});

describe("a delete whose stop does nothing", () => {
  async function ignored(timeout: string) {
    const on = await stage();
    const state = await running(on);
    on.simulator.control.faults.chance("stop", [{ fault: { kind: "ignore" }, probability: 1 }]);
    const slot = { ...state.slot, outs: { ...state.slot.outs, timeouts: { delete: timeout } } };
    const desk = deskOn(on);
    const error = await on.clock.run(failure(destroy(desk, { ...state, slot })));
    return { on, state, id: state.machine?.id ?? "", desk, message: error.message };
  }

  it("says from the second call on what was sent and answered, and when its time is up what to do", async () => {
    const { id, desk, message } = await ignored("10m");
    const called = `POST /api/v1/deployments/${id}/stop was sent`;
    expect(desk.lines).toEqual([
      // Whose it is: a copy of the stack's state would stop it, too.
      `web: stopping ${id} of project/dev/web, which is running`,
      ...[2, 3, 4, 5, 6].map(
        (times) => `web: ${id} is still running: ${called} ${times} times; last, the service answered 200`,
      ),
    ]);
    expect(message).toContain(
      `after 600 s (timeouts): ${id} still costs money. Check stop in the profile (method, path, gone). Stop it in the service's dashboard`,
    );
  });

  it("says after 15 minutes that it has no effect, and ends once the machine is stopped by hand", async () => {
    const { on, state, id, desk } = await ignored("16m");
    expect(desk.lines.at(-1)).toMatch(
      /was told to stop, is still running, and costs 16\.00 USD an hour: .* Check stop in/,
    );
    on.simulator.control.stopByHand(id);
    await on.clock.run(destroy(desk, state));
    expect(on.alive()).toEqual([]);
  });
});

describe("an up after a destroy that was interrupted", () => {
  it("ends the deletion before it makes the slot anew, so that two machines are never paid for", async () => {
    const on = await stage();
    const state = await running(on);
    await killedAfter(1_000, on, (desk) => destroy(desk, state));
    const up = deskOn(on);
    const { id, outs } = state.slot;
    expect(await slot.diff(up, id, outs, outs)).toEqual({
      changes: true,
      replaces: ["label"],
      deleteBeforeReplace: true,
    });
    expect(up.lines).toEqual([
      "web: its deletion was begun and not finished: that is done first, then it is made anew",
    ]);
    // What an engine does then: the child first, which the slot's new id replaces too.
    await on.clock.run(destroy(up, state));
    expect(on.alive()).toEqual([]);
    const made = await on.clock.run(createMachine(up, await slotOf(up)));
    expect(on.alive()).toMatchObject([{ id: made.machine?.id, state: "running" }]);
  });
});

describe("the delete of what may be a stranger's, on a shared account", () => {
  async function inferred(): Promise<{ on: Stage; state: State }> {
    // This wire shows no marker: a lost answer can only be inferred.
    const on = await stage({ dialect: "nested", account: "shared" });
    await running(on);
    on.simulator.control.faults.next("launch", { kind: "dropAfter" });
    const state = await running(on);
    expect(state.machine?.outs.claim).toBe("inferred");
    return { on, state };
  }

  it("is an error that names adopt and disown, and stops nothing", async () => {
    const { on, state } = await inferred();
    const error = await on.clock.run(failure(destroy(deskOn(on), state)));
    expect(error.message).toContain(`fleetkeeper adopt ${state.machine?.id} --deployment ${state.slot.id}`);
    expect(error.message).toContain(`fleetkeeper disown ${state.machine?.id}`);
    expect(on.alive()).toHaveLength(2);
  });

  it("goes on when it was adopted, and stops it", async () => {
    const { on, state } = await inferred();
    await on.clock.run(failure(destroy(deskOn(on), state)));
    const { ledger, account } = on.keeper;
    await ledger.decide(account, (draft) =>
      adopt(draft, state.machine?.id ?? "", `slot:${state.slot.id}`, contextOf(on.keeper)),
    );
    await on.clock.run(destroy(deskOn(on), state));
    expect(on.alive()).toHaveLength(1);
  });

  it("goes on when it was disowned, and leaves it running", async () => {
    const { on, state } = await inferred();
    await on.clock.run(failure(destroy(deskOn(on), state)));
    const { ledger, account } = on.keeper;
    await ledger.decide(account, (draft) => disown(draft, state.machine?.id ?? "", contextOf(on.keeper)));
    await on.clock.run(destroy(deskOn(on), state));
    expect(on.alive()).toHaveLength(2);
  });
});

describe("a deployment that was made with another ledger", () => {
  it("is stopped by the id in the state, if that says it is certainly ours", async () => {
    const on = await stage();
    const state = await running(on);
    await on.clock.run(destroy(deskOn(await elsewhere(on)), state));
    expect(on.alive()).toEqual([]);
  });

  it("is taken over by an up, so that it can be replaced and stopped from here", async () => {
    const on = await stage();
    const state = await running(on);
    const other = await elsewhere(on);
    const news = machineInputsOf(state, { parameters: { image: "ubuntu" } });
    const { id, outs } = state.machine!;
    expect(await on.clock.run(machine.diff(deskOn(other), id, outs, news))).toEqual({
      changes: true,
      replaces: [],
    });
    await on.clock.run(machine.update(deskOn(other), id, outs, news));
    const rows = await other.keeper.ledger.read(other.keeper.account);
    expect(rows.deployments).toMatchObject([{ id, claim: "certain", owner: `slot:${state.slot.id}` }]);
    expect(await on.clock.run(machine.diff(deskOn(other), id, outs, news))).toEqual({
      changes: false,
      replaces: [],
    });
    expect(on.launches()).toBe(1);
  });

  it("is not stopped if the state does not say so", async () => {
    const on = await stage();
    const state = await running(on);
    const doubtful = {
      ...state,
      machine: { id: state.machine!.id, outs: { ...state.machine!.outs, claim: "inferred" } },
    };
    const error = await on.clock.run(failure(destroy(deskOn(await elsewhere(on)), doubtful)));
    expect(error.message).toContain("fleetkeeper adopt");
    expect(on.alive()).toHaveLength(1);
  });

  it("with a machine that has ended is an error: its own ledger may have another one in its place", async () => {
    const on = await stage();
    const state = await running(on);
    on.simulator.control.interrupt(state.machine!.id, { now: true });
    await on.clock.advance(60_000);
    await killedAfter(5_000, on, (desk) => createMachine(desk, state));
    expect(on.alive()).toHaveLength(1);
    const other = await elsewhere(on);
    const error = await on.clock.run(failure(destroy(deskOn(other), state)));
    expect(error.message).toContain("was made with another ledger, testledger00 at here::memory:");
    const { ledger, account } = other.keeper;
    expect(await ledger.accountOfSlot(state.slot.id)).toBeUndefined();
    await on.clock.run(destroy(deskOn(on), state));
    expect(on.alive()).toEqual([]);
    // The way on that it names, once nothing runs.
    await ledger.decide(account, (draft) => enterSlot(draft, state.slot.id, "web", contextOf(other.keeper)));
    await on.clock.run(destroy(deskOn(other), state));
  });

  it("without a machine in the state is an error on create and on delete, with the ledger's name and the way on", async () => {
    const on = await stage();
    const state = await slotOf(deskOn(on));
    const other = await elsewhere(on);
    for (const attempt of [() => createMachine(deskOn(other), state), () => destroy(deskOn(other), state)]) {
      const error = await on.clock.run(failure(attempt()));
      expect(error.message).toContain("was made with another ledger, testledger00 at here::memory:");
      expect(error.message).toContain(`fleetkeeper disown slot:${state.slot.id}`);
    }
    expect(on.launches()).toBe(0);
    const { ledger, account } = other.keeper;
    await ledger.decide(account, (draft) => enterSlot(draft, state.slot.id, "web", contextOf(other.keeper)));
    await on.clock.run(createMachine(deskOn(other), state));
    expect(on.alive()).toEqual([
      expect.objectContaining({ place: `${COMBINATION.provider}/${COMBINATION.location}` }),
    ]);
  });
});
