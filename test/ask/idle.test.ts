import { expect, test } from "vitest";
import { idleness } from "../../agent/ask/idle.ts";
import { MachineWatch } from "../../agent/ask/machine-watch.ts";
import { wakeFleet } from "../../agent/fleet/size/lowered-count.ts";
import type { Answer } from "../../agent/fleet/wish/machine-question.ts";
import type { WishInput } from "../../agent/fleet/wish/wish.ts";
import { storeAlarms } from "../../agent/tell/notify/alarms.ts";
import type { Context } from "../../launch/facts/context.ts";
import { contextOf } from "../../launch/keeper.ts";
import { waking } from "../../launch/mark-wake.ts";
import { holdMachine } from "../../launch/people/machine-hold.ts";
import type { Draft } from "../../ledger/draft.ts";
import { HOUR_MS } from "../../ledger/instant.ts";
import type { Billing } from "../../service/contract/billing.ts";
import { Prng } from "../../simulator/prng.ts";
import { candidate, draftOf, MINUTE, onStage, reasonsOf } from "../agent/on-stage.ts";
import { deploymentAsFound } from "../support/as-found.ts";
import type { Stage, StageOptions } from "../support/stage.ts";
import { H100, H100_SOUTH } from "../support/stage.ts";

const BUSY: Answer = { kind: "bad", why: "a GPU is used to 90 %" };
const IDLE: Answer = { kind: "good" };
const UNKNOWN: Answer = { kind: "unknown", why: "no answer within 5 s" };

const CHECK = { command: ["./idle.sh"] as [string], for: "30m" };
/** As a profile says it. */
const BY_THE_SECOND = { billing: { unit: 1000, minimum: 1000, reserved: 0 } };

interface Scene {
  readonly on: Stage;
  /** What each machine says, by the order in which they came; busy where nothing is said. */
  readonly says: Answer[];
  readonly asked: string[];
  play(minutes: number, watched?: boolean): Promise<void>;
  restart(): void;
  decide(decision: (draft: Draft, context: Context) => void): Promise<void>;
  told(kind: string): Promise<readonly string[]>;
  living(): readonly string[];
}

async function scene(
  idle: NonNullable<WishInput["idle"]>,
  more: Partial<WishInput> = {},
  { billing, ...options }: StageOptions & { readonly billing?: Billing } = {},
): Promise<Scene> {
  const on = await onStage(options);
  const order: string[] = [];
  let watch: MachineWatch;
  const made: Scene = {
    on,
    says: [],
    asked: [],
    play: async (minutes, watched = true) => {
      for (let rounds = 0; rounds < minutes * 4; rounds++) {
        await on.clock.advance(15_000);
        for (const { id } of on.alive()) if (!order.includes(id)) order.push(id);
        if (!watched) continue;
        watch.pump();
        await watch.settled();
        await on.keeper.ledger.decide(on.keeper.account, (draft) => storeAlarms(draft, contextOf(on.keeper)));
      }
    },
    restart: () => {
      const ask = async ({ row: { id } }: { row: { id: string } }): Promise<Answer> => {
        made.asked.push(id);
        return made.says[order.indexOf(id)] ?? BUSY;
      };
      watch = new MachineWatch(on.keeper, [idleness(ask)], (text) => text);
    },
    decide: async (decision) => {
      await on.keeper.ledger.decide(
        on.keeper.account,
        waking((draft) => decision(draft, contextOf(on.keeper))),
      );
    },
    told: async (kind) =>
      (await on.keeper.ledger.events(on.keeper.account, 200))
        .filter((event) => event.kind === kind)
        .map(({ text }) => text)
        .reverse(),
    living: () => on.alive().flatMap(({ id, state }) => (state === "stopping" ? [] : [id])),
  };
  made.restart();
  const [first = candidate(H100), ...others] = (options.offers ?? [H100, H100_SOUTH]).map(candidate);
  await on.declare({ training: { gpus: 16, candidates: [first, ...others], idle, ...more } });
  if (billing) await made.decide((draft) => draft.putAccount({ ...draft.account, billing }));
  on.start();
  await made.play(5);
  return made;
}

/** Minutes from the launch of the first machine until a stop was sent. */
async function stoppedAt(at: Scene, most: number): Promise<number | undefined> {
  const [launched] = at.on.simulator.truth().launches;
  for (let minutes = 0; minutes < most; minutes++) {
    await at.play(1);
    if (at.living().length < 2) return (at.on.clock.now() - (launched?.at ?? 0)) / MINUTE;
  }
  return undefined;
}

