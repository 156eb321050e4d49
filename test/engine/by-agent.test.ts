import { afterAll, beforeAll, expect, it } from "vitest";
import { REPEATS } from "../support/repeats.ts";
import { type AgentWorld, agentWorld, hostOf, secretsIn } from "./agent-world.ts";
import { describeWithEngine } from "./engine.ts";
import { beginLaunch } from "./interrupted.ts";
import { pluginWorld } from "./plugin-world.ts";
import { A100, H100, type World } from "./world.ts";

const web = (args: object = H100) => ({ web: { kind: "Deployment", args } });
const training = (gpus: number) => ({
  training: { kind: "Fleet", args: { gpus, candidates: [{ ...H100, gpus: 1 }] } },
});

/** The classes of a program on Node, and the plugin of every language, ask the same of the agent: npm test has the plugin alone. */
for (const [host, isPlugin] of [
  ["the classes", false],
  ["the plugin", true],
] as const)
  describeWithEngine(`a stack of ${host} that an agent keeps`, isPlugin ? {} : REPEATS, () => {
    let kept: AgentWorld;
    let world: World;
    beforeAll(async () => {
      kept = await agentWorld(pluginWorld("moving"));
      ({ world } = kept);
      await world.project.succeed("config", "set", "moving:plugin", String(isPlugin));
    });
    afterAll(() => kept.close());

    it("is previewed, made, left as it is, changed and destroyed, with nothing of the service in it", async () => {
      await world.want({ ...web(), ...training(2) });
      const foreseen = await world.project.succeed("preview");
      expect(foreseen).toContain("2.49");
      expect(world.machines()).toEqual([]);
      const printed = await world.up();
      expect(world.alive()).toHaveLength(3);
      expect(await world.outputs()).toMatchObject({
        web: { status: "running", connection: { port: "22" } },
        training: { runningGpus: 2 },
      });
      expect(printed).toContain("2 of 2 GPUs run");
      await world.up("--expect-no-changes");
      await world.project.succeed("refresh", "--yes", "--skip-preview");
      await world.want({ ...web(A100), ...training(1) });
      await world.up();
      expect(world.alive()).toHaveLength(2);
      expect(world.machines()).toHaveLength(4);
      const state = JSON.stringify(await world.state());
      expect(secretsIn(state + printed + foreseen, kept.token)).toEqual([]);
      await world.destroy();
      expect(world.alive()).toEqual([]);
      expect(await world.state()).toEqual([]);
    });

    const ended = "%s: nothing is rented twice, and nothing is left";
    const goesOn = async (what: string): Promise<void> => {
      await world.want(web());
      const { engine, ended, launched } = await beginLaunch(world);
      if (what.endsWith("engine")) engine.kill("SIGKILL");
      else process.kill(await hostOf(engine.pid ?? 0), "SIGKILL");
      await ended;
      world.clock.goOn();
      if (what.endsWith("engine")) await world.project.succeed("cancel", "--yes");
      await world.up();
      expect(world.machines()).toHaveLength(launched);
      expect(await world.outputs()).toMatchObject({
        web: { deploymentId: world.alive()[0], status: "running" },
      });
      await world.destroy();
      expect(world.alive()).toEqual([]);
    };
    it.each(["kill -9 of the engine"])(ended, goesOn);
    // test/provider/by-agent-sweep.test.ts kills it at each boundary.
    it.each(["kill -9 of the host"])(ended, REPEATS, goesOn);

    const survived = "an up and a destroy go on when the agent is killed %s";
    const survives = async (moment: string): Promise<void> => {
      const [before, deaths] = [world.machines().length, kept.deaths()];
      kept.killAt(moment);
      await kept.renew();
      await world.want({ ...web(), ...training(1) });
      await world.up();
      expect(world.machines()).toHaveLength(before + 2);
      expect(world.alive()).toHaveLength(2);
      kept.killAt(moment);
      await kept.renew();
      await world.destroy();
      expect(world.alive()).toEqual([]);
      expect(await world.state()).toEqual([]);
      expect(world.machines()).toHaveLength(before + 2);
      // Twice by `renew`, and at least once at that moment.
      expect(kept.deaths() - deaths).toBeGreaterThanOrEqual(3);
    };
    // The moment at which a machine may be paid for that nobody has written down. The others end the same way.
    it.each(["after request 1"])(survived, survives);
    it.each(["before request 1", "at answer 1", "after commit 4", "before commit 8"])(
      survived,
      REPEATS,
      survives,
    );
  });
