import { expect, test } from "vitest";
import { KEY } from "./cli.ts";
import { curl } from "./curl.ts";
import { keepsEight, oddService } from "./odd-service.ts";
import { savedFiles } from "./saved-files.ts";
import { take } from "./taken.ts";

test("a service that nobody here knows: from saved answers to a running machine", async () => {
  const service = await oddService(KEY);
  const on = savedFiles({});
  const ask = curl({ url: service.url, folder: on.folder }, "X-Pass-Card: $KEY");
  const body = {
    want: { sku: "hx-8", supply: { vendor: "north", site: "oslo-1" } },
    label: "probe",
    os: "debian",
  };
  const off = { method: "PATCH", body: { power: "stop" } };
  const files = [
    await ask.terminal("launch.txt", "/api/v1/deployments", { method: "POST", body }),
    await ask.terminal("machines.txt", "/api/v1/deployments"),
    await ask.terminal("shelf.txt", "/api/v1/offers"),
    await ask.terminal("one.txt", "/api/v1/deployments/4000001"),
    await ask.answer("none.txt", "/api/v1/deployments/5"),
    await ask.terminal("off.txt", "/api/v1/deployments/4000001/power", off),
    await ask.terminal("after.txt", "/api/v1/deployments"),
  ];
  const fleet = ["--account", "exclusive", "--fleet", "training", "--gpus", "8", "--gpu-model", "h100"];
  const init = await on.run(["init", "--yes", "--name", "odd", ...fleet, "--from", ...files]);
  expect(init.said).toContain("Written: odd.profile.yaml and fleet.yaml");
  const text = on.read("odd.profile.yaml");
  for (const line of [
    "id: /receipt/for  # launch.txt: 4000001, an id of the list",
    "pricePerGpuHour: { pointer: /money/hourly_cents_per_gpu, unit: cents }",
    "confirm that it is US cents (by its name) an hour of one GPU",
    "createdAt: /meta/created  # it is 1794000001, seconds since 1970 if that is 2026-11-06T21:20:01.000Z",
    "marker: /meta/label  # the text of the launch is shown here in machines.txt",
  ])
    expect(text).toContain(line);
  on.write(
    "odd.profile.yaml",
    take(text, {
      list: { "kind: <": "kind: none" },
      offers: { "kind: <": "kind: none" },
      states: { aliases: undefined, '"off":': undefined, "terminal:": 'terminal: ["off"]' },
    }),
  );
  await keepsEight(on);
  // People are shown its moment, and programs what the service shows.
  const shows = async (...more: readonly string[]): Promise<string> =>
    (await on.run(["deployments", "show", "4000002", ...more], { FLEETKEEPER_API_KEY: KEY })).stdout;
  expect(await shows()).toMatch(/^created +2026-11-06T21:20:02\.000Z$/m);
  expect(JSON.parse(await shows("--json"))).toMatchObject({ createdAt: "1794000002" });
  // The one by hand, and one by the agent.
  expect(service.launches).toHaveLength(2);
});
