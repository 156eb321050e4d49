import { afterAll, beforeAll, describe, expect, it } from "vitest";
import * as lookups from "../../provider/runtime/lookups.ts";
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
      expect.objectContaining({ ...COMBINATION, pricePerHour: "2.49" }),
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

  it("say what is wrong without the key", async () => {
    const error = await failure(lookups.balance({ apiKey: "canary-wrong" }, variables));
    expect(error.message).toContain("401");
    expect(error.message).not.toContain("canary-wrong");
    expect((await failure(lookups.balance(given, {}))).message).toContain("fleetkeeper:baseUrl");
  });
});
