import { afterEach, describe, expect, it } from "vitest";
import { adopt, contextOf, disown } from "../../launch/index.ts";
import { MemoryLedger } from "../../ledger/memory/memory-ledger.ts";
import type { Properties } from "../../provider/kinds.ts";
import { fleet, wish } from "../../provider/kinds.ts";
import { UNKNOWN } from "../../provider/runtime/inputs/unknown.ts";
import { FleetkeeperError } from "../../service/contract/errors.ts";
import { deploymentAsFound, intentAsFound } from "../support/as-found.ts";
import { H100, type Stage, stage } from "../support/stage.ts";
import { COMBINATION, type Desk, deskOn, elsewhere, failure } from "./support.ts";

const training = {
  gpus: 16,
  candidates: [{ ...COMBINATION, gpus: H100.gpus, pricePerHour: H100.pricePerHour }],
};
const inline = { ...training, reconcile: "inline" };

let on: Stage | undefined;
afterEach(async () => on?.stop());

interface State {
  readonly fleet: { readonly id: string; readonly outs: Properties };
  readonly wish?: { readonly id: string; readonly outs: Properties };
}

async function fleetOf(desk: Desk, name = "training"): Promise<State> {
  return { fleet: await fleet.create(desk, { label: `project/dev/${name}`, name }) };
}

function inputsOf({ fleet: { id, outs } }: State, args: Properties): Properties {
  return { ...outs, ...args, source: `stack:${id}` };
}

async function up(desk: Desk, state: State, args: Properties): Promise<State> {
  return { ...state, wish: await wish.create(desk, inputsOf(state, args)) };
}

async function destroy(desk: Desk, state: State): Promise<void> {
  if (state.wish) await wish.delete(desk, state.wish.id, state.wish.outs);
  await fleet.delete(desk, state.fleet.id, state.fleet.outs);
}

describe("a fleet with an agent", () => {
  it("waits until the agent has met the wish, and tells how far it is", async () => {
    on = await stage();
    on.start();
    await on.clock.advance(1_000);
    const desk = deskOn(on);
    const state = await on.clock.run(up(desk, await fleetOf(desk), training));
    expect(on.alive()).toHaveLength(2);
    expect(state.wish?.outs).toMatchObject({ runningGpus: 16, pricePerHour: "32.0000", reasons: [] });
    expect(desk.lines.at(0)).toBe("training: 0 of 16 GPUs run");
    expect(desk.lines.at(-1)).toBe("training: 16 of 16 GPUs run");
  });

  it("does not wait where that is not wanted", async () => {
    on = await stage();
    const desk = deskOn(on);
    const state = await on.clock.run(up(desk, await fleetOf(desk), { ...training, awaitReady: false }));
    expect(state.wish?.outs).toMatchObject({ runningGpus: 0 });
    on.start();
    await on.clock.advance(600_000);
    expect(on.alive()).toHaveLength(2);
  });

  it("is over when the agent has stopped everything", async () => {
    on = await stage();
    on.start();
    await on.clock.advance(1_000);
    const desk = deskOn(on);
    const state = await on.clock.run(up(desk, await fleetOf(desk), training));
    await on.clock.run(destroy(desk, state));
    expect(desk.lines.join("\n")).toContain("training: draining project/dev/training: ");
    expect(on.alive()).toEqual([]);
  });
});

describe("a fleet with commands", () => {
  const asked = {
    ...training,
    setup: { command: ["join.sh", "a b"] },
    beforeStop: { command: ["save.sh"] },
    health: { command: ["gpus.sh"], then: "replace" },
  };

  async function kept(commands?: readonly string[]) {
    on = await stage();
    on.start();
    await on.clock.advance(1_000);
    const { ledger, account } = on.keeper;
    await ledger.decide(account, (draft) => {
      const { agent } = draft.account;
      if (agent) draft.putAccount({ ...draft.account, agent: { ...agent, ...(commands && { commands }) } });
    });
    return { on, desk: deskOn(on) };
  }

  it("is declared where its agent has them for stacks", async () => {
    const { on, desk } = await kept(["gpus.sh", "join.sh", "save.sh"]);
    await on.clock.run(up(desk, await fleetOf(desk), asked));
    expect(on.alive()).toHaveLength(2);
    expect((await on.keeper.ledger.read(on.keeper.account)).fleets[0]?.wish).toMatchObject({
      setup: { command: ["join.sh", "a b"] },
    });
  });

  it.each<[string, readonly string[] | undefined, string]>([
    [
      "has others",
      ["gpus.sh", "join.sh"],
      "beforeStop.command: expected one of the programs that the agent on stage runs for stacks (gpus.sh, join.sh), got save.sh. " +
        "Correct it; or put save.sh into the folder that FLEETKEEPER_COMMANDS names there, as a file that may be executed, and start the " +
        "agent again.",
    ],
    [
      "has none",
      undefined,
      "setup.command: expected no command, got join.sh. The agent on stage runs none for stacks: start it with FLEETKEEPER_COMMANDS, " +
        "the folder that join.sh is in; or keep this fleet in a fleet file (fleetkeeper agent --config FILE).",
    ],
  ])("is an error at once, in a preview too, where its agent %s", async (_what, commands, message) => {
    const { on, desk } = await kept(commands);
    const state = await fleetOf(desk);
    expect((await on.clock.run(failure(up(desk, state, asked)))).message).toBe(message);
    const { failures } = await on.clock.run(wish.check(desk, { ...inputsOf(state, asked), source: UNKNOWN }));
    expect(failures).toEqual([{ property: "", reason: message }]);
    expect(on.launches()).toBe(0);
    expect((await on.keeper.ledger.read(on.keeper.account)).fleets).toEqual([]);
  });
});

