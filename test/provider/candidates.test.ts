import { describe, expect, it } from "vitest";
import { adopt, contextOf, enterSlot, takeList } from "../../launch/index.ts";
import { machine, slot } from "../../provider/kinds.ts";
import { H100_SINGLE, H100_SOUTH, stage } from "../support/stage.ts";
import {
  COMBINATION,
  type Desk,
  deskOn,
  elsewhere,
  failure,
  killedAfter,
  never,
  type State,
} from "./support.ts";

const SOUTH = { offer: H100_SOUTH.offer, provider: H100_SOUTH.provider, location: H100_SOUTH.location };
const SINGLE = { ...COMBINATION, offer: H100_SINGLE.offer };
const candidates = [COMBINATION, SOUTH];
const label = "project/dev/web";

async function slotWith(desk: Desk, args = {}): Promise<State> {
  return { slot: await slot.create(desk, { label, candidates, ...args }) };
}

const inputs = ({ slot: { id, outs } }: State, args = {}) => ({
  label,
  candidates,
  slot: id,
  ledger: outs.ledger,
  ...args,
});

describe("ranked candidates", () => {
  it("take the first that can be had, and say which", async () => {
    const on = await stage();
    const desk = deskOn(on);
    const made = await on.clock.run(machine.create(desk, inputs(await slotWith(desk))));
    expect(on.alive()).toMatchObject([{ place: "north/oslo" }]);
    expect(made.outs).toMatchObject({ taken: COMBINATION, actualPricePerHour: "16.0000" });
  });

  it("go on to the next while one is cooling down, with the seconds, and share that", async () => {
    const on = await stage();
    on.simulator.control.cooldown(COMBINATION, 47);
    const desk = deskOn(on);
    const states = await Promise.all([1, 2, 3].map(() => slotWith(desk)));
    await on.clock.run(Promise.all(states.map((state) => machine.create(desk, inputs(state)))));
    expect(on.alive().map(({ place }) => place)).toEqual(["south/rome", "south/rome", "south/rome"]);
    expect(desk.lines.join("\n")).toContain(
      "web: h100-8 @ north/oslo is cooling down for 47 s: going on to h100-8 @ south/rome",
    );
    const asked = on.simulator.truth().launches.filter(({ outcome }) => outcome.kind === "refused");
    expect(asked).toHaveLength(1);
  });

  it("wait for the one that clears first when all cool down", async () => {
    const on = await stage();
    on.simulator.control.cooldown(COMBINATION, 90);
    on.simulator.control.cooldown(SOUTH, 30);
    const desk = deskOn(on);
    const begun = on.clock.now();
    await on.clock.run(machine.create(desk, inputs(await slotWith(desk))));
    expect(on.simulator.truth().launches.map(({ at }) => at - begun)).toEqual([0, 0, 30_000]);
    expect(on.alive()).toMatchObject([{ place: "south/rome" }]);
  });

  it("go on after a definite refusal with its reason, and end with all reasons", async () => {
    const on = await stage();
    on.simulator.control.setCapacity(COMBINATION, 0);
    const desk = deskOn(on);
    await on.clock.run(machine.create(desk, inputs(await slotWith(desk))));
    expect(on.alive()).toMatchObject([{ place: "south/rome" }]);
    expect(desk.lines.join("\n")).toMatch(/north\/oslo .*: going on to h100-8 @ south\/rome/);

    const poor = await stage({ balance: "1.0000" });
    const error = await poor.clock.run(
      failure(machine.create(deskOn(poor), inputs(await slotWith(deskOn(poor))))),
    );
    expect(error.message).toMatch(
      /none of the candidates could be launched: h100-8 @ north\/oslo: HTTP 402 .*; h100-8 @ south\/rome: HTTP 402/,
    );
    expect(poor.alive()).toEqual([]);
  });

  it("never go on from a launch whose outcome is not known: it is found, and one is billed", async () => {
    const on = await stage();
    on.simulator.control.faults.next("launch", { kind: "dropAfter" });
    const desk = deskOn(on);
    await on.clock.run(machine.create(desk, inputs(await slotWith(desk))));
    expect(on.launches()).toBe(1);
    expect(on.alive()).toMatchObject([{ place: "north/oslo" }]);
  });

  it("keep the machine while the one that was taken is among them", async () => {
    const on = await stage();
    const desk = deskOn(on);
    const state = await slotWith(desk);
    const made = await on.clock.run(machine.create(desk, inputs(state)));
    const diff = async (news: object) =>
      slot.diff(desk, state.slot.id, state.slot.outs, { label, candidates, ...news });
    expect(await diff({})).toEqual({ changes: false, replaces: [] });
    expect(await diff({ candidates: [SOUTH, COMBINATION] })).toEqual({ changes: true, replaces: [] });
    expect(await diff({ candidates: undefined, ...COMBINATION })).toMatchObject({ replaces: [] });
    expect(await diff({ candidates: [SOUTH] })).toEqual({ changes: true, replaces: ["candidates"] });
    const news = inputs(state, { candidates: [SOUTH, COMBINATION] });
    expect(await on.clock.run(machine.diff(desk, made.id, made.outs, news))).toEqual({
      changes: true,
      replaces: [],
    });
  });
});

