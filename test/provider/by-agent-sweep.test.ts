import { describe, expect, it } from "vitest";
import { fleet, machine, NotAsItShouldBe, type Properties, slot, wish } from "../../provider/kinds.ts";
import { keptBy } from "../../provider/runtime/kept-by.ts";
import { REPEATS } from "../support/repeats.ts";
import { H100 } from "../support/stage.ts";
import { played } from "./kept.ts";
import { type Moment, type Mortal, mortal, type Who } from "./mortal.ts";
import { COMBINATION } from "./support.ts";

/*
 * Whoever keeps a stack by an agent dies once, at each boundary of a request: of the stack to the agent, and of the agent to the
 * service. The simulator's books are the truth.
 */

interface Half {
  readonly id: string;
  readonly outs: Properties;
}
type State = Map<string, Half>;
const half = (state: State, name: string): Half => state.get(name) ?? { id: "", outs: {} };

/** The halves of a resource, the outer first, and their inputs by what is in the state. */
const RESOURCES = {
  Deployment: [
    {
      name: "slot",
      kind: keptBy("slot", slot),
      inputs: () => ({ label: "project/dev/web", ...COMBINATION }),
    },
    {
      name: "machine",
      kind: keptBy("machine", machine),
      inputs: (state: State) => {
        const { id, outs } = half(state, "slot");
        return { label: "project/dev/web", ...COMBINATION, slot: id, ledger: outs.ledger };
      },
    },
  ],
  Fleet: [
    {
      name: "fleet",
      kind: keptBy("fleet", fleet),
      inputs: () => ({ label: "project/dev/training", name: "training" }),
    },
    {
      name: "wish",
      kind: keptBy("wish", wish),
      inputs: (state: State) => {
        const { id, outs } = half(state, "fleet");
        const candidates = [{ ...COMBINATION, gpus: H100.gpus, pricePerHour: H100.pricePerHour }];
        return { ...outs, source: `stack:${id}`, gpus: 16, candidates };
      },
    },
  ],
} as const;
const WANTED = { Deployment: 1, Fleet: 2 } as const;
type Name = keyof typeof RESOURCES;

/** As an engine does it: the state has what a call returned, and nothing of a call whose host died. */
async function engine(on: Mortal, name: Name, state: State, command: "up" | "destroy"): Promise<void> {
  for (;;) {
    const { desk, dead } = on.asker();
    const run = async (): Promise<void> => {
      const halves = RESOURCES[name];
      if (command === "destroy")
        for (const { name, kind } of halves.toReversed()) {
          const { id, outs } = half(state, name);
          if (state.has(name)) await kind.delete(desk, id, outs);
          state.delete(name);
        }
      else
        for (const { name, kind, inputs } of halves) {
          const [there, news] = [state.get(name), inputs(state)];
          if (!there) state.set(name, await kind.create(desk, news));
          else if ((await kind.diff(desk, there.id, there.outs, news)).changes)
            state.set(name, { ...there, outs: await kind.update(desk, there.id, there.outs, news) });
        }
    };
    try {
      return await played(on.clock, Promise.race([run(), dead]));
    } catch (error) {
      if (error instanceof NotAsItShouldBe) throw error;
      if ((error as Error).message !== "killed") throw error;
    }
  }
}

/** Up, up, and destroy. Gives the moments that were passed. */
async function story(name: Name, who?: Who, at?: Moment): Promise<readonly Moment[]> {
  const on = await mortal(who, at);
  const what = `${name}: kill -9 of the ${who}, ${at}`;
  try {
    const state: State = new Map();
    await engine(on, name, state, "up");
    await engine(on, name, state, "up");
    await on.clock.advance(300_000);
    const { machines } = on.simulator.truth();
    expect(on.alive(), what).toHaveLength(WANTED[name]);
    expect(machines, what).toHaveLength(WANTED[name]);
    const { deployments } = await on.keeper.ledger.read(on.keeper.account);
    const known = deployments.filter(({ owner, claim }) => owner !== null && claim === "certain");
    expect(known.map(({ id }) => id).toSorted(), what).toEqual(machines.map(({ id }) => id).toSorted());
    await engine(on, name, state, "destroy");
    await on.clock.advance(300_000);
    expect(on.alive(), what).toEqual([]);
    expect(on.simulator.truth().machines, what).toHaveLength(WANTED[name]);
    expect(on.deaths(), what).toBe(at === undefined ? 0 : 1);
    return on.passed;
  } finally {
    await on.close();
  }
}

/** Worlds at a time: what they wait for is mostly the second until an asker asks again. */
const LANES = 6;

/** Every `nth` moment from the first, of both. */
async function sweep(name: Name, nth: number, skip = 0): Promise<number> {
  const moments = [...new Set(await story(name))];
  const all = (["agent", "asker"] as const).flatMap((who) => moments.map((at) => ({ who, at })));
  const some = all.filter((_, place) => (place - skip) % nth === 0).values();
  const lane = async (): Promise<void> => {
    for (const { who, at } of some) await story(name, who, at);
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  return all.length;
}

describe.each(["Deployment", "Fleet"] as const)("kill -9 around a %s that an agent keeps", (name) => {
  it("at some boundaries of requests pays nothing twice and leaves nothing", async () => {
    expect(await sweep(name, 11, 5)).toBeGreaterThan(40);
  });
  it("at every boundary of a request pays nothing twice and leaves nothing", {
    ...REPEATS,
    timeout: 600_000,
  }, async () => {
    expect(await sweep(name, 1)).toBeGreaterThan(40);
  });
});