describe("a fleet whose agent has died on another host a moment ago", () => {
  async function afterDeath() {
    const time = { now: () => 0 };
    const ledger = new MemoryLedger("testledger00", () => time.now());
    on = await stage({ ledger });
    const { clock, keeper } = on;
    time.now = () => clock.now();
    const { account } = keeper;
    await ledger.leases.take(account, "dead", 1_000, 0);
    await clock.advance(1_000);
    const agent = { process: keeper.clock.self, beat: keeper.clock.now(), host: "elsewhere" };
    await ledger.decide(account, (draft) => draft.putAccount({ ...draft.account, agent }));
    return { stage: on, ledger, account, desk: deskOn(on) };
  }

  it("is left to the agent that takes over", async () => {
    const { stage, ledger, account, desk } = await afterDeath();
    const made = fleetOf(desk).then((state) => up(desk, state, training));
    await stage.clock.advance(8_000);
    expect((await ledger.read(account)).fleets).toEqual([]);
    const lease = (await ledger.leases.take(account, "next", 60_000, 0))!;
    let isMade = false;
    const renew = async (): Promise<void> => {
      for (; !isMade; await stage.clock.sleep(30_000)) await ledger.leases.renew([lease], 60_000);
    };
    void renew();
    stage.start();
    await stage.clock.run(made);
    isMade = true;
    expect(stage.alive()).toHaveLength(2);
  });

  it("asks for nothing where none takes over, and says how to start one", async () => {
    const { stage, ledger, account, desk } = await afterDeath();
    const error = await stage.clock.run(failure(fleetOf(desk).then((state) => up(desk, state, training))));
    expect(error.message).toMatch(/^no agent keeps the fleets of the ledger memory\. Start one/);
    expect((await ledger.read(account)).fleets).toEqual([]);
  });

  it("is brought about inline at once", async () => {
    const { stage, desk } = await afterDeath();
    const made = fleetOf(desk).then((state) => up(desk, state, inline));
    await stage.clock.advance(60_000);
    expect(stage.launches()).toBe(2);
    await stage.clock.run(made);
  });
});

describe("a fleet without an agent", () => {
  it("says how to start one, and asks for nothing", async () => {
    on = await stage();
    const desk = deskOn(on);
    const error = await on.clock.run(failure(up(desk, await fleetOf(desk), training)));
    expect(error.message).toMatch(
      /^no agent keeps the fleets of the ledger :memory:\. Start one .*: fleetkeeper agent\./,
    );
    expect((await on.keeper.ledger.read(on.keeper.account)).fleets).toEqual([]);
  });

  it("is brought about inline, healed by the next run, and drained", async () => {
    on = await stage();
    const desk = deskOn(on);
    const state = await on.clock.run(up(desk, await fleetOf(desk), inline));
    expect(on.alive()).toHaveLength(2);

    on.simulator.control.interrupt(on.alive()[0]?.id ?? "", { now: true });
    const diff = async () =>
      on!.clock.run(wish.diff(deskOn(on!), "training", state.wish!.outs, inputsOf(state, inline)));
    expect(await diff()).toEqual({ changes: true, replaces: [] });
    await on.clock.run(wish.update(deskOn(on), "training", state.wish!.outs, inputsOf(state, inline)));
    expect(on.alive()).toHaveLength(2);

    await on.clock.run(destroy(deskOn(on), state));
    expect(on.alive()).toEqual([]);
  });

  it("is brought about alone: a fleet that an agent should keep is left to it, with its reasons", async () => {
    on = await stage();
    await on.declare({ other: training });
    const { ledger, account } = on.keeper;
    await ledger.decide(account, (draft) =>
      draft.putFleet({ ...draft.fleets.get("other")!, reasons: ["as the agent found"] }),
    );
    const desk = deskOn(on);
    await on.clock.run(up(desk, await fleetOf(desk), inline));
    expect(on.alive()).toHaveLength(2);
    const { fleets } = await ledger.read(account);
    expect(fleets.find(({ name }) => name === "other")).toMatchObject({
      born: false,
      reasons: ["as the agent found"],
    });
  });

  it("keeps what it has in the state when its time is up, with the reasons", async () => {
    on = await stage();
    on.simulator.control.setCapacity(COMBINATION, 1);
    const desk = deskOn(on);
    const late = { ...inline, timeouts: { create: "10m" } };
    const error = await on.clock.run(failure(up(desk, await fleetOf(desk), late)));
    expect(error.message).toMatch(/^8 of 16 GPUs run: .* after 600 s \(timeouts\)/);
    expect(error).toMatchObject({ id: "training", outs: { runningGpus: 8 } });
    // The state says what the ledger says, and yet the next run has something to do.
    const { outs } = error as Error & { outs: Properties };
    expect(await on.clock.run(wish.diff(deskOn(on), "training", outs, outs))).toMatchObject({
      changes: true,
    });
  });

  it("is not forgotten when the process is killed while it waits", async () => {
    on = await stage();
    const desk = deskOn(on);
    const state = await fleetOf(desk);
    const killed = failure(up(desk, state, inline));
    await on.clock.advance(20_000);
    desk.kill();
    await on.clock.run(killed);
    expect(on.alive().length).toBeGreaterThan(0);
    await on.clock.run(destroy(deskOn(on), state));
    expect(on.alive()).toEqual([]);
  });
});

