import { describe, expect, it } from "vitest";
import { machine } from "../../provider/kinds.ts";
import type { Properties } from "../../provider/runtime/inputs/resource-kind.ts";
import { UNKNOWN } from "../../provider/runtime/inputs/unknown.ts";
import { type Stage, stage } from "../support/stage.ts";
import type { Desk, State } from "./support.ts";
import { createMachine, deskOn, failure, machineInputsOf, slotOf } from "./support.ts";

const READY = { ready: { address: "host", tcp: 22, within: "5m" } };
const NO = { kind: "bad", why: "connection refused" } as const;

async function created(on: Stage, desk: Desk): Promise<State> {
  return on.clock.run(createMachine(desk, await slotOf(desk), READY));
}

/** What an engine keeps of a create that failed with a machine. */
async function unready(on: Stage): Promise<{ readonly state: State; readonly error: Error }> {
  const desk = deskOn(on);
  desk.asked.answer = NO;
  const state = await slotOf(desk);
  const error = await on.clock.run(failure(createMachine(desk, state, READY)));
  const { id, outs } = error as unknown as { readonly id: string; readonly outs: Properties };
  return { error, state: { ...state, machine: { id, outs } } };
}

function update(desk: Desk, state: State, args: Properties = READY): Promise<Properties> {
  const { id = "", outs = {} } = state.machine ?? {};
  return machine.update(desk, id, outs, machineInputsOf(state, args));
}

async function diff(on: Stage, state: State, args: Properties = READY) {
  const { id = "", outs = {} } = state.machine ?? {};
  return on.clock.run(machine.diff(deskOn(on), id, outs, machineInputsOf(state, args)));
}

describe("the preview of a machine with a check", () => {
  it.each([
    ["ready", { ready: { address: "nowhere", tcp: 22 } }],
    ["beforeStop", { beforeStop: { address: "nowhere", command: ["./save.sh"] } }],
  ])("says that %s can never have its address, and nothing while that is not known", async (part, args) => {
    const on = await stage();
    const desk = deskOn(on);
    const news = machineInputsOf(await slotOf(desk));
    await on.clock.run(machine.check(desk, { ...news, ...args }, {}));
    expect(desk.lines).toContainEqual(
      expect.stringContaining(`${part}.address: the connection detail "nowhere" is not in the wire profile`),
    );
    const unknown = deskOn(on);
    const { failures } = await on.clock.run(machine.check(unknown, { ...news, ...args, until: UNKNOWN }, {}));
    expect(failures).toEqual([]);
    expect(unknown.lines.join()).not.toContain("nowhere");
  });

  it("says so of a change, too", async () => {
    const on = await stage();
    const desk = deskOn(on);
    const { slot, machine: made } = await created(on, desk);
    const { id, outs } = made!;
    const news = (args: Properties) => machineInputsOf({ slot }, { ...READY, ...args });
    await on.clock.run(machine.diff(desk, id, outs, news({ ready: { address: "nowhere", tcp: 22 } })));
    expect(desk.lines.at(-1)).toContain('ready.address: the connection detail "nowhere" is not in');
    desk.lines.length = 0;
    await on.clock.run(machine.diff(desk, id, outs, news({})));
    expect(desk.lines).toEqual([]);
  });
});

