import { describe, expect, it } from "vitest";
import { accountStatus } from "../../agent/status/account-status.ts";
import { contextOf, takeList } from "../../launch/index.ts";
import type { Properties } from "../../provider/kinds.ts";
import { machine, slot } from "../../provider/kinds.ts";
import { UNKNOWN } from "../../provider/runtime/inputs/unknown.ts";
import { deploymentAsFound } from "../support/as-found.ts";
import { H100_SOUTH, type Stage, type StageOptions, stage } from "../support/stage.ts";
import {
  COMBINATION,
  createMachine,
  deskOn,
  destroy,
  failure,
  killedAfter,
  machineInputsOf,
  never,
  type State,
  slotOf,
} from "./support.ts";

const claims = async (on: Stage) =>
  Object.fromEntries(
    (await on.keeper.ledger.read(on.keeper.account)).deployments.map(({ id, claim }) => [id, claim]),
  );

describe("adopt", () => {
  const byHand = async (account: "exclusive" | "shared" = "shared") => {
    const on = await stage({ account });
    const id = on.simulator.control.launchByHand(COMBINATION);
    await on.clock.advance(300_000);
    const desk = deskOn(on);
    return { on, id, desk, state: await slotOf(desk) };
  };

  it.each(["exclusive", "shared"] as const)("takes what runs instead of launching: %s", async (account) => {
    const { on, id, desk, state } = await byHand(account);
    const made = await on.clock.run(createMachine(desk, state, { adopt: id }));
    expect(made.machine).toMatchObject({
      id,
      outs: { deploymentId: id, status: "running", claim: "certain" },
    });
    expect(on.launches()).toBe(0);
    await on.clock.run(destroy(deskOn(on), made));
    expect(on.alive()).toEqual([]);
  });

  it("is done once: a second create returns it, and after its end one is launched", async () => {
    const { on, id, desk, state } = await byHand();
    await on.clock.run(createMachine(desk, state, { adopt: id }));
    const again = await on.clock.run(createMachine(deskOn(on), state, { adopt: id }));
    expect(again.machine?.id).toBe(id);
    on.simulator.control.interrupt(id, { now: true });
    const next = await on.clock.run(createMachine(deskOn(on), state, { adopt: id }));
    expect(next.machine?.id).not.toBe(id);
    expect(on.launches()).toBe(1);
    expect(on.alive().map((each) => each.id)).toEqual([next.machine?.id]);
  });

  it("refuses what is not there, has ended, is something else, or belongs to another one, and launches nothing", async () => {
    const { on, id, state } = await byHand();
    const attempt = async (args: Properties, into = state) =>
      (await on.clock.run(failure(createMachine(deskOn(on), into, args)))).message;
    expect(await attempt({ adopt: "nowhere" })).toContain(
      "the service does not show nowhere in this account",
    );
    const south = { provider: H100_SOUTH.provider, location: H100_SOUTH.location };
    expect(await attempt({ adopt: id, ...south })).toContain(
      `${id} is h100-8 @ north/oslo, and this asks for h100-8 @ south/rome`,
    );
    await on.clock.run(createMachine(deskOn(on), state, { adopt: id }));
    const label = "project/dev/other";
    const other = await slotOf(deskOn(on), { label });
    expect(await attempt({ label, adopt: id }, other)).toContain(
      `belongs to deployment project/dev/web already`,
    );
    const ended = on.simulator.control.launchByHand(COMBINATION);
    on.simulator.control.stopByHand(ended);
    await on.clock.advance(60_000);
    expect(await attempt({ label, adopt: ended }, other)).toContain(`${ended} has ended`);
    expect(on.launches()).toBe(0);
    expect(on.alive()).toHaveLength(1);
  });

  const previewed = async (on: Stage, state: State, args: Properties) => {
    const desk = deskOn(on);
    const { failures } = await on.clock.run(machine.check(desk, machineInputsOf(state, args), {}));
    return { reasons: failures.map(({ reason }) => reason), lines: desk.lines };
  };

  it("is told by a preview, with what the machine costs, and what no launch would cost", async () => {
    const { on, id, state } = await byHand("exclusive");
    const { reasons, lines } = await previewed(on, state, { adopt: id, budget: { perHour: "20" } });
    expect(reasons).toEqual([]);
    expect(lines).toEqual([
      `web: takes ${id}, which is running: nothing is launched`,
      "web: costs 16.00 USD an hour for 8 GPUs, 384.00 a day, 11520.00 in 30 days",
      expect.stringMatching(/^web: at most 20\.00 USD an hour \(budget\.perHour\)\. /),
    ]);
    expect((await previewed(on, state, { adopt: UNKNOWN })).lines).toEqual([]);
    expect(await claims(on)).toEqual({ [id]: null });
  });

  it("is refused by a preview as by up", async () => {
    const { on, id, state } = await byHand();
    const refusal = async (args: Properties) => (await previewed(on, state, args)).reasons.join();
    expect(await refusal({ adopt: "nowhere" })).toBe(
      "adopt: the service does not show nowhere in this account: is the id right?",
    );
    const south = { provider: H100_SOUTH.provider, location: H100_SOUTH.location };
    expect(await refusal({ adopt: id, ...south })).toContain("and this asks for h100-8 @ south/rome");
    const other = await slotOf(deskOn(on), { label: "project/dev/other" });
    await on.clock.run(createMachine(deskOn(on), other, { label: "project/dev/other", adopt: id }));
    expect(await refusal({ adopt: id })).toContain(`${id} belongs to deployment project/dev/other already`);
    on.simulator.control.stopByHand(id);
    await on.clock.advance(60_000);
    expect(await refusal({ adopt: id })).toContain(`${id} has ended`);
  });

  it("is foretold as a launch once the slot's adopted machine has ended", async () => {
    const { on, id, desk, state } = await byHand("exclusive");
    await on.clock.run(createMachine(desk, state, { adopt: id }));
    on.simulator.control.interrupt(id, { now: true });
    await on.clock.run(takeList(on.keeper, never()));
    const { reasons, lines } = await previewed(on, state, { adopt: id });
    expect(reasons).toEqual([]);
    expect(lines[0]).toContain("a launch reserves the first hour");
  });
});

