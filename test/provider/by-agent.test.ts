import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { fleet, machine, NotAsItShouldBe, type Properties, slot, wish } from "../../provider/kinds.ts";
import * as lookups from "../../provider/runtime/host/lookups.ts";
import { keptBy } from "../../provider/runtime/kept-by.ts";
import { H100 } from "../support/stage.ts";
import { type Kept, type KeptDesk, kept, played } from "./kept.ts";
import { COMBINATION, deskOn, failure } from "./support.ts";

const [Slot, Machine, Fleet, Wish] = [
  keptBy("slot", slot),
  keptBy("machine", machine),
  keptBy("fleet", fleet),
  keptBy("wish", wish),
];
const training = {
  gpus: 16,
  candidates: [{ ...COMBINATION, gpus: H100.gpus, pricePerHour: H100.pricePerHour }],
};
const label = "project/dev/web";

let on: Kept;
let secret: string;
beforeEach(async () => {
  on = await kept();
  on.start();
  await on.clock.advance(1_000);
  secret = await on.token("ci");
});
afterEach(() => on.close());

const play = <T>(promise: Promise<T>): Promise<T> => played(on.clock, promise);
const fails = (promise: Promise<unknown>): Promise<Error> => play(failure(promise));
const launches = (): number => on.simulator.truth().launches.length;
const events = () => on.keeper.ledger.events(on.keeper.account, 100);

interface Half {
  readonly id: string;
  readonly outs: Properties;
}

const slotOf = (desk: KeptDesk, args: Properties = {}): Promise<Half> =>
  play(Slot.create(desk, { label, ...COMBINATION, ...args }));
const inputsOf = ({ id, outs }: Half, args: Properties = {}): Properties => ({
  ...{ label, ...COMBINATION, slot: id, ledger: outs.ledger },
  ...args,
});
const fleetOf = (desk: KeptDesk, name = "training"): Promise<Half> =>
  play(Fleet.create(desk, { label: `project/dev/${name}`, name }));
const wishOf = ({ id, outs }: Half, args: Properties = training): Properties => ({
  ...outs,
  ...args,
  source: `stack:${id}`,
});

describe("a Fleet that an agent keeps", () => {
  it("is declared, waited for, changed, read and drained there; the token's name stands beside it", async () => {
    const desk = on.desk(secret);
    expect(
      await play(Wish.check(desk, { ...training, label, name: "training", reconcile: "now" })),
    ).toMatchObject({
      failures: expect.arrayContaining([expect.objectContaining({ property: "reconcile" })]),
    });
    const half = await fleetOf(desk);
    const made = await play(Wish.create(desk, wishOf(half)));
    expect(made.outs).toMatchObject({ runningGpus: 16, reasons: [] });
    expect(on.alive()).toHaveLength(2);
    expect(desk.lines).toContain("training: 16 of 16 GPUs run");
    expect(await play(Wish.diff(desk, made.id, made.outs, wishOf(half)))).toEqual({
      changes: false,
      replaces: [],
    });
    const less = await play(Wish.update(desk, made.id, made.outs, wishOf(half, { ...training, gpus: 8 })));
    expect(less).toMatchObject({ runningGpus: 8 });
    expect(await play(Wish.read(desk, made.id, less))).toMatchObject({ runningGpus: 8 });
    await play(Fleet.delete(desk, half.id, half.outs));
    expect(on.alive()).toEqual([]);
    expect(launches()).toBe(2);
    const ordered = (await events()).filter(({ actor }) => actor === "token:ci");
    expect(ordered.map(({ kind, text }) => `${kind}: ${text}`).reverse()).toEqual([
      "declared: training was declared by stack:project/dev/training",
      "declared: training was declared by stack:project/dev/training",
      "drained: training was taken out by stack:project/dev/training, and drains",
    ]);
  });

  it("of the same name as another owner's is refused, and nothing is rented", async () => {
    await on.declare({ training: { gpus: 0, candidates: [{ ...COMBINATION, gpus: 8 }] } });
    const desk = on.desk(secret);
    const half = await fleetOf(desk);
    expect((await fails(Wish.create(desk, wishOf(half)))).message).toContain("file:fleet.yaml");
    expect(launches()).toBe(0);
  });

  it("goes on in the next agent when the first is stopped or killed", async () => {
    const desk = on.desk(secret);
    const half = await fleetOf(desk);
    const making = Wish.create(desk, wishOf(half));
    for (const how of ["killed", "stopped"] as const) {
      await play(sleepUntil(() => launches() > 0));
      await on.end(how);
      await on.begin();
    }
    expect((await play(making)).outs).toMatchObject({ runningGpus: 16 });
    expect(launches()).toBe(2);
  });
});

