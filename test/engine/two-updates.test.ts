import { once } from "node:events";
import type { Readable } from "node:stream";
import { afterAll, beforeAll, expect, it } from "vitest";
import { sharedServer } from "../support/postgres.ts";
import { REPEATS } from "../support/repeats.ts";
import { describeWithEngine } from "./engine.ts";
import type { SharedWorld } from "./on-postgres.ts";
import { worldOnPostgres } from "./on-postgres.ts";
import { A100, H100, until } from "./world.ts";

const server = await sharedServer();
const parameters = { image: "ubuntu" };
const one = { ...H100, parameters };

describeWithEngine(
  "on one exclusive account and one ledger in PostgreSQL, where nothing tells two launches apart",
  () => {
    let shared: SharedWorld;
    beforeAll(async () => {
      if (!server) return;
      shared = await worldOnPostgres(server, "deployment", "link");
      await shared.world.project.succeed("stack", "init", "ci", "--copy-config-from", "dev");
    });
    afterAll(() => shared?.close());

    it.skipIf(!server)(
      "two updates of two stacks at once both end well, and make exactly what both ask for",
      async () => {
        const { world } = shared;
        await world.want({ one, two: one, three: { ...A100, parameters } });
        await world.want({ one, two: one, four: one }, "ci");
        // Every answer is lost, and lists are half a second behind: each machine has to be found in a list, among
        // those that the other stack makes.
        const { faults } = world.simulator.control;
        faults.chance("launch", [{ fault: { kind: "dropAfter" }, probability: 1 }]);
        faults.chance("deployments", [{ fault: { kind: "lag", seconds: 0.5 }, probability: 1 }]);
        const updates = [world.start("dev"), world.start("ci")];
        await Promise.all(updates.map(({ ended }) => ended));
        expect(
          updates.map(({ engine }) => engine.exitCode),
          updates.map(({ said }) => said()).join(),
        ).toEqual([0, 0]);
        faults.clear();
        const kept = await Promise.all(
          ["dev", "ci"].map(async (stack) => Object.values(await world.outputs(stack))),
        );
        expect(
          kept
            .flat()
            .map(({ deploymentId }) => deploymentId)
            .sort(),
        ).toEqual([...world.alive()].sort());
        expect(world.alive()).toHaveLength(6);
        expect(world.machines()).toHaveLength(6);
        expect(world.simulator.truth().launches).toHaveLength(6);
      },
    );

    // Two processes of one ledger stand above; the proof has an agent and updates beside each other.
    it.skipIf(!server)(
      "an agent with a fleet file and an update that begin together leave each other's machines alone, as two destroys at once do",
      REPEATS,
      async () => {
        const { world, name } = shared;
        const before = world.alive();
        // Half of them are of the other stack; none, where the test above does not run.
        const [others, launched] = [before.length / 2, world.simulator.truth().launches.length];
        world.write(
          "fleet.yaml",
          `fleets:\n  - name: kept\n    gpus: 3\n    parameters: ${JSON.stringify(parameters)}\n    candidates: [${JSON.stringify({ ...H100, gpus: 1 })}]\n`,
        );
        await world.want({ one, two: one, three: { ...A100, parameters }, five: one, six: one });
        const agent = world.startAgent("--ledger", `postgres://postgres@127.0.0.1:${server!.port}/${name}`);
        try {
          await once(agent.stdout as Readable, "data");
          const update = world.start();
          await update.ended;
          expect(update.engine.exitCode, update.said()).toBe(0);
          await until(() => world.alive().length === others + 8);
        } finally {
          agent.kill("SIGTERM");
          await once(agent, "exit");
        }
        expect(world.machines()).toHaveLength(others + 8);
        expect(world.simulator.truth().launches).toHaveLength(launched + 8 - others);
        expect(before.filter((id) => !world.alive().includes(id))).toEqual([]);
        await Promise.all(
          ["dev", "ci"].map((stack) =>
            world.project.succeed("destroy", "--yes", "--skip-preview", "--stack", stack),
          ),
        );
        expect(world.alive()).toHaveLength(3);
      },
    );
  },
);
