import { afterEach, expect, test } from "vitest";
import { type Simulation, startSimulation } from "../../simulator/index.ts";
import { HERE } from "./bench.ts";

let simulation: Simulation | undefined;

afterEach(async () => {
  await simulation?.close();
});

async function control(
  name: string,
  body?: object,
): Promise<{ status: number; said: Record<string, unknown> }> {
  const init = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) };
  const response = await fetch(`${simulation?.controlUrl}/${name}`, init);
  return { status: response.status, said: (await response.json()) as Record<string, unknown> };
}

const PLACE = { offer: "h100-80gb-x1", provider: "aurora", location: "fi-hel" };

test("the simulated service and its controls serve over HTTP, each at its own port", async () => {
  simulation = await startSimulation({ dialect: "plain", apiKey: "k", balance: "10", seed: 3 });
  const { said } = await control("launchByHand", PLACE);
  const list = await fetch(`${simulation.url}/api/v1/deployments`, { headers: { "x-api-key": "k" } });
  expect(await list.json()).toMatchObject({ deployments: [{ id: said.id, ...PLACE }] });
  const truth = await control("truth");
  expect(truth.said).toMatchObject({ machines: [{ id: said.id, origin: { by: "hand" } }] });
  expect(simulation.profilePath).toMatch(/simulated-plain\/profile\.yaml$/);
});

test("every control can be reached", async () => {
  simulation = await startSimulation({ balance: "1000" });
  const { id } = (await control("launchByHand", PLACE)).said;
  const calls: readonly [string, object][] = [
    ["cooldown", { ...PLACE, seconds: 5 }],
    ["failNext", { place: { provider: "aurora" }, failure: { code: "X" }, times: 2 }],
    ["maintenance", { provider: "aurora", on: true }],
    ["setBalance", { balance: "7.0000" }],
    ["addCredits", { amount: "1.5000" }],
    ["setCapacity", { ...PLACE, capacity: 2 }],
    ["setPrice", { ...PLACE, pricePerHour: "9.99" }],
    ["halt", { id }],
    ["hide", { id }],
    ["hideAccount", { hidden: false }],
    ["forget", { id, forgotten: false }],
    ["showAs", { id, state: "interrupted" }],
    ["showAs", { id }],
    ["addAccount", { email: "b@example.com", apiKey: "b", balance: "1" }],
    ["fault", { target: "launch", fault: { kind: "dropAfter" }, times: 2, skip: 1 }],
    ["chance", { target: "stop", chances: [{ fault: { kind: "dropBefore" }, probability: 0.5 }] }],
    ["clearFaults", {}],
    ["stopByHand", { id }],
    ["interrupt", { id, now: true }],
    ["loseMachinesIn", { provider: "aurora" }],
    ["refuseConnections", { refuse: true }],
    ["refuseConnections", { refuse: false }],
  ];
  for (const [name, body] of calls) expect([name, (await control(name, body)).status]).toEqual([name, 200]);
  const { said } = await control("truth");
  expect(said).toMatchObject({
    machines: [{ stopReason: "user_requested" }],
    accounts: [{ balance: expect.stringMatching(/^(8|10)\.\d{4}$/) }, { email: "b@example.com" }],
  });
  await control("setBalance", { balance: "100" });
  const elsewhere = { ...PLACE, provider: "basalt", location: "is-rey" };
  expect(await control("giveAnew", { id, ...elsewhere })).toMatchObject({ status: 200 });
  const { machines } = (await control("truth")).said;
  expect(machines).toMatchObject([
    { id: expect.not.stringContaining(String(id)), combination: PLACE },
    { id, combination: elsewhere },
  ]);
  const named = (await control("")).said.controls as string[];
  expect(new Set([...calls.map(([name]) => name), "giveAnew"])).toEqual(
    new Set(named.filter((name) => !["truth", "launchByHand"].includes(name))),
  );
});

test("mistakes are answered with what is wrong", async () => {
  simulation = await startSimulation();
  expect(await control("interrupt", { id: "x" })).toMatchObject({
    status: 400,
    said: { error: "no such deployment: x" },
  });
  expect((await control("interrupt", { di: "x" })).said.error).toContain("di");
  expect((await control("cooldown", HERE)).said.error).toContain("no such offer");
  expect((await control("explode", {})).status).toBe(404);
  expect((await control("interrupt")).status).toBe(405);
});
