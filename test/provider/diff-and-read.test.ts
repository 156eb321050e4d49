import { describe, expect, it } from "vitest";
import { machine, slot } from "../../provider/kinds.ts";
import { type Stage, stage } from "../support/stage.ts";
import { createMachine, deskOn, failure, machineInputsOf, type State, slotOf } from "./support.ts";

const UNKNOWN = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";
const UNCHANGED = { changes: false, replaces: [] };

async function running(): Promise<{ on: Stage; state: State; id: string }> {
  const on = await stage();
  const desk = deskOn(on);
  const state = await on.clock.run(createMachine(desk, await slotOf(desk)));
  return { on, state, id: state.machine?.id ?? "" };
}

describe("the diff of a machine", () => {
  const diff = ({ on, state, id }: Awaited<ReturnType<typeof running>>, args = {}) =>
    on.clock.run(machine.diff(deskOn(on), id, state.machine!.outs, { ...machineInputsOf(state), ...args }));

  it("finds nothing while the machine runs", async () => {
    expect(await diff(await running())).toEqual(UNCHANGED);
  });

  it.each([
    ["interrupted", (on: Stage, id: string) => on.simulator.control.interrupt(id, { now: true })],
    ["stopped by hand", (on: Stage, id: string) => on.simulator.control.stopByHand(id)],
  ])("replaces a machine that was %s", async (_how, end) => {
    const made = await running();
    end(made.on, made.id);
    await made.on.clock.advance(60_000);
    expect(await diff(made)).toEqual({ changes: true, replaces: ["deploymentId"] });
  });

  it("replaces the machine of another slot, also of one that is not known yet", async () => {
    const made = await running();
    for (const other of ["other", UNKNOWN]) {
      expect(await diff(made, { slot: other })).toEqual({ changes: true, replaces: ["slot"] });
    }
  });

  it.each([{ gpus: 4 }, { pricePerHour: "3.10" }, { awaitRunning: false }])(
    "changes in place: %j",
    async (args) => {
      expect(await diff(await running(), args)).toEqual({ changes: true, replaces: [] });
    },
  );

  it("does not replace a machine that one list lacks", async () => {
    const made = await running();
    made.on.simulator.control.hide(made.id);
    await made.on.clock.advance(1_000);
    expect(await diff(made)).toEqual(UNCHANGED);
  });

  it("takes one list for all machines of a run", async () => {
    const on = await stage();
    const desk = deskOn(on);
    const made = [1, 2, 3, 4].map(async () => createMachine(desk, await slotOf(desk)));
    const states = await on.clock.run(Promise.all(made));
    const before = on.simulator.truth().requests.deployments;
    const next = deskOn(on);
    await on.clock.run(
      Promise.all(
        states.map((state) =>
          machine.diff(next, state.machine!.id, state.machine!.outs, machineInputsOf(state)),
        ),
      ),
    );
    expect(on.simulator.truth().requests.deployments).toBe(before + 1);
  });
});

describe("the diff of a slot", () => {
  const olds = {
    offer: "o",
    provider: "p",
    location: "l",
    parameters: { image: "a", size: 1 },
    label: "x",
    ledger: "y",
  };
  const diff = async (news: object) => slot.diff(deskOn(await stage()), "id", olds, { ...olds, ...news });

  it("keeps it, whatever the order of its parameters", async () => {
    expect(await diff({ parameters: { size: 1, image: "a" } })).toEqual(UNCHANGED);
  });

  it.each(["offer", "provider", "location", "parameters"])("replaces it for another %s", async (key) => {
    expect(await diff({ [key]: UNKNOWN })).toEqual({ changes: true, replaces: [key] });
  });
});

describe("the read of a machine", () => {
  it("tells what became of it", async () => {
    const { on, state, id } = await running();
    on.simulator.control.interrupt(id, { now: true });
    const props = await on.clock.run(machine.read(deskOn(on), id, state.machine!.outs));
    expect(props).toMatchObject({ deploymentId: id, status: "interrupted", stopReason: expect.any(String) });
  });

  it("says that one not-found is no end, and believes two some time apart", async () => {
    const { on, state, id } = await running();
    on.simulator.control.forget(id);
    await on.clock.advance(1_000);
    const first = on.clock.run(failure(machine.read(deskOn(on), id, state.machine!.outs)));
    expect((await first).message).toContain(`${id} is not shown by the service just now`);
    await on.clock.advance(61_000);
    expect(await on.clock.run(machine.read(deskOn(on), id, state.machine!.outs))).toBeUndefined();
  });

  it("claims nothing: a machine that others launched stays theirs", async () => {
    const { on } = await running();
    const stranger = on.simulator.control.launchByHand({
      offer: "h100-1",
      provider: "north",
      location: "oslo",
    });
    const props = await on.clock.run(machine.read(deskOn(on), stranger, {}));
    expect(props).toMatchObject({ deploymentId: stranger });
    const { deployments } = await on.keeper.ledger.read(on.keeper.account);
    expect(deployments.find((row) => row.id === stranger)?.claim).toBeNull();
  });
});
