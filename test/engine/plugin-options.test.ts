import { afterAll, beforeAll, expect, it } from "vitest";
import { createSimulator } from "../../simulator/index.ts";
import { REPEATS } from "../support/repeats.ts";
import { describeWithEngine } from "./engine.ts";
import { pluginWorld } from "./plugin-world.ts";
import { A100, CANARY, H100, type World } from "./world.ts";

/** Hooks and additionalSecretOutputs: language-contract.ts. A refused key, in npm test: test/plugin/resources.test.ts. */
describeWithEngine("Pulumi's options on a Deployment of the plugin", () => {
  let world: World;
  beforeAll(async () => {
    world = await pluginWorld("plugin");
  });
  afterAll(() => world.close());

  it("ignoreChanges: another combination is not asked for", async () => {
    await world.want({ web: { args: H100 } });
    await world.up();
    const opts = { ignoreChanges: ["offer", "provider", "location"], protect: true };
    await world.want({ web: { args: A100, opts } });
    await world.up();
    expect(world.machines()).toHaveLength(1);
  });

  it("protect: the machine runs on while its deletion is refused", async () => {
    await world.want({});
    expect(await world.failingUp()).toContain("protect");
    expect(world.alive()).toHaveLength(1);
  });

  it("retainOnDelete: Pulumi forgets the machine, and the ledger does not", async () => {
    await world.want({ web: { args: H100, opts: { retainOnDelete: true } } });
    await world.up();
    await world.want({});
    await world.up();
    expect(world.alive()).toHaveLength(1);
    expect(await world.state()).toHaveLength(1);
    const { deployments } = await world.rows();
    expect(deployments.map(({ id, end }) => ({ id, end }))).toEqual([{ id: world.alive()[0], end: null }]);
  });

  it(
    "a key that stands in the state and is refused: destroy keeps the machine, and names the way on",
    REPEATS,
    async () => {
      const baseUrl = (await world.project.succeed("config", "get", "fleetkeeper:baseUrl")).trim();
      const settings = {
        baseUrl,
        profile: "service.profile.yaml",
        ledger: "ledger.db",
        account: "exclusive",
      };
      const keyed = (apiKey: string, args = {}) =>
        world.want({ keyed: { args: { ...H100, ...args }, provider: { ...settings, apiKey } } });
      await keyed(CANARY);
      await world.up();
      const before = world.alive().length;
      // The provider's own step succeeds, so the state has the new key by then.
      await keyed("of-before", { awaitRunning: false });
      await world.failingUp();
      const { code, stdout, stderr } = await world.project.pulumi("destroy", "--yes", "--skip-preview");
      expect(code).not.toBe(0);
      expect(stdout + stderr).toContain("pulumi up first, or pulumi destroy");
      expect(world.alive()).toHaveLength(before);
      await keyed(CANARY);
      await world.project.succeed("destroy", "--yes", "--skip-preview", "--run-program");
      expect(world.alive()).toHaveLength(before - 1);
    },
  );

  // Of the methods alone: test/provider/delete.test.ts.
  it(
    "another provider with another ledger, which is refused: destroy keeps the machine and names the cure, which works",
    REPEATS,
    async () => {
      const baseUrl = (await world.project.succeed("config", "get", "fleetkeeper:baseUrl")).trim();
      const settings = { apiKey: CANARY, profile: "service.profile.yaml", account: "exclusive" };
      const by = (providerName: string, ledger: string, url: string) =>
        world.want({ moved: { args: H100, providerName, provider: { ...settings, ledger, baseUrl: url } } });
      await by("one", "first.db", baseUrl);
      await world.up();
      const before = world.alive();
      const elsewhere = createSimulator({ apiKey: CANARY, dialect: "plain" });
      try {
        await by("another", "elsewhere.db", (await elsewhere.listen()).url);
        expect(await world.failingUp()).toContain("nothing tells that both are the same service");
        const { code, stdout, stderr } = await world.project.pulumi("destroy", "--yes", "--skip-preview");
        expect(code).not.toBe(0);
        expect(stdout + stderr).toContain("was made with another ledger");
        expect(stdout + stderr).toContain("give it the old one back, and pulumi up");
        expect(world.alive()).toEqual(before);
        expect(elsewhere.truth().launches).toEqual([]);
      } finally {
        await elsewhere.close();
      }
      await by("one", "first.db", baseUrl);
      await world.up();
      expect(world.alive()).toEqual(before);
      await world.project.succeed("destroy", "--yes", "--skip-preview");
      expect(world.alive()).toHaveLength(before.length - 1);
    },
  );
});
