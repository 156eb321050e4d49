import { expect, test } from "vitest";
import { HERE, SimulatorBench } from "./bench.ts";

async function withMachines(
  count: number,
  options?: ConstructorParameters<typeof SimulatorBench>[0],
): Promise<SimulatorBench> {
  const bench = new SimulatorBench({ balance: "1000", ...options });
  for (let number = 0; number < count; number += 1) {
    bench.control.launchByHand(HERE);
    await bench.seconds(1);
  }
  return bench;
}

const ids = (list: readonly { readonly id: string }[]): string[] => list.map(({ id }) => id);

test("lag: the list shows the world of so long ago, states included", async () => {
  const bench = await withMachines(3); // at 0, 1 and 2 s; now it is 3 s
  const whole = ids(await bench.list());
  await bench.seconds(8); // 11 s: the first two are provisioning
  bench.control.faults.next("deployments", { kind: "lag", seconds: 10 });
  expect((await bench.list()).map(({ id, status }) => [id, status])).toEqual([
    [whole[0], "initializing"],
    [whole[1], "initializing"],
  ]);
  expect((await bench.list()).map(({ status }) => status)).toEqual([
    "provisioning",
    "provisioning",
    "initializing",
  ]);
});

test("lag: a single deployment is not there yet either", async () => {
  const bench = new SimulatorBench();
  const id = await bench.launched();
  bench.control.faults.next("deployment", { kind: "lag", seconds: 10 });
  expect((await bench.send("GET", `/api/v1/deployments/${id}`)).status).toBe(404);
  expect((await bench.send("GET", `/api/v1/deployments/${id}`)).status).toBe(200);
});

test("lag: a failure is not known before it happened", async () => {
  const bench = new SimulatorBench();
  bench.control.failNext(HERE, {}, { during: "initializing" });
  bench.control.launchByHand(HERE);
  await bench.seconds(20);
  bench.control.faults.next("deployments", { kind: "lag", seconds: 20 });
  expect(await bench.list()).toMatchObject([
    { status: "initializing", failure_code: null, failure_reason: null },
  ]);
});

test("stale: the list is the previous one again, however often", async () => {
  const bench = await withMachines(1);
  const before = await bench.list();
  await bench.seconds(60);
  bench.control.launchByHand(HERE);
  bench.control.faults.next("deployments", { kind: "stale" }, { times: 2 });
  expect(await bench.list()).toEqual(before);
  await bench.seconds(60);
  expect(await bench.list()).toEqual(before);
  expect(await bench.list()).toHaveLength(2);
});

test("cut: items are missing though the answer looks whole", async () => {
  const bench = await withMachines(40);
  bench.control.faults.next("deployments", { kind: "cut", keep: 0.5 });
  bench.control.faults.next("deployments", { kind: "cut", keep: 0 });
  const cut = await bench.list();
  expect(cut.length).toBeGreaterThan(8);
  expect(cut.length).toBeLessThan(32);
  expect(await bench.list()).toEqual([]);
  expect(await bench.list()).toHaveLength(40);
});

test("reorder: all items, in another order", async () => {
  const bench = await withMachines(20);
  const whole = ids(await bench.list());
  bench.control.faults.next("deployments", { kind: "reorder" });
  const reordered = ids(await bench.list());
  expect(reordered).not.toEqual(whole);
  expect([...reordered].sort()).toEqual([...whole].sort());
});

test("a list can fail, break, or be garbage", async () => {
  const bench = await withMachines(2);
  bench.control.faults.next("deployments", { kind: "errorBefore", status: 500 });
  bench.control.faults.next("deployments", { kind: "dropAfter" });
  bench.control.faults.next("deployments", { kind: "unreadable" });
  expect((await bench.send("GET", "/api/v1/deployments")).status).toBe(500);
  await expect(bench.list()).rejects.toMatchObject({ code: "NO_ANSWER" });
  const garbage = await bench.send("GET", "/api/v1/deployments");
  expect(garbage.status).toBe(200);
  expect(() => JSON.parse(garbage.body)).toThrow();
});

test("a cut list is cut the same way on all of its pages", async () => {
  const bench = await withMachines(50, { dialect: "nested" });
  bench.control.faults.next("deployments", { kind: "cut", keep: 0.7 });
  const found: string[] = [];
  let total = Number.POSITIVE_INFINITY;
  for (let page = 1; found.length < total; page += 1) {
    const path = `/api/v1/deployments?sort=-created&per_page=20&page=${page}`;
    const { data } = JSON.parse(
      (await bench.send("GET", path, undefined, { authorization: `Bearer ${bench.simulator.apiKey}` })).body,
    );
    expect(data.items.length).toBeGreaterThan(0);
    found.push(...ids(data.items));
    total = data.total;
  }
  expect(new Set(found).size).toBe(total);
  expect(total).toBeLessThan(50);
  expect(total).toBeGreaterThan(20);
});

test("hide: absent from lists, but there by its id; forget: absent everywhere; both still cost", async () => {
  const bench = await withMachines(2);
  const [first = "", second = ""] = ids(await bench.list());
  bench.control.hide(first);
  bench.control.forget(second);
  expect(await bench.list()).toEqual([]);
  expect((await bench.get(first)).status).toBe("initializing");
  expect((await bench.send("GET", `/api/v1/deployments/${second}`)).status).toBe(404);
  expect((await bench.stop(second)).status).toBe(404);
  await bench.seconds(100);
  expect(bench.truth.machines.map(({ states }) => states.at(-1)?.state)).toEqual(["running", "running"]);
  bench.control.hide(first, false);
  bench.control.forget(second, false);
  expect(ids(await bench.list())).toEqual([first, second]);
});
