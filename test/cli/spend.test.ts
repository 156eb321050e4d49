import { expect, test } from "vitest";
import { FLEET, place, running, until, withProfile } from "./cli.ts";

const today = (): string => new Date().toISOString().slice(0, 10);

test("spend says what each fleet has cost, day by day, as an estimate, from the ledger alone", async () => {
  const on = await place();
  on.write("fleet.yaml", FLEET.replace("gpus: 16", "gpus: 8"));
  const day = today();
  await on.run(["agent", "--once"]);
  await until("it runs", () => running(on) === 1);
  const unreachable = { FLEETKEEPER_API_KEY: undefined, FLEETKEEPER_PROFILE: undefined };
  const { code, stdout, stderr } = await on.run(["spend", "--days", "2"], unreachable);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout).toContain("ESTIMATE: the service shows no bill.");
  expect(stdout).toMatch(/^ {2}DAY +fleet training$/m);
  expect(stdout).toMatch(/^ {2}2 days +19\.92$/m);
  expect(stdout).toMatch(/^ {2}ever +19\.92$/m);
  expect(stdout).not.toContain("AT LEAST");
  if (day === today()) expect(stdout).toMatch(new RegExp(`^ {2}${day} +19\\.92$`, "m"));

  const json = JSON.parse((await on.run(["spend", "--days", "1", "--json"], unreachable)).stdout);
  expect(json).toMatchObject({
    estimate: true,
    currency: "USD",
    accounts: [
      {
        account: "you@example.com",
        owners: [{ kind: "fleet", name: "training", ever: "19.9200", unpriced: 0 }],
        all: { ever: "19.9200" },
      },
    ],
  });
  expect((await on.run(["status"], unreachable)).stdout).toContain(
    "and 19.92 in all: an estimate, by whole hours as they begin",
  );
});

test("spend says how many machines have no price, and never takes them for free", async () => {
  const on = await place();
  const noPrices = withProfile(on, (profile) => profile.replaceAll(/^.*price.*$/gim, ""));
  on.write("fleet.yaml", FLEET.replace("gpus: 16", "gpus: 8"));
  await on.run(["agent", "--once"], noPrices);
  await until("it runs", () => running(on) === 1);
  const { stdout } = await on.run(["spend"]);
  expect(stdout).toContain("AT LEAST this much: 1 machine has no price and is not in these sums.");
  const csv = await on.run(["spend", "--csv"]);
  expect(csv.stdout.trim().split("\n")).toHaveLength(1);
  expect(csv.stderr).toContain("AT LEAST this much: 1 machine has no price");
});

test("spend refuses a number of days that is none", async () => {
  const on = await place();
  for (const days of ["0", "-1", "1.5", "367", "many"]) {
    const { code, stderr } = await on.run(["spend", "--days", days]);
    expect(code).toBe(2);
    expect(stderr).toContain("--days");
  }
});

test("spend names what runs beside its sums", async () => {
  const on = await place();
  on.simulator.control.launchByHand({ offer: "l40s-48gb-x1", provider: "dune", location: "us-west" });
  on.write("fleet.yaml", "fleets: []");
  await on.run(["agent", "--once"]);
  const { stdout } = await on.run(["spend"]);
  expect(stdout).toContain("nothing was launched or adopted by this ledger yet");
  expect(stdout).toContain(
    "Not in these sums: 1 machine runs that nobody here answers for, at 0.84 USD an hour. See fleetkeeper status.",
  );
});