describe("another combination for the machine alone, as by --target", () => {
  it("is an error, since its slot still has the old one", async () => {
    const on = await stage();
    const desk = deskOn(on);
    const state = await slotWith(desk);
    const { id, outs } = await on.clock.run(machine.create(desk, inputs(state)));
    const update = machine.update(desk, id, outs, inputs(state, { candidates: [SOUTH] }));
    expect((await on.clock.run(failure(update))).message).toContain(
      `${id} is h100-8 @ north/oslo, and this asks for h100-8 @ south/rome: that is another machine`,
    );
    expect(on.alive()).toMatchObject([{ id }]);
  });

  it("is none where a person adopted what was never asked for", async () => {
    const on = await stage({ account: "shared" });
    const desk = deskOn(on);
    const state = await slotWith(desk, { candidates: [COMBINATION] });
    const { slot: id, ...rest } = inputs(state, { candidates: [COMBINATION] });
    const south = on.simulator.control.launchByHand(SOUTH);
    await on.clock.advance(300_000);
    await on.clock.run(takeList(on.keeper, never()));
    await on.keeper.ledger.decide(on.keeper.account, (draft) => {
      enterSlot(draft, id, label, contextOf(on.keeper));
      adopt(draft, south, `slot:${id}`, contextOf(on.keeper));
    });
    const made = await on.clock.run(machine.create(desk, { ...rest, slot: id }));
    const news = { ...rest, slot: id, pricePerHour: "18" };
    expect(await on.clock.run(machine.update(desk, made.id, made.outs, news))).toMatchObject({
      deploymentId: south,
    });
    expect(on.launches()).toBe(0);
  });
});

describe("ranked candidates and a ledger that never knew the slot", () => {
  it.each([
    ["keep the machine for another price", [{ ...COMBINATION, pricePerHour: "17" }, SOUTH], []],
    ["keep it in another order, and with one more", [SOUTH, SINGLE, COMBINATION], []],
    ["replace it where one is taken out: it may be that one", [COMBINATION], ["candidates"]],
  ])("%s", async (_, changed, replaces) => {
    const on = await stage();
    const { id, outs } = (await slotWith(deskOn(on))).slot;
    const desk = deskOn(await elsewhere(on));
    const difference = await slot.diff(desk, id, outs, { label, candidates: changed });
    expect(difference).toEqual({ changes: true, replaces });
  });
});

