import { expect, test } from "vitest";
import { alive, FLEET, place, running, until } from "./cli.ts";

test("places says how each combination did, with the uncertainty of its losses, from the ledger alone", async () => {
  const on = await place();
  on.write("fleet.yaml", FLEET.replace("gpus: 16", "gpus: 8"));
  await on.run(["agent", "--once"]);
  await until("it runs", () => running(on) === 1);
  await on.run(["agent", "--once"]);
  const [machine] = alive(on);
  on.simulator.control.interrupt(machine?.id ?? "", { now: true });
  await on.run(["agent", "--once"]);
  const unreachable = { FLEETKEEPER_API_KEY: undefined, FLEETKEEPER_PROFILE: undefined };
  const { code, stdout, stderr } = await on.run(["places"], unreachable);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout).toMatch(/^ {2}PLACE +GPUS +LAUNCHED +REFUSED +FAILED +LOST +MACHINE DAYS +LOST A DAY/m);
  expect(stdout).toContain("a Gamma distribution, by the prior of Jeffreys");
  const { days, accounts } = JSON.parse(
    (await on.run(["places", "--days", "7", "--json"], unreachable)).stdout,
  );
  expect(days).toBe(7);
  const { places } = accounts[0];
  expect(places[0]).toMatchObject({ losses: 1, failures: 0, refused: 0 });
  expect(places[0].lossesPerMachineDay.low).toBeGreaterThan(0);
  expect(places[0].lossesPerMachineDay.high).toBeGreaterThan(places[0].lossesPerMachineDay.mean);
  expect(places[0].pricePerHour).toMatchObject({ now: expect.any(String), days30: expect.any(String) });
  // What was offered and never launched is there, too.
  expect(places.length).toBeGreaterThan(10);
  expect(places.at(-1)).toMatchObject({ launches: 0, lossesPerMachineDay: null, secondsToRun: null });
});

test("places refuses days that it has no prices for", async () => {
  const on = await place();
  const { code, stderr } = await on.run(["places", "--days", "8"]);
  expect(code).toBe(2);
  expect(stderr).toContain("Allowed choices are 7, 30");
});