describe("a fleet that can have nothing, whatever is waited for", () => {
  const chosen = { gpus: 8, select: { gpuModel: H100.gpuModel }, reconcile: "inline" };
  const never = {
    "a model that no offer has": [
      { ...chosen, select: { gpuModel: "b900" } },
      "fleet training: it can never have its 8 GPUs: none of the service's ",
    ],
    "a budget below the cheapest mix": [
      { ...chosen, budget: { perHour: "3" } },
      "the budget of 3.00 USD an hour does not pay for 8 GPUs",
    ],
    "a total below its first hour": [
      { ...chosen, budget: { total: "3" } },
      "the budget of 3.00 USD in all does not pay the first hour of 8 GPUs",
    ],
    "a floor that the balance is below": [
      { ...chosen, budget: { floor: "99999999" } },
      "the balance is not above the floor",
    ],
    "a deadline that has passed": [
      { ...chosen, until: "2001-01-01T00:00:00Z" },
      "0 of 8 GPUs wanted: the fleet's deadline, 2001-01-01T00:00:00Z, has passed",
    ],
  } as const;

  it.each(Object.entries(never))(
    "is an error at once, and nothing is declared or rented: %s",
    async (_name, [args, why]) => {
      on = await stage();
      const begun = on.clock.now();
      const { message } = await on.clock.run(failure(up(deskOn(on), await fleetOf(deskOn(on)), args)));
      expect(message).toContain(why);
      expect(on.clock.now() - begun).toBeLessThan(60_000);
      expect(on.launches()).toBe(0);
      expect((await on.keeper.ledger.read(on.keeper.account)).fleets).toEqual([]);
    },
  );

  const parts = {
    launch: /^launch:\n( .*\n)+|^ +marker: .*\n/gm,
    offers: /^offers:\n( .*\n)+/m,
  };
  it.each(Object.entries(parts))(
    "is an error at once, too, where the profile lacks %s",
    async (part, lines) => {
      on = await stage({ alter: (profile) => profile.replace(lines, "") });
      const { message } = await on.clock.run(failure(up(deskOn(on), await fleetOf(deskOn(on)), chosen)));
      expect(message).toContain(`the profile has no part "${part}"`);
      expect((await on.keeper.ledger.read(on.keeper.account)).fleets).toEqual([]);
    },
  );

  it("is declared all the same where nobody waits: the agent launches once that changes", async () => {
    on = await stage();
    const args = { ...chosen, ...never["a model that no offer has"][0], awaitReady: false };
    await on.clock.run(up(deskOn(on), await fleetOf(deskOn(on)), args));
    expect((await on.keeper.ledger.read(on.keeper.account)).fleets).toMatchObject([{ name: "training" }]);
  });

  it("keeps what it was where more is asked for than can be had, and keeps to lower limits at once", async () => {
    on = await stage();
    const small = { ...chosen, budget: { perHour: "16" } };
    const state = await on.clock.run(up(deskOn(on), await fleetOf(deskOn(on)), small));
    const again = async (args: Properties) =>
      on!.clock.run(failure(wish.update(deskOn(on!), "training", state.wish!.outs, inputsOf(state, args))));
    expect((await again({ ...small, gpus: 16 })).message).toContain("does not pay for 16 GPUs");
    const wished = async () => (await on!.keeper.ledger.read(on!.keeper.account)).fleets[0]?.wish;
    expect(await wished()).toMatchObject({ gpus: 8 });
    on.simulator.control.interrupt(on.alive()[0]?.id ?? "", { now: true });
    await on.clock.advance(60_000);
    const error = await again({ ...small, budget: { perHour: "3" } });
    expect(error).toMatchObject({
      id: "training",
      message: expect.stringContaining("does not pay for 8 GPUs"),
    });
    expect(await wished()).toMatchObject({ budget: { perHour: "3" } });
    expect(on.launches()).toBe(1);
  });

  it("says how many it wants and why it wants none, once its deadline has passed", async () => {
    on = await stage();
    const until = new Date(on.clock.now() + 600_000).toISOString();
    const state = await on.clock.run(up(deskOn(on), await fleetOf(deskOn(on)), { ...chosen, until }));
    await on.clock.advance(900_000);
    const desk = deskOn(on);
    const inputs = inputsOf(state, { ...chosen, until });
    await on.clock.run(wish.update(desk, "training", state.wish!.outs, inputs));
    expect(desk.lines.at(-1)).toBe(
      `training: 0 of 8 GPUs wanted: the fleet's deadline, ${until}, has passed`,
    );
    expect(on.alive()).toEqual([]);
  });
});

