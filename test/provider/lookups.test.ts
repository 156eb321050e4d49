import * as pulumi from "@pulumi/pulumi";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { proofOf } from "../../provider/functions.ts";
import { Deployment, Fleet, getBalanceOutput } from "../../provider/index.ts";
import * as lookups from "../../provider/runtime/host/lookups.ts";
import { createSimulator, dialectProfilePath, type Simulator } from "../../simulator/index.ts";
import { failure } from "./support.ts";

const COMBINATION = { offer: "h100-80gb-x1", provider: "aurora", location: "fi-hel" };

describe("functions that ask the service", () => {
  let simulator: Simulator;
  let variables: Record<string, string>;

  beforeAll(async () => {
    simulator = createSimulator({ apiKey: "the-key", balance: "12.5000" });
    const { url } = await simulator.listen();
    variables = { FLEETKEEPER_BASE_URL: url, FLEETKEEPER_PROFILE: dialectProfilePath("plain") };
  });
  afterAll(() => simulator.close());

  const given = { apiKey: "the-key" };

  it("take the stack's configuration before the environment, and ask anew each time", async () => {
    expect(await lookups.balance(given, variables)).toEqual({ balance: "12.5000", currency: "USD" });
    simulator.control.setBalance("7.25");
    expect((await lookups.balance(given, { ...variables, FLEETKEEPER_API_KEY: "wrong" })).balance).toBe(
      "7.2500",
    );
    expect(await lookups.account(given, variables)).toMatchObject({ email: expect.any(String) });
    expect(await lookups.offers(given, variables)).toContainEqual(
      expect.objectContaining({ ...COMBINATION, pricePerHour: "2.4900" }),
    );
  });

  it("show a deployment whatever its status, and say which one is not there", async () => {
    const id = simulator.control.launchByHand(COMBINATION);
    simulator.control.stopByHand(id);
    expect(await lookups.deployment(id, given, variables)).toMatchObject({ id, ...COMBINATION });
    expect(await lookups.deployments(given, variables)).toHaveLength(1);
    const error = await failure(lookups.deployment("nowhere", given, variables));
    expect(error.message).toBe("the service knows no deployment nowhere in this account.");
  });

  describe("and wait for dependsOn", () => {
    const opts = () => ({
      ...given,
      baseUrl: variables.FLEETKEEPER_BASE_URL,
      profile: variables.FLEETKEEPER_PROFILE,
    });
    let open: () => void;

    beforeAll(async () => {
      const gate = new Promise<void>((resolve) => {
        open = resolve;
      });
      await pulumi.runtime.setMocks({
        newResource: async ({ type, name, inputs }) => {
          if (/:(Wish|Machine)$/.test(type)) await gate;
          return { id: name, state: { ...inputs, runningGpus: 8, deploymentId: "d1" } };
        },
        call: () => ({}),
      });
    });

    it("until a Fleet and a Deployment are as asked for", async () => {
      const fleet = new Fleet("training", { gpus: 8, select: {} });
      const done: unknown[] = [];
      for (const dependsOn of [fleet, [new Deployment("web", COMBINATION)]])
        getBalanceOutput({ ...opts(), dependsOn }).apply(({ currency }) => done.push(currency));
      await fleet.urn.apply(() => undefined);
      await new Promise((resolve) => setTimeout(resolve, 500));
      expect(done).toEqual([]);
      open();
      await vi.waitUntil(() => done.length === 2, { timeout: 240_000 });
    });

    it("and refuse a component of which nobody can tell when it is done", () => {
      const other = new pulumi.ComponentResource("test:index:Other", "other");
      expect(() => proofOf(other)).toThrow("dependsOn takes a Deployment, a Fleet");
      proofOf(undefined);
    });
  });

  it("say what is wrong without the key", async () => {
    const error = await failure(lookups.balance({ apiKey: "canary-wrong" }, variables));
    expect(error.message).toContain("401");
    expect(error.message).not.toContain("canary-wrong");
    expect((await failure(lookups.balance(given, {}))).message).toContain("fleetkeeper:baseUrl");
  });
});
