import { describe, expect, it } from "vitest";
import { contextOf, disown, enterSlot } from "../../launch/index.ts";
import { fleet, machine, wish } from "../../provider/kinds.ts";
import { deploymentAsFound, intentAsFound } from "../support/as-found.ts";
import { H100, type Stage, stage } from "../support/stage.ts";
import {
  COMBINATION,
  createMachine,
  deskOn,
  destroy,
  elsewhere,
  failure,
  machineInputsOf,
  type State,
  slotOf,
} from "./support.ts";

const REPLACED = { changes: true, replaces: ["deploymentId"] };

async function diff(on: Stage, state: State, args = {}) {
  const desk = deskOn(on);
  const { id, outs } = state.machine!;
  const difference = await on.clock.run(machine.diff(desk, id, outs, machineInputsOf(state, args)));
  return { difference, lines: desk.lines.join("\n") };
}

const update = (on: Stage, state: State, args = {}) =>
  on.clock.run(
    machine.update(deskOn(on), state.machine!.id, state.machine!.outs, machineInputsOf(state, args)),
  );

describe("a machine that turned out not to be what the launch had made", () => {
  it("is replaced and left running, and nobody's", async () => {
    const on = await stage({ dialect: "nested", account: "shared" });
    on.simulator.control.faults.next("launch", { kind: "dropAfter" });
    const state = await on.clock.run(createMachine(deskOn(on), await slotOf(deskOn(on))));
    const id = state.machine!.id;
    const { ledger, account } = on.keeper;
    // As a late answer does that refuses the launch.
    await ledger.decide(account, (draft) => {
      deploymentAsFound(draft, { ...draft.deployments.ever(id)!, claim: null, owner: null, intent: null });
      for (const intent of draft.intents.values()) intentAsFound(draft, { ...intent, state: "rejected" });
    });
    const { difference, lines } = await diff(on, state);
    expect(difference).toEqual(REPLACED);
    expect(lines).toContain(`${id} turned out not to be this deployment's`);
    const next = await on.clock.run(createMachine(deskOn(on), state));
    await on.clock.run(machine.delete(deskOn(on), id, state.machine!.outs));
    expect(on.alive().map((each) => each.id)).toEqual([id, next.machine?.id]);
  });
});

describe("a machine that only seemed to be one deployment's, and that another one adopted", () => {
  async function adopted() {
    const on = await stage({ dialect: "nested", account: "shared" });
    on.simulator.control.faults.next("launch", { kind: "dropAfter" });
    const first = await on.clock.run(createMachine(deskOn(on), await slotOf(deskOn(on))));
    const id = first.machine!.id;
    expect(first.machine?.outs.claim).toBe("inferred");
    const label = "project/dev/other";
    const slot = await slotOf(deskOn(on), { label });
    const second = await on.clock.run(createMachine(deskOn(on), slot, { label, adopt: id }));
    expect(second.machine?.id).toBe(id);
    return { on, first, second, id };
  }

  it("is replaced for the first: two deployments are two machines", async () => {
    const { on, first, id } = await adopted();
    const { difference, lines } = await diff(on, first);
    expect(difference).toEqual(REPLACED);
    expect(lines).toContain(`${id} belongs to deployment project/dev/other`);
    const next = await on.clock.run(createMachine(deskOn(on), first));
    await on.clock.run(machine.delete(deskOn(on), id, first.machine!.outs));
    expect(next.machine?.id).not.toBe(id);
    expect(
      on
        .alive()
        .map((each) => each.id)
        .sort(),
    ).toEqual([id, next.machine!.id].sort());
  });

  it("is no machine that an update of the first may call its own", async () => {
    const { on, first, id } = await adopted();
    const { message } = await failure(update(on, first, { pricePerHour: "17" }));
    expect(message).toContain(`${id} belongs to deployment project/dev/other in this ledger`);
    expect(message).toContain(`fleetkeeper adopt ${id} --deployment ${first.slot.id}`);
  });

  it("runs on when the first is destroyed", async () => {
    const { on, first, id } = await adopted();
    await on.clock.run(destroy(deskOn(on), first));
    expect(on.alive()).toMatchObject([{ id, state: "running" }]);
  });

  it("is not ended by the first's deadline, nor waited for", async () => {
    const { on, first, id } = await adopted();
    const until = new Date(on.clock.now() - 1_000).toISOString();
    const outs = { ...first.machine!.outs, until };
    const { difference } = await diff(on, { ...first, machine: { id, outs } }, { until });
    expect(difference).toEqual({ changes: false, replaces: [] });
  });

  it("does not become certainly the first's by a refresh", async () => {
    const { on, first, id } = await adopted();
    const props = await on.clock.run(machine.read(deskOn(on), id, first.machine!.outs));
    expect(props).not.toHaveProperty("claim", "certain");
  });
});