describe("the total of a fleet", () => {
  const small = { gpus: 8, candidates: training.candidates, reconcile: "inline" };
  const job = { ...small, budget: { total: "40" } };
  const of = (text: string, desk: Desk) => desk.lines.filter((line) => line.includes(text));

  /** An `up`, some time in which it runs, and a `destroy`. */
  async function life(stageOf: Stage, args: Properties, label = "project/dev/training"): Promise<Desk> {
    const desk = deskOn(stageOf);
    const made = await fleet.create(desk, { label, name: "training" });
    const state = await stageOf.clock.run(up(desk, { fleet: made }, { ...args, label }));
    await stageOf.clock.advance(60_000);
    await stageOf.clock.run(destroy(deskOn(stageOf), state));
    return desk;
  }

  it("is that of one life: destroy ends it, and up begins anew at 0, and says so", async () => {
    on = await stage({ settings: { billing: "perHour", refundOnStop: false } });
    expect(of("a new life", await life(on, job))).toEqual([]);
    await life(on, job);
    await life(on, job);
    // Three lives of 16 USD: one would have drained before it paid for the third hour.
    expect(on.launches()).toBe(3);
    expect(of("a new life", await life(on, job))).toEqual([
      "training: a new life: budget.total counts from 0.00; 48.00 USD were paid for by earlier lives under its name in this " +
        "ledger (totalOf: name counts those of this stack or file)",
    ]);
  });

  it("goes on where the program says so, and is an error before anything is rented once it is spent", async () => {
    on = await stage({ settings: { billing: "perHour", refundOnStop: false } });
    const goesOn = { ...small, budget: { total: "40", totalOf: "name" } };
    await life(on, goesOn);
    const desk = await life(on, goesOn);
    expect(of("a new life: budget.total counts from 16.00; 16.00 USD", desk)).toHaveLength(1);
    await expect(life(on, goesOn)).rejects.toThrow(
      "the budget of 8.00 USD in all does not pay the first hour of 8 GPUs",
    );
    expect(on.launches()).toBe(2);
  });

  it("counts no money of another project's fleet of the same name, whatever it says", async () => {
    on = await stage({ settings: { billing: "perHour", refundOnStop: false } });
    for (let lives = 0; lives < 3; lives++) await life(on, job, "theirs/dev/training");
    const goesOn = { ...small, budget: { total: "40", totalOf: "name" } };
    const desk = await life(on, goesOn);
    expect(of("counts from 0.00; 48.00 USD", desk)).toHaveLength(1);
    expect(of("counts from 16.00; 64.00 USD", await life(on, goesOn))).toHaveLength(1);
  });

  it("makes no room by a machine of an earlier life that is disowned", async () => {
    on = await stage({ settings: { billing: "perHour", refundOnStop: false } });
    await life(on, job);
    await life(on, job);
    const { ledger, account } = on.keeper;
    const [first, second] = (await ledger.read(account)).deployments;
    const state = await on.clock.run(
      up(deskOn(on), await fleetOf(deskOn(on)), { ...job, budget: { total: "20" } }),
    );
    for (const row of [first, second])
      await ledger.decide(account, (draft) => disown(draft, row?.id ?? "", contextOf(on!.keeper)));
    await on.clock.advance(3_600_000);
    await on.clock.run(
      wish.update(
        deskOn(on),
        "training",
        state.wish!.outs,
        inputsOf(state, { ...job, budget: { total: "20" } }),
      ),
    );
    expect(on.alive()).toEqual([]);
    expect(on.launches()).toBe(3);
  });

  it("takes no money of others over with a name that it is given later", async () => {
    on = await stage({ settings: { billing: "perHour", refundOnStop: false } });
    for (let lives = 0; lives < 3; lives++) await life(on, job, "theirs/dev/training");
    const state = await on.clock.run(up(deskOn(on), await fleetOf(deskOn(on), "tuning"), job));
    const next = { fleet: { ...state.fleet, outs: { ...state.fleet.outs, name: "training" } } };
    await on.clock.run(wish.update(deskOn(on), "tuning", state.wish!.outs, inputsOf(next, job)));
    expect(on.alive()).toHaveLength(1);
    const { ledger, account } = on.keeper;
    expect((await ledger.read(account)).fleets.find(({ removed }) => !removed)).toMatchObject({
      name: "training",
      earlier: { life: "48", name: "48" },
    });
  });

  it("needs a total to say whose sum it is", async () => {
    on = await stage();
    const inputs = inputsOf(await fleetOf(deskOn(on)), { ...small, budget: { totalOf: "name" } });
    const { failures } = await wish.check(deskOn(on), inputs, {});
    expect(failures).toMatchObject([
      { property: "budget.totalOf", reason: expect.stringContaining("there is no total") },
    ]);
  });
});

