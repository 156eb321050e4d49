import { expect, test } from "vitest";
import { KEY, place, until } from "./cli.ts";
import { NAMED, serviceLine } from "./two-services.ts";

const SECOND_KEY = "sk-live-Zq83-never-print-me";

/** One service with two accounts, of which the first has credit for one machine alone. */
async function twoAccounts() {
  const accounts = [
    { email: "second@example.com", displayName: "Second", apiKey: SECOND_KEY, balance: "9000" },
  ];
  const on = await place({ accounts, balance: "45" });
  const profile = on.env.FLEETKEEPER_PROFILE ?? "";
  on.write(
    "fleet.yaml",
    `services:\n${serviceLine("mine", on.url, profile, "MINE")}${serviceLine("theirs", on.url, profile, "THEIRS")}` +
      "fleets:\n  - name: training\n    services: all\n    gpus: 24\n    budget: { floor: 20 }\n" +
      "    candidates: [{ offer: h100-80gb-x8, provider: aurora, location: fi-hel, gpus: 8, pricePerHour: 20 }]\n",
  );
  return on;
}

function runsIn(on: Awaited<ReturnType<typeof place>>): Record<string, number> {
  const { accounts, machines } = on.simulator.truth();
  const living = machines.filter(({ endedAt }) => endedAt === null);
  return Object.fromEntries(
    accounts.map(({ id, email }) => [email, living.filter(({ account }) => account === id).length]),
  );
}

test("two accounts of one service share a fleet, each as far as its own credit goes", async () => {
  const on = await twoAccounts();
  const env = { ...NAMED, MINE: KEY, THEIRS: SECOND_KEY };
  const agent = on.start(["agent"], env);
  await until(
    "all are there",
    () => on.simulator.truth().machines.filter((each) => each.endedAt === null).length === 3,
  );
  const before = on.simulator.truth().requests.deployments;
  await until("more ticks", () => on.simulator.truth().requests.deployments >= before + 8);
  const { "second@example.com": second = 0, ...first } = runsIn(on);
  expect(Object.values(first).every((each) => each <= 1)).toBe(true);
  expect(second).toBeGreaterThanOrEqual(2);
  const shown = await on.run(["services"], env);
  expect(shown.stdout).toMatch(/mine .*taking/);
  expect(shown.stdout).toMatch(/theirs .*taking/);
  agent.kill("SIGTERM");
  const { code, said } = await agent.ended;
  expect(code).toBe(0);
  expect(said).not.toContain("never-print-me");
  expect(on.simulator.truth().launches.length).toBe(3);
});

test("two credentials of one account are no two services of a fleet", async () => {
  const on = await twoAccounts();
  const agent = on.start(["agent"], { ...NAMED, MINE: SECOND_KEY, THEIRS: SECOND_KEY });
  await agent.tells("opens the same account as that of services.");
  const before = on.simulator.truth().requests.deployments;
  await until("more ticks", () => on.simulator.truth().requests.deployments >= before + 8);
  agent.kill("SIGTERM");
  await agent.ended;
  expect(on.simulator.truth().launches.length).toBeLessThanOrEqual(3);
});