describe('onDelete: "abandon"', () => {
  const abandon = (state: State): State => ({
    ...state,
    slot: { ...state.slot, outs: { ...state.slot.outs, onDelete: "abandon" } },
    ...(state.machine
      ? { machine: { ...state.machine, outs: { ...state.machine.outs, onDelete: "abandon" } } }
      : {}),
  });

  it("lets the machine run, as nobody's", async () => {
    const on = await stage();
    const desk = deskOn(on);
    const state = await on.clock.run(createMachine(desk, await slotOf(desk)));
    await on.clock.run(destroy(deskOn(on), abandon(state)));
    await on.clock.advance(600_000);
    expect(on.alive()).toMatchObject([{ id: state.machine?.id, state: "running" }]);
    expect(await claims(on)).toEqual({ [state.machine?.id ?? ""]: "foreign" });
  });

  it("also of a launch whose answer was lost, which is looked for first", async () => {
    const on = await stage();
    const state = await slotOf(deskOn(on));
    on.simulator.control.faults.next("launch", { kind: "commitLate", seconds: 60 });
    await killedAfter(5_000, on, (desk) => createMachine(desk, state));
    await on.clock.run(destroy(deskOn(on), abandon(state)));
    const [machineOfTruth] = on.alive();
    expect(on.alive()).toHaveLength(1);
    expect(await claims(on)).toEqual({ [machineOfTruth?.id ?? ""]: "foreign" });
    expect(
      (await on.keeper.ledger.read(on.keeper.account)).intents.map(({ state: each }) => each),
    ).not.toContain("open");
  });

  it("is decided at the delete: a stop that was not finished becomes an abandonment, and the other way round", async () => {
    const on = await stage();
    const desk = deskOn(on);
    const state = await on.clock.run(createMachine(desk, await slotOf(desk)));
    const change = await slot.diff(desk, state.slot.id, state.slot.outs, abandon(state).slot.outs);
    expect(change).toEqual({ changes: true, replaces: [] });
    on.simulator.control.faults.next("stop", { kind: "errorBefore", status: 500 }, { times: 1000 });
    const late = {
      ...state,
      slot: { ...state.slot, outs: { ...state.slot.outs, timeouts: { delete: "1m" } } },
    };
    await on.clock.run(failure(destroy(deskOn(on), late)));
    await on.clock.run(destroy(deskOn(on), abandon(state)));
    expect(await claims(on)).toEqual({ [state.machine?.id ?? ""]: "foreign" });
  });
});

