import { describe, expect, it } from "vitest";
import { DIALECT_NAMES } from "../../simulator/index.ts";
import { stage } from "../support/stage.ts";
import { COMBINATION, createMachine, deskOn, failure, killedAfter, slotOf } from "./support.ts";

const accounts = ["exclusive", "shared"] as const;
const wires = DIALECT_NAMES.flatMap((dialect) => accounts.map((account) => ({ dialect, account })));
const parameters = { image: "ubuntu" };

describe("the create of a machine", () => {
  it.each(wires)("launches once and waits until it runs: $dialect, $account", async (wire) => {
    const on = await stage(wire);
    const desk = deskOn(on);
    const state = await slotOf(desk, { parameters });
    const { machine } = await on.clock.run(createMachine(desk, state, { parameters }));
    expect(on.alive()).toEqual([expect.objectContaining({ id: machine?.id, state: "running" })]);
    expect(on.launches()).toBe(1);
    expect(machine?.outs).toMatchObject({
      ...COMBINATION,
      deploymentId: machine?.id,
      status: "running",
      claim: "certain",
    });
    expect(desk.lines.every((line) => line.startsWith("web: "))).toBe(true);
  });

  it("does not wait where that is not wanted", async () => {
    const on = await stage();
    const desk = deskOn(on);
    const { machine } = await on.clock.run(createMachine(desk, await slotOf(desk), { awaitRunning: false }));
    expect(machine?.outs.status).toBe("initializing");
  });

  it("returns the machine that is there when it is called again for the same slot", async () => {
    const on = await stage();
    const state = await slotOf(deskOn(on));
    const first = await on.clock.run(createMachine(deskOn(on), state));
    const second = await on.clock.run(createMachine(deskOn(on), state));
    expect(second.machine?.id).toBe(first.machine?.id);
    expect(on.launches()).toBe(1);
  });

  it("replaces a machine that ended, in the same slot", async () => {
    const on = await stage();
    const state = await slotOf(deskOn(on));
    const first = await on.clock.run(createMachine(deskOn(on), state));
    on.simulator.control.interrupt(first.machine?.id ?? "", { now: true });
    const second = await on.clock.run(createMachine(deskOn(on), state));
    expect(on.alive().map(({ id }) => id)).toEqual([second.machine?.id]);
  });

  it("goes on where a killed process was, and launches nothing twice", async () => {
    const on = await stage();
    const state = await slotOf(deskOn(on));
    await killedAfter(10_000, on, (desk) => createMachine(desk, state));
    expect(on.alive()).toHaveLength(1);
    const { machine } = await on.clock.run(createMachine(deskOn(on), state));
    expect(on.alive()).toEqual([expect.objectContaining({ id: machine?.id, state: "running" })]);
    expect(on.launches()).toBe(1);
  });

  it("waits its timeout, says so, and keeps the machine in the state", async () => {
    const on = await stage({ settings: { provisioningSeconds: [3600, 3600] } });
    const desk = deskOn(on);
    const state = await slotOf(desk);
    const error = await on.clock.run(failure(createMachine(desk, state, { timeouts: { create: "5m" } })));
    expect(error.message).toMatch(/is still provisioning after 300 s \(timeouts\)/);
    expect(error).toMatchObject({ id: on.alive()[0]?.id, outs: { status: "provisioning" } });
  });

  it.each(wires)("makes eight of one combination at once: $dialect, $account", async (wire) => {
    const on = await stage(wire);
    const desk = deskOn(on);
    const states = await Promise.all(Array.from({ length: 8 }, () => slotOf(desk, { parameters })));
    const made = await on.clock.run(
      Promise.all(states.map((state) => createMachine(desk, state, { parameters }))),
    );
    expect(new Set(made.map(({ machine }) => machine?.id)).size).toBe(8);
    expect(on.alive()).toHaveLength(8);
    expect(on.launches()).toBe(8);
  });

  it("runs many at once on one list at a time", async () => {
    const on = await stage({ settings: { initializingSeconds: [5, 5], provisioningSeconds: [30, 30] } });
    const desk = deskOn(on);
    const states = await Promise.all(Array.from({ length: 20 }, () => slotOf(desk)));
    const made = await on.clock.run(Promise.all(states.map((state) => createMachine(desk, state))));
    expect(new Set(made.map(({ machine }) => machine?.id)).size).toBe(20);
    expect(on.alive()).toHaveLength(20);
    const { deployments } = on.simulator.truth().requests;
    // A minute at a list each 15 s, and a few for the first launch under a profile: not 20 times as many.
    expect(deployments).toBeLessThan(20);
  });
});
