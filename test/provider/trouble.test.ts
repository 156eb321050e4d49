import { describe, expect, it } from "vitest";
import type { ErrorCode } from "../../service/contract/errors.ts";
import { FleetkeeperError } from "../../service/contract/errors.ts";
import type { Service } from "../../service/contract/service.ts";
import { type Stage, stage } from "../support/stage.ts";
import { COMBINATION, createMachine, deskOn, failure, slotOf } from "./support.ts";

const MINUTE = 60_000;

describe("a launch in trouble", () => {
  it("whose answer was lost is found, and not sent again", async () => {
    const on = await stage();
    on.simulator.control.faults.next("launch", { kind: "dropAfter" });
    const desk = deskOn(on);
    const { machine } = await on.clock.run(createMachine(desk, await slotOf(desk)));
    expect(on.launches()).toBe(1);
    expect(on.alive().map(({ id }) => id)).toEqual([machine?.id]);
    expect(desk.lines.join("\n")).toContain("web: its outcome is not certain yet");
  });

  it("that never took effect is sent again only after the settle time", async () => {
    const on = await stage();
    on.simulator.control.faults.next("launch", { kind: "dropBefore" });
    const desk = deskOn(on);
    const begun = on.clock.now();
    await on.clock.run(createMachine(desk, await slotOf(desk)));
    expect(on.launches()).toBe(2);
    expect(on.alive()).toHaveLength(1);
    const [, second] = on.simulator.truth().launches;
    expect(second!.at - begun).toBeGreaterThanOrEqual(4 * MINUTE);
  });

  it("that cools down waits exactly as long as Retry-After says", async () => {
    const on = await stage();
    on.simulator.control.cooldown(COMBINATION, 47);
    const desk = deskOn(on);
    const begun = on.clock.now();
    await on.clock.run(createMachine(desk, await slotOf(desk)));
    expect(on.simulator.truth().launches.map(({ at }) => at - begun)).toEqual([0, 47_000]);
    expect(desk.lines).toContain(
      "web: h100-8 @ north/oslo is cooling down: waiting 47 s, as the service said",
    );
  });

  it("shares a cooldown among all that wait for the combination", async () => {
    const on = await stage();
    on.simulator.control.cooldown(COMBINATION, 47);
    const desk = deskOn(on);
    const states = await Promise.all([1, 2, 3, 4].map(() => slotOf(desk)));
    await on.clock.run(Promise.all(states.map((state) => createMachine(desk, state))));
    const refused = on.simulator.truth().launches.filter(({ outcome }) => outcome.kind === "refused");
    expect(refused).toHaveLength(1);
    expect(on.alive()).toHaveLength(4);
  });

  it("that is one request too many waits as long as the service says, and so do the others", async () => {
    const on = await stage();
    on.simulator.control.faults.next("launch", { kind: "tooMany", seconds: 20 });
    const desk = deskOn(on);
    const begun = on.clock.now();
    const [one, other] = [await slotOf(desk), await slotOf(desk)];
    await on.clock.run(
      Promise.all([createMachine(desk, one), on.clock.sleep(1_000).then(() => createMachine(desk, other))]),
    );
    const sent = on.simulator.truth().launches.map(({ at }) => at - begun);
    expect(sent[0]).toBe(0);
    expect(Math.min(...sent.slice(1))).toBe(20_000);
    expect(on.alive()).toHaveLength(2);
    expect(desk.lines.join("\n")).toContain(
      "waiting: the service asks to wait 20 s (HTTP 429 too_many_requests: Too many requests.)",
    );
  });

  it.each([0, 5 * 3_600])("waits for a sane time where it says %d s", async (seconds) => {
    const on = await stage();
    on.simulator.control.faults.next("launch", { kind: "tooMany", seconds });
    const desk = deskOn(on);
    const slot = await slotOf(desk);
    if (seconds > 0) {
      const error = await on.clock.run(failure(createMachine(desk, slot)));
      expect(error.message).toContain("the service asks to wait");
      expect(on.launches()).toBe(1);
    } else {
      const begun = on.clock.now();
      await on.clock.run(createMachine(desk, slot));
      expect(on.simulator.truth().launches.map(({ at }) => at - begun)).toEqual([0, 15_000]);
    }
  });

  it("that the service refuses says its code and message, and launches nothing", async () => {
    const on = await stage({ balance: "1.0000" });
    const desk = deskOn(on);
    const error = await on.clock.run(failure(createMachine(desk, await slotOf(desk))));
    expect(error.message).toMatch(
      /^the service refused to launch h100-8 @ north\/oslo: HTTP 402 insufficient_balance: .*\. Nothing was launched\.$/,
    );
    expect(error).not.toHaveProperty("id");
    expect(on.alive()).toEqual([]);
  });

  it("on an account that nobody has stated asks for that", async () => {
    const on = await stage({ dialect: "link", account: "unstated" });
    const desk = deskOn(on);
    const error = await on.clock.run(failure(createMachine(desk, await slotOf(desk))));
    expect(error.message).toContain("account: exclusive, or account: shared");
    expect(on.launches()).toBe(0);
  });

  it("is not sent any more once the process ends while it waits for its turn", async () => {
    const on = await stage({ alter: (profile) => `${profile}\nlimits:\n  requestsPerSecond: 0.25\n` });
    const { service } = on.keeper;
    let waits = false;
    const turn: Service["turn"] = (signal) => {
      waits = true;
      return service.turn(signal);
    };
    const desk = deskOn({ ...on, keeper: { ...on.keeper, service: { ...service, turn } } });
    const killed = failure(createMachine(desk, await slotOf(desk)));
    while (!waits) await on.clock.advance(1_000);
    desk.kill();
    expect((await on.clock.run(killed)).message).toContain("nothing was launched");
    await on.clock.advance(30_000);
    expect(on.launches()).toBe(0);
  });

  it("outlives a service that cannot be asked for a while", async () => {
    const on = await stage();
    const desk = deskOn(on);
    const creating = createMachine(desk, await slotOf(desk));
    await on.clock.advance(5_000);
    on.simulator.control.faults.next("deployments", { kind: "errorBefore", status: 500 }, { times: 20 });
    await on.clock.run(creating);
    expect(desk.lines.join("\n")).toContain("the service cannot be asked just now, trying again");
    expect(on.alive()).toHaveLength(1);
  });
});