describe("until", () => {
  const HOUR = 3_600_000;
  const made = async (options: StageOptions = {}) => {
    const on = await stage(options);
    const desk = deskOn(on);
    const until = new Date(on.clock.now() + HOUR).toISOString();
    const state = await on.clock.run(createMachine(desk, await slotOf(desk), { until }));
    return { on, until, state, id: state.machine?.id ?? "" };
  };
  const diff = async (on: Stage, state: State, args: Properties) =>
    on.clock.run(
      machine.diff(deskOn(on), state.machine!.id, state.machine!.outs, machineInputsOf(state, args)),
    );

  it("is told in preview and up where no agent ends anything at it, and when it is given later", async () => {
    const on = await stage();
    const until = new Date(on.clock.now() + HOUR).toISOString();
    const desk = deskOn(on);
    const told = () => {
      const lines = desk.lines.splice(0);
      return lines.filter((line) => line.includes("at until ")).map((line) => line.split(" nothing is")[0]);
    };
    const warning = [`web: no agent keeps the ledger :memory:: at until ${until}`];
    const state = await slotOf(desk);
    await on.clock.run(machine.check(desk, machineInputsOf(state, { until }), {}));
    expect(told()).toEqual(warning);
    await on.clock.run(machine.check(desk, machineInputsOf(state), {}));
    expect(told()).toEqual([]);
    const made = await on.clock.run(createMachine(desk, state, { until }));
    expect(told()).toEqual(warning);
    const change = async (args: Properties) => {
      const { id, outs } = made.machine!;
      await on.clock.run(machine.diff(desk, id, outs, machineInputsOf(state, args)));
      return told();
    };
    const later = new Date(on.clock.now() + 2 * HOUR).toISOString();
    expect(await change({ until })).toEqual([]);
    expect(await change({ until: later })).toEqual([warning[0]?.replace(until, later)]);
    expect(await change({})).toEqual([]);
    on.start();
    await on.clock.advance(1_000);
    expect(await change({ until: later })).toEqual([]);
    await on.clock.run(machine.check(desk, machineInputsOf(await slotOf(desk), { until }), {}));
    expect(told()).toEqual([]);
  });

  it("stands in the status while no agent lives, for what runs", async () => {
    const { on } = await made();
    const { ledger, account } = on.keeper;
    const unkept = async () => (await accountStatus(ledger, account, contextOf(on.keeper))).unkept;
    expect(await unkept()).toEqual(["deployment project/dev/web"]);
    on.start();
    await on.clock.advance(1_000);
    expect(await unkept()).toEqual([]);
    await on.clock.advance(2 * HOUR);
    await on.stop();
    await on.clock.advance(10 * 60_000);
    expect(on.alive()).toEqual([]);
    expect(await unkept()).toEqual([]);
  });

  it("is kept by an agent, without any pulumi", async () => {
    const { on } = await made();
    on.start();
    await on.clock.advance(HOUR - 120_000);
    expect(on.alive()).toHaveLength(1);
    await on.clock.advance(240_000);
    expect(on.alive()).toEqual([]);
    await on.stop();
  });

  it("is kept by the next up where no agent lives, which then leaves it alone", async () => {
    const { on, until, state, id } = await made();
    await on.clock.advance(HOUR);
    expect(await diff(on, state, { until })).toEqual({ changes: true, replaces: [] });
    const news = machineInputsOf(state, { until });
    const outs = await on.clock.run(machine.update(deskOn(on), id, state.machine!.outs, news));
    expect(outs).toMatchObject({ status: "stopped" });
    expect(on.alive()).toEqual([]);
    const after = { ...state, machine: { id, outs } };
    expect(await diff(on, after, { until })).toEqual({ changes: false, replaces: [] });
    // A later deadline is a wish for a machine again.
    const later = new Date(on.clock.now() + HOUR).toISOString();
    expect(await diff(on, after, { until: later })).toEqual({ changes: true, replaces: ["deploymentId"] });
    await on.clock.run(createMachine(deskOn(on), state, { until: later }));
    expect(on.alive()).toHaveLength(1);
  });

  it("can be moved in place", async () => {
    const { on, state, id } = await made();
    const until = new Date(on.clock.now() + 5 * HOUR).toISOString();
    const news = machineInputsOf(state, { until });
    await on.clock.run(machine.update(deskOn(on), id, state.machine!.outs, news));
    on.start();
    await on.clock.advance(2 * HOUR);
    expect(on.alive()).toHaveLength(1);
    await on.stop();
  });

  it("of a machine that nobody here can stop is an error at once that says so", async () => {
    const { on, until, state, id } = await made({
      alter: (profile) => profile.replace(/\nstop:\n( .*\n)+/, "\n"),
    });
    expect(on.keeper.service.abilities.stop).toBe(false);
    await on.clock.advance(HOUR);
    const news = machineInputsOf(state, { until });
    const begun = on.clock.now();
    const error = await on.clock.run(failure(machine.update(deskOn(on), id, state.machine!.outs, news)));
    expect(error).toMatchObject({ id, outs: { status: "running" } });
    expect(error.message).toContain(`${id} has to be stopped, and the profile has no part "stop"`);
    expect(on.clock.now() - begun).toBeLessThan(60_000);
    // Stopped by hand, it is over.
    on.simulator.control.stopByHand(id);
    await on.clock.advance(60_000);
    const outs = await on.clock.run(machine.update(deskOn(on), id, state.machine!.outs, news));
    expect(outs).toMatchObject({ status: "stopped" });
  });

  it("of a machine that may be somebody else's is an error at once that names adopt and disown", async () => {
    const { on, until, state, id } = await made({ dialect: "nested", account: "shared" });
    await on.keeper.ledger.decide(on.keeper.account, (draft) => {
      deploymentAsFound(draft, { ...draft.deployments.ever(id)!, claim: "inferred" });
    });
    await on.clock.advance(HOUR);
    const news = machineInputsOf(state, { until });
    const begun = on.clock.now();
    const error = await on.clock.run(failure(machine.update(deskOn(on), id, state.machine!.outs, news)));
    expect(error).toMatchObject({ id });
    expect(error.message).toContain(`fleetkeeper adopt ${id} --deployment ${state.slot.id}`);
    expect(on.clock.now() - begun).toBeLessThan(60_000);
    expect(on.alive()).toHaveLength(1);
  });

  it("that has passed launches nothing", async () => {
    const on = await stage();
    const until = new Date(on.clock.now() - 1).toISOString();
    const error = await on.clock.run(failure(createMachine(deskOn(on), await slotOf(deskOn(on)), { until })));
    expect(error.message).toContain(`the deadline ${until} (until) has passed`);
    expect(on.launches()).toBe(0);
  });
});
