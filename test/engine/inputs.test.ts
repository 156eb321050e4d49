import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { REPEATS } from "../support/repeats.ts";
import { describeWithEngine } from "./engine.ts";
import { A100, CANARY, H100, L40S, World } from "./world.ts";

describeWithEngine("what a program may ask of a Deployment", () => {
  let world: World;
  beforeAll(async () => {
    world = await World.create("deployment");
  });
  afterAll(() => world.close());

  it("a preview says what a launch would cost, and launches nothing", async () => {
    await world.want({ web: { candidates: [H100, A100] } });
    const preview = await world.project.succeed("preview");
    expect(preview).toContain(
      "web: 1. h100-80gb-x1 @ aurora/fi-hel costs 2.49 USD an hour; a launch reserves the first hour, 2.49 USD",
    );
    expect(preview).toContain("+ 4 to create");
    expect(world.machines()).toEqual([]);
  });

  it("a deployment that runs already is adopted; one that is somebody's is got and asked for", async () => {
    const [adopted, theirs] = [0, 0].map(() => world.simulator.control.launchByHand(A100));
    await world.want({ own: { ...A100, adopt: adopted } });
    await world.project.succeed(
      ...["config", "set-all", "--plaintext", "deployment:ask=true"],
      ...["--plaintext", `deployment:existing=${theirs}`],
    );
    await world.up();
    expect(world.simulator.truth().launches).toEqual([]);
    const outputs = await world.allOutputs();
    expect(outputs).toMatchObject({
      resources: { own: { deploymentId: adopted, status: "running" } },
      found: { deploymentId: theirs, provider: "cirrus" },
      answers: { account: "you@example.com", currency: "USD", deployments: 2, status: "running" },
    });
    expect(await world.up()).toContain("unchanged");

    // What was only got is left alone; what was adopted is stopped.
    await world.project.succeed("config", "rm-all", "existing", "ask");
    await world.want({});
    await world.up();
    expect(world.alive()).toEqual([theirs]);
  });

  // test/provider/secret-connection.test.ts has what is marked, and language-contract.ts what the engine does with it.
  it(
    "a connection detail that the profile calls secret is encrypted in the state, and hidden",
    REPEATS,
    async () => {
      const profile = path.join(world.project.folder, "service.profile.yaml");
      const text = readFileSync(profile, "utf8").replace(
        /user: (\/\S*user)/,
        "user: { pointer: $1, secret: true }",
      );
      writeFileSync(profile, text);
      const before = world.alive().length;
      await world.want({ web: H100 });
      const output = await world.up();
      expect(world.alive()).toHaveLength(before + 1);
      expect(output).not.toContain('"root"');
      const { web } = (await world.allOutputs()).resources as { web: { connection: object } };
      expect(web.connection).toMatchObject({ user: "root", port: "22" });
      expect(await world.project.succeed("stack", "export")).not.toContain('"root"');
      expect(await world.up()).toContain("4 unchanged");
      expect(output).not.toContain(CANARY);
      await world.destroy();
    },
  );
});

/** test/provider asks the same of the methods that an engine calls: candidates.test.ts, adopt-and-end.test.ts, delete.test.ts. */
describeWithEngine("what the methods of a Deployment do", REPEATS, () => {
  let world: World;
  beforeAll(async () => {
    world = await World.create("deployment");
  });
  afterAll(() => world.close());

  it("a cooling candidate is passed over, with a reason", async () => {
    world.simulator.control.cooldown(L40S, 3_600);
    await world.want({ web: { candidates: [L40S, A100] } });
    const output = await world.up();
    expect(output).toMatch(
      /web: l40s-48gb-x1 @ dune\/us-west is cooling down for \d+ s: going on to a100-80gb-x1/,
    );
    expect(await world.outputs()).toMatchObject({
      web: { provider: A100.provider, pricePerHour: "1.4900" },
    });
  });

  it("another order of the candidates keeps the machine", async () => {
    const before = world.alive();
    await world.want({ web: { candidates: [A100, L40S] } });
    expect(await world.up()).toContain("3 updated");
    expect(world.alive()).toEqual(before);
  });

  it("what breaks the budget is not launched", async () => {
    const before = world.alive();
    await world.want({ dear: { ...A100, budget: { perHour: "1.40" } } });
    expect(await world.failingUp()).toContain("1.49 USD an hour would be above the budget of 1.40 an hour");
    expect(world.alive()).toEqual(before);
  });

  it("a deadline stops it, and it is not launched again", async () => {
    await world.want({ web: A100 });
    await world.up();
    expect(world.alive()).toHaveLength(1);
    const until = new Date(Date.now() - 1_000).toISOString();
    await world.want({ web: { ...A100, until } });
    await world.up();
    expect(world.alive()).toEqual([]);
    expect(await world.outputs()).toMatchObject({ web: { status: "stopped" } });
    expect(await world.up()).toContain("4 unchanged");
  });

  it("deleteBeforeReplace never has two; what is abandoned runs on as nobody's", async () => {
    await world.project.succeed("config", "set", "options", '{"deleteBeforeReplace":true}');
    await world.want({ web: H100 });
    await world.up();
    const first = world.machines().at(-1)!;
    await world.want({ web: { ...A100, onDelete: "abandon" } });
    await world.up();
    const second = world.machines().at(-1)!;
    expect(world.machines().find(({ id }) => id === first.id)?.endedAt).toBeLessThanOrEqual(
      second.committedAt,
    );
    await world.want({});
    await world.up();
    expect(world.alive()).toContain(second.id);
    const { deployments } = await world.rows();
    expect(deployments.find(({ id }) => id === second.id)?.claim).toBe("foreign");
  });
});
