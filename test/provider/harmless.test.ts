import { expect, it } from "vitest";
import { callDynamically } from "../../provider/runtime/host/dynamic-host.ts";
import type { ResourceKind } from "../../provider/runtime/inputs/resource-kind.ts";
import { stage } from "../support/stage.ts";
import { COMBINATION, createMachine, deskOn, failure, slotOf } from "./support.ts";

const EVIL = "\u001b[2J\u202egnp.exe";
const HARMFUL = /[\p{Cc}\p{Cf}]/u;

it("what the service says of a failure reaches the terminal without control characters, and not by the megabyte", async () => {
  const on = await stage();
  on.simulator.control.failNext(COMBINATION, {
    code: `CODE${EVIL}`,
    reason: `no GPU${EVIL}${"x".repeat(100_000)}`,
    suggestedAction: `choose${EVIL}${"y".repeat(100_000)}`,
  });
  const desk = deskOn(on);
  const error = await on.clock.run(failure(createMachine(desk, await slotOf(desk))));
  expect(error.message).toContain("failed to launch: CODE·[2J·gnp.exe: no GPU·[2J·gnp.exe");
  expect(error.message).toContain("The next pulumi up replaces it.");
  for (const text of [error.message, ...desk.lines]) {
    expect(text).not.toMatch(HARMFUL);
    expect(text.length).toBeLessThan(3_000);
  }
});

it("so do lines about a state that nobody knows", async () => {
  const on = await stage();
  const { deployments } = on.keeper.service;
  Object.assign(on.keeper.service, {
    deployments: async (...args: Parameters<typeof deployments>) =>
      (await deployments(...args))?.map((each) => ({ ...each, status: `warming${EVIL}` })),
  });
  const desk = deskOn(on);
  const args = { timeouts: { create: "2m" } };
  await on.clock.run(failure(createMachine(desk, await slotOf(desk), args)));
  expect(desk.lines.join("")).toContain("is warming·[2J·gnp.exe");
  expect(desk.lines.join("")).not.toMatch(HARMFUL);
});

it("an error keeps its own lines on its way to the engine, and nothing else that moves a cursor", async () => {
  const kind = {
    read: async () => {
      throw new Error(`first${EVIL}\nsecond`);
    },
  } as unknown as ResourceKind;
  const config = { get: () => undefined };
  const error = await failure(callDynamically(kind, "read", config, ["id", { label: "p/s/web" }]));
  expect(error.message).toBe("first·[2J·gnp.exe\nsecond");
});