test("by default people are told once that a machine is idle, and nothing is stopped", async () => {
  const at = await scene(CHECK);
  at.says[0] = IDLE;
  await at.play(29);
  expect(await at.told("idle")).toEqual([]);
  await at.play(120);
  expect(await at.told("idle")).toEqual([expect.stringMatching(/^\S+ has been idle for 30m$/)]);
  expect(at.living()).toHaveLength(2);
});

test("stop gives back the machine that is idle at the end of its paid hour, and rents none in its place before the fleet is woken", async () => {
  const at = await scene({ ...CHECK, then: "stop" });
  const [idle = "", busy = ""] = at.living();
  at.says[0] = IDLE;
  const minutes = await stoppedAt(at, 120);
  expect(minutes).toBeGreaterThanOrEqual(53);
  expect(minutes).toBeLessThan(60);
  expect(at.living()).toEqual([busy]);
  await at.play(120);
  expect(at.on.launches()).toBe(2);
  expect(await at.told("stop")).toEqual([`stopping ${idle}: it has been idle for 30m`]);
  const machine = at.on.simulator.truth().machines.find(({ id }) => id === idle);
  expect(machine?.statement.charged).toBe(H100.pricePerHour);
  expect(reasonsOf(at.on)).toContain(
    "8 GPUs are wanted of the 16 that it declares, as machines were given back (8 GPUs as idle, which saves 16.00 USD an hour)",
  );
  await at.decide((draft, context) => void wakeFleet(draft, "training", context));
  at.says[0] = BUSY;
  await at.play(10);
  expect(at.living()).toHaveLength(2);
  expect((await draftOf(at.on)).fleets.get("training")?.idled).toBeUndefined();
});

test("one that is busy again before its paid hour ends stays, and its time begins anew", async () => {
  const at = await scene({ ...CHECK, then: "stop" });
  at.says[0] = IDLE;
  await at.play(40);
  expect(reasonsOf(at.on)).toContain(
    "idle machines are stopped at the end of the time that is paid for, from ",
  );
  at.says[0] = BUSY;
  await at.play(2);
  at.says[0] = IDLE;
  await at.play(50);
  expect(at.living()).toHaveLength(2);
  await at.play(40);
  expect(at.living()).toHaveLength(1);
});

test("billed by the second, it goes at once", async () => {
  const at = await scene({ ...CHECK, then: "stop" }, {}, BY_THE_SECOND);
  at.says[0] = IDLE;
  const minutes = await stoppedAt(at, 60);
  expect(minutes).toBeLessThan(38);
});

test.each([
  ["an unknown answer", UNKNOWN],
  ["a busy one", BUSY],
])("%s begins the time anew", async (_, answer) => {
  const at = await scene({ ...CHECK, then: "stop" }, {}, BY_THE_SECOND);
  for (let hours = 0; hours < 6; hours++) {
    at.says[0] = IDLE;
    await at.play(28);
    at.says[0] = answer;
    await at.play(1.25);
  }
  expect(at.living()).toHaveLength(2);
  expect(at.on.simulator.truth().requests.stop).toBe(0);
});

test("people see why nobody knows whether a machine is idle", async () => {
  const at = await scene({ ...CHECK, then: "stop" });
  const [first] = at.living();
  at.says[0] = UNKNOWN;
  await at.play(3);
  expect(reasonsOf(at.on)).toBe(`nobody knows whether ${first} is idle: no answer within 5 s`);
  at.says[0] = IDLE;
  await at.play(3);
  expect(reasonsOf(at.on)).toBe("");
});

test("no time counts in which nobody asked, and an agent that starts anew goes on", async () => {
  const at = await scene({ ...CHECK, then: "stop" }, {}, BY_THE_SECOND);
  at.says[0] = IDLE;
  await at.play(20);
  await at.play(10, false);
  await at.play(25);
  expect(at.living()).toHaveLength(2);
  at.restart();
  await at.play(8);
  expect(at.living()).toHaveLength(1);
});

test("what another check found does not count", async () => {
  const at = await scene({ ...CHECK, then: "stop" }, {}, BY_THE_SECOND);
  at.says[0] = IDLE;
  await at.play(28);
  const idle = { ...CHECK, command: ["./other.sh"] as [string], then: "stop" as const };
  await at.on.declare({
    training: { gpus: 16, candidates: [candidate(H100), candidate(H100_SOUTH)], idle },
  });
  await at.play(25);
  expect(at.living()).toHaveLength(2);
});

