import { expect, test } from "vitest";
import { parseFleetFile } from "../../agent/fleet/file/fleet-file.ts";
import { Reloader } from "../../agent/reconcile/reload.ts";
import { FleetkeeperError } from "../../service/contract/errors.ts";
import type { Stage } from "../support/stage.ts";
import { draftOf, onStage } from "./on-stage.ts";

const file = (gpus: number, more = ""): string =>
  `fleets:\n  - name: training\n    gpus: ${gpus}\n    select: { gpuModel: H100 }\n${more}`;
const OTHER = "  - name: other\n    gpus: 8\n    select: {}\n";

interface Scene {
  readonly on: Stage;
  readonly reloader: Reloader;
  /** What stands in the file; undefined: it is not there. */
  content: string | undefined;
  /** Called at each read of it. */
  onRead: () => void;
  restart: string | undefined;
  /** What the file refers to and is not there. */
  missing: string | undefined;
  problem: string | undefined;
  look(): Promise<void>;
  wishes(): Promise<Record<string, number>>;
  said(): Promise<readonly string[]>;
}

async function scene(): Promise<Scene> {
  const on = await onStage();
  const { keeper, clock } = on;
  const made: Scene = {
    on,
    content: file(8),
    onRead: () => undefined,
    restart: undefined,
    missing: undefined,
    problem: undefined,
    reloader: new Reloader({
      keeper,
      content: () => {
        made.onRead();
        return made.content;
      },
      parse: (content) => {
        if (made.missing !== undefined) throw new FleetkeeperError("CONFIG", made.missing);
        return parseFleetFile(content, "/fleet.yaml");
      },
      isGone: () => false,
      onFile: () => undefined,
      needsRestart: () => made.restart,
      onProblem: (problem) => {
        made.problem = problem;
      },
    }),
    look: () => clock.run(made.reloader.look(new AbortController().signal)),
    wishes: async () =>
      Object.fromEntries(
        [...(await draftOf(on)).fleets.values()].flatMap(({ name, removed, wish }) =>
          removed ? [] : [[name, (wish as { gpus: number }).gpus]],
        ),
      ),
    said: async () =>
      (await keeper.ledger.events(keeper.account, 50)).map(({ kind, text }) => `${kind}: ${text}`).reverse(),
  };
  await made.reloader.begin();
  return made;
}

test("a file that was changed is declared at the next look, and what changed is said", async () => {
  const at = await scene();
  at.content = file(16, OTHER);
  await at.look();
  expect(await at.wishes()).toEqual({ training: 16, other: 8 });
  at.content = file(16);
  await at.look();
  expect(await at.wishes()).toEqual({ training: 16 });
  expect(await at.said()).toEqual([
    "reloaded: the fleet file was read anew: training was changed (16 GPUs); other is new (8 GPUs)",
    "reloaded: the fleet file was read anew: other is left out, and drains",
  ]);
});

test("a fleet that begins under the name that another one leaves is said to be new", async () => {
  const at = await scene();
  at.content = file(8, `${OTHER}    previousName: training\n`);
  await at.look();
  expect(await at.said()).toEqual([
    expect.stringContaining("training is now other"),
    "reloaded: the fleet file was read anew: training is new (8 GPUs); other was changed (8 GPUs)",
  ]);
});

test("a file that did not change costs no commit and no wait", async () => {
  const at = await scene();
  const before = at.on.clock.now();
  for (let ticks = 0; ticks < 3; ticks++) await at.look();
  expect(at.on.clock.now()).toBe(before);
  expect(await at.said()).toEqual([]);
});

test("a bad file changes nothing: the old one is kept, what is wrong is said once, and a good one ends it", async () => {
  const at = await scene();
  at.content = file(16).replace("gpus: 16", "gpus: many");
  for (let ticks = 0; ticks < 3; ticks++) await at.look();
  expect(await at.wishes()).toEqual({ training: 8 });
  expect(at.problem).toContain("/fleet.yaml:3:11 fleets.0.gpus");
  expect(await at.said()).toHaveLength(1);
  at.content = file(16);
  await at.look();
  expect(await at.wishes()).toEqual({ training: 16 });
  expect(at.problem).toBeUndefined();
});

