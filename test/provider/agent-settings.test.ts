import { describe, expect, it } from "vitest";
import { keptConfig } from "../../provider/plugin/config.ts";
import { agentOf } from "../../provider/runtime/host/agent-settings.ts";

const AGENT = "https://keeper.example.com";
const given = { agent: AGENT, token: "fk_mine" };

it("an explicit provider keeps its token encrypted", () => {
  const { agent, token } = keptConfig({ agent: AGENT, token: "fk_mine" });
  expect(agent).toBe(AGENT);
  expect(token).toEqual(keptConfig({ apiKey: "fk_mine" }).apiKey);
  expect(token).not.toBe("fk_mine");
});

describe("the agent of a stack", () => {
  it("is that of its settings, before that of the environment", () => {
    const variables = { FLEETKEEPER_AGENT: "https://other.example.com", FLEETKEEPER_TOKEN: "fk_other" };
    expect(agentOf(given, {})).toMatchObject({ url: AGENT, token: "fk_mine", folder: "" });
    expect(agentOf(given, { ...variables, FLEETKEEPER_BASE_URL: "http://x" })).toMatchObject({ url: AGENT });
    expect(agentOf({}, variables)).toMatchObject({ url: "https://other.example.com", token: "fk_other" });
    expect(agentOf({ baseUrl: "https://gpus.example.com" }, variables)).toBeUndefined();
    expect(agentOf({}, {})).toBeUndefined();
  });

  it("may be one service of several", () => {
    const agent = `${AGENT}/keeper/services/north/`;
    expect(agentOf({ ...given, agent }, {})).toMatchObject({
      url: `${AGENT}/keeper`,
      folder: "/services/north",
    });
  });

  it.each([
    ["beside a service's settings", { ...given, ledger: "l.db" }, {}, "pulumi config rm fleetkeeper:ledger"],
    ["without a token", { agent: AGENT }, {}, "fleetkeeper token create --name NAME --may declare"],
    ["missing beside its token", { token: "fk_mine" }, {}, "fleetkeeper:agent is not"],
    [
      "missing beside its token and a service",
      { token: "fk_mine", baseUrl: "https://gpus.example.com" },
      {},
      "fleetkeeper:agent is not",
    ],
    ["by http elsewhere", { ...given, agent: "http://keeper.example.com" }, {}, "unencrypted"],
    ["with a password", { ...given, agent: "https://me:canary@keeper.example.com" }, {}, "a password stands"],
    ["that is a path of the API", { ...given, agent: `${AGENT}/api/v1` }, {}, `${AGENT}.`],
    ["that is no address", { ...given, agent: "keeper" }, {}, "no address of an agent"],
    ["with a token of two lines", { ...given, token: "fk_canary\nmore" }, {}, "no token has"],
    [
      "and a service in one environment",
      {},
      { FLEETKEEPER_AGENT: AGENT, FLEETKEEPER_BASE_URL: "http://x" },
      "FLEETKEEPER_AGENT and FLEETKEEPER_BASE_URL",
    ],
  ])("%s is a mistake, told with the remedy and no secret", (_what, settings, variables, remedy) => {
    let said = "";
    try {
      agentOf(settings, variables);
    } catch (error) {
      said = (error as Error).message;
    }
    expect(said).toContain(remedy);
    expect(said).not.toContain("canary");
  });
});