test("never below keep, and one GPU stays where nothing is said", async () => {
  const at = await scene({ ...CHECK, then: "stop" }, { gpus: 24 }, BY_THE_SECOND);
  at.says.push(IDLE, IDLE, IDLE);
  await at.play(60);
  expect(at.living()).toHaveLength(1);
  expect(at.on.launches()).toBe(3);
  const kept = await scene({ ...CHECK, then: "stop", keep: 9 }, { gpus: 24 }, BY_THE_SECOND);
  kept.says.push(IDLE, IDLE, IDLE);
  await kept.play(60);
  expect(kept.living()).toHaveLength(2);
});

test("a machine that a person holds, or that may be somebody else's, is not given back; neither is one of a paused fleet", async () => {
  const at = await scene({ ...CHECK, then: "stop" }, {}, { ...BY_THE_SECOND, dialect: "nested" });
  at.says.push(IDLE, IDLE);
  const [held = "", other = ""] = at.living();
  await at.decide((draft, context) => {
    holdMachine(draft, held, context.now.wall + 3 * HOUR_MS, undefined, context);
    const row = draft.deployments.ever(other);
    if (row) deploymentAsFound(draft, { ...row, claim: "inferred" });
  });
  await at.play(120);
  expect(at.living()).toEqual([held, other]);
  const paused = await scene({ ...CHECK, then: "stop" }, { paused: true });
  paused.says.push(IDLE, IDLE);
  await paused.play(120);
  expect(paused.on.simulator.truth().requests.stop).toBe(0);
});

test("a fleet that lacks GPUs while one of its machines is idle rents no other in its place", async () => {
  const at = await scene(
    { ...CHECK, then: "stop" },
    { gpus: 24 },
    { ...BY_THE_SECOND, offers: [{ ...H100, capacity: 2 }] },
  );
  at.says[0] = IDLE;
  await at.play(60);
  at.on.simulator.control.setCapacity(H100, 50);
  await at.play(30);
  expect(at.living()).toHaveLength(1);
});

test("drain gives all back together, and only once all are idle", async () => {
  const at = await scene({ ...CHECK, then: "drain" }, { allOrNothing: { within: "20m" } }, BY_THE_SECOND);
  at.says[0] = IDLE;
  await at.play(60);
  expect(at.living()).toHaveLength(2);
  at.says[1] = IDLE;
  await at.play(40);
  expect(at.living()).toEqual([]);
  await at.play(60);
  expect(at.on.launches()).toBe(2);
  await at.decide((draft, context) => void wakeFleet(draft, "training", context));
  await at.play(10);
  expect(at.living()).toHaveLength(2);
});

test("one that is not ready is not asked: it has not begun to be used", async () => {
  const at = await scene({ ...CHECK, then: "stop" }, { ready: { address: "host", tcp: 22 } }, BY_THE_SECOND);
  at.says.push(IDLE, IDLE);
  await at.play(60);
  expect(at.asked).toEqual([]);
  expect(at.living()).toHaveLength(2);
});

test("whatever machines say, none is stopped that was not seen idle for the whole time, and all that were are", async () => {
  const gpus = 48;
  const at = await scene({ ...CHECK, then: "stop", keep: 0 }, { gpus }, BY_THE_SECOND);
  const random = new Prng("idle");
  const idleSince = new Map<string, number>();
  const ids = at.living();
  for (let minutes = 0; minutes < 300; minutes++) {
    const before = new Set(at.living());
    for (const [index, id] of ids.entries()) {
      if (random.next() < 0.03) at.says[index] = random.pick([BUSY, UNKNOWN, IDLE, IDLE]);
      if (at.says[index] !== IDLE) idleSince.delete(id);
      else if (!idleSince.has(id)) idleSince.set(id, minutes);
    }
    await at.play(1);
    const left = new Set(at.living());
    for (const id of before) {
      const seen = minutes - (idleSince.get(id) ?? minutes);
      if (!left.has(id)) expect(seen).toBeGreaterThanOrEqual(29);
      else expect(seen).toBeLessThanOrEqual(33);
    }
  }
  expect(at.living().length).toBeLessThan(ids.length);
  expect(at.on.launches()).toBe(ids.length);
});
