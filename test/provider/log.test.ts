import { expect, it } from "vitest";
import { progressOf } from "../../provider/runtime/session/progress.ts";
import { stage } from "../support/stage.ts";
import { createMachine, deskOn, slotOf } from "./support.ts";

it("ten Deployments of one combination and one lost answer fit on a screen", async () => {
  // Nothing tells their machines apart: each waits for the one before it.
  const on = await stage({ dialect: "plain" });
  on.simulator.control.faults.next("launch", { kind: "dropAfter" });
  const desk = deskOn(on);
  const labels = Array.from({ length: 10 }, (_, index) => `project/dev/web${index}`);
  const slots = await Promise.all(labels.map((label) => slotOf(desk, { label })));
  await on.clock.run(
    Promise.all(
      slots.map((each, index) =>
        createMachine(desk, each, { label: labels[index], timeouts: { create: "3h" } }),
      ),
    ),
  );
  expect(on.alive()).toHaveLength(10);
  const { lines } = desk;
  expect(lines.length, lines.join("\n")).toBeLessThanOrEqual(60);
  // Said once it is sent, and by each.
  expect(lines.filter((line) => line.includes(": launching "))).toHaveLength(on.launches());
  for (const name of labels.map((label) => label.split("/")[2]))
    expect(lines.some((line) => line.startsWith(`${name}: `) && line.endsWith("is running"))).toBe(true);
});

it("a wait is said when it begins and when its reason changes; what takes turns, at most once a minute", () => {
  let now = 0;
  const lines: string[] = [];
  const tell = progressOf({ say: (text, name) => lines.push(`${name}: ${text}`), now: () => now }, "web");
  for (; now < 120_000; now += 250) {
    tell(`waiting: ${Math.ceil((120_000 - now) / 1000)} s more`);
    tell("waiting: another launch goes first");
  }
  expect(lines).toEqual([
    "web: waiting: 120 s more",
    "web: waiting: another launch goes first",
    "web: waiting: 60 s more",
    "web: waiting: another launch goes first",
  ]);
  tell("waiting: something else");
  expect(lines.at(-1)).toBe("web: waiting: something else");
});
