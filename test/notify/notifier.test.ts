import { describe, expect, test } from "vitest";
import { resolveTargets } from "../../agent/fleet/file/notify-settings.ts";
import { pauseFleet, resumeFleet } from "../../agent/fleet/phase/fleet-orders.ts";
import type { Message } from "../../agent/tell/notify/message.ts";
import { shortText } from "../../agent/tell/notify/message.ts";
import { Notifier } from "../../agent/tell/notify/notifier.ts";
import { contextOf } from "../../launch/keeper.ts";
import { storeObservation } from "../../launch/machine/store-observation.ts";
import { takeList } from "../../launch/protocol.ts";
import type { ProcessIdentity } from "../../ledger/instant.ts";
import { candidate, MINUTE, onStage } from "../agent/on-stage.ts";
import { deploymentAsFound } from "../support/as-found.ts";
import type { Stage, StageOptions } from "../support/stage.ts";
import { H100, H100_SINGLE, H100_SOUTH } from "../support/stage.ts";

const HOOK = { webhook: "https://hooks.example.com/x", secret: { env: "SECRET" } };
const environment = { SECRET: `whsec_${Buffer.alloc(32, 7).toString("base64")}` };

interface Scene {
  readonly on: Stage;
  readonly taken: Message[];
  readonly said: string[];
  /** The target is down. */
  down: boolean;
  /** How it refuses what it is sent, if it does. */
  refuses: { readonly status: number; readonly retryAfter?: number } | undefined;
  /** How often it was sent something, taken or not. */
  asked: number;
  /** It takes what it is sent, and its answer is lost. */
  answerLost: boolean;
  /** A process of its own, as after a restart. */
  restart(): void;
  /** Some rounds of the agent, each followed by what it tells. */
  rounds(count: number): Promise<void>;
}

async function scene(
  on_: readonly string[] | undefined = undefined,
  options: StageOptions = {},
): Promise<Scene> {
  const on = await onStage(options);
  const targets = resolveTargets([{ ...HOOK, ...(on_ ? { on: on_ as ["running"] } : {}) }], environment);
  let notifier: Notifier;
  const made: Scene = {
    on,
    taken: [],
    said: [],
    down: false,
    refuses: undefined,
    asked: 0,
    answerLost: false,
    restart: () => {
      notifier = new Notifier({
        keeper: on.keeper,
        deliver: async (_target, message) => {
          made.asked++;
          const cause = made.refuses && { retryAfter: undefined, ...made.refuses };
          if (cause) throw new Error(`answered HTTP ${cause.status}`, { cause });
          if (made.down) throw new Error("answered HTTP 500");
          made.taken.push(message);
          if (made.answerLost) throw new Error("no answer within 10 s");
        },
        ping: async () => undefined,
        show: shortText,
        say: (text) => made.said.push(text),
        retry: { retries: 1, minTimeout: 1 },
      });
      notifier.targets = targets;
    },
    rounds: async (count) => {
      for (let round = 0; round < count; round++) {
        await notifier.prepare();
        notifier.pump();
        await notifier.settled();
        await on.clock.advance(15_000);
      }
    },
  };
  made.restart();
  await made.rounds(1);
  return made;
}

/** Another process, with nobody to tell: it only looks after the outboxes. */
async function bystander({ on }: Scene, self: Partial<ProcessIdentity> = {}): Promise<void> {
  const { clock } = on.keeper;
  const other = {
    now: () => clock.now(),
    sleep: (ms: number, signal: AbortSignal) => clock.sleep(ms, signal),
    self: { ...clock.self, ...self },
    isAlive: () => true,
  };
  const notifier = new Notifier({
    keeper: { ...on.keeper, clock: other },
    deliver: async () => undefined,
    ping: async () => undefined,
    show: shortText,
    say: () => undefined,
  });
  await notifier.prepare();
}

const candidates = [candidate(H100), candidate(H100_SOUTH)];

async function running(kinds?: readonly string[], options: StageOptions = {}): Promise<Scene> {
  const at = await scene(kinds, options);
  await at.on.declare({ training: { gpus: 32, candidates } });
  at.on.start();
  await at.on.clock.advance(10 * MINUTE);
  await at.rounds(2);
  return at;
}

const told = (at: Scene): readonly string[] =>
  at.taken.flatMap(({ alerts }) => alerts.map(({ kind, text }) => `${kind}: ${text}`));