describe("a machine with a check", () => {
  it.each([NO, { kind: "unknown", why: "no answer within 5 s" }] as const)(
    "is waited for until its check is good, after $kind",
    async (answer) => {
      const on = await stage();
      const desk = deskOn(on);
      desk.asked.answer = answer;
      const creating = created(on, desk);
      await on.clock.advance(120_000);
      expect(on.alive()).toMatchObject([{ state: "running" }]);
      expect(desk.asked.times).toBeGreaterThan(2);
      desk.asked.answer = { kind: "good" };
      const readyFrom = on.clock.now();
      const state = await creating;
      const readyAt = state.machine?.outs.readyAt;
      expect(Date.parse(String(readyAt))).toBeGreaterThan(readyFrom);
      expect(desk.lines).toContain(`web: ${state.machine?.id} runs and is not ready: ${answer.why}`);
      expect(await diff(on, state)).toEqual({ changes: false, replaces: [] });
    },
  );

  it("that is not ready in time is an error that keeps it, and the next up goes on waiting", async () => {
    const on = await stage();
    const { state, error } = await unready(on);
    const id = on.alive()[0]?.id;
    expect(error.message).toBe(
      `${id} runs and is not ready after 300 s (ready.within): connection refused. Nothing is lost: the next pulumi command goes on from here.`,
    );
    expect(state.machine).toMatchObject({ id, outs: { status: "running" } });
    expect(state.machine?.outs).not.toHaveProperty("readyAt");
    // Also where a refresh has forgotten that the create failed.
    expect(await diff(on, state)).toEqual({ changes: true, replaces: [] });
    const outs = await on.clock.run(update(deskOn(on), state));
    expect(outs).toMatchObject({ deploymentId: id, readyAt: expect.stringMatching(/Z$/) });
    expect(on.launches()).toBe(1);
  });

  it("waits for no longer than its timeout", async () => {
    const on = await stage();
    const desk = deskOn(on);
    desk.asked.answer = NO;
    const state = await slotOf(desk);
    const args = { ...READY, timeouts: { create: "3m" } };
    const error = await on.clock.run(failure(createMachine(desk, state, args)));
    expect(error.message).toMatch(/ runs and is not ready after 180 s \(timeouts\): connection refused\./);
  });

  it("that ends meanwhile is told as one that ends while it starts", async () => {
    const on = await stage();
    const desk = deskOn(on);
    desk.asked.answer = NO;
    const creating = failure(createMachine(desk, await slotOf(desk), READY));
    await on.clock.advance(120_000);
    on.simulator.control.interrupt(on.alive()[0]?.id ?? "", { now: true });
    const error = await on.clock.run(creating);
    expect(error.message).toMatch(/ was interrupted: .* The next pulumi up replaces it\./);
  });

  it("says the same moment at each refresh, and none once its check is taken out", async () => {
    const on = await stage();
    const state = await created(on, deskOn(on));
    const { id = "", outs = {} } = state.machine ?? {};
    await on.clock.advance(600_000);
    expect((await on.clock.run(machine.read(deskOn(on), id, outs)))?.readyAt).toBe(outs.readyAt);
    expect(await diff(on, state, {})).toMatchObject({ changes: true, replaces: [] });
    expect(await on.clock.run(update(deskOn(on), state, {}))).not.toHaveProperty("readyAt");
  });

  it("is asked again by an update, with the check that stands in the program now", async () => {
    const on = await stage();
    const state = await created(on, deskOn(on));
    const desk = deskOn(on);
    desk.asked.answer = NO;
    const ready = { ...READY.ready, tcp: 8080 };
    expect(await diff(on, state, { ready })).toEqual({ changes: true, replaces: [] });
    const error = await on.clock.run(failure(update(desk, state, { ready })));
    expect((error as unknown as { readonly outs: Properties }).outs).not.toHaveProperty("readyAt");
  });
});

it("names a command that cannot be run before anything is launched, and of an unknown one nothing", async () => {
  const on = await stage();
  const desk = { ...deskOn(on), whyNotRun: (program: string) => `there is no ${program}` };
  const inputs = machineInputsOf(await slotOf(desk), { ready: { address: "host", command: ["./x.sh"] } });
  expect(await machine.check(desk, inputs)).toMatchObject({
    failures: [{ property: "ready.command", reason: "there is no ./x.sh" }],
  });
  const unknown = { ...inputs, ready: { address: UNKNOWN, command: ["./x.sh"] } };
  expect((await machine.check(desk, unknown)).failures).toEqual([]);
});

it.each([
  [
    { awaitRunning: false, ...READY },
    "awaitRunning: expected true, or no ready: what is to be ready is waited for",
  ],
  [{ ready: { address: "host" } }, "ready: expected exactly one of tcp, http, command, and there is none"],
  [
    { ready: { address: "host", tcp: 22, comand: ["./x"] } },
    'ready.comand: is not a known key: did you mean "command"?',
  ],
])("names what is wrong with a check: %j", async (args, reason) => {
  const on = await stage();
  const desk = deskOn(on);
  const { failures } = await machine.check(desk, machineInputsOf(await slotOf(desk), args));
  expect(failures.map((each) => `${each.property}: ${each.reason}`).join("\n")).toContain(reason);
});
