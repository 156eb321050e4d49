import { existsSync } from "node:fs";
import { expect, test } from "vitest";
import { place, withProfile } from "./cli.ts";
import { two, writeFleets } from "./two-services.ts";

test("offers are sorted by the price of a GPU, and chosen as a select does", async () => {
  const on = await place();
  const { code, stdout, stderr } = await on.run([
    "offers",
    "--gpu-model",
    "h100-80gb",
    "--max-price",
    "2.49",
  ]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  const rows = stdout.trim().split("\n").slice(1);
  expect(rows).toHaveLength(8);
  expect(rows.slice(0, 4).every((row) => row.includes("basalt"))).toBe(true);
  expect(rows[3]).toMatch(/^h100-80gb-x8 +basalt +is-rey +8 +h100-80gb +18\.32\S* +2\.29 +yes$/);
  expect(rows.slice(4).every((row) => row.includes("aurora  ") && row.includes("2.49"))).toBe(true);
  const two = ["offers", "--provider", "dune", "--location", "us-west", "--location", "nowhere", "--json"];
  const json = JSON.parse((await on.run(two)).stdout);
  expect(json).toHaveLength(4);
  expect(json[0]).toEqual({
    offer: "l40s-48gb-x1",
    provider: "dune",
    location: "us-west",
    gpus: 1,
    gpuModel: "l40s-48gb",
    pricePerHour: expect.stringMatching(/^0\.84/),
    pricePerGpuHour: "0.8400",
    pricePerWorkHour: "0.8400",
    currency: "USD",
    available: true,
    stock: null,
    coolingSeconds: 0,
  });
  expect(existsSync(on.env.FLEETKEEPER_LEDGER ?? "")).toBe(false);
});

test("offers are compared by work where models are worth different amounts", async () => {
  const on = await place();
  const models = ["offers", "--gpu-model", "h100-80gb", "--gpu-model", "a100-80gb"];
  const { stdout } = await on.run([...models, "--worth", "h100-80gb=1.8"]);
  const [head, first] = stdout.split("\n");
  expect(head).toMatch(/ USD\/H +USD\/GPU\/H +USD\/WORK\/H +AVAILABLE$/);
  expect(first).toMatch(/^h100-80gb-x1 +basalt .* 2\.29 +2\.29 +1\.2722 +yes/);
  const [cheapest] = JSON.parse((await on.run([...models, "--json"])).stdout);
  expect(cheapest).toMatchObject({
    gpuModel: "a100-80gb",
    pricePerGpuHour: "1.3900",
    pricePerWorkHour: "1.3900",
  });
  expect(await on.run([...models, "--worth", "h100-80gb"])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("--worth h100-80gb: expected how much work one GPU does"),
  });
  expect(await on.run([...models, "--worth", "h200=1.4"])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining(
      "--worth h200=1.4: expected the worth of a model of gpuModel, and not of h200",
    ),
  });
});

test("of a file with several services all offers stand together; one that does not answer is told, and holds up no other", async () => {
  const at = await two();
  writeFleets(at);
  at.dune.control.setPrice({ offer: "h100-80gb-x8", provider: "aurora", location: "fi-hel" }, "8.00");
  const { code, stdout } = await at.on.run(["offers", "--gpu-model", "h100-80gb"], at.env);
  expect(code).toBe(0);
  const rows = stdout.trim().split("\n");
  expect(rows[0]).toMatch(/^SERVICE +OFFER .* USD\/H /);
  expect(rows[1]).toMatch(/^dune +h100-80gb-x8 +aurora +fi-hel +8 +h100-80gb +8\.00 +1\.00 +yes$/);
  expect(rows.filter((row) => row.startsWith("acme "))).toHaveLength(12);
  const one = JSON.parse((await at.on.run(["offers", "--service", "acme", "--json"], at.env)).stdout);
  expect(new Set(one.map(({ service }: { service: string }) => service))).toEqual(new Set(["acme"]));
  writeFleets(at, { url: "http://127.0.0.1:1" });
  const half = await at.on.run(["offers", "--gpu-model", "h100-80gb"], at.env);
  expect(half.code).toBeGreaterThan(0);
  expect(half.stderr).toMatch(/^dune: .*127\.0\.0\.1:1/m);
  expect(half.stdout.trim().split("\n")).toHaveLength(13);
});

test("what cools by the ledger is marked, and not available", async () => {
  const on = await place();
  const cooling = { offer: "h100-80gb-x8", provider: "aurora", location: "fi-hel" };
  on.simulator.control.cooldown(cooling, 100_000);
  on.write(
    "fleet.yaml",
    `fleets: [{ name: a, gpus: 8, candidates: [{ ...x, gpus: 8 }] }]`.replace(
      "...x",
      "offer: h100-80gb-x8, provider: aurora, location: fi-hel",
    ),
  );
  await on.run(["agent", "--once"]);
  const { stdout } = await on.run(["offers"]);
  expect(stdout.match(/cools/g)).toHaveLength(1);
  expect(stdout).toMatch(/^h100-80gb-x8 +aurora +fi-hel .* cools \d+ s$/m);
  const available = JSON.parse((await on.run(["offers", "--available", "--json"])).stdout);
  expect(available).toHaveLength(31);
});

test("when nothing fits, it says what there is", async () => {
  const on = await place();
  const { code, stdout } = await on.run(["offers", "--gpu-model", "h100"]);
  expect(code).toBe(0);
  expect(stdout).toContain("None of the service's 32 offers fits");
  expect(stdout).toContain("models    a100-80gb, h100-80gb, l40s-48gb, rtx4090-24gb");
  expect(await on.run(["offers", "--max-price", "-1"])).toMatchObject({ code: 2 });
  const without = withProfile(on, (text) => text.replace(/^offers:\n(?: .*\n)+/m, ""));
  expect(await on.run(["offers"], without)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('To list the offers, the profile needs the part "offers"'),
  });
});

test("balance prints the balance and nothing else", async () => {
  const on = await place({ balance: "12.3400" });
  expect(await on.run(["balance"])).toMatchObject({ code: 0, stdout: "12.34 USD\n", stderr: "" });
  expect(JSON.parse((await on.run(["balance", "--json"])).stdout)).toEqual({
    balance: "12.3400",
    currency: "USD",
  });
  expect(existsSync(on.env.FLEETKEEPER_LEDGER ?? "")).toBe(false);
});
