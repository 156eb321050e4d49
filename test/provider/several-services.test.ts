import { describe, expect, onTestFinished, test } from "vitest";
import { declareFleets } from "../../agent/fleet/declare/declare-fleets.ts";
import { portionOf } from "../../agent/fleet/phase/part.ts";
import { MemoryLedger } from "../../ledger/memory/memory-ledger.ts";
import type { Properties } from "../../provider/kinds.ts";
import { fleet, wish } from "../../provider/kinds.ts";
import { UNKNOWN } from "../../provider/runtime/inputs/unknown.ts";
import { type CatalogueOffer, VirtualClock } from "../../simulator/index.ts";
import { H100, type Stage, stage } from "../support/stage.ts";
import { deskOn, failure } from "./support.ts";

const training = {
  gpus: 32,
  select: { gpuModel: "h100" },
  services: ["north", "south"],
  budget: { perHour: "130", perDay: "4000", total: "9000", churn: "500" },
};

interface World {
  readonly clock: VirtualClock;
  readonly ledger: MemoryLedger;
  readonly north: Stage;
  readonly south: Stage;
  readonly desk: ReturnType<typeof deskOn>;
  /** GPUs that live at each service, by the simulators. */
  gpus(): readonly number[];
  most: number;
  /** How many writes the stack's process still makes. */
  readonly lives: { writes: number };
}

const MARKETS: Readonly<Record<string, CatalogueOffer>> = {
  north: { ...H100, provider: "pn", pricePerHour: "20" },
  south: { ...H100, gpuModel: "NVIDIA H100", provider: "ps", pricePerHour: "16", capacity: 2 },
  west: { ...H100, provider: "pw", pricePerHour: "30" },
};

/** Services of one fleet file, whose agent keeps them all. The stack has the key of north. */
async function world(): Promise<World> {
  const clock = new VirtualClock();
  const ledger = new MemoryLedger("testledger00");
  const stages: Stage[] = [];
  for (const [index, [name, offer]] of Object.entries(MARKETS).entries()) {
    const made = await stage({ clock, ledger, offers: [offer], seed: index + 1 });
    stages.push(made);
    onTestFinished(() => made.stop());
    const service = { name, gpuModels: { h100: [offer.gpuModel ?? ""] } };
    await declareFleets(made.keeper, "file:fleet.yaml", () => [], { service });
    made.start();
  }
  const [north, south] = stages as [Stage, Stage];
  const lives = { writes: Number.POSITIVE_INFINITY };
  const made: World = {
    ...{ clock, ledger, north, south, most: 0, lives },
    desk: deskOn({ ...north, keeper: { ...north.keeper, ledger: mortal(ledger, lives) } }),
    gpus: () => {
      const gpus = stages.map((each) => each.alive().reduce((sum, machine) => sum + machine.gpus, 0));
      made.most = Math.max(
        made.most,
        gpus.reduce((sum, each) => sum + each, 0),
      );
      return gpus;
    },
  };
  await clock.advance(1_000);
  return made;
}

interface State {
  readonly fleet: { readonly id: string; readonly outs: Properties };
  readonly wish?: { readonly id: string; readonly outs: Properties };
}

async function stateIn({ desk }: World): Promise<State> {
  return { fleet: await fleet.create(desk, { label: "project/dev/training", name: "training" }) };
}

function inputsOf({ fleet: { id, outs } }: State, args: Properties): Properties {
  return { ...outs, ...args, source: `stack:${id}` };
}

/** Plays until it is done, and looks at the simulators all the time. */
async function run<T>(on: World, work: Promise<T>): Promise<T> {
  let isDone = false;
  const done = work.finally(() => {
    isDone = true;
  });
  done.catch(() => undefined);
  while (!isDone) {
    await on.clock.advance(5_000);
    on.gpus();
  }
  return done;
}

async function play(on: World, minutes: number): Promise<void> {
  for (let seconds = 0; seconds < minutes * 60; seconds += 5) {
    await on.clock.advance(5_000);
    on.gpus();
  }
}

async function up(on: World, state: State, args: Properties): Promise<State> {
  const news = inputsOf(state, args);
  if (state.wish) {
    const outs = await run(on, wish.update(on.desk, state.wish.id, state.wish.outs, news));
    return { ...state, wish: { id: state.wish.id, outs } };
  }
  return { ...state, wish: await run(on, wish.create(on.desk, news)) };
}

function destroy({ desk }: World, state: State): Promise<void> {
  return fleet.delete(desk, state.fleet.id, state.fleet.outs);
}