describe("the preview of a new fleet", () => {
  const UNKNOWN = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";
  const of = (args: Properties) => ({
    ...{ label: "project/dev/training", name: "training", source: UNKNOWN, ledger: UNKNOWN },
    ...args,
  });
  async function preview(args: Properties, desk = deskOn(on!)) {
    const { failures } = await on!.clock.run(wish.check(desk, of(args), {}));
    return { lines: desk.lines, failures: failures.map(({ reason }) => reason) };
  }

  it("says what it would launch and cost, what holds it back, and that no agent ends it", async () => {
    on = await stage();
    const args = { ...inline, budget: { total: "400" }, until: "2040-01-01T00:00:00Z" };
    expect(await preview(args)).toEqual({
      failures: [],
      lines: [
        "training: 2 x h100-8 @ north/oslo (16.00 USD an hour each): 32.00 USD an hour together; a launch reserves the first hour",
        "training: costs 32.00 USD an hour for 16 GPUs, 768.00 a day, 23040.00 in 30 days",
        expect.stringMatching(/^training: at most 400\.00 USD in all \(budget\.total\)\. On top: /),
        expect.stringMatching(
          /^training: no agent keeps the ledger :memory:: at until 2040-01-01T00:00:00Z and a total of 400.00 USD nothing is stopped/,
        ),
      ],
    });
    expect((await preview(training)).lines.at(-1)).toContain("no agent keeps the fleets of the ledger");
    expect(await on.keeper.ledger.read(on.keeper.account)).toMatchObject({ fleets: [] });
    const desk = deskOn(on);
    const { outs } = (await on.clock.run(up(desk, await fleetOf(desk), inline))).wish!;
    desk.lines.length = 0;
    await on.clock.run(wish.diff(desk, "training", outs, { ...outs, until: "2040-01-01T00:00:00Z" }));
    expect(desk.lines).toEqual([
      ...[expect.stringContaining(": costs 32.00"), expect.stringContaining(": no bound on the cost: ")],
      expect.stringContaining(": at until 2040-01-01T00:00:00Z nothing is stopped"),
    ]);
  });

  it("fails where up would: what no wait brings about, a name taken, a key refused", async () => {
    on = await stage();
    expect((await preview({ ...inline, until: "2001-01-01T00:00:00Z" })).failures).toEqual([
      expect.stringContaining("0 of 16 GPUs wanted"),
    ]);
    expect((await preview({ ...inline, budget: { perHour: "3" } })).failures).toEqual([
      expect.stringContaining("does not pay for 16 GPUs"),
    ]);
    const refused = new FleetkeeperError("CREDENTIAL", "the service refused the key", { status: 401 });
    const desk = { ...deskOn(on), glimpse: async () => Promise.reject(refused) };
    expect((await preview(inline, desk)).failures).toEqual(["the service refused the key"]);
    await on.declare({ training });
    expect((await preview(inline)).failures).toEqual([expect.stringContaining("has declared this name")]);
  });

  it("fails where nobody has said whose the account is, and no marker tells", async () => {
    on = await stage({ dialect: "nested", account: "unstated" });
    expect((await preview(inline)).failures).toEqual([
      expect.stringContaining("State it: account: exclusive"),
    ]);
  });

  it("says which of its checks can never do what they say, and so does up", async () => {
    on = await stage();
    const args = { ...inline, ready: { address: "nowhere", tcp: 22 } };
    const told = expect.stringContaining(
      'ready.address: the connection detail "nowhere" is not in the wire profile',
    );
    expect((await preview(args)).lines).toContainEqual(told);
    const desk = deskOn(on);
    await on.clock.run(up(desk, await fleetOf(desk), args));
    expect(desk.lines).toContainEqual(told);
  });

  it("says that a new life begins", async () => {
    on = await stage({ settings: { billing: "perHour", refundOnStop: false } });
    const state = await on.clock.run(up(deskOn(on), await fleetOf(deskOn(on)), inline));
    await on.clock.run(destroy(deskOn(on), state));
    const { lines } = await preview({ ...inline, budget: { total: "400" } });
    expect(lines[0]).toContain("a new life: budget.total counts from 0.00; 32.00 USD were paid");
  });
});

describe("a fleet of which something cannot be stopped from here", () => {
  async function refusal(of: Stage, state: State): Promise<string> {
    const begun = of.clock.now();
    const { message } = await of.clock.run(failure(destroy(deskOn(of), state)));
    expect(of.clock.now() - begun).toBeLessThan(120_000);
    return message;
  }

  it.each(["an agent", "nobody"])(
    "is an error at once without a stop in the profile, with %s",
    async (who) => {
      on = await stage({ alter: (profile) => profile.replace(/\nstop:\n( .*\n)+/, "\n") });
      if (who === "an agent") on.start();
      await on.clock.advance(1_000);
      const state = await on.clock.run(up(deskOn(on), await fleetOf(deskOn(on)), inline));
      const ids = on.alive().map(({ id }) => id);
      expect(await refusal(on, state)).toBe(
        `${ids.join(", ")} have to be stopped, and the profile has no part "stop": stop them in the service's dashboard and ` +
          "run this again, or add the part.",
      );
      for (const id of ids) on.simulator.control.stopByHand(id);
      await on.clock.advance(120_000);
      await on.clock.run(destroy(deskOn(on), state));
    },
  );

  /** Of two machines one was launched without an answer, so that it may be a stranger's. */
  async function inferred(): Promise<{ on: Stage; state: State; id: string }> {
    // This wire shows no marker.
    const of = await stage({ dialect: "nested", account: "shared" });
    const state = await of.clock.run(up(deskOn(of), await fleetOf(deskOn(of)), { ...inline, gpus: 8 }));
    of.simulator.control.faults.next("launch", { kind: "dropAfter" });
    await of.clock.run(
      wish.update(deskOn(of), "training", state.wish!.outs, inputsOf(state, { ...inline, match: "none" })),
    );
    const { deployments } = await of.keeper.ledger.read(of.keeper.account);
    expect(deployments.map(({ claim }) => claim).sort()).toEqual(["certain", "inferred"]);
    return { on: of, state, id: deployments.find(({ claim }) => claim === "inferred")?.id ?? "" };
  }

  it("stops what is certainly its own, and then names adopt and disown; adopted, that is stopped too", async () => {
    const { on, state, id } = await inferred();
    const message = await refusal(on, state);
    expect(message).toContain(
      `fleetkeeper adopt ${id} --fleet training if it is yours, fleetkeeper disown ${id}`,
    );
    expect(on.alive().map((each) => each.id)).toEqual([id]);
    const { ledger, account } = on.keeper;
    await ledger.decide(account, (draft) => adopt(draft, id, "fleet:training", contextOf(on.keeper)));
    await on.clock.run(destroy(deskOn(on), state));
    expect(on.alive()).toEqual([]);
  });

  it("says so of a dispute too, and is over when all of it was disowned", async () => {
    const { on, state, id } = await inferred();
    const { ledger, account } = on.keeper;
    await ledger.decide(account, (draft) => {
      const row = draft.deployments.ever(id)!;
      deploymentAsFound(draft, { ...row, claim: "disputed" });
      intentAsFound(draft, { ...draft.intents.ever(row.intent!)!, state: "disputed", deployment: null });
    });
    expect(await refusal(on, state)).toContain(`one of ${id} was launched here, and nobody can tell which`);
    await ledger.decide(account, (draft) => disown(draft, id, contextOf(on.keeper)));
    await on.clock.run(destroy(deskOn(on), state));
    expect(on.alive().map((each) => each.id)).toEqual([id]);
  });
});

