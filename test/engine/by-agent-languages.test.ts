// @module-tag repeats
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { agentWorld, secretsIn } from "./agent-world.ts";
import { describeWithEngine } from "./engine.ts";
import { GO, PYTHON } from "./languages.ts";
import { H100 } from "./world.ts";

/** As by-agent.test.ts says of a program on Node. */
describeWithEngine("a stack that an agent keeps", () => {
  for (const { name, missing, prepare } of [PYTHON, GO])
    it.skipIf(missing !== undefined)(
      `of a program ${name} is previewed, made, left as it is and destroyed, with nothing of the service in it`,
      async () => {
        const shared = mkdtempSync(path.join(tmpdir(), "fleetkeeper-by-agent-"));
        onTestFinished(() => rmSync(shared, { recursive: true, force: true }));
        const kept = await agentWorld(prepare(shared)());
        onTestFinished(() => kept.close());
        const { world, token } = kept;
        await world.want({
          web: { kind: "Deployment", args: H100 },
          training: { kind: "Fleet", args: { gpus: 2, candidates: [{ ...H100, gpus: 1 }] } },
        });
        expect(await world.project.succeed("preview")).toContain("2.49");
        expect(world.machines()).toEqual([]);
        const printed = await world.up();
        expect(await world.outputs()).toMatchObject({
          web: { status: "running", connection: { port: "22" } },
          training: { runningGpus: 2 },
        });
        await world.up("--expect-no-changes");
        expect(world.alive()).toHaveLength(3);
        expect(secretsIn(JSON.stringify(await world.state()) + printed, token)).toEqual([]);
        await world.destroy();
        expect(world.alive()).toEqual([]);
        expect(world.machines()).toHaveLength(3);
        expect(await world.state()).toEqual([]);
      },
    );
});
