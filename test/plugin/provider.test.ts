import { afterEach, beforeEach, expect, it } from "vitest";
import type { Properties } from "../../provider/runtime/inputs/resource-kind.ts";
import { Plugin, PROVIDER_URN, struct, wire } from "./plugin.ts";

let plugin: Plugin;
beforeEach(async () => {
  plugin = await Plugin.start();
});
afterEach(() => plugin.close());

async function checkConfig(news: Properties, urn = PROVIDER_URN) {
  const response = await plugin.call<InstanceType<typeof wire.CheckResponse>>(
    "checkConfig",
    new wire.CheckRequest().setUrn(urn).setNews(struct(news)),
  );
  return {
    inputs: response.getInputs()?.toJavaScript() as Properties,
    failures: response.getFailuresList().map((each) => each.getReason()),
  };
}

it("tells an engine that is too old for it what to do", async () => {
  await expect(plugin.call("handshake", new wire.ProviderHandshakeRequest())).rejects.toThrow("Pulumi 3.200");
});

it("tells an engine that never greets the same", async () => {
  await expect(plugin.call("configure", new wire.ConfigureRequest())).rejects.toThrow("Pulumi 3.200");
});

it("says its version", async () => {
  const info = await plugin.call<{ getVersion(): string }>("getPluginInfo");
  expect(info.getVersion()).toMatch(/^\d+\.\d+\.\d+/);
});

it("names a mistyped setting, and takes Pulumi's own keys", async () => {
  const { failures } = await checkConfig({ basUrl: "http://x", version: "0.1.0", ledger: "a.db" });
  expect(failures).toEqual([
    expect.stringContaining("fleetkeeper:basUrl is no setting: did you mean fleetkeeper:baseUrl?"),
  ]);
});

it("leaves a project called fleetkeeper its own keys", async () => {
  const urn = PROVIDER_URN.replace("::project::", "::fleetkeeper::");
  expect((await checkConfig({ resources: "{}" }, urn)).failures).toEqual([]);
  expect((await checkConfig({ resources: "{}" })).failures).toHaveLength(1);
});

it("takes settings of a profile as a mapping or as JSON, and names what is none", async () => {
  expect((await checkConfig({ settings: { project: "red" } })).failures).toEqual([]);
  expect((await checkConfig({ settings: '{"project":"red"}' })).failures).toEqual([]);
  expect((await checkConfig({ labels: '{"team":"vision"}' })).failures).toEqual([]);
  expect((await checkConfig({ labels: "vision" })).failures[0]).toContain(
    "fleetkeeper:labels: expected names",
  );
  expect((await checkConfig({ settings: "red" })).failures[0]).toContain("fleetkeeper:settings: ");
});

it("has the key and a ledger's URL encrypted in the state", async () => {
  const secret = (value: string) => ({
    "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270",
    value,
  });
  const url = "postgres://fleet:pass@db/fleet";
  expect((await checkConfig({ apiKey: "k", ledger: url, account: "shared" })).inputs).toEqual({
    apiKey: secret("k"),
    ledger: secret(url),
    account: "shared",
  });
});

it("never replaces a provider: its resources would be rented anew", async () => {
  const response = await plugin.call<InstanceType<typeof wire.DiffResponse>>(
    "diffConfig",
    new wire.DiffRequest()
      .setUrn(PROVIDER_URN)
      .setOldInputs(struct({ baseUrl: "http://a", apiKey: "one" }))
      .setNews(struct({ baseUrl: "http://b", apiKey: "two" })),
  );
  expect(response.getChanges()).toBe(wire.DiffResponse.DiffChanges.DIFF_SOME);
  expect(response.getReplacesList()).toEqual([]);
});

it("is one provider: a second one in the same process would take the first one's machines to its own account", async () => {
  await plugin.configure({ account: "shared" });
  const other = (urn: string) =>
    plugin.call("configure", new wire.ConfigureRequest().setArgs(struct({})).setUrn(urn).setId("id"));
  await expect(other(`${PROVIDER_URN}-2`)).rejects.toThrow("one provider");
  await other(PROVIDER_URN);
});

it("names a setting that is missing as the stack's configuration calls it", async () => {
  await plugin.configure({});
  const urn = "urn:pulumi:dev::project::fleetkeeper:index:Deployment$fleetkeeper:half:Slot::web";
  const news = { label: "project/dev/web", offer: "h100", provider: "aurora", location: "fi-hel" };
  const response = await plugin.call<InstanceType<typeof wire.CheckResponse>>(
    "check",
    new wire.CheckRequest().setUrn(urn).setNews(struct(news)),
  );
  const [failure] = response.getFailuresList().map((each) => each.getReason());
  expect(failure).toContain("fleetkeeper:baseUrl");
});