/** The ledger of a process that dies before one of its writes. */
function mortal(ledger: MemoryLedger, lives: { writes: number }): MemoryLedger {
  return new Proxy(ledger, {
    get(target, key) {
      if (key === "decide" && --lives.writes < 0) throw new Error("killed");
      const value = Reflect.get(target, key, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

/** What the parts that live may have together, and each alone. */
async function partsOf({ ledger }: World) {
  const parts: Record<string, number> = {};
  let perHour = 0;
  for (const { key } of await ledger.accounts())
    for (const row of (await ledger.read(key)).fleets) {
      if (!row.part || row.removed) continue;
      const { gpus, perHour: usd } = portionOf(row, row.part);
      parts[row.name] = gpus;
      perHour += Number(usd);
    }
  return { parts, perHour };
}

describe("a fleet in several services", () => {
  test("is launched where it is cheapest, by the names of the agent's file, and comes out as one", async () => {
    const on = await world();
    const state = await up(on, await stateIn(on), training);
    expect(on.gpus()).toEqual([16, 16, 0]);
    expect(state.wish?.outs).toMatchObject({ runningGpus: 32, pricePerHour: "72.0000", reasons: [] });
    const shown = state.wish?.outs.deployments as readonly { service: string }[];
    expect(shown.map(({ service }) => service).sort()).toEqual(["north", "north", "south", "south"]);
    expect(await wish.diff(on.desk, "training", state.wish?.outs ?? {}, inputsOf(state, training))).toEqual({
      changes: false,
      replaces: [],
    });
    expect(await wish.read(on.desk, "training", state.wish?.outs ?? {})).toMatchObject({ runningGpus: 32 });
    await run(on, destroy(on, state));
    expect(on.gpus()).toEqual([0, 0, 0]);
    expect(on.most).toBe(32);
  });

  test("takes a service more, leaves one, and stands in all of them, or in none more than its part", async () => {
    const on = await world();
    let state = await up(on, await stateIn(on), training);
    state = await up(on, state, { ...training, services: ["west", "north"] });
    expect(on.gpus()).toEqual([32, 0, 0]);
    expect(state.wish?.outs.reasons).toEqual([]);
    state = await up(on, state, { ...training, services: "all", spread: { atLeast: 2 }, gpus: 16 });
    expect(on.gpus().reduce((sum, each) => sum + each, 0)).toBe(16);
    await run(on, destroy(on, state));
    expect(on.gpus()).toEqual([0, 0, 0]);
    expect(on.most).toBe(32);
  });

  test("is one in the stack's own account again, and no GPU runs elsewhere", async () => {
    const on = await world();
    let state = await up(on, await stateIn(on), training);
    const { services: _, ...alone } = training;
    state = await up(on, state, { ...alone, select: { gpuModel: "H100" } });
    await on.clock.advance(20 * 60_000);
    expect(on.gpus()).toEqual([32, 0, 0]);
    expect(on.most).toBe(32);
    await run(on, destroy(on, state));
  });

  test.each([0, 1, 2])(
    "launches nothing twice where its up dies after write %i, and goes on",
    async (writes) => {
      const on = await world();
      const state = await stateIn(on);
      on.lives.writes = writes;
      const args = { ...training, awaitReady: false };
      const died = await run(
        on,
        wish.create(on.desk, inputsOf(state, args)).catch((error: Error) => error.message),
      );
      if (writes < 2) expect(died).toBe("killed");
      on.lives.writes = Number.POSITIVE_INFINITY;
      await play(on, 10);
      expect(on.most).toBe(writes === 2 ? 32 : 0);
      const made = await up(on, state, training);
      expect(on.gpus()).toEqual([16, 16, 0]);
      expect(await partsOf(on)).toEqual({ parts: { training: 16, "training@south": 16 }, perHour: 130 });
      await run(on, destroy(on, made));
      expect(on.most).toBe(32);
    },
  );

  test.each([1, 2, 3])(
    "whose destroy dies after write %i moves nothing elsewhere, and the next one ends it",
    async (writes) => {
      const on = await world();
      const state = await up(on, await stateIn(on), training);
      on.south.simulator.control.setCapacity(MARKETS.south as CatalogueOffer, 100);
      const launched = on.north.launches() + on.south.launches();
      on.lives.writes = writes;
      expect((await run(on, failure(destroy(on, state)))).message).toBe("killed");
      on.lives.writes = Number.POSITIVE_INFINITY;
      await play(on, 15);
      expect(on.north.launches() + on.south.launches()).toBe(launched);
      await run(on, destroy(on, state));
      expect(on.gpus()).toEqual([0, 0, 0]);
      expect(on.most).toBe(32);
      await up(on, await stateIn(on), training);
      expect(on.gpus()).toEqual([0, 32, 0]);
      expect((await partsOf(on)).perHour).toBe(130);
    },
  );

  test("that is destroyed before it was declared is declared nowhere by a host that comes late", async () => {
    const on = await world();
    const state = await stateIn(on);
    await run(on, destroy(on, state));
    const late = inputsOf(state, { ...training, services: ["south", "west"] });
    expect((await run(on, failure(wish.create(on.desk, late)))).message).toContain(
      "was deleted, or is being deleted",
    );
    expect(await partsOf(on)).toEqual({ parts: {}, perHour: 0 });
  });

  test("is refused in words where a service, a name or a spread cannot be", async () => {
    const on = await world();
    const state = await stateIn(on);
    const why = async (args: Properties): Promise<string> =>
      (await run(on, failure(wish.create(on.desk, inputsOf(state, { ...training, ...args }))))).message;
    expect(await why({ services: ["north", "est"] })).toBe(
      "services: expected names of services that the agent keeps (north, south, west), got est.",
    );
    expect(await why({ services: "all", spread: { atLeast: 4 } })).toBe(
      "spread.atLeast: expected 3 or less, as there are north, south, west.",
    );
    expect(await partsOf(on)).toEqual({ parts: {}, perHour: 0 });
    const made = await up(on, state, training);
    expect(await why({ name: "other" })).toContain("name: expected training, got other");
    expect(on.gpus()).toEqual([16, 16, 0]);
    await run(on, destroy(on, made));
  });

  test("has no services where the agent that keeps the account has no file with several", async () => {
    const on = await stage();
    onTestFinished(() => on.stop());
    on.start();
    await on.clock.advance(1_000);
    const desk = deskOn(on);
    const made = await fleet.create(desk, { label: "project/dev/training", name: "training" });
    const inputs = inputsOf({ fleet: made }, training);
    expect((await on.clock.run(failure(wish.create(desk, inputs)))).message).toContain(
      "services: no agent has kept this account",
    );
  });

  test("is refused before anything is declared where its services count in two currencies", async () => {
    const on = await world();
    const { keeper } = on.south;
    await keeper.ledger.decide(keeper.account, (draft) =>
      draft.putAccount({ ...draft.account, currency: "EUR" }),
    );
    const inputs = inputsOf(await stateIn(on), training);
    expect((await run(on, failure(wish.create(on.desk, inputs)))).message).toContain(
      "its services count in several currencies (north in USD, south in EUR)",
    );
    expect(on.gpus()).toEqual([0, 0, 0]);
  });

  test("says what it would cost in a preview, where its other half is not made yet", async () => {
    const on = await world();
    const state = await stateIn(on);
    const { source: _source, ledger: _ledger, ...news } = inputsOf(state, training);
    const { failures } = await run(on, wish.check(on.desk, { ...news, source: UNKNOWN, ledger: UNKNOWN }));
    expect(failures).toEqual([]);
    expect(on.desk.lines.join("\n")).toContain("the 32 GPUs that it lacks would cost 64.00 USD an hour");
  });

  test("says before a change what it lacks, which check can do nothing, and which command the agents have not", async () => {
    const on = await world();
    const state = await up(on, await stateIn(on), training);
    const preview = (args: Properties) =>
      run(on, wish.diff(on.desk, "training", state.wish!.outs, inputsOf(state, { ...training, ...args })));
    on.desk.lines.length = 0;
    await preview({ gpus: 40, health: { address: "nowhere", tcp: 22 } });
    expect(on.desk.lines.join("\n")).toContain('health.address: the connection detail "nowhere" is not in');
    expect((await failure(preview({ setup: { command: ["join.sh"] } }))).message).toContain(
      "setup.command: expected no command, got join.sh",
    );
    expect(on.gpus()).toEqual([16, 16, 0]);
  });
});

test("an up waits for what a window of the whole asks for by now, over all services", async () => {
  const on = await world();
  const moment = (hours: number): string =>
    new Date(on.clock.now() + hours * 3_600_000).toISOString().slice(0, 16).replace("T", " ");
  const schedule = { timeZone: "UTC", entries: [{ from: moment(-1), to: moment(1), gpus: 32 }] };
  const { outs } = (
    await up(on, await stateIn(on), { ...training, gpus: 8, range: { min: 0, max: 64 }, schedule })
  ).wish as { outs: Properties };
  expect(outs).toMatchObject({ runningGpus: 32 });
  expect(on.gpus()).toEqual([16, 16, 0]);
  await play(on, 130);
  expect(on.gpus().reduce((sum, each) => sum + each, 0)).toBe(8);
  expect(on.most).toBe(32);
});
