import { expect, test } from "vitest";
import { alive, FLEET, place, running, until } from "./cli.ts";

test("status and history show what runs and what happened, from the ledger alone", async () => {
  const on = await place();
  on.write("fleet.yaml", FLEET);
  await on.run(["agent", "--once"]);
  await until("both run", () => running(on) === 2);
  await on.run(["agent", "--once"]);
  const ids = alive(on).map(({ id }) => id);
  const asked = on.simulator.truth().requests;
  const unreachable = {
    FLEETKEEPER_BASE_URL: undefined,
    FLEETKEEPER_API_KEY: undefined,
    FLEETKEEPER_PROFILE: undefined,
  };

  const status = await on.run(["status"], unreachable);
  expect(status).toMatchObject({ code: 0, stderr: "" });
  expect(status.stdout).toContain("fleet training: 16 of 16 GPUs running, 0 starting, 39.84 USD an hour");
  for (const id of ids)
    expect(status.stdout).toMatch(new RegExp(`${id} +running +h100-80gb-x8 +aurora +fi-hel +8 +19\\.92`));

  const json = JSON.parse((await on.run(["status", "--json"], unreachable)).stdout);
  expect(json.accounts).toMatchObject([
    {
      account: "you@example.com",
      tenure: "exclusive",
      agent: null,
      halted: [],
      returned: [],
      unaccounted: [],
      cooldowns: [],
    },
  ]);
  expect(json.accounts[0].fleets).toMatchObject([
    { name: "training", desiredGpus: 16, runningGpus: 16, startingGpus: 0, met: true, reasons: [] },
  ]);
  expect(json.accounts[0].fleets[0].deployments.map(({ id }: { id: string }) => id).sort()).toEqual(
    [...ids].sort(),
  );

  const history = await on.run(["history"], unreachable);
  expect(history.stdout.match(/Z training launch: launching h100-80gb-x8/g)).toHaveLength(2);
  const lines = (await on.run(["history", "--json", "--limit", "3"], unreachable)).stdout.trim().split("\n");
  expect(lines.map((line) => JSON.parse(line).kind)).toHaveLength(3);
  expect(JSON.parse(lines[2] ?? "")).toMatchObject({ account: "you@example.com", kind: "running" });
  expect(on.simulator.truth().requests).toEqual(asked);
});

test("status shows what a machine cost that nobody answers for, and what cools", async () => {
  const on = await place();
  on.simulator.control.launchByHand({ offer: "l40s-48gb-x1", provider: "dune", location: "us-west" });
  on.simulator.control.cooldown({ offer: "h100-80gb-x8", provider: "aurora", location: "fi-hel" }, 100_000);
  on.write("fleet.yaml", FLEET.replace("gpus: 16", "gpus: 16\n    match: none"));
  await on.run(["agent", "--once"], { FLEETKEEPER_ACCOUNT: "shared" });
  const { stdout } = await on.run(["status"]);
  expect(stdout).toContain("machines that nobody here answers for");
  expect(stdout).toMatch(/l40s-48gb-x1 +dune +us-west +1 +0\.84/);
  expect(stdout).toMatch(/cooling {2}h100-80gb-x8 @ aurora\/fi-hel \(\d+ s\)/);
  expect(stdout).toMatch(/h100-80gb-x8 @ aurora\/fi-hel cools for \d+ s more/);
});

test("account shows whose key it is, and the balance", async () => {
  const on = await place({ balance: "12.3400" });
  const { stdout } = await on.run(["account"]);
  expect(stdout).toMatch(/^You <you@example\.com>, [0-9a-f-]{36}\nbalance 12\.34 USD\n$/);
  expect(JSON.parse((await on.run(["account", "--json"])).stdout)).toMatchObject({
    email: "you@example.com",
    balance: "12.3400",
    currency: "USD",
  });
});

test("a person asks for another count on the ledger alone, is told what follows, and takes it back", async () => {
  const on = await place();
  on.write("fleet.yaml", FLEET.replace("gpus: 16", "gpus: { min: 8, max: 24, at: 8 }"));
  await on.run(["agent", "--once"]);
  const offline = { FLEETKEEPER_BASE_URL: undefined, FLEETKEEPER_API_KEY: undefined };
  const ask = (...more: readonly string[]) => on.run(["ask", "training", ...more], offline);
  expect((await ask("16", "--for", "4h", "--why", "a demo")).stdout).toMatch(
    /^training: a person asks for 16 GPUs \(a demo\), until \d{4}-\S+Z, or fleetkeeper ask training --end\.\nBy all that its size follows, 16 GPUs of training are asked for now\.\nNo agent runs that does it: fleetkeeper agent\n$/,
  );
  expect((await on.run(["status"], offline)).stdout).toContain("a person asks for 16 GPUs (a demo), until ");
  const { fleets } = JSON.parse((await on.run(["status", "--json"], offline)).stdout).accounts[0];
  expect(fleets[0]).toMatchObject({
    wishedGpus: 16,
    ask: { asked: 16, gpus: 16, until: expect.any(Number), why: "a demo" },
  });
  expect((await on.run(["plan"])).stdout).toContain("a person asks for 16 GPUs (a demo)");
  await on.run(["agent", "--once"]);
  expect(alive(on)).toHaveLength(2);
  const wrong = [
    [["25"], "25 GPUs cannot be asked for: expected a whole number from 8 to 24"],
    [["8", "--end"], "expected either a number of GPUs"],
    [[], "expected either a number of GPUs"],
    [["--end", "--for", "4h"], "--for and --why are for a number of GPUs"],
    [["8", "--for", "soon"], "--for soon: expected a duration such as 30m, 4h or 3d"],
    [["eight"], "expected a whole number"],
  ] as const;
  for (const [args, message] of wrong)
    expect(await ask(...args)).toMatchObject({ code: 2, stderr: expect.stringContaining(message) });
  expect((await ask("--end")).stdout).toContain("8 GPUs of training are asked for now");
  expect((await ask("--end")).stdout).toBe(
    "Nobody asks for a number of training's GPUs. Nothing was done.\n",
  );
  const { stdout: history } = await on.run(["history"], offline);
  expect(history).toContain("nobody asks for 16 GPUs of training any more: an operator took it back");
});
