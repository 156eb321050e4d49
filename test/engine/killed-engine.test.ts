import { existsSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, beforeEach, expect, it } from "vitest";
import { REPEATS } from "../support/repeats.ts";
import { describeWithEngine } from "./engine.ts";
import { H100, isAlive, until, World } from "./world.ts";

const MONITOR = pathToFileURL(path.join(import.meta.dirname, "../proof/uncaught.ts")).href;
/** Each in one of its two moments; the other one repeats, and test/provider/orphaned-host.test.ts says both of the host alone. */
const KINDS = [
  ["deployment", { one: H100, two: H100 }, { launching: {}, waiting: REPEATS }],
  [
    "fleet",
    { training: { gpus: 3, candidates: [{ ...H100, gpus: 1 }], reconcile: "inline" } },
    { launching: REPEATS, waiting: {} },
  ],
] as const;

/** What becomes of the host. What the next commands make of its work: interruptions.test.ts. */
for (const [fixture, wish, { launching, waiting }] of KINDS)
  describeWithEngine(`the host of a ${fixture} whose engine is killed`, () => {
    let world: World;
    let host: number | undefined;
    let uncaught: string;

    beforeEach(async () => {
      world = await World.create(fixture);
      host = undefined;
      uncaught = path.join(world.project.folder, "uncaught.log");
      const { env } = world.project;
      env.FLEETKEEPER_PROTOCOL = JSON.stringify({ poll: 200, settle: 1_000, postTimeout: 20_000, gone: 500 });
      env.NODE_OPTIONS = `--import=${MONITOR}`;
      env.UNCAUGHT = uncaught;
      await world.want(wish);
    });
    afterEach(async () => {
      if (host !== undefined && isAlive(host)) process.kill(host, "SIGKILL");
      await world.close();
    });

    /** Starts `pulumi up`, kills the engine once a machine was launched, and waits until the host has ended, too. */
    const upAndKill = async (launched = (): void => undefined): Promise<void> => {
      const { engine, ended } = world.start();
      await until(() => world.machines().length > 0);
      launched();
      host = await world.hostOfLaunch();
      engine.kill("SIGKILL");
      await ended;
      // As where a terminal is closed with it: nobody reads what is left in the pipes either.
      engine.stdout?.destroy();
      engine.stderr?.destroy();
      await until(() => !isAlive(host!));
      expect(existsSync(uncaught)).toBe(false);
    };

    it(
      "ends once the launch under way is answered and written down, and launches no other",
      launching,
      async () => {
        world.simulator.control.faults.next("launch", { kind: "slow", seconds: 5 });
        await upAndKill();
        expect(world.machines()).toHaveLength(1);
        const { intents } = await world.rows();
        expect(intents).toHaveLength(1);
        expect(JSON.stringify(intents[0]?.answer)).toContain(world.machines()[0]?.id);
      },
    );

    it("ends while it waits for what was launched", waiting, async () => {
      const { faults } = world.simulator.control;
      world.clock.stop();
      // Not before: a fleet takes as many lists before it launches as fit into its time.
      await upAndKill(() => faults.next("deployments", { kind: "slow", seconds: 60 }, { times: 100 }));
    });
  });