const sleepUntil = async (condition: () => boolean): Promise<void> => {
  while (!condition()) await on.clock.sleep(100);
};

describe("a Deployment that an agent keeps", () => {
  it("is launched once, and its state is what a stack with the key goes on with, and the other way round", async () => {
    const desk = on.desk(secret);
    const half = await slotOf(desk);
    const made = await play(Machine.create(desk, inputsOf(half)));
    expect(made.outs).toMatchObject({ status: "running", claim: "certain" });
    expect(desk.lines.join("\n")).toContain("web: ");
    expect((await events()).map(({ kind, actor }) => [kind, actor])).toEqual([
      ["running", undefined],
      ["claimed", undefined],
      ["launch", "token:ci"],
      ["token", undefined],
    ]);
    const here = deskOn(on);
    expect(await on.clock.run(machine.diff(here, made.id, made.outs, inputsOf(half)))).toMatchObject({
      changes: false,
    });
    expect(await play(Machine.diff(desk, made.id, made.outs, inputsOf(half)))).toMatchObject({
      changes: false,
    });
    expect(await play(Slot.diff(desk, half.id, half.outs, half.outs))).toMatchObject({ changes: false });
    await play(Machine.delete(desk, made.id, made.outs));
    await play(Slot.delete(desk, half.id, half.outs));
    expect(on.alive()).toEqual([]);
    expect(launches()).toBe(1);
  });

  it("is listed while nobody has it, imported without a claim, and taken over by the next update", async () => {
    const desk = on.desk(secret);
    const id = on.simulator.control.launchByHand(COMBINATION);
    expect(await play(Machine.list!(desk))).toEqual([id]);
    const props = { label, slot: "imported", resource: "web's" };
    const { inputs, outs } = await play(Machine.import!(desk, id, props));
    expect(inputs).toMatchObject({ ...props, ...COMBINATION });
    expect(await play(Machine.list!(desk))).toEqual([id]);
    expect(await play(Machine.update(desk, id, outs, inputs))).toMatchObject({
      deploymentId: id,
      claim: "certain",
    });
    expect(await play(Machine.list!(desk))).toEqual([]);
    expect(launches()).toBe(0);
  });

  it("is launched once however often the agent ends, and whoever asks dies", async () => {
    const half = await slotOf(on.desk(secret));
    for (const how of ["killed", "stopped", "killed"] as const) {
      const dying = on.desk(secret);
      const making = failure(Machine.create(dying, inputsOf(half)));
      await play(sleepUntil(() => launches() > 0));
      dying.interrupt();
      expect((await play(making)).message).toContain("bills");
      await on.end(how);
      await on.begin();
    }
    const made = await play(Machine.create(on.desk(secret), inputsOf(half)));
    expect(made.outs).toMatchObject({ status: "running" });
    expect(launches()).toBe(1);
  });

  it("that does not run as it should keeps its id and its outputs in the state", async () => {
    on.simulator.control.failNext({ provider: "north" }, { code: "UNKNOWN" });
    const desk = on.desk(secret);
    const error = await fails(Machine.create(desk, inputsOf(await slotOf(desk))));
    expect(error).toBeInstanceOf(NotAsItShouldBe);
    expect(error).toMatchObject({ id: on.simulator.truth().machines[0]?.id, outs: { status: "failed" } });
  });

  it("runs commands of the agent's folder, and no others", async () => {
    const desk = on.desk(secret);
    const of = (program: string) => ({ beforeStop: { command: [program] } });
    const checked = await play(
      Machine.check(desk, { label, ...COMBINATION, slot: "s", ledger: "l", ...of("./mine.sh") }),
    );
    expect(checked.failures).toMatchObject([
      { property: "beforeStop.command", reason: "there is no ./mine.sh" },
    ]);
    const half = await slotOf(desk, of("check.sh"));
    const made = await play(Machine.create(desk, inputsOf(half, of("check.sh"))));
    await play(Slot.delete(desk, half.id, { ...half.outs, ...of("check.sh") }));
    expect(on.ran).toEqual([`check.sh ${made.id}`]);
  });

  it("has values in its state as they were given, however long", async () => {
    const desk = on.desk(secret);
    const long = { parameters: { script: "x".repeat(100_000) } };
    expect((await slotOf(desk, long)).outs.parameters).toEqual(long.parameters);
  });
});

