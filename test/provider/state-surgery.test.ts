import { describe, expect, it } from "vitest";
import { askStop, contextOf, disown, toBeJudged } from "../../launch/index.ts";
import { readDraft } from "../../ledger/index.ts";
import { machine, slot } from "../../provider/kinds.ts";
import type { Properties } from "../../provider/runtime/inputs/resource-kind.ts";
import { type Stage, stage } from "../support/stage.ts";
import { createMachine, deskOn, killedAfter, machineInputsOf, type State, slotOf } from "./support.ts";

const URN = "urn:pulumi:dev::project::fleetkeeper:index:Deployment::web";

const madeSlot = (on: Stage): Promise<State> => slotOf(deskOn(on));

const inputsOf = (state: State, more: Properties = {}): Properties =>
  machineInputsOf(state, { resource: URN, ...more });

const create = (on: Stage, state: State, more: Properties = {}): Promise<State> =>
  on.clock.run(createMachine(deskOn(on), state, inputsOf(state, more)));

const check = async (on: Stage, news: Properties, olds: Properties = {}) =>
  (await machine.check(deskOn(on), news, olds)).failures.map(({ reason }) => reason);

const judged = async ({ keeper }: Stage) => {
  const draft = await readDraft(keeper);
  return toBeJudged(draft, keeper.clock.now()).map(({ id }) => id);
};

/** A machine that runs, and its pair taken out of the state: the engine makes another slot. */
async function surgery() {
  const on = await stage();
  const before = await create(on, await madeSlot(on));
  return { on, before, id: before.machine!.id, after: await madeSlot(on) };
}

describe("a Deployment that was taken out of the state while its machine runs", () => {
  it("is refused in preview and up, with the machine's id and both ways on, and told until decided", async () => {
    const { on, before, id, after } = await surgery();
    const preview = inputsOf(after, { slot: "04da6b54-80e4-46f7-96ec-b56ff0331ba9" });
    for (const news of [preview, inputsOf(after)]) {
      const [reason = "", ...others] = await check(on, news);
      expect(others).toEqual([]);
      expect(reason).toContain(
        `${id} (running, 16.00 USD an hour) was rented for this very resource, in slot ${before.slot.id}`,
      );
      expect(reason).toContain(`To keep it: adopt: "${id}" among the arguments.`);
      expect(reason).toContain(`fleetkeeper deployments stop ${id} first`);
    }
    expect(await judged(on)).toEqual([id]);
    await on.keeper.ledger.decide(on.keeper.account, (draft) =>
      askStop(draft, id, "an operator stopped it", contextOf(on.keeper)),
    );
    expect(await judged(on)).toEqual([]);
    expect(await check(on, inputsOf(after))).toEqual([]);
  });

  it("keeps the machine that it names to adopt: nothing is launched, and the old slot wants nothing any more", async () => {
    const { on, before, id, after } = await surgery();
    await check(on, inputsOf(after));
    expect(await check(on, inputsOf(after, { adopt: id }))).toEqual([]);
    const next = await create(on, after, { adopt: id });
    expect(next.machine?.id).toBe(id);
    expect(on.launches()).toBe(1);
    expect(await judged(on)).toEqual([]);
    const { slots, deployments } = await on.keeper.ledger.read(on.keeper.account);
    expect(slots).toMatchObject([
      { id: before.slot.id, closing: true },
      { id: after.slot.id, closing: false },
    ]);
    expect(deployments).toMatchObject([{ id, owner: `slot:${after.slot.id}`, claim: "certain", stop: null }]);
  });

  it("is told that nothing is launched where only its machine is made anew, and hears of no first hour", async () => {
    const { on, before, id } = await surgery();
    const lines: string[] = [];
    const desk = { ...deskOn(on), say: (line: string) => lines.push(line) };
    await machine.check(desk, inputsOf(before), {});
    expect(lines).toEqual([expect.stringContaining(`${id} is in its slot, and stays: nothing is launched`)]);
  });

  it("gets another one once the first is disowned", async () => {
    const { on, id, after } = await surgery();
    await check(on, inputsOf(after));
    await on.keeper.ledger.decide(on.keeper.account, (draft) => disown(draft, id, contextOf(on.keeper)));
    expect(await check(on, inputsOf(after))).toEqual([]);
    await create(on, after);
    expect(on.alive()).toHaveLength(2);
  });

  it("is taken back into account by the next diff of a state that holds it after all", async () => {
    const { on, before, id, after } = await surgery();
    await check(on, inputsOf(after));
    expect(await judged(on)).toEqual([id]);
    const { id: place, outs } = before.slot;
    expect(await slot.diff(deskOn(on), place, outs, outs)).toEqual({
      changes: false,
      replaces: [],
    });
    expect(await judged(on)).toEqual([]);
  });
});

describe("a Deployment whose slot an older version wrote, without Pulumi's name of it", () => {
  it("is refused all the same, by its name", async () => {
    const { on, before, id, after } = await surgery();
    await on.keeper.ledger.decide(on.keeper.account, (draft) => {
      const { resource: _resource, ...row } = draft.slots.get(before.slot.id)!;
      draft.putSlot(row);
    });
    expect((await check(on, inputsOf(after)))[0]).toContain(id);
    expect(await check(on, inputsOf(after, { label: "project/dev/other" }))).toEqual([]);
  });
});

describe("a launch of it whose outcome is not known", () => {
  it("is waited for in the same way", async () => {
    const on = await stage();
    on.simulator.control.faults.next("launch", { kind: "dropBefore" });
    const before = await madeSlot(on);
    await killedAfter(10_000, on, (desk) => createMachine(desk, before, inputsOf(before)));
    const [reason] = await check(on, inputsOf(await madeSlot(on)));
    expect(reason).toContain(
      `a launch for this very resource is not resolved yet, in slot ${before.slot.id}`,
    );
  });
});

describe("nothing of this is said", () => {
  it.each<readonly [string, Properties]>([
    ["of another resource of the same name, below a parent of another type", { resource: `${URN}2` }],
    ["of another name", { label: "project/dev/other", resource: `${URN}2` }],
  ])("%s", async (_what, more) => {
    const { on, after } = await surgery();
    expect(await check(on, inputsOf(after, more))).toEqual([]);
    expect(await judged(on)).toEqual([]);
  });

  // Seen on the engine: a replacement is checked twice, the second time as if there had been nothing.
  it("where the machine of before is in the state, as at --replace and taint of the slot", async () => {
    const { on, before, after } = await surgery();
    const desk = deskOn(on);
    const olds = before.machine!.outs;
    for (const each of [olds, {}])
      expect((await machine.check(desk, inputsOf(after), each)).failures).toEqual([]);
    expect(await judged(on)).toEqual([]);
  });

  it("where the slot is replaced for a changed input, and its machine never came into the state", async () => {
    const { on, before, after } = await surgery();
    const desk = deskOn(on);
    const { id, outs } = before.slot;
    await slot.diff(desk, id, outs, { ...outs, parameters: { image: "other" } });
    expect((await machine.check(desk, inputsOf(after))).failures).toEqual([]);
    expect(await judged(on)).toEqual([]);
  });

  it("of the machine's own slot", async () => {
    const { on, before } = await surgery();
    expect(await check(on, inputsOf(before))).toEqual([]);
  });
});
