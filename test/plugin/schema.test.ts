import { expect, it } from "vitest";
import { z } from "zod";
import { wishShape } from "../../agent/fleet/wish/wish.ts";
import schema from "../../provider/plugin/schema.json" with { type: "json" };
import { machineInputs, wishInputs } from "../../provider/runtime/inputs/inputs.ts";
import { pluginSchema } from "../../scripts/plugin-schema/schema.ts";
import { Plugin, wire } from "./plugin.ts";

it("is what node scripts/plugin-schema.ts makes of the interfaces: run it and commit what it writes", () => {
  expect(schema).toEqual(JSON.parse(JSON.stringify(pluginSchema())));
});

const OF_HALVES = ["label", "slot", "source", "ledger", "resource", "timeouts"];
const argumentsOf = (half: z.ZodObject) => Object.keys(half.shape).filter((key) => !OF_HALVES.includes(key));

it("has the inputs that the halves' checks know, and no other", () => {
  const { "fleetkeeper:index:Deployment": deployment, "fleetkeeper:index:Fleet": fleet } = schema.resources;
  expect(Object.keys(deployment.inputProperties).sort()).toEqual(argumentsOf(machineInputs).sort());
  expect(Object.keys(fleet.inputProperties).sort()).toEqual(argumentsOf(wishInputs).sort());
});

it("has the fields of a budget, a choice and a check that a wish knows", () => {
  const fields = (name: keyof typeof schema.types) =>
    Object.keys((schema.types[name] as { properties?: object }).properties ?? {}).sort();
  const wish = z.toJSONSchema(z.object(wishShape), { io: "input" }).properties as Record<
    string,
    { readonly properties?: object; readonly items?: { readonly properties?: object } }
  >;
  const known = (key: string) =>
    Object.keys(wish[key]?.properties ?? wish[key]?.items?.properties ?? {}).sort();
  expect(fields("fleetkeeper:index:FleetBudget")).toEqual(known("budget"));
  expect(fields("fleetkeeper:index:FleetSelect")).toEqual(known("select"));
  expect(fields("fleetkeeper:index:FleetCandidate")).toEqual(known("candidates"));
  for (const [type, key] of [
    ["FleetReady", "ready"],
    ["FleetIdle", "idle"],
    ["FleetHealth", "health"],
    ["FleetSetup", "setup"],
    ["FleetBeforeStop", "beforeStop"],
  ] as const)
    expect([type, fields(`fleetkeeper:index:${type}`)]).toEqual([type, known(key)]);
});

it("has no type that is called as one of its properties: C# takes none", () => {
  const all = { ...schema.types, ...schema.resources } as Record<string, { readonly properties?: object }>;
  const alike = Object.entries(all).flatMap(([token, { properties = {} }]) => {
    const own = token.split(":").at(-1)?.toLowerCase();
    return Object.keys(properties).some((key) => key.toLowerCase() === own) ? [token] : [];
  });
  expect(alike).toEqual([]);
});

it("says of each input what it is", () => {
  const undescribed = Object.entries(schema.resources).flatMap(([token, { inputProperties }]) =>
    Object.entries(inputProperties).flatMap(([key, spec]) =>
      "description" in spec ? [] : [`${token} ${key}`],
    ),
  );
  // Their types do.
  expect(undescribed).toEqual(["fleetkeeper:index:Deployment budget", "fleetkeeper:index:Fleet budget"]);
  expect(schema.provider.inputProperties.apiKey.secret).toBe(true);
});

it("is what the plugin answers, with its version", async () => {
  const plugin = await Plugin.start();
  try {
    const response = await plugin.call<InstanceType<typeof wire.GetSchemaResponse>>(
      "getSchema",
      new wire.GetSchemaRequest(),
    );
    expect(JSON.parse(response.getSchema())).toEqual({ ...schema, version: expect.stringMatching(/^\d+\./) });
  } finally {
    await plugin.close();
  }
});