test.each([
  ["deleted", undefined, "it is not there any more. To drain all of its fleets"],
  ["emptied", "", "the file is empty"],
] as const)("a file that was %s drains nothing", async (_, content, why) => {
  const at = await scene();
  at.content = content;
  await at.look();
  expect(await at.wishes()).toEqual({ training: 8 });
  expect(at.problem).toContain(why);
  at.content = file(8);
  await at.look();
  expect(at.problem).toBeUndefined();
});

test("a file that cannot be read drains nothing", async () => {
  const at = await scene();
  at.onRead = () => {
    throw new FleetkeeperError("CONFIG", "this user may not read it");
  };
  await at.look();
  await at.look();
  expect(await at.wishes()).toEqual({ training: 8 });
  expect(await at.said()).toEqual([expect.stringContaining("this user may not read it")]);
});

test("a file that is being written is left alone until it stands still", async () => {
  const at = await scene();
  at.content = file(8, OTHER);
  await at.look();
  // The first half of it is a good file, too: it would drain the other fleet.
  at.content = file(8);
  const looked = at.reloader.look(new AbortController().signal);
  at.content = file(8, OTHER.replace("8", "16"));
  await at.on.clock.run(looked);
  expect(await at.wishes()).toEqual({ training: 8, other: 8 });
  await at.look();
  expect(await at.wishes()).toEqual({ training: 8, other: 16 });
});

test("a file that changes between its reading and its commit is not declared as it was before", async () => {
  const at = await scene();
  at.content = file(16);
  let reads = 0;
  at.onRead = () => {
    reads += 1;
    // The look, the look after the wait, and the one under the ledger's lock.
    if (reads === 3) at.content = file(24);
  };
  await at.look();
  expect(await at.wishes()).toEqual({ training: 8 });
  await at.look();
  expect(await at.wishes()).toEqual({ training: 24 });
});

test("asked for, it is judged again though it did not change", async () => {
  const at = await scene();
  at.reloader.again();
  await at.look();
  expect(await at.said()).toEqual(["reloaded: the fleet file was read anew: its fleets are as before"]);
});

test("what takes a restart is said once, and no more once it is taken back", async () => {
  const at = await scene();
  at.restart = "the wire profile was changed";
  await at.look();
  await at.look();
  expect(at.problem).toBe("the wire profile was changed");
  expect(await at.said()).toEqual(["notReloaded: the wire profile was changed"]);
  at.restart = undefined;
  await at.look();
  expect(at.problem).toBeUndefined();
});

test("a name that another source has declared is no reason to end: the old file is kept", async () => {
  const at = await scene();
  await at.on.declare({ taken: { gpus: 8, select: {} } });
  at.content = file(8, OTHER.replace("other", "taken"));
  await at.look();
  expect(at.problem).toContain("file:fleet.yaml has declared this name in the same ledger already");
  expect(await at.wishes()).toEqual({ training: 8, taken: 8 });
});

test("a file that was refused for another owner's name comes into force when that is gone, and is said to be wrong once", async () => {
  const at = await scene();
  await at.on.declare({ taken: { gpus: 8, select: {} } });
  at.content = file(8, OTHER.replace("other", "taken"));
  await at.look();
  const before = at.on.clock.now();
  for (let ticks = 0; ticks < 3; ticks++) await at.look();
  expect(at.on.clock.now()).toBe(before);
  expect(await at.said()).toEqual([expect.stringContaining("notReloaded")]);
  await at.on.declare({});
  await at.look();
  expect(at.problem).toBeUndefined();
  expect((await draftOf(at.on)).fleets.get("taken")).toMatchObject({
    source: "file:/fleet.yaml",
    removed: false,
  });
  expect((await at.said()).slice(1)).toEqual([
    expect.stringContaining("reloaded: the fleet file was read anew"),
  ]);
});

test("a file that was refused for what a variable's file lacks comes into force when it is there", async () => {
  const at = await scene();
  at.missing = "HOOK_SECRET is not set";
  at.content = file(16);
  for (let ticks = 0; ticks < 2; ticks++) await at.look();
  expect(at.problem).toContain("HOOK_SECRET is not set");
  expect(await at.wishes()).toEqual({ training: 8 });
  at.missing = undefined;
  await at.look();
  expect(at.problem).toBeUndefined();
  expect(await at.wishes()).toEqual({ training: 16 });
});