test("an interruption is told once, with the fleet and the machine, and nothing else is", async () => {
  const at = await running();
  expect(at.taken).toEqual([]);
  const [lost] = at.on.alive();
  at.on.simulator.control.interrupt(lost?.id ?? "", { now: true });
  await at.rounds(20);
  expect(at.taken).toHaveLength(1);
  expect(at.taken[0]?.alerts).toMatchObject([
    { kind: "interrupted", fleet: "training", deployment: lost?.id },
  ]);
});

test("a replacement is told with its addresses to whoever asks for it", async () => {
  const at = await running(["running"], { dialect: "nested" });
  at.taken.length = 0;
  at.on.simulator.control.interrupt(at.on.alive()[0]?.id ?? "", { now: true });
  await at.rounds(20);
  const [message] = at.taken;
  expect(message?.alerts).toMatchObject([{ kind: "running", fleet: "training" }]);
  expect(Object.values(message?.alerts[0]?.connection ?? {})).not.toEqual([]);
  expect(message?.fleets.training).toHaveLength(4);
});

test("a target that is down is tried again, is told everything in the end, and its failure is said once", async () => {
  const at = await running();
  at.down = true;
  for (const { id } of at.on.alive().slice(0, 2)) {
    at.on.simulator.control.interrupt(id, { now: true });
    await at.rounds(30);
  }
  expect(at.taken).toEqual([]);
  at.down = false;
  await at.rounds(25);
  expect(told(at)).toHaveLength(2);
  expect(at.said).toEqual([
    "webhook https://hooks.example.com/x: cannot be told: answered HTTP 500",
    "webhook https://hooks.example.com/x: is reached again",
  ]);
});

const loseOne = async (at: Scene, rounds: number): Promise<void> => {
  at.on.simulator.control.interrupt(at.on.alive()[0]?.id ?? "", { now: true });
  await at.rounds(rounds);
};

test.each([
  ["429 with Retry-After: 30", { status: 429, retryAfter: 30 }, 2],
  ["503 with Retry-After: 600", { status: 503, retryAfter: 600 }, 40],
  ["503 with Retry-After of a year", { status: 503, retryAfter: 365 * 86_400 }, 4 * 240],
  ["429 without a time", { status: 429 }, 20],
  ["308", { status: 308 }, 20],
])("a target that answers %s is asked once, and then after that time", async (_what, refuses, rounds) => {
  const at = await running();
  at.refuses = refuses;
  const { asked } = at;
  await loseOne(at, 1);
  while (at.asked === asked) await at.rounds(1);
  await at.rounds(rounds - 1);
  expect(at.asked).toBe(asked + 1);
  at.refuses = undefined;
  await at.rounds(2);
  expect(at.asked).toBe(asked + 2);
  expect(told(at)).toHaveLength(1);
});

test("a target that answers 410 is ended, which is told the others, until another process begins", async () => {
  const at = await running();
  at.refuses = { status: 410 };
  await loseOne(at, 60);
  expect(at.asked).toBe(1);
  at.refuses = undefined;
  await loseOne(at, 60);
  expect(at.asked).toBe(1);
  const { ledger, account } = at.on.keeper;
  const ends = (await ledger.events(account, 1000)).filter(({ kind }) => kind === "targetGone");
  expect(ends.map(({ text }) => text)).toEqual([
    "webhook https://hooks.example.com/x answered HTTP 410: it wants nothing more, and is told nothing more until the agent starts anew. Take it out of notify, or give it another address",
  ]);
  at.restart();
  await at.rounds(2);
  expect(told(at)).toEqual([
    expect.stringMatching(/^interrupted/),
    ...[expect.stringMatching(/^settings: webhook/), expect.stringMatching(/^interrupted/)],
  ]);
});

test("what was not acknowledged is sent again with the same id, in a new process and with newer events waiting", async () => {
  const at = await running();
  const [first, second] = at.on.alive();
  at.answerLost = true;
  at.on.simulator.control.interrupt(first?.id ?? "", { now: true });
  await at.rounds(4);
  at.answerLost = false;
  at.on.simulator.control.interrupt(second?.id ?? "", { now: true });
  await at.on.clock.advance(MINUTE);
  at.restart();
  await at.rounds(4);
  const ids = new Set(at.taken.map(({ id }) => id));
  expect(ids.size).toBe(2);
  const one = at.taken.filter(({ id }) => id === at.taken[0]?.id);
  expect(one.length).toBeGreaterThan(1);
  for (const message of one) expect(message.alerts).toEqual(one[0]?.alerts);
  expect(at.taken.at(-1)?.alerts).toMatchObject([{ deployment: second?.id }]);
});

