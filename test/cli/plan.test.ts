import { expect, test } from "vitest";
import { alive, FLEET, place, running, until } from "./cli.ts";

test("plan says what the agent would do and why, and does nothing", async () => {
  const on = await place();
  on.write("fleet.yaml", FLEET);
  for (let times = 0; times < 2; times++) {
    const { code, stdout, stderr } = await on.run(["plan"]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toBe(
      "training: 16 GPUs asked for, 0 running, 0 starting\n" +
        "  launch  2 x h100-80gb-x8 @ aurora/fi-hel (8 GPUs each): 16 of 16 GPUs are missing; h100-80gb-x8 @ aurora/fi-hel is the first candidate that can be had\n" +
        "  costs   not known: 2 of its machines have no known price\n" +
        "  no bound on the cost: what it has, or would launch, shows no price, and an unknown price is not counted as 0; " +
        "no limit says what a GPU may cost: set budget.perGpuHour or budget.perHour; nothing ends it: set until, or budget.total\n",
    );
  }
  expect(on.simulator.truth().requests).toMatchObject({ launch: 0, stop: 0 });
});

test("plan --json is for programs: exact prices, no functions, nothing else on standard output", async () => {
  const on = await place();
  on.write("fleet.yaml", "fleets: [{ name: a, gpus: 1, select: { gpuModel: l40s-48gb } }]\n");
  const { code, stdout } = await on.run(["plan", "--json"]);
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toEqual({
    fleets: [
      {
        fleet: "a",
        currency: "USD",
        desired: 1,
        running: 0,
        starting: 0,
        stopping: 0,
        launches: [
          {
            offer: "l40s-48gb-x1",
            provider: "dune",
            location: "us-west",
            gpus: 1,
            pricePerHour: "0.8400",
            why: expect.stringContaining("1 of 1 GPU is missing"),
          },
        ],
        stops: [],
        takes: [],
        holds: [],
        olderWish: [],
        reasons: [],
        wake: null,
        costs: { gpus: 1, unpriced: 0, perHour: "0.8400", perDay: "20.1600", perMonth: "604.8000" },
        most: {
          ...{ perHour: null, perHourBy: null, untilEnd: null, end: null, inAll: null },
          ...{ replaced: null, late: null, unstopped: null },
          why: [
            "no limit says what a GPU may cost: set select.maxPricePerGpuHour, budget.perGpuHour or budget.perHour",
            "nothing ends it: set until, or budget.total",
          ],
        },
      },
    ],
  });
});

test("plan shows what a changed file would stop, and a fleet that it lost, and stops neither", async () => {
  const on = await place();
  on.write("fleet.yaml", FLEET);
  await on.run(["agent", "--once"]);
  await until("both run", () => running(on) === 2);
  on.write("fleet.yaml", FLEET.replace("gpus: 16", "gpus: 8"));
  expect((await on.run(["plan"])).stdout).toMatch(/^ {2}stop {4}\S+: 8 GPUs are asked for$/m);
  on.write("fleet.yaml", FLEET.replace("training", "other"));
  const { stdout } = await on.run(["plan"]);
  expect(stdout.match(/^ {2}stop {4}\S+: the fleet was removed$/gm)).toHaveLength(2);
  expect(stdout).toContain("other: 16 GPUs asked for");
  expect(alive(on)).toHaveLength(2);
  expect(on.simulator.truth().requests.stop).toBe(0);
});

test("plan names what runs already and is taken, and launches nothing in its place", async () => {
  const on = await place();
  on.write("fleet.yaml", FLEET);
  const [aurora] = [{ offer: "h100-80gb-x8", provider: "aurora", location: "fi-hel" }];
  const id = on.simulator.control.launchByHand(aurora!);
  const { stdout } = await on.run(["plan"]);
  expect(stdout).toMatch(
    new RegExp(
      `^ {2}take {4}${id}, which is \\w+ already in this exclusive account: 8 GPUs, \\S+ USD an hour$`,
      "m",
    ),
  );
  expect(stdout).toMatch(
    /^ {2}launch {2}h100-80gb-x8 @ aurora\/fi-hel \(8 GPUs\): 8 of 16 GPUs are missing/m,
  );
});

test.each([
  [
    "a count that no candidate makes",
    "gpus: 9, select: { gpuModel: none }",
    "none of the service's 32 offers fits",
  ],
  [
    "a ceiling below every price",
    "gpus: 8, select: { maxPricePerGpuHour: 0.01 }",
    "at most 0.01 USD a GPU and hour",
  ],
  [
    "a floor above the balance",
    "gpus: 1, select: {}, budget: { floor: 5000 }",
    "the balance of 1000.00 USD, less the floor of 5000.00, does not pay",
  ],
  [
    "a budget below every price",
    "gpus: 8, select: {}, budget: { perHour: 0.10 }",
    "the budget of 0.10 USD an hour does not pay for any of the 8 missing GPUs",
  ],
])("plan tells at once that a file asks for the impossible: %s", async (_, wish, reason) => {
  const on = await place();
  on.write("fleet.yaml", `fleets: [{ name: a, ${wish} }]\n`);
  const { code, stdout } = await on.run(["plan"], { FLEETKEEPER_PROTOCOL: undefined });
  expect(code).toBe(0);
  expect(stdout).toContain(reason);
  expect(stdout).not.toContain("  launch");
});

test("agent --dry-run looks again and again, says what is new, and sends nothing but reads", async () => {
  const on = await place();
  on.write("fleet.yaml", FLEET);
  const dry = on.start(["agent", "--dry-run"]);
  await dry.shows("launch  2 x h100-80gb-x8 @ aurora/fi-hel");
  const seen = on.simulator.truth().requests.deployments;
  await until("more looks", () => on.simulator.truth().requests.deployments >= seen + 3);
  on.write("fleet.yaml", FLEET.replace("gpus: 16", "gpus: 8"));
  await dry.shows("launch  h100-80gb-x8 @ aurora/fi-hel");
  on.write("fleet.yaml", "fleets: [{ name: a }]\n");
  await dry.shows("fleet.yaml:1");
  dry.kill("SIGINT");
  const { code, stdout } = await dry.ended;
  expect(code).toBe(0);
  expect(stdout.match(/2 x h100/g)).toHaveLength(1);
  expect(on.simulator.truth().requests).toMatchObject({ launch: 0, stop: 0 });
});