describe("a machine that a fleet of a new ledger took before its deployment came", () => {
  async function taken() {
    const on = await stage();
    const state = await on.clock.run(createMachine(deskOn(on), await slotOf(deskOn(on))));
    const other = await elsewhere(on, "exclusive");
    const { id, outs } = await fleet.create(deskOn(other), { label: "project/dev/f", name: "f" });
    const candidates = [{ ...COMBINATION, gpus: H100.gpus }];
    const asked = { ...outs, source: `stack:${id}`, gpus: H100.gpus, candidates, reconcile: "inline" };
    await on.clock.run(wish.create(deskOn(other), asked));
    expect(on.launches()).toBe(1);
    return { on, other, state, id: state.machine!.id };
  }

  it("is the fleet's: the deployment's diff replaces, and its update is an error", async () => {
    const { other, state, id } = await taken();
    const { difference, lines } = await diff(other, state);
    expect(difference).toEqual(REPLACED);
    expect(lines).toContain(`${id} belongs to fleet f`);
    expect((await failure(update(other, state))).message).toContain(
      `${id} belongs to fleet f in this ledger`,
    );
  });

  it("gets another one beside it, once a person has said that the lost ledger has nothing open", async () => {
    const { on, other, state, id } = await taken();
    const { ledger, account } = other.keeper;
    await ledger.decide(account, (draft) => enterSlot(draft, state.slot.id, "web", contextOf(other.keeper)));
    const next = await on.clock.run(createMachine(deskOn(other), state));
    await on.clock.run(machine.delete(deskOn(other), id, state.machine!.outs));
    expect(
      on
        .alive()
        .map((each) => each.id)
        .sort(),
    ).toEqual([id, next.machine!.id].sort());
  });

  it("is left to it by the deployment's destroy, which says so", async () => {
    const { on, other, state, id } = await taken();
    const desk = deskOn(other);
    await on.clock.run(destroy(desk, state));
    expect(on.alive()).toMatchObject([{ id, state: "running" }]);
    expect(desk.lines.join("\n")).toContain(`${id} belongs to fleet f`);
  });
});

describe("a machine that somebody disowned", () => {
  it("is not certainly ours after a refresh: a destroy from another ledger does not stop it", async () => {
    const on = await stage({ account: "shared" });
    const state = await on.clock.run(createMachine(deskOn(on), await slotOf(deskOn(on))));
    const { id, outs } = state.machine!;
    expect(outs.claim).toBe("certain");
    const { ledger, account } = on.keeper;
    await ledger.decide(account, (draft) => disown(draft, id, contextOf(on.keeper)));
    const refreshed = await on.clock.run(machine.read(deskOn(on), id, outs));
    expect(refreshed).not.toHaveProperty("claim");
    const other = await elsewhere(on);
    const later = { ...state, machine: { id, outs: refreshed! } };
    const error = await on.clock.run(failure(destroy(deskOn(other), later)));
    expect(error.message).toContain(`fleetkeeper disown ${id}`);
    expect(on.alive()).toHaveLength(1);
  });
});