describe("the delete of a fleet that has nothing by the ledger", () => {
  it("is not over before a list came: it may show a machine that came late", async () => {
    on = await stage();
    const { faults } = on.simulator.control;
    faults.next("launch", { kind: "commitLate", seconds: 400 });
    faults.chance("launch", [{ fault: { kind: "refuse" }, probability: 1 }]);
    const state = await fleetOf(deskOn(on));
    const timeouts = { create: "5m" };
    await on.clock.run(failure(up(deskOn(on), state, { ...inline, gpus: 8, timeouts })));
    await on.clock.advance(400_000);
    expect(on.alive()).toHaveLength(1);
    faults.next("deployments", { kind: "errorBefore", status: 500 }, { times: 4 });
    await on.clock.run(destroy(deskOn(on), state));
    expect(on.alive()).toEqual([]);
  });
});

describe("a fleet whose ledger is lost", () => {
  it("is an error that names the way on, and made anew takes what runs; destroyed, nothing is left", async () => {
    on = await stage();
    const lost = await on.clock.run(up(deskOn(on), await fleetOf(deskOn(on)), { ...inline, gpus: 8 }));
    const other = await elsewhere(on, "exclusive");
    const again = () => wish.update(deskOn(other), "training", lost.wish!.outs, inputsOf(lost, inline));
    for (const attempt of [again, () => destroy(deskOn(other), lost)]) {
      const { message } = await on.clock.run(failure(attempt()));
      expect(message).toContain("fleet training was made with another ledger, testledger00 at here::memory:");
      expect(message).toContain(
        "If it is lost, make the fleet anew here: pulumi up --replace with this resource's URN",
      );
    }
    // What --replace does: create with the same inputs, then delete of the old id.
    const anew = await fleetOf(deskOn(other));
    const made = await on.clock.run(up(deskOn(other), anew, { ...inline, gpus: 8 }));
    await on.clock.run(destroy(deskOn(other), lost));
    expect(on.launches()).toBe(1);
    expect(on.alive()).toHaveLength(1);
    await on.clock.run(destroy(deskOn(other), made));
    expect(on.alive()).toEqual([]);
  });
});

describe("the preview of a change of a fleet", () => {
  const saved = { beforeStop: { command: ["save.sh"], within: "30m" } };

  /** A fleet that its agent keeps, which has the programs join.sh and save.sh; and what a preview of other inputs says. */
  async function changing(options?: Parameters<typeof stage>[0]) {
    on = await stage(options);
    on.start();
    await on.clock.advance(1_000);
    const { clock, keeper, launches } = on;
    await keeper.ledger.decide(keeper.account, (draft) =>
      draft.putAccount({
        ...draft.account,
        agent: { ...draft.account.agent!, commands: ["join.sh", "save.sh"] },
      }),
    );
    const desk = deskOn(on);
    const state = await clock.run(up(desk, await fleetOf(desk), training));
    const before = await keeper.ledger.read(keeper.account);
    return async (args: Properties) => {
      desk.lines.length = 0;
      const { id, outs } = state.wish!;
      const news = inputsOf(state, { ...training, ...args });
      const { failures } = await clock.run(wish.check(desk, news, inputsOf(state, training)));
      // An engine asks for no difference then.
      if (failures.length > 0) return { failed: failures.map(({ reason }) => reason), lines: desk.lines };
      const differing = wish.diff(desk, id, outs, news).then(
        () => [],
        (error: Error) => [error.message],
      );
      const said = { failed: await clock.run(differing), lines: desk.lines };
      expect(launches()).toBe(2);
      expect((await keeper.ledger.read(keeper.account)).fleets).toMatchObject(
        before.fleets.map(({ wish }) => ({ wish })),
      );
      return said;
    };
  }

  const COSTS = [
    "training: costs 32.00 USD an hour for 16 GPUs, 768.00 a day, 23040.00 in 30 days",
    expect.stringMatching(/^training: no bound on the cost: no limit says what a GPU may cost: set /),
  ];

  it("fails where up would: a command that its agent has not, a hook longer than until leaves, keep above the count", async () => {
    const preview = await changing();
    const until = new Date(on!.clock.now() + 900_000).toISOString();
    expect(await preview(saved)).toEqual({ failed: [], lines: COSTS });
    expect((await preview({ setup: { command: ["jion.sh"] } })).failed).toEqual([
      expect.stringContaining(
        "setup.command: expected one of the programs that the agent on stage runs for stacks (join.sh, save.sh), got jion.sh",
      ),
    ]);
    expect((await preview({ ...saved, until })).failed).toEqual([
      expect.stringContaining(`beforeStop.within is 30m, and until, ${until}, leaves `),
    ]);
    expect(
      (await preview({ idle: { command: ["join.sh"], for: "30m", then: "stop", keep: 17 } })).failed,
    ).toEqual(["expected at most gpus, which is 16: else nothing would ever be given back, got 17"]);
  });

  it("says which of its checks can never do what they say: an address that is secret, a time that until does not leave", async () => {
    const preview = await changing({
      alter: (text) => text.replace(/^( +host: )(\/\S+)$/m, "$1{ pointer: $2, secret: true }"),
    });
    const until = new Date(on!.clock.now() + 900_000).toISOString();
    const { failed, lines } = await preview({ health: { address: "host", tcp: 22, bad: "20m" }, until });
    expect(failed).toEqual([]);
    expect(lines).toEqual([
      expect.stringContaining('health.address: the connection detail "host" is secret by the wire profile'),
      expect.stringContaining("health.bad: it is 20m, and until, "),
      ...COSTS,
    ]);
    expect((await preview({ health: { address: "host", tcp: 22 }, until: UNKNOWN })).lines).toEqual([]);
  });

  it("says what it would launch, and fails for GPUs that can never be had, but not for fewer of them", async () => {
    const preview = await changing();
    expect((await preview({ gpus: 24 })).lines[0]).toBe(
      "training: 1 x h100-8 @ north/oslo (16.00 USD an hour each): 16.00 USD an hour together; a launch reserves the first hour",
    );
    const budget = { perHour: "3" };
    expect((await preview({ gpus: 24, budget })).failed).toEqual([
      expect.stringContaining("does not pay for 24 GPUs"),
    ]);
    const fewer = await preview({ gpus: 8, budget });
    expect(fewer.failed).toEqual([]);
    expect(fewer.lines).toContainEqual(expect.stringContaining("does not pay for 8 GPUs"));
  });
});

