import { expect, test } from "vitest";
import { ELSEWHERE, HERE, SimulatorBench, THERE } from "./bench.ts";

const OTHER = { email: "other@example.com", apiKey: "other", balance: "100" };

test("a cooling combination is refused with 503, its code and the seconds that are left", async () => {
  const bench = new SimulatorBench();
  bench.control.cooldown(HERE, 61.5);
  const first = await bench.launch();
  expect([first.status, first.headers["retry-after"]]).toEqual([503, "62"]);
  expect(JSON.parse(first.body).error).toBe("offer_cooling_down");
  await bench.seconds(61);
  expect((await bench.launch()).headers["retry-after"]).toBe("1");
  await bench.seconds(0.5);
  expect((await bench.launch()).status).toBe(201);
});

test("it cools for every account, and for exactly this combination", async () => {
  const bench = new SimulatorBench({ accounts: [OTHER] });
  bench.control.cooldown(HERE, 60);
  const body = { ...HERE, label: "l" };
  const other = await bench.send("POST", "/api/v1/deployments", body, { "x-api-key": "other" });
  expect(other.status).toBe(503);
  expect(() => bench.control.launchByHand(HERE)).toThrow("coolingDown");
  expect((await bench.launch(THERE)).status).toBe(201);
});

test("a refused launch costs nothing and leaves nothing", async () => {
  const bench = new SimulatorBench();
  bench.control.cooldown(HERE);
  await bench.launch();
  expect(await bench.balance()).toBe("100.0000");
  expect(await bench.list()).toEqual([]);
  expect(bench.truth.launches).toMatchObject([{ outcome: { kind: "refused", problem: "coolingDown" } }]);
});

test("a combination without capacity begins to cool, and can be had again after both have cleared", async () => {
  const bench = new SimulatorBench({ balance: "1000", accounts: [OTHER] });
  const id = await bench.launched(ELSEWHERE);
  bench.control.launchByHand(ELSEWHERE, { account: OTHER.email });
  const refused = await bench.launch(ELSEWHERE);
  expect([refused.status, refused.headers["retry-after"]]).toEqual([503, "60"]);
  await bench.stop(id);
  await bench.seconds(5);
  expect((await bench.launch(ELSEWHERE)).status).toBe(503);
  await bench.seconds(55);
  expect((await bench.launch(ELSEWHERE)).status).toBe(201);
});

test("a shorter cooldown does not end a longer one", async () => {
  const bench = new SimulatorBench();
  bench.control.cooldown(HERE, 100);
  bench.control.cooldown(HERE, 1);
  await bench.seconds(99);
  expect((await bench.launch()).status).toBe(503);
});

test("with coolAfterFailure a failed launch suppresses its combination", async () => {
  const bench = new SimulatorBench({ settings: { coolAfterFailure: true } });
  bench.control.failNext(HERE, {}, { during: "initializing" });
  await bench.launched();
  await bench.seconds(10);
  expect((await bench.launch()).status).toBe(503);
});

test("a client of a sped-up service is told its own seconds", async () => {
  const bench = new SimulatorBench();
  const fast = new SimulatorBench({ clock: Object.assign(bench.clock, { speed: 60 }) });
  fast.control.cooldown(HERE, 90);
  expect((await fast.launch()).headers["retry-after"]).toBe("2");
});
