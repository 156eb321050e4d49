import { expect, onTestFinished, test } from "vitest";
import { askingTheService } from "../../agent/ask/ask-the-service.ts";
import { health } from "../../agent/ask/health.ts";
import { MachineWatch } from "../../agent/ask/machine-watch.ts";
import type { Answer } from "../../agent/fleet/wish/machine-question.ts";
import { runLoop } from "../../agent/reconcile/loop.ts";
import { WakeSignal } from "../../agent/reconcile/wake-signal.ts";
import { MemoryLedger } from "../../ledger/memory/memory-ledger.ts";
import { readDraft } from "../../ledger/read-draft.ts";
import type { DeploymentRow } from "../../ledger/rows.ts";
import { candidate, MINUTE, onStage, SECOND } from "../agent/on-stage.ts";
import { H100, H100_SOUTH, type Stage } from "../support/stage.ts";

const SILENT: Answer = { kind: "unknown", why: "no answer within 5 s" };
const HOUR = 60 * MINUTE;
const HEALTH = { address: "host", tcp: 22 } as const;

interface Scene {
  readonly on: Stage;
  /** Whether a machine answers whoever asks it, beside those that are lost. */
  answers: () => boolean;
  play(ms: number): Promise<void>;
  /** GETs by id until now. */
  gets(): number;
}

/** Two machines that were asked for minutes. `asks`: whether the service is asked where they do not any more. */
async function scene(getAsksProvider: boolean, asks = true, answers = () => true): Promise<Scene> {
  const on = await onStage({ ledger: new MemoryLedger(), settings: { getAsksProvider } });
  const { ledger, account } = on.keeper;
  const made: Scene = {
    on,
    answers,
    play: async (ms) => {
      for (let rounds = 0; rounds < ms / (5 * SECOND); rounds++) {
        await on.clock.advance(5 * SECOND);
        await watch.settled();
      }
    },
    gets: () => on.simulator.truth().requests.deployment,
  };
  const ask = async ({ row: { id } }: { row: { id: string } }): Promise<Answer> => {
    const machine = on.simulator.truth().machines.find((each) => each.id === id);
    return machine?.lostAt === null && made.answers() ? { kind: "good" } : SILENT;
  };
  const watch = new MachineWatch(
    on.keeper,
    [health(asks ? askingTheService(ask, on.keeper) : ask)],
    (text) => text,
  );
  await on.declare({
    training: {
      gpus: 16,
      candidates: [candidate(H100), candidate(H100_SOUTH)],
      health: HEALTH,
    },
  });
  const ending = new AbortController();
  const wakeSignal = new WakeSignal();
  await ledger.onWake(account, () => wakeSignal.ring(), ending.signal);
  const loop = runLoop(
    {
      ...{ keeper: on.keeper, host: "test", wakeSignal },
      onTick: () => watch.pump(),
      onError: (error) => on.errors.push(error.message),
    },
    ending.signal,
  );
  onTestFinished(async () => {
    ending.abort();
    await loop;
  });
  // Right after a health check of the service: the next one is five minutes away.
  await made.play(5 * MINUTE + 10 * SECOND);
  expect(on.alive()).toHaveLength(2);
  expect(made.gets()).toBe(0);
  return made;
}

/** Loses a machine, and says how long after that its replacement was launched. */
async function untilReplaced({ on, play }: Scene): Promise<number> {
  const lost = on.clock.now();
  on.simulator.control.interrupt(on.alive()[0]?.id ?? "");
  await play(6 * MINUTE);
  expect(on.launches()).toBe(3);
  return (on.simulator.truth().launches.at(-1)?.at ?? 0) - lost;
}

test("a machine that does not answer any more is replaced within a poll, where the service knows of its loss by its id", async () => {
  expect(await untilReplaced(await scene(true))).toBeLessThanOrEqual(20 * SECOND);
  expect(await untilReplaced(await scene(true, false))).toBeGreaterThan(4 * MINUTE);
});

test("where the service says by id what its list says, it is believed: the machine is replaced after the service's own check", async () => {
  const at = await scene(false);
  expect(await untilReplaced(at)).toBeGreaterThan(4 * MINUTE);
  // At once, after a minute, and after two more.
  expect(at.gets()).toBe(3);
});

test("machines that flap, or are silent for this host alone, are read ever less often, and nothing follows from it", async () => {
  for (const answers of [() => false, (at = 0) => Math.floor(at / (15 * SECOND)) % 2 === 0]) {
    const at = await scene(true);
    at.answers = () => answers(at.on.clock.now());
    await at.play(6 * HOUR);
    // In the first hour six of each machine, then one an hour.
    expect(at.gets()).toBeGreaterThanOrEqual(12);
    expect(at.gets()).toBeLessThanOrEqual(2 * (7 + 5));
    expect(at.on.launches()).toBe(2);
    expect(at.on.alive()).toHaveLength(2);
  }
});

test("the service is not asked for machines that never answered", async () => {
  const at = await scene(true, true, () => false);
  await at.play(HOUR);
  expect(at.gets()).toBe(0);
});

test("what is over is forgotten as others come, whether the service was ever asked or not", async () => {
  const at = await scene(true);
  const { keeper } = at.on;
  const [gone, other] = [...(await readDraft(keeper)).deployments.values()];
  if (!gone || !other) throw new Error("no machines");
  let answer: Answer = { kind: "good" };
  const ask = askingTheService(async () => answer, keeper);
  const askOf = (row: DeploymentRow): Promise<Answer> =>
    ask({ fleet: "training", source: "file:fleet.yaml", row }, HEALTH, new AbortController().signal);
  await askOf(gone);
  at.on.simulator.control.interrupt(gone.id, { now: true });
  await at.play(HOUR);
  await askOf(other);
  const before = at.gets();
  answer = SILENT;
  await askOf(gone);
  expect(at.gets()).toBe(before);
  await askOf(other);
  expect(at.gets()).toBe(before + 1);
});