describe("the name of a fleet", () => {
  const names = async (of: Stage) =>
    (await of.keeper.ledger.read(of.keeper.account)).fleets.flatMap(({ name, removed }) =>
      removed ? [] : [name],
    );

  /** The fleet's half of an update to another name. */
  async function renamed(desk: Desk, { fleet: { id, outs }, ...state }: State, name: string): Promise<State> {
    const { ledger, ...inputs } = outs;
    const news = { ...inputs, name };
    expect(await fleet.diff(desk, id, outs, news)).toEqual({ changes: true, replaces: [] });
    return { ...state, fleet: { id, outs: await fleet.update(desk, id, outs, news) } };
  }

  it("is changed in place: its machines stay, and are drained with it", async () => {
    on = await stage();
    const state = await on.clock.run(up(deskOn(on), await fleetOf(deskOn(on)), inline));
    const { fleet: next } = await renamed(deskOn(on), state, "tuning");
    const inputs = inputsOf({ fleet: next }, inline);
    const { id, outs } = state.wish!;
    expect(await on.clock.run(wish.diff(deskOn(on), id, outs, inputs))).toEqual({
      changes: true,
      replaces: [],
    });
    const later = await on.clock.run(wish.update(deskOn(on), id, outs, inputs));
    expect(later).toMatchObject({ name: "tuning", runningGpus: 16 });
    expect(await names(on)).toEqual(["tuning"]);
    expect(on.launches()).toBe(2);
    expect(on.alive()).toHaveLength(2);
    await on.clock.run(destroy(deskOn(on), { fleet: next, wish: { id, outs: later } }));
    expect(on.alive()).toEqual([]);
  });

  it("is changed in place where the wish is replaced in the same run, and drained where it was not written yet", async () => {
    on = await stage();
    const state = await on.clock.run(up(deskOn(on), await fleetOf(deskOn(on)), inline));
    const tuning = await renamed(deskOn(on), state, "tuning");
    await on.clock.run(up(deskOn(on), tuning, inline));
    expect(await names(on)).toEqual(["tuning"]);
    expect(on.launches()).toBe(2);
    const half = await renamed(deskOn(on), tuning, "serving");
    await on.clock.run(destroy(deskOn(on), half));
    expect(on.alive()).toEqual([]);
  });

  it("is not changed to that of another fleet", async () => {
    on = await stage();
    await on.declare({ tuning: training });
    const state = await on.clock.run(up(deskOn(on), await fleetOf(deskOn(on)), inline));
    const tuning = await renamed(deskOn(on), state, "tuning");
    const error = await on.clock.run(failure(up(deskOn(on), tuning, inline)));
    expect(error.message).toContain("fleet tuning: file:fleet.yaml has declared this name");
    expect((await names(on)).sort()).toEqual(["training", "tuning"]);
    expect(on.launches()).toBe(2);
  });

  it("has one owner", async () => {
    on = await stage();
    await on.declare({ training });
    const desk = deskOn(on);
    const error = await on.clock.run(failure(up(desk, await fleetOf(desk), inline)));
    expect(error.message).toContain("fleet training: file:fleet.yaml has declared this name");
  });

  it("stays with its file when a stack that never had it is destroyed", async () => {
    on = await stage();
    await on.declare({ training });
    const desk = deskOn(on);
    await on.clock.run(destroy(desk, await fleetOf(desk)));
    expect((await on.keeper.ledger.read(on.keeper.account)).fleets).toMatchObject([{ removed: false }]);
  });
});