test("what happened while no agent told anybody is told by the next one", async () => {
  const at = await running();
  at.on.simulator.control.interrupt(at.on.alive()[0]?.id ?? "", { now: true });
  await at.on.clock.advance(60 * MINUTE);
  at.restart();
  await at.rounds(2);
  expect(told(at)).toHaveLength(1);
});

test("a machine that nobody answers for is told once, also over restarts", async () => {
  const at = await running();
  const id = at.on.simulator.control.launchByHand(H100_SINGLE);
  await at.rounds(10);
  at.restart();
  await at.rounds(10);
  expect(told(at)).toEqual([
    expect.stringMatching(new RegExp(`^unclaimed: ${id} .* nobody here answers for it`)),
  ]);
});

test("at a takeover nobody is told of machines that the new fleet takes, and somebody of one that it leaves", async () => {
  const at = await scene();
  const { ledger, account } = at.on.keeper;
  // Nobody has watched its lists yet, so the fleet waits for its second look.
  await ledger.decide(account, (draft) => {
    const { watched: _, ...known } = draft.account;
    draft.putAccount({ ...known, list: null });
  });
  const fits = at.on.simulator.control.launchByHand(H100);
  const left = at.on.simulator.control.launchByHand(H100_SINGLE);
  await at.on.declare({ training: { gpus: 8, candidates } });
  at.on.start();
  await at.rounds(20);
  expect(told(at).filter((text) => text.includes(fits))).toEqual([]);
  expect(told(at).filter((text) => text.startsWith("unclaimed"))).toEqual([
    expect.stringMatching(new RegExp(`^unclaimed: ${left} .* nobody here answers for it`)),
  ]);
});

test("a fleet that is held after failures is told once, however often it is held", async () => {
  const at = await scene();
  const broken = ["one", "two", "three"].map((offer) => ({ ...candidate(H100), offer }));
  await at.on.declare({ training: { gpus: 8, candidates: broken } });
  at.on.start();
  await at.rounds(200);
  expect(told(at).filter((text) => text.startsWith("held"))).toEqual([
    expect.stringContaining("held: launches failed in 3 combinations one after the other"),
  ]);
});

test("a failure is told where the specification names the support, at once or once it recurs", async () => {
  const at = await scene();
  const { control } = at.on.simulator;
  control.failNext({}, { code: "UNKNOWN" });
  control.failNext({}, { code: "OUT_OF_STOCK" });
  await at.on.declare({ training: { gpus: 16, candidates } });
  at.on.start();
  await at.rounds(60);
  const support = told(at).filter((text) => text.startsWith("support"));
  expect(support).toEqual([expect.stringContaining("Contact the service's support with the deployment ID")]);
});

test("a target that was taken out and comes back hears what happens from then on", async () => {
  const at = await running();
  await bystander(at);
  at.on.simulator.control.interrupt(at.on.alive()[0]?.id ?? "", { now: true });
  await at.on.clock.advance(MINUTE);
  await at.rounds(3);
  expect(at.taken).toEqual([]);
});

test("a process that does not keep the account takes nobody out: what is still to be told is told", async () => {
  const at = await running();
  at.down = true;
  at.on.simulator.control.interrupt(at.on.alive()[0]?.id ?? "", { now: true });
  await at.rounds(4);
  await bystander(at, { pid: 99 });
  at.down = false;
  at.restart();
  await at.rounds(2);
  expect(told(at)).toEqual([expect.stringContaining("interrupted: ")]);
  await at.on.stop();
  at.on.simulator.control.interrupt(at.on.alive()[0]?.id ?? "", { now: true });
  await takeList(at.on.keeper, new AbortController().signal);
  await bystander(at);
  await at.rounds(2);
  expect(told(at)).toHaveLength(2);
});

test("a machine that the first list shows running is told, though it was claimed only after that", async () => {
  const at = await scene(["running"]);
  const { keeper } = at.on;
  const row = { at: 0, kind: "running" as const, owner: null, deployment: "quick", text: "quick is running" };
  await keeper.ledger.decide(keeper.account, (draft) => {
    const context = { ...contextOf(keeper) };
    const quick = storeObservation(
      draft,
      { id: "quick", status: "running" },
      { by: "list", asked: context.now },
      context,
    );
    deploymentAsFound(draft, { ...quick, owner: "fleet:training", claim: "certain" });
    draft.note({ ...row, deployment: "stranger" });
  });
  await at.rounds(1);
  expect(told(at)).toEqual(["running: quick is running"]);
});