describe("a token", () => {
  it("that may not declare keeps nothing, and may look things up", async () => {
    const reads = await on.token("eyes", { may: "operate" });
    expect((await fails(slotOf(on.desk(reads)))).message).toContain("token:eyes may operate");
    const found = await play(lookups.offers({ agent: on.url, token: reads }, {}));
    expect(found).toContainEqual(expect.objectContaining({ offer: H100.offer }));
  });

  it("for some fleets reaches no other: by name, by source, by slot or by machine, whatever the state says", async () => {
    const desk = on.desk(secret);
    const [mine, theirs] = [await slotOf(desk), await fleetOf(desk)];
    const made = await play(Machine.create(desk, inputsOf(mine, { resource: "web's" })));
    await play(Wish.create(desk, wishOf(theirs)));
    const few = on.desk(await on.token("few", { fleets: ["small-*", "project/test/*"] }));
    const own = { label: "project/test/web", name: "small-1" };
    const forged = [
      Slot.create(few, { ...COMBINATION, label }),
      Slot.delete(few, mine.id, { ...mine.outs, ...own }),
      Slot.delete(few, "unknown", { ledger: mine.outs.ledger }),
      Machine.delete(few, made.id, { ...made.outs, ...own, slot: "another" }),
      Machine.create(few, inputsOf(mine, own)),
      Machine.create(few, inputsOf({ ...mine, id: "fresh" }, { ...own, adopt: made.id })),
      Machine.read(few, made.id, {}),
      Machine.import!(few, made.id, { ...own, slot: "fresh" }),
      Machine.list!(few),
      Fleet.delete(few, theirs.id, { ...theirs.outs, ...own }),
      Wish.create(few, { ...wishOf(theirs), ...own }),
      Wish.create(few, { ...wishOf(theirs), source: "stack:x#y" }),
      Slot.diff(few, mine.id, { ...mine.outs, ...own }, {}),
      Machine.delete(few, "fresh", { ...own, claim: "certain", slot: [mine.id] }),
      Machine.check(few, { ...own, ...COMBINATION, slot: { id: "fresh", ledger: "l", label } }),
      Machine.check(few, { ...own, ...COMBINATION, slot: { id: "fresh", ledger: "l", resource: "web's" } }),
      Machine.create(few, inputsOf({ ...mine, id: "fresh" }, { ...own, resource: "web's" })),
    ];
    for (const each of await play(Promise.all(forged.map(failure))))
      expect(each.message).toContain("token:few is for small-*, project/test/*, and not for");
    expect(on.alive()).toHaveLength(3);
    const small = await play(Fleet.create(few, { ...own }));
    await play(Wish.create(few, { ...wishOf(small, { ...training, gpus: 8 }), ...own }));
    expect(on.alive()).toHaveLength(4);
  });

  it("whatever it may, has no fleet's source but a stack's, and names nothing by what is read as a text only later", async () => {
    const [desk, few] = [on.desk(secret), on.desk(await on.token("few", { fleets: ["small-*"] }))];
    const half = await fleetOf(desk);
    await play(Wish.create(desk, wishOf(half)));
    const own = { label: "project/test/small", name: "small-1" };
    const forged = [
      Fleet.delete(few, [half.id] as never, { ...half.outs, ...own }),
      Slot.delete(few, ["web"] as never, { ...half.outs, ...own }),
      Wish.create(few, { ...wishOf(half), ...own, source: [`stack:${half.id}`] }),
      Wish.create(few, [own] as never),
      Wish.create(few, { ...wishOf(half), ...own, source: "file:/etc/fleet.yaml" }),
      Wish.create(desk, { ...wishOf(half), ...own, source: "api:" }),
    ];
    for (const each of await play(Promise.all(forged.map(failure))))
      expect(each.message).toContain("expected");
    expect(on.alive()).toHaveLength(2);
    expect((await events()).map(({ kind }) => kind)).not.toContain("drained");
  });

  it("that is revoked goes on with nothing", async () => {
    const desk = on.desk(secret);
    const half = await slotOf(desk);
    on.simulator.control.cooldown(COMBINATION, 3600);
    const making = failure(Machine.create(desk, inputsOf(half)));
    await play(sleepUntil(() => desk.lines.length > 0));
    await on.revoke("ci");
    expect(await play(making)).toMatchObject({ code: "CREDENTIAL" });
    expect(launches()).toBeLessThan(2);
    expect(on.alive()).toEqual([]);
  });
});