describe("a fleet that is destroyed while the host of a killed engine is still on its way to declare it", () => {
  /** That host's create, as it goes on after this time. */
  function late(stageOf: Stage, state: State, ms = 60_000): Promise<string> {
    const desk = deskOn(stageOf);
    const slow: Desk = {
      ...desk,
      session: async () => {
        await stageOf.clock.sleep(ms, desk.signal);
        return desk.session();
      },
    };
    return up(slow, state, training).then(
      () => "declared",
      (error: Error) => error.message,
    );
  }

  it.each(["never declared", "declared and drained"])("stays destroyed: %s", async (before) => {
    on = await stage();
    on.start();
    await on.clock.advance(1_000);
    const state = await fleetOf(deskOn(on));
    if (before !== "never declared") await on.clock.run(up(deskOn(on), state, training));
    const host = late(on, state);
    await on.clock.run(destroy(deskOn(on), state));
    const launches = on.launches();
    await on.clock.advance(600_000);
    expect(await host).toMatch(/^fleet training: .* was deleted/);
    expect(on.alive()).toEqual([]);
    expect(on.launches()).toBe(launches);
  });

  it("does not take the name of later resources, nor keep it from them", async () => {
    on = await stage();
    on.start();
    await on.clock.advance(1_000);
    const first = await fleetOf(deskOn(on));
    const host = late(on, first, 3_600_000);
    await on.clock.run(destroy(deskOn(on), first));
    const second = await on.clock.run(up(deskOn(on), await fleetOf(deskOn(on)), training));
    expect(on.alive()).toHaveLength(2);
    await on.clock.run(destroy(deskOn(on), second));
    await on.clock.advance(7_200_000);
    expect(await host).toMatch(/^fleet training: .* was deleted/);
    expect(on.alive()).toEqual([]);
  });

  it("is drained where that host was a moment quicker", async () => {
    on = await stage();
    on.start();
    await on.clock.advance(1_000);
    const state = await fleetOf(deskOn(on));
    const desk = deskOn(on);
    let host: Promise<unknown> | undefined;
    const between: Desk = {
      ...desk,
      session: async () => {
        host ??= up(deskOn(on!), state, training);
        await on!.clock.sleep(120_000, desk.signal);
        return desk.session();
      },
    };
    await on.clock.run(destroy(between, state));
    await on.clock.run(host ?? Promise.reject(new Error("it was not asked for an account")));
    expect(on.launches()).toBeGreaterThan(0);
    expect(on.alive()).toEqual([]);
  });

  it("is destroyed without an account too: nobody comes that far then", async () => {
    on = await stage();
    const desk = deskOn(on);
    const session = async () => Promise.reject(new FleetkeeperError("CREDENTIAL", "no such key"));
    await destroy({ ...desk, session }, await fleetOf(desk));
  });

  it("is another matter with a fleet file, which takes its fleets out and puts them back", async () => {
    on = await stage();
    on.start();
    for (const fleets of [{ training }, {}, { training }]) {
      await on.declare(fleets);
      await on.clock.advance(600_000);
      expect(on.alive()).toHaveLength("training" in fleets ? 2 : 0);
    }
  });
});

describe("a fleet that is over or held", () => {
  it("is drained at its deadline, and comes back with a later one", async () => {
    on = await stage();
    on.start();
    await on.clock.advance(1_000);
    const desk = deskOn(on);
    const state = await fleetOf(desk);
    const until = new Date(on.clock.now() + 1_800_000).toISOString();
    const { wish: first } = await on.clock.run(up(desk, state, { ...training, until }));
    expect(first?.outs).toMatchObject({ runningGpus: 16 });
    await on.clock.advance(2_400_000);
    expect(on.alive()).toEqual([]);
    const again = await on.clock.run(up(desk, state, { ...training, until }));
    expect(again.wish?.outs).toMatchObject({
      runningGpus: 0,
      reasons: [`drained: the fleet's deadline, ${until}, has passed`],
    });
    const later = new Date(on.clock.now() + 1_800_000).toISOString();
    await on.clock.run(up(desk, state, { ...training, until: later }));
    expect(on.alive()).toHaveLength(2);
  });

  it("is not waited for while it is paused, and takes every limit of a budget", async () => {
    on = await stage();
    on.start();
    await on.clock.advance(1_000);
    const desk = deskOn(on);
    const budget = { floor: "1", perHour: "99", perGpuHour: "9", perDay: "999", total: "9999", churn: "99" };
    const state = await fleetOf(desk);
    const paused = await on.clock.run(up(desk, state, { ...training, budget, paused: true }));
    expect(paused.wish?.outs).toMatchObject({ runningGpus: 0 });
    const kept = await on.clock.run(up(desk, state, { ...training, budget }));
    expect(kept.wish?.outs).toMatchObject({ runningGpus: 16 });
  });

  it("names a deadline without a time zone, and a limit that is none", async () => {
    on = await stage();
    const inputs = inputsOf(await fleetOf(deskOn(on)), {
      ...training,
      until: "2030-01-01T00:00:00",
      budget: { total: "many" },
    });
    const { failures } = await wish.check(deskOn(on), inputs, {});
    expect(failures.map(({ property }) => property).sort()).toEqual(["budget.total", "until"]);
    expect(failures.find(({ property }) => property === "until")?.reason).toContain(
      'expected a moment with its time zone, such as "2026-07-01T18:00:00Z"',
    );
  });
});