describe("a stop without effect", () => {
  /** A fleet of two machines that wants one: minutes after its stop, in rounds. */
  async function surplus(options: StageOptions = {}): Promise<Scene> {
    const at = await scene(["stuck"], options);
    await at.on.declare({ training: { gpus: 16, candidates } });
    at.on.start();
    await at.on.clock.advance(10 * MINUTE);
    await at.rounds(1);
    return at;
  }
  const shrink = (at: Scene): Promise<void> => at.on.declare({ training: { gpus: 8, candidates } });
  const minutes = (at: Scene, count: number): Promise<void> => at.rounds(4 * count);

  test("that is answered as done is told once, and again when the machine is gone; no more is sent than ever", async () => {
    const at = await surplus();
    const { control } = at.on.simulator;
    control.faults.chance("stop", [{ fault: { kind: "ignore" }, probability: 1 }]);
    const before = at.on.simulator.truth();
    await shrink(at);
    await minutes(at, 14);
    expect(told(at)).toEqual([]);
    await minutes(at, 5);
    expect(told(at)).toEqual([
      expect.stringMatching(
        /^stuck: (\S+) was told to stop, is still running, and costs 1[68]\.00 USD an hour: POST \/api\/v1\/deployments\/\1\/stop was sent 7 times; last, the service answered 200\. Check stop in the profile \(method, path, gone\)\. Stop it in the service's dashboard$/,
      ),
    ]);
    await minutes(at, 60);
    expect(told(at)).toHaveLength(1);
    const after = at.on.simulator.truth();
    expect(after.requests.launch).toBe(before.requests.launch);
    // 0, 15, 45, 105, 225, 465 and 765 s after it was asked for, and then every 5 minutes.
    expect(after.requests.stop - before.requests.stop).toBeLessThanOrEqual(7 + 14);
    expect(at.on.alive()).toHaveLength(2);
    control.faults.clear();
    await minutes(at, 10);
    expect(told(at).slice(1)).toEqual([
      expect.stringMatching(/^stuck: \S+ does not run any more, after it would not stop$/),
    ]);
    expect(at.on.alive()).toHaveLength(1);
  });

  test("because of a wrong path, whose 404 the profile takes for an end, is told with that answer", async () => {
    const alter = (profile: string): string => profile.replace("{id}/stop", "{id}/halt");
    const at = await surplus({
      alter: (profile) => alter(profile).replace("codes: [already_stopped]", "statuses: [404]"),
    });
    await shrink(at);
    await minutes(at, 20);
    expect(told(at)).toEqual([
      expect.stringMatching(/\/halt was sent 7 times; last, the service answered 404.*stop\.gone/),
    ]);
  });

  test("that the service refuses is told, too", async () => {
    const at = await surplus();
    at.on.simulator.control.faults.chance("stop", [
      { fault: { kind: "errorBefore", status: 500 }, probability: 1 },
    ]);
    await shrink(at);
    await minutes(at, 20);
    expect(told(at)).toEqual([expect.stringMatching(/was sent 7 times; last, the service answered 500/)]);
  });

  test("for minutes tells nothing, if the machine goes in the end", async () => {
    const at = await surplus();
    at.on.simulator.control.faults.next("stop", { kind: "ignore" }, { times: 6 });
    await shrink(at);
    await minutes(at, 40);
    expect(told(at)).toEqual([]);
    expect(at.on.alive()).toHaveLength(1);
  });

  test("is not told while its fleet is paused, nor right after that", async () => {
    const at = await surplus();
    at.on.simulator.control.faults.chance("stop", [{ fault: { kind: "ignore" }, probability: 1 }]);
    await shrink(at);
    await minutes(at, 5);
    const { keeper } = at.on;
    await keeper.ledger.decide(keeper.account, (draft) => pauseFleet(draft, "training", contextOf(keeper)));
    await minutes(at, 60);
    await keeper.ledger.decide(keeper.account, (draft) => resumeFleet(draft, "training", contextOf(keeper)));
    await minutes(at, 10);
    expect(told(at)).toEqual([]);
    await minutes(at, 10);
    expect(told(at)).toHaveLength(1);
  });
});
