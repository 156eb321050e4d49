import { describe, expect, it } from "vitest";
import type { Service } from "../../service/contract/service.ts";
import type { Stage } from "../support/stage.ts";
import { stage } from "../support/stage.ts";
import { COMBINATION, createMachine, deskOn, failure, slotOf } from "./support.ts";

const HOUR_S = 3_600;

/** A stage whose service names another wait with a cooldown than the simulator does. It has enough of a storm. */
async function naming(retryAfter: number): Promise<Stage> {
  const on = await stage();
  on.simulator.control.setCapacity(COMBINATION, 0);
  const launch: Service["launch"] = async (...args) => {
    const answer = await on.keeper.service.launch(...args);
    if (on.launches() > 100) return { kind: "rejected", status: 400, code: "storm" };
    return answer.kind === "rejected" ? { ...answer, retryAfter } : answer;
  };
  return { ...on, keeper: { ...on.keeper, service: { ...on.keeper.service, launch } } };
}

describe("a cooldown", () => {
  it.each([0, 1])("of %d s, for ever, is asked more and more slowly", async (seconds) => {
    const on = await naming(seconds);
    const desk = deskOn(on);
    const begun = on.clock.now();
    await on.clock.run(failure(createMachine(desk, await slotOf(desk), { timeouts: { create: "2m" } })));
    const times = on.simulator.truth().launches.map(({ at }) => (at - begun) / 1000);
    expect(times).toEqual([0, 1, 3, 7, 15, 30, 45, 60, 75, 90, 105]);
  });

  it("of 0 s is asked by one of all that wait for the combination", async () => {
    const on = await naming(0);
    const desk = deskOn(on);
    const states = await Promise.all([1, 2, 3, 4].map(() => slotOf(desk)));
    const creating = states.map((state) =>
      failure(createMachine(desk, state, { timeouts: { create: "2m" } })),
    );
    await on.clock.run(Promise.all(creating));
    expect(on.launches()).toBeLessThan(15);
  });

  it("of 0 s lets the next candidate go first", async () => {
    const on = await naming(0);
    const desk = deskOn(on);
    const candidates = [COMBINATION, { ...COMBINATION, provider: "south", location: "rome" }];
    const choice = { candidates, offer: undefined, provider: undefined, location: undefined };
    await on.clock.run(createMachine(desk, await slotOf(desk, choice), choice));
    expect(on.launches()).toBe(2);
    expect(on.alive().map(({ place }) => place)).toEqual(["south/rome"]);
  });

  it("that outlasts the timeout ends with it, and says what cools and until when", async () => {
    const on = await stage();
    on.simulator.control.cooldown(COMBINATION, 3 * HOUR_S);
    const clears = new Date(on.clock.now() + 3 * HOUR_S * 1000).toISOString().slice(0, 19);
    const desk = deskOn(on);
    const begun = on.clock.now();
    const error = await on.clock.run(
      failure(createMachine(desk, await slotOf(desk), { timeouts: { create: "5m" } })),
    );
    expect(on.clock.now() - begun).toBe(300_000);
    expect(error.message).toBe(
      `no machine of h100-8 @ north/oslo after 300 s (timeouts): h100-8 @ north/oslo is cooling down until ${clears}Z. ` +
        "Nothing is lost: the next pulumi command goes on from here.",
    );
  });

  it("of a number that no service means is believed for four hours", async () => {
    const on = await naming(1e15);
    const desk = deskOn(on);
    const clears = new Date(on.clock.now() + 4 * HOUR_S * 1000).toISOString().slice(0, 19);
    const error = await on.clock.run(
      failure(createMachine(desk, await slotOf(desk), { timeouts: { create: "5m" } })),
    );
    expect(error.message).toContain(`is cooling down until ${clears}Z. Nothing is lost`);
  });
});

describe("lists that take longer than one poll interval", () => {
  it("launch nothing, and say how long they took and what to do", async () => {
    const on = await stage();
    on.simulator.control.faults.next("deployments", { kind: "slow", seconds: 16 }, { times: 10_000 });
    const desk = deskOn(on);
    const error = await on.clock.run(
      failure(createMachine(desk, await slotOf(desk), { timeouts: { create: "10m" } })),
    );
    const why =
      "the newest full list was asked for 16 s ago, and a launch needs one from the last 15 s (one poll interval); " +
      "the list itself took 16 s: let the profile ask for larger pages or more often (pagination, " +
      `limits.requestsPerSecond), or poll more rarely, such as FLEETKEEPER_PROTOCOL='{"poll": "32s"}'`;
    expect(desk.lines).toContain(`web: waiting: ${why}`);
    expect(error.message).toContain(`after 600 s (timeouts): ${why}. Nothing is lost`);
    expect(on.launches()).toBe(0);
    // Not one after the other without a pause.
    expect(on.simulator.truth().requests.deployments).toBeLessThanOrEqual(600 / (16 + 15) + 1);
  });

  it("launch with the longer poll that they ask for", async () => {
    const on = await stage({ protocol: { poll: 32_000 } });
    on.simulator.control.faults.next("deployments", { kind: "slow", seconds: 16 }, { times: 10_000 });
    const desk = deskOn(on);
    await on.clock.run(createMachine(desk, await slotOf(desk)));
    expect(on.launches()).toBe(1);
  });
});

describe("a floor beside another launch", () => {
  const priced = { pricePerHour: "16.0000", budget: { floor: "10" } };

  it.each([
    ["of unknown price", {}],
    ["of known price", { pricePerHour: "16.0000" }],
  ])("%s waits until the balance shows it", async (_, first) => {
    const on = await stage({
      balance: "42.0000",
      alter: (profile) => profile.replace(/\noffers:[\s\S]*?\n(?=\S)/, "\n"),
    });
    const desk = deskOn(on);
    await on.clock.run(createMachine(desk, await slotOf(desk), first));
    const begun = on.clock.now();
    await on.clock.run(createMachine(desk, await slotOf(desk), priced));
    expect(on.launches()).toBe(2);
    expect(on.clock.now() - begun).toBeGreaterThan(30_000);
    expect(desk.lines.join("\n")).toContain("waiting until the balance shows what was launched just now");
  });

  it("that it could not pay for in any case fails at once", async () => {
    const on = await stage({
      balance: "41.9999",
      alter: (profile) => profile.replace(/\noffers:[\s\S]*?\n(?=\S)/, "\n"),
    });
    const desk = deskOn(on);
    await on.clock.run(createMachine(desk, await slotOf(desk)));
    const begun = on.clock.now();
    const error = await on.clock.run(failure(createMachine(desk, await slotOf(desk), priced)));
    expect(on.launches()).toBe(1);
    expect(on.clock.now() - begun).toBeLessThan(30_000);
    expect(error.message).toContain("was not launched");
  });
});
