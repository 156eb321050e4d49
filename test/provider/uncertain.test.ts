import { expect, it } from "vitest";
import { H100, H100_SOUTH, stage } from "../support/stage.ts";
import { createMachine, deskOn, failure, slotOf } from "./support.ts";

/** The profile as one of version 2, which says this of launches, and names no definite refusal. */
const asTwo =
  (launch: string, more = "") =>
  (profile: string): string =>
    `${profile
      .replace("profile: 1", "profile: 2")
      .replace(
        "launch:\n",
        `calls: { stop: { method: POST, path: "/api/v1/deployments/{id}/stop" } }\nlaunch:\n${launch}`,
      )
      .replace(/stop:\n {2}method.*\n {2}path.*\n/, "stop:\n")
      .replace(/ {2}definite:\n {4}statuses.*\n {4}codes.*\n/, "")}\n${more}`;

it("an uncertain refusal is looked for, and is an error once nothing was found", async () => {
  const on = await stage({ balance: "1.0000", alter: asTwo("  refusals: uncertain\n") });
  const desk = deskOn(on);
  const begun = on.clock.now();
  const error = await on.clock.run(failure(createMachine(desk, await slotOf(desk))));
  expect(error.message).toMatch(
    /^none of the candidates could be launched: h100-8 @ north\/oslo: the service answered 402 insufficient_balance.*\. It was looked for, and nothing was found\. Nothing was launched\.$/,
  );
  expect(on.clock.now() - begun).toBeGreaterThan(200_000);
  expect(on.launches()).toBe(1);
  expect(on.alive()).toEqual([]);
});

it("a machine that such an error made is the slot's", async () => {
  const on = await stage({ alter: asTwo("  refusals: uncertain\n") });
  on.simulator.control.faults.next("launch", { kind: "errorAfter", status: 400 });
  const desk = deskOn(on);
  const slot = await slotOf(desk);
  const { machine } = await on.clock.run(createMachine(desk, slot));
  expect(on.alive().map((each) => each.id)).toEqual([machine?.id]);
  expect(on.launches()).toBe(1);
});

it("several Deployments and a fleet launch so far apart as the profile says, and as soon as that allows", async () => {
  const on = await stage({
    offers: [H100, H100_SOUTH],
    settings: { launchEverySeconds: 12 },
    alter: asTwo("", 'limits: { launchEvery: "12s" }\n'),
  });
  await on.declare({
    alpha: {
      gpus: 16,
      candidates: [{ ...H100_SOUTH, pricePerHour: "18" }].map(
        ({ capacity: _, gpuModel: __, ...each }) => each,
      ),
    },
  });
  on.start();
  const desk = deskOn(on);
  const slots = [await slotOf(desk), await slotOf(desk)];
  await on.clock.run(Promise.all(slots.map((slot) => createMachine(desk, slot))));
  await on.clock.advance(60_000);
  const at = on.simulator.truth().launches.map((each) => each.at);
  const gaps = at.slice(1).map((each, index) => each - (at[index] ?? 0));
  expect(at).toHaveLength(4);
  for (const gap of gaps) expect([gap >= 12_000, gap < 15_000]).toEqual([true, true]);
  await on.stop();
});