describe("a machine that was launched stays in the state, whatever ends the wait for it", () => {
  it.each<[string, ErrorCode, (on: Stage) => void]>([
    [
      "the key is refused from now on",
      "CREDENTIAL",
      ({ simulator }) =>
        simulator.control.faults.next("deployments", { kind: "errorBefore", status: 401 }, { times: 100 }),
    ],
    [
      "the ledger cannot be used any more",
      "LEDGER",
      ({ keeper }) =>
        Object.assign(keeper.ledger, {
          read: async () => {
            throw new FleetkeeperError("LEDGER", "the disk is full");
          },
        }),
    ],
  ])("%s", async (_, code, trouble) => {
    const on = await stage();
    const desk = deskOn(on);
    const creating = failure(createMachine(desk, await slotOf(desk)));
    while (on.alive().length === 0) await on.clock.advance(1_000);
    await on.clock.advance(1_000);
    trouble(on);
    const error = await on.clock.run(creating);
    const [{ id } = { id: "" }] = on.alive();
    expect(error).toMatchObject({
      id,
      cause: { code },
      outs: { deploymentId: id, claim: "certain", account: on.keeper.account },
    });
  });
});

describe("a launch that fails after it was accepted", () => {
  const failing = async (code: string) => {
    const on = await stage();
    on.simulator.control.failNext(COMBINATION, {
      code,
      reason: "no GPU came up",
      suggestedAction: "choose another offer",
    });
    const desk = deskOn(on);
    const state = await slotOf(desk);
    return { on, state, error: await on.clock.run(failure(createMachine(desk, state))) };
  };

  it("says code, reason, suggested action and the refund, and stays in the state", async () => {
    const { on, error } = await failing("GPU_SELF_TEST_FAILED");
    const [failed] = on.simulator.truth().machines;
    expect(error.message).toBe(
      `${failed?.id} failed to launch: GPU_SELF_TEST_FAILED: no GPU came up. Suggested action: choose another offer. ` +
        "The first hour is refunded in full and automatically. The next pulumi up replaces it.",
    );
    expect(error).toMatchObject({
      id: failed?.id,
      outs: {
        status: "failed",
        failureCode: "GPU_SELF_TEST_FAILED",
        failureReason: "no GPU came up",
        suggestedAction: "choose another offer",
      },
    });
  });

  it.each([
    ["UNKNOWN", /Contact the service's support with the deployment ID/],
    ["DUPLICATE_REQUEST", /Contact the service's support with the deployment ID/],
    ["PLATFORM_PROVIDER_ISSUE", /does not clear after a short wait, contact the service's support/],
    ["CONNECTION_TIMEOUT", /keeps recurring, contact the service's support/],
  ])("says when to contact support: %s", async (code, text) => {
    const { error } = await failing(code);
    expect(error.message).toMatch(text);
  });

  it("is told as well where its answer was lost and it has failed by the first look", async () => {
    const at = [0, 0] as const;
    const settings = { initializingSeconds: at, provisioningSeconds: at, connectingSeconds: at };
    const on = await stage({ settings });
    on.simulator.control.faults.next("launch", { kind: "dropAfter" });
    on.simulator.control.failNext(COMBINATION, { code: "UNKNOWN", reason: "no GPU came up" });
    const desk = deskOn(on);
    const error = await on.clock.run(failure(createMachine(desk, await slotOf(desk))));
    const [failed] = on.simulator.truth().machines;
    expect(error.message).toContain(`${failed?.id} failed to launch: UNKNOWN: no GPU came up.`);
    expect(error).toMatchObject({ id: failed?.id, outs: { status: "failed" } });
    expect(on.launches()).toBe(1);
  });

  it("is launched again by the next run", async () => {
    const { on, state } = await failing("UNKNOWN");
    const { machine } = await on.clock.run(createMachine(deskOn(on), state));
    expect(on.alive()).toEqual([expect.objectContaining({ id: machine?.id, state: "running" })]);
  });
});

it("a launch that can never be sent is an error at once: a parameter is missing", async () => {
  const on = await stage({ dialect: "link" });
  const desk = deskOn(on);
  const begun = on.clock.now();
  const error = await on.clock.run(failure(createMachine(desk, await slotOf(desk))));
  expect(error.message).toMatch(/nothing was sent: .*needs the parameter "image", which was not given/);
  expect(on.clock.now()).toBe(begun);
  expect(on.launches()).toBe(0);
});