describe("the budget of a deployment", () => {
  const create = async (budget: object, args = {}) => {
    const on = await stage({ balance: "100.0000" });
    const desk = deskOn(on);
    const making = machine.create(desk, inputs(await slotWith(desk), { budget, ...args }));
    return { on, desk, making };
  };

  it("passes over what is dearer an hour, by the service's own prices", async () => {
    // The program's price is not believed where the service shows another.
    const { on, making } = await create(
      { perHour: "17" },
      { candidates: [{ ...SOUTH, pricePerHour: "1" }, COMBINATION] },
    );
    await on.clock.run(making);
    expect(on.alive()).toMatchObject([{ place: "north/oslo" }]);
    expect(on.launches()).toBe(1);
  });

  it("keeps the balance above the floor", async () => {
    const { on, making } = await create({ floor: "90" });
    const error = await on.clock.run(failure(making));
    expect(error.message).toContain("below the floor of 90.00");
    expect(on.launches()).toBe(0);
    const enough = await create({ floor: "80" });
    await enough.on.clock.run(enough.making);
    expect(enough.on.alive()).toHaveLength(1);
  });

  it("that allows no launch is an error of the preview, too; one that allows a single candidate is none", async () => {
    const on = await stage({ balance: "100.0000" });
    const previewed = async (args: object) => {
      const desk = deskOn(on);
      const given = inputs(await slotWith(desk), args);
      const { failures } = await on.clock.run(machine.check(desk, given, {}));
      return failures.map(({ property, reason }) => `${property}: ${reason}`).join();
    };
    const one = { candidates: [COMBINATION] };
    expect(await previewed({ ...one, budget: { perHour: "15" } })).toBe(
      "budget: allows no launch: h100-8 @ north/oslo: 16.00 USD an hour would be above the budget of 15.00 an hour",
    );
    expect(await previewed({ ...one, budget: { floor: "90" } })).toContain("below the floor of 90.00");
    expect(await previewed({ ...one, budget: { floor: "80", perHour: "16" } })).toBe("");
    expect(await previewed({ budget: { perHour: "17" } })).toBe("");
    expect(await previewed({ budget: { perHour: "15" } })).toMatch(/north\/oslo: .*; h100-8 @ south\/rome: /);
    expect(on.launches()).toBe(0);
  });

  it("does not count a launch of a killed up twice: the next one finds it", async () => {
    const on = await stage({ balance: "100.0000" });
    const args = { candidates: [COMBINATION], budget: { perHour: "16", floor: "80" } };
    const state = await slotWith(deskOn(on));
    on.simulator.control.faults.next("launch", { kind: "commitLate", seconds: 60 });
    await killedAfter(5_000, on, (desk) => machine.create(desk, inputs(state, args)));
    const { failures } = await on.clock.run(machine.check(deskOn(on), inputs(state, args), {}));
    expect(failures).toEqual([]);
    await on.clock.run(machine.create(deskOn(on), inputs(state, args)));
    expect(on.alive()).toHaveLength(1);
  });

  it("holds for several at once: no two take the same credits", async () => {
    const on = await stage({ balance: "40.0000" });
    const desk = deskOn(on);
    const states = await Promise.all([1, 2, 3].map(() => slotWith(desk)));
    const budget = { floor: "5" };
    const ends = await on.clock.run(
      Promise.allSettled(states.map((state) => machine.create(desk, inputs(state, { budget })))),
    );
    expect(ends.filter(({ status }) => status === "fulfilled")).toHaveLength(2);
    expect(on.alive()).toHaveLength(2);
  });

  it("launches nothing of unknown price", async () => {
    const on = await stage();
    const desk = deskOn(on);
    const unlisted = { offer: "secret-menu", provider: "north", location: "oslo" };
    const state = await slotWith(desk);
    const args = inputs(state, { candidates: [unlisted], budget: { perHour: "17" } });
    const error = await on.clock.run(failure(machine.create(desk, args)));
    expect(error.message).toContain("the price of this offer is not known: set its pricePerHour");
    expect(on.launches()).toBe(0);
  });
});

describe("the check of a new machine", () => {
  it("says what each candidate costs and what a launch reserves, and sends no launch", async () => {
    const on = await stage();
    const desk = deskOn(on);
    const news = inputs(await slotWith(desk));
    await on.clock.run(machine.check(desk, news, {}));
    expect(desk.lines).toEqual([
      "web: 1. h100-8 @ north/oslo costs 16.00 USD an hour; a launch reserves the first hour, 16.00 USD",
      "web: 2. h100-8 @ south/rome costs 18.00 USD an hour; a launch reserves the first hour, 18.00 USD",
      "web: costs 16.00 USD an hour for 8 GPUs, 384.00 a day, 11520.00 in 30 days",
      "web: no bound on the cost: no limit says what it may cost: set budget.perHour; nothing ends it: set until",
    ]);
    const again = deskOn(on);
    await on.clock.run(machine.check(again, news, news));
    expect(again.lines).toEqual([]);
    expect(on.launches()).toBe(0);
  });
});
